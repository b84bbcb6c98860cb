// A library with the functions of libcuda that the binding uses. It checks the arguments
// that it gets and that a context is current where one must be, and it "runs" kernels by
// their names:
//
//	describe  writes the launch to the address that is its first parameter
//	fault     makes the end of the launch an illegal access
//	endless   does not end
//
// VERSION is the version of CUDA, INIT the result of cuInit.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef VERSION
#define VERSION 12040
#endif
#ifndef INIT
#define INIT 0
#endif

enum { INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_CONTEXT = 201, INVALID_PTX = 218, NOT_FOUND = 500, NOT_READY = 600, ILLEGAL_ADDRESS = 700 };

struct context { int32_t device; int lost, queries, endless; };
struct module { char *text; };
struct event { struct context *ctx; int recorded; };
static __thread struct context *current;

#define NEED_CONTEXT \
	if (!current) return INVALID_CONTEXT; \
	if (current->lost) return ILLEGAL_ADDRESS

int cuInit(unsigned flags) { return flags ? INVALID_VALUE : INIT; }
int cuDriverGetVersion(int *v) { *v = VERSION; return 0; }
int cuGetErrorName(int code, const char **s) {
	*s = code == INVALID_PTX ? "CUDA_ERROR_INVALID_PTX" : code == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == NOT_FOUND ? "CUDA_ERROR_NOT_FOUND" : 0;
	return *s ? 0 : INVALID_VALUE;
}
int cuGetErrorString(int code, const char **s) {
	*s = code == ILLEGAL_ADDRESS ? "an illegal memory access was encountered" : 0;
	return *s ? 0 : INVALID_VALUE;
}
int cuDeviceGetCount(int *n) { *n = 2; return 0; }
int cuDeviceGet(int32_t *d, int n) { *d = 70 + n; return n < 0 || n > 1 ? INVALID_VALUE : 0; }
int cuDeviceGetName(char *s, int n, int32_t d) { snprintf(s, n, "fake %d", d - 70); return 0; }
int cuDeviceTotalMem_v2(size_t *n, int32_t d) { *n = 5ull << 30; return d < 70; }
int cuDeviceGetAttribute(int *v, int a, int32_t d) {
	if (VERSION < 11000 && a > 102) return INVALID_VALUE;
	*v = a == 97 ? 99 << 10 : 1000 + a;
	return d < 70;
}
int cuDeviceGetPCIBusId(char *s, int n, int32_t d) { snprintf(s, n, "0000:%02x:00.0", d); return 0; }
int cuCtxCreate_v2(struct context **c, unsigned flags, int32_t d) {
	*c = calloc(1, sizeof **c);
	(*c)->device = d;
	current = *c;
	return flags != 0;
}
int cuCtxDestroy_v2(struct context *c) {
	int lost = c->lost;
	if (current == c) current = 0;
	free(c);
	return lost ? ILLEGAL_ADDRESS : 0;
}
int cuCtxSetCurrent(struct context *c) { current = c; return 0; }
int cuMemAlloc_v2(uint64_t *p, size_t n) {
	NEED_CONTEXT;
	if (n > 1 << 20) return OUT_OF_MEMORY;
	*p = (uint64_t)(uintptr_t)malloc(n);
	return 0;
}
int cuMemFree_v2(uint64_t p) { NEED_CONTEXT; free((void *)(uintptr_t)p); return 0; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n) { NEED_CONTEXT; memcpy((void *)(uintptr_t)to, from, n); return 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) { NEED_CONTEXT; memcpy(to, (void *)(uintptr_t)from, n); return 0; }

// cuModuleLoadDataEx rejects texts with the word "reject".
int cuModuleLoadDataEx(struct module **m, const char *image, unsigned n, const int *options, void **values) {
	NEED_CONTEXT;
	char *info = 0, *error = 0;
	size_t infoBytes = 0, errorBytes = 0;
	int verbose = 0;
	for (unsigned i = 0; i < n; i++) switch (options[i]) {
		case 3: info = values[i]; break;
		case 4: infoBytes = (size_t)values[i]; break;
		case 5: error = values[i]; break;
		case 6: errorBytes = (size_t)values[i]; break;
		case 12: verbose = (int)(size_t)values[i]; break;
		default: return INVALID_VALUE;
	}
	if (!info || !error || infoBytes < 1000 || errorBytes < 1000 || verbose != 1) return INVALID_VALUE;
	if (strstr(image, "reject")) {
		snprintf(error, errorBytes, "ptxas application ptx input, line 3; error   : no\nptxas fatal   : Ptx assembly aborted due to errors");
		return INVALID_PTX;
	}
	snprintf(info, infoBytes, "ptxas info    : %zu bytes", strlen(image));
	if (strstr(image, "warn")) snprintf(error, errorBytes, "ptxas application ptx input, line 1; warning : old\n");
	*m = malloc(sizeof **m);
	(*m)->text = strdup(image);
	return 0;
}
int cuModuleUnload(struct module *m) { NEED_CONTEXT; free(m->text); free(m); return 0; }
int cuModuleGetFunction(char **f, struct module *m, const char *name) {
	NEED_CONTEXT;
	if (!strstr(m->text, name)) return NOT_FOUND;
	*f = strdup(name);
	return 0;
}
int cuModuleGetGlobal_v2(uint64_t *p, size_t *n, struct module *m, const char *name) {
	NEED_CONTEXT;
	char *at = strstr(m->text, name);
	if (!at) return NOT_FOUND;
	*p = (uint64_t)(uintptr_t)at;
	*n = strlen(name);
	return 0;
}
int cuFuncGetAttribute(int *v, int a, const char *f) { NEED_CONTEXT; *v = 100 + a; return !f; }
static int allowed;
int cuFuncSetAttribute(const char *f, int a, int v) { NEED_CONTEXT; allowed = v; return a != 8 || !f; }
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const char *f, int threads, size_t shared) {
	NEED_CONTEXT;
	*n = threads * 1000 + (int)shared;
	return !f;
}
#ifndef HOST_NANOSECONDS
#define HOST_NANOSECONDS 20000 // that the host takes to queue a launch
#endif
static unsigned held; // nanoseconds for which the GPU is busy when a launch is queued
static struct event *first, *last; // that were recorded
int cuLaunchKernel(const char *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
		unsigned shared, void *stream, void **params, void **extra) {
	NEED_CONTEXT;
	if (stream || params) return INVALID_VALUE;
	size_t n = 0;
	if (extra) {
		if (extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4]) return INVALID_VALUE;
		n = *(size_t *)extra[3];
		if (!n) return INVALID_VALUE;
	}
	if (!strcmp(f, "hold")) {
		if (n != sizeof held || gx * gy * gz * bx * by * bz != 1 || shared) return INVALID_VALUE;
		memcpy(&held, extra[1], sizeof held);
		return 0;
	}
	current->queries = 3; // not ready so often
	if (!strcmp(f, "describe")) {
		uint64_t p;
		if (n < sizeof p) return INVALID_VALUE;
		memcpy(&p, extra[1], sizeof p);
		uint32_t out[] = {gx, gy, gz, bx, by, bz, shared, (uint32_t)n, allowed, ((unsigned char *)extra[1])[n - 1]};
		memcpy((void *)(uintptr_t)p, out, sizeof out);
	}
	current->lost = !strcmp(f, "fault") ? -1 : 0;
	current->endless = !strcmp(f, "endless");
	return bx > 1024 ? INVALID_VALUE : 0;
}
int cuEventCreate(struct event **e, unsigned flags) {
	NEED_CONTEXT;
	*e = calloc(1, sizeof **e);
	(*e)->ctx = current;
	return flags != 0;
}
int cuEventDestroy_v2(struct event *e) { free(e); return 0; }
int cuEventRecord(struct event *e, void *stream) {
	if (!current || e->ctx != current || stream) return INVALID_CONTEXT;
	e->recorded = 1;
	first = last;
	last = e;
	return 0;
}
int cuEventQuery(struct event *e) {
	if (!current || !e->recorded) return INVALID_CONTEXT;
	if (e == first) return held > HOST_NANOSECONDS ? NOT_READY : 0;
	if (current->endless || current->queries-- > 0) return NOT_READY;
	return current->lost ? ILLEGAL_ADDRESS : 0;
}
int cuEventElapsedTime(float *ms, struct event *start, struct event *end) {
	NEED_CONTEXT;
	if (!start->recorded || !end->recorded || start == end) return INVALID_VALUE;
	*ms = held > HOST_NANOSECONDS ? 0.0125f : 0.0125f + HOST_NANOSECONDS / 1e6f;
	held = 0;
	return 0;
}
