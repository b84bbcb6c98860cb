// Package cuda is what this project needs of the driver of NVIDIA GPUs: loading PTX,
// memory, launches, and what a device says of itself. It holds interfaces and their
// errors alone. Package driver implements them by the CUDA driver API, package standin
// by the simulator.
//
// cuda must not import anything of this project.
package cuda

import (
	"context"
	"fmt"
	"time"
)

// Driver gives access to the GPUs of a computer.
type Driver interface {
	// Version returns the version of CUDA that the driver supports.
	Version() Version

	// Devices returns how many GPUs there are; they are numbered from 0.
	Devices() (int, error)

	// Open makes a GPU ready for use. Memory and modules of one Device are not seen by
	// another one, also of the same GPU.
	Open(device int) (Device, error)
}

// Version is a version of CUDA.
type Version struct{ Major, Minor int }

// String renders a version as in "12.4".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Less reports whether v is older than w.
func (v Version) Less(w Version) bool {
	return v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor
}

// Device is an open GPU. It may be used by one goroutine at a time, and by any.
//
// A kernel that faults, and one that does not end in time, take the device with them:
// every later call returns an error that wraps ErrLost, but for Close. Open may then give a
// Device that works again: after a fault if the driver allows it in the same process, and
// after a timeout when the kernel has ended.
type Device interface {
	// Attributes returns what the device is and what limits it has.
	Attributes() Attributes

	// Load compiles a module in PTX for the device and loads it. What the compiler
	// rejects is a *BuildError.
	Load(ptx []byte) (Module, error)

	// Alloc returns the address of new global memory, aligned to 256 bytes at least. Its
	// contents are undefined. It is an error that wraps ErrMemory if there is not enough.
	Alloc(bytes int) (Pointer, error)

	// Free gives back what Alloc returned.
	Free(p Pointer) error

	// Write copies data to global memory, Read copies global memory to data.
	Write(p Pointer, data []byte) error
	Read(p Pointer, data []byte) error

	// Conditions returns what holds now and can change what is measured.
	Conditions() Conditions

	// Close unloads all modules and frees all memory.
	Close() error
}

// Pointer is an address in global memory; 0 is none.
type Pointer uint64

// Module is a module that a device has loaded.
type Module interface {
	// Function returns a kernel. It is an error that wraps ErrNotFound if the module has
	// none of that name.
	Function(name string) (Function, error)

	// Global returns address and size in bytes of a variable in global or constant memory
	// of module scope. It is an error that wraps ErrNotFound if the module has none of that
	// name.
	Global(name string) (Pointer, int, error)

	// Log returns what the compiler remarked about the module.
	Log() []Message

	// Unload removes the module from the device.
	Unload() error
}

// Function is a kernel of a loaded module.
type Function interface {
	// Attributes returns what the compiler made of the kernel.
	Attributes() FunctionAttributes

	// Occupancy returns how many CTAs of so many threads and so many bytes of dynamic
	// shared memory an SM holds at a time; 0 if not even one.
	Occupancy(threads, dynamicShared int) (int, error)

	// Launch runs the kernel, waits for its end and returns the time between an event
	// before it and one behind it on the device. That includes the launch itself.
	//
	// An error wraps ErrLaunch if the launch does not fit the kernel or the device. It is a
	// *Fault if the kernel did what it must not. It wraps ErrTimeout and the error of ctx if
	// that ended first, and ErrTimeout if the watchdog of a display stopped the kernel. It is
	// the error of ctx alone if that had ended before.
	Launch(ctx context.Context, l Launch) (time.Duration, error)
}

// FunctionAttributes is what the compiler made of a kernel.
type FunctionAttributes struct {
	Registers   int // per thread
	SharedBytes int // per CTA, static
	LocalBytes  int // per thread
	MaxThreads  int // per CTA: more of them do not fit
}

// Launch is how a kernel is started.
type Launch struct {
	Grid, Block   [3]int // CTAs of the grid and threads of a CTA in x, y and z
	DynamicShared int    // bytes of shared memory per CTA beyond what the kernel declares
	Params        []byte // all parameters at their offsets, as PTX lays them out
}
