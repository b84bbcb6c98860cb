// A library with the functions of libnvidia-ml that the binding uses.
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct process { unsigned pid; unsigned long long bytes; unsigned gpu, compute; };

int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
const char *nvmlErrorString(int code) { return code == 3 ? "Not Supported" : "?"; }
int nvmlSystemGetDriverVersion(char *s, unsigned n) { snprintf(s, n, "550.54.14"); return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **d) { *d = (void *)0x1234; return strcmp(id, "0000:47:00.0") ? 6 : 0; }
int nvmlDeviceGetClockInfo(void *d, int domain, unsigned *mhz) { *mhz = domain == 1 ? 1410 : 1215; return d != (void *)0x1234; }
int nvmlDeviceGetTemperature(void *d, int sensor, unsigned *v) { *v = 41; return sensor; }
int nvmlDeviceGetPowerUsage(void *d, unsigned *v) { return 3; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *v) { *v = 0x24; return 0; }
int nvmlDeviceGetComputeRunningProcesses_v2(void *d, unsigned *n, struct process *p) {
	if (*n < 2) return 7;
	p[0] = (struct process){.pid = 1, .bytes = ~0ull};
	p[1] = (struct process){.pid = getpid(), .bytes = ~0ull};
	*n = 2;
	return 0;
}
int nvmlDeviceGetGraphicsRunningProcesses_v2(void *d, unsigned *n, struct process *p) {
	p[0] = (struct process){.pid = 1};
	p[1] = (struct process){.pid = 2};
	*n = 2;
	return 0;
}
