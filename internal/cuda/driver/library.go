//go:build linux && !nocuda && (amd64 || arm64)

package driver

import (
	"fmt"
	"reflect"
	"runtime"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The handles of the driver API. Contexts, modules, functions, events and streams are
// pointers to what the driver does not show; devices are ordinals.
type (
	ctxHandle uintptr
	module    uintptr
	function  uintptr
	event     uintptr
	stream    uintptr // 0 is the default stream of the current context
	ordinal   int32
	address   uint64 // CUdeviceptr
)

// library is the functions of libcuda that are used, with the types of cuda.h. A function
// with several versions has the one that its tag names: those before are for the 32-bit
// addresses of CUDA before 3.2.
type library struct {
	Init             func(flags uint32) result                                   `symbol:"cuInit"`
	DriverGetVersion func(version *int32) result                                 `symbol:"cuDriverGetVersion"`
	GetErrorName     func(code result, name **byte) result                       `symbol:"cuGetErrorName"`
	GetErrorString   func(code result, text **byte) result                       `symbol:"cuGetErrorString"`
	DeviceGetCount   func(count *int32) result                                   `symbol:"cuDeviceGetCount"`
	DeviceGet        func(device *ordinal, number int32) result                  `symbol:"cuDeviceGet"`
	DeviceGetName    func(name *byte, bytes int32, device ordinal) result        `symbol:"cuDeviceGetName"`
	DeviceTotalMem   func(bytes *uintptr, device ordinal) result                 `symbol:"cuDeviceTotalMem_v2"`
	GetAttribute     func(value *int32, attribute int32, device ordinal) result  `symbol:"cuDeviceGetAttribute"`
	GetPCIBusID      func(id *byte, bytes int32, device ordinal) result          `symbol:"cuDeviceGetPCIBusId"`
	CtxCreate        func(ctx *ctxHandle, flags uint32, device ordinal) result   `symbol:"cuCtxCreate_v2"`
	CtxDestroy       func(ctx ctxHandle) result                                  `symbol:"cuCtxDestroy_v2"`
	CtxSetCurrent    func(ctx ctxHandle) result                                  `symbol:"cuCtxSetCurrent"`
	MemAlloc         func(p *address, bytes uintptr) result                      `symbol:"cuMemAlloc_v2"`
	MemFree          func(p address) result                                      `symbol:"cuMemFree_v2"`
	MemcpyHtoD       func(to address, from unsafe.Pointer, bytes uintptr) result `symbol:"cuMemcpyHtoD_v2"`
	MemcpyDtoH       func(to unsafe.Pointer, from address, bytes uintptr) result `symbol:"cuMemcpyDtoH_v2"`

	ModuleLoad        func(m *module, image *byte, options uint32, names *int32, values *uintptr) result `symbol:"cuModuleLoadDataEx"`
	ModuleUnload      func(m module) result                                                              `symbol:"cuModuleUnload"`
	ModuleGetFunction func(f *function, m module, name *byte) result                                     `symbol:"cuModuleGetFunction"`
	ModuleGetGlobal   func(p *address, bytes *uintptr, m module, name *byte) result                      `symbol:"cuModuleGetGlobal_v2"`
	FuncGetAttribute  func(value *int32, attribute int32, f function) result                             `symbol:"cuFuncGetAttribute"`
	FuncSetAttribute  func(f function, attribute, value int32) result                                    `symbol:"cuFuncSetAttribute"`
	Occupancy         func(ctas *int32, f function, threads int32, dynamicShared uintptr) result         `symbol:"cuOccupancyMaxActiveBlocksPerMultiprocessor"`

	// LaunchKernel takes the grid, the block, the bytes of dynamic shared memory, the stream,
	// and the parameters either one by one or as extra options.
	LaunchKernel func(f function, gx, gy, gz, bx, by, bz, shared uint32, on stream, params, extra *uintptr) result `symbol:"cuLaunchKernel"`

	EventCreate      func(e *event, flags uint32) result                        `symbol:"cuEventCreate"`
	EventDestroy     func(e event) result                                       `symbol:"cuEventDestroy_v2"`
	EventRecord      func(e event, on stream) result                            `symbol:"cuEventRecord"`
	EventQuery       func(e event) result                                       `symbol:"cuEventQuery"`
	EventElapsedTime func(milliseconds *float32, start event, end event) result `symbol:"cuEventElapsedTime"`
}

// management is the functions of libnvidia-ml that are used, with the types of nvml.h.
type management struct {
	Init              func() status                                            `symbol:"nvmlInit_v2"`
	Shutdown          func() status                                            `symbol:"nvmlShutdown"`
	ErrorString       func(code status) string                                 `symbol:"nvmlErrorString"`
	DriverVersion     func(version *byte, bytes uint32) status                 `symbol:"nvmlSystemGetDriverVersion"`
	HandleByPCI       func(id *byte, device *handle) status                    `symbol:"nvmlDeviceGetHandleByPciBusId_v2"`
	ClockInfo         func(device handle, domain int32, mhz *uint32) status    `symbol:"nvmlDeviceGetClockInfo"`
	Temperature       func(device handle, sensor int32, value *uint32) status  `symbol:"nvmlDeviceGetTemperature"`
	PowerUsage        func(device handle, milliwatts *uint32) status           `symbol:"nvmlDeviceGetPowerUsage"`
	ThrottleReasons   func(device handle, reasons *uint64) status              `symbol:"nvmlDeviceGetCurrentClocksThrottleReasons"`
	ComputeProcesses  func(device handle, count *uint32, list *process) status `symbol:"nvmlDeviceGetComputeRunningProcesses_v2"`
	GraphicsProcesses func(device handle, count *uint32, list *process) status `symbol:"nvmlDeviceGetGraphicsRunningProcesses_v2"`
}

// open loads a shared library and looks its functions up: those that the tags of the
// fields of *table name. Nothing that is loaded is ever unloaded.
func open(name string, table any) error {
	runtime.LockOSThread() // why a library cannot be loaded is asked for in a second call, on the same thread
	defer runtime.UnlockOSThread()
	lib, err := purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return err
	}
	fields := reflect.ValueOf(table).Elem()
	for i := range fields.NumField() {
		symbol := fields.Type().Field(i).Tag.Get("symbol")
		at, err := purego.Dlsym(lib, symbol)
		if err != nil {
			return fmt.Errorf("%s has no %s", name, symbol)
		}
		purego.RegisterFunc(fields.Field(i).Addr().Interface(), at)
	}
	return nil
}

// text returns the string at p, which ends with a zero byte.
func text(p *byte) string {
	if p == nil {
		return ""
	}
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// cut returns a buffer up to its first zero byte.
func cut(buf []byte) string {
	for i, b := range buf {
		if b == 0 {
			return string(buf[:i])
		}
	}
	return string(buf)
}

// terminated returns s with a zero byte behind it.
func terminated(s string) *byte { return &append([]byte(s), 0)[0] }
