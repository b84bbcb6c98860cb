//go:build linux && !nocuda && (amd64 || arm64)

package driver

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"
	"unsafe"

	"warpbound/internal/cuda"
)

// The attributes of kernels (CUfunction_attribute).
const (
	funcMaxThreads    = 0
	funcSharedBytes   = 1
	funcLocalBytes    = 3
	funcRegisters     = 4
	funcDynamicShared = 8 // the most that a launch may ask for
)

// sharedWithoutAsking is the dynamic shared memory in bytes that a launch gets without
// funcDynamicShared.
const sharedWithoutAsking = 48 << 10

// The extra options of a launch (CU_LAUNCH_PARAM_*).
const (
	paramEnd     = 0
	paramPointer = 1
	paramSize    = 2
)

// kernel is a kernel of a loaded module.
type kernel struct {
	device     *device
	function   function
	name       string
	attributes cuda.FunctionAttributes
}

// describe asks for the attributes. The device's context must be current.
func (f *kernel) describe() error {
	d, a := f.device, &f.attributes
	for _, q := range []struct {
		attribute int32
		value     *int
	}{
		{funcRegisters, &a.Registers},
		{funcSharedBytes, &a.SharedBytes},
		{funcLocalBytes, &a.LocalBytes},
		{funcMaxThreads, &a.MaxThreads},
	} {
		var v int32
		if err := d.call("cuFuncGetAttribute", d.lib.FuncGetAttribute(&v, q.attribute, f.function)); err != nil {
			return fmt.Errorf("kernel %s: %w", f.name, err)
		}
		*q.value = int(v)
	}
	return nil
}

// Attributes implements cuda.Function.
func (f *kernel) Attributes() cuda.FunctionAttributes { return f.attributes }

// Occupancy implements cuda.Function.
func (f *kernel) Occupancy(threads, dynamicShared int) (int, error) {
	if threads < 1 || threads > math.MaxInt32 || dynamicShared < 0 {
		return 0, fmt.Errorf("CTAs of %d threads with %d bytes of dynamic shared memory", threads, dynamicShared)
	}
	d := f.device
	var n int32
	err := d.do(func() error {
		if err := f.allow(dynamicShared); err != nil {
			return err
		}
		return d.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", d.lib.Occupancy(&n, f.function, int32(threads), uintptr(dynamicShared)))
	})
	return int(n), err
}

// allow lets launches of the kernel have so much dynamic shared memory.
func (f *kernel) allow(dynamicShared int) error {
	d := f.device
	if f.attributes.SharedBytes+dynamicShared <= sharedWithoutAsking || dynamicShared > math.MaxInt32 {
		return nil
	}
	if f.attributes.SharedBytes+dynamicShared > d.attributes.CTAShared {
		return nil // the driver says how many do not fit, if any do
	}
	return d.call("cuFuncSetAttribute", d.lib.FuncSetAttribute(f.function, funcDynamicShared, int32(dynamicShared)))
}

// check finds what is wrong with the numbers of a launch, beside what the driver checks.
func (f *kernel) check(l cuda.Launch) error {
	for i, axis := range "xyz" {
		if g, b := l.Grid[i], l.Block[i]; g < 1 || b < 1 || g > math.MaxInt32 || b > math.MaxInt32 {
			return fmt.Errorf("%w: kernel %s: a grid of %d and a block of %d in %c", cuda.ErrLaunch, f.name, g, b, axis)
		}
	}
	if have := f.device.attributes.CTAShared - f.attributes.SharedBytes; l.DynamicShared < 0 || l.DynamicShared > have {
		return fmt.Errorf("%w: kernel %s: %d bytes of dynamic shared memory; a CTA can have %d", cuda.ErrLaunch, f.name, l.DynamicShared, have)
	}
	return nil
}

// Launch implements cuda.Function.
func (f *kernel) Launch(ctx context.Context, l cuda.Launch) (time.Duration, error) {
	if err := f.check(l); err != nil {
		return 0, err
	}
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var took time.Duration
	err := f.device.do(func() (err error) {
		if err = f.start(l); err == nil {
			took, err = f.wait(ctx)
		}
		return err
	})
	return took, err
}

// start queues a launch between the device's two events, behind what holds the GPU until all of
// them are queued.
func (f *kernel) start(l cuda.Launch) error {
	d := f.device
	if err := f.allow(l.DynamicShared); err != nil {
		return err
	}
	if err := d.holdGPU(); err != nil {
		return err
	}
	if err := d.call("cuEventRecord", d.lib.EventRecord(d.start, 0)); err != nil {
		return err
	}
	r := d.launch(f.function, l.Grid, l.Block, l.DynamicShared, l.Params)
	err := d.call("cuLaunchKernel", r)
	switch {
	case err == nil:
		err = d.call("cuEventRecord", d.lib.EventRecord(d.end, 0))
		d.adaptHold()
		return err
	case r.fault():
		return &cuda.Fault{Kernel: f.name, Err: err}
	}
	return fmt.Errorf("%w: kernel %s: %w", cuda.ErrLaunch, f.name, err)
}

// launch queues a kernel. Its parameters lie as PTX lays them out.
func (d *device) launch(f function, grid, block [3]int, dynamicShared int, params []byte) result {
	var options *uintptr // none for a kernel without parameters
	if len(params) > 0 {
		own, size := slices.Clone(params), []uintptr{uintptr(len(params))}
		var pin runtime.Pinner
		defer pin.Unpin()
		pin.Pin(&own[0])
		pin.Pin(&size[0])
		options = &[]uintptr{
			paramPointer, uintptr(unsafe.Pointer(&own[0])),
			paramSize, uintptr(unsafe.Pointer(&size[0])),
			paramEnd,
		}[0]
	}
	return d.lib.LaunchKernel(f,
		uint32(grid[0]), uint32(grid[1]), uint32(grid[2]), uint32(block[0]), uint32(block[1]), uint32(block[2]),
		uint32(dynamicShared), 0, nil, options)
}

// eager is how long the end of a kernel is asked for again and again, before pauses are
// made. The time between the events does not depend on it.
const eager = time.Millisecond

// wait waits for the event behind a launch.
func (f *kernel) wait(ctx context.Context) (time.Duration, error) {
	d := f.device
	begun := time.Now()
	r := d.lib.EventQuery(d.end)
	for ; r == notReady; r = d.lib.EventQuery(d.end) {
		if err := ctx.Err(); err != nil {
			d.running = true
			d.lost = fmt.Errorf("%w: kernel %s was given up", cuda.ErrLost, f.name)
			return 0, fmt.Errorf("kernel %s: %w: %w", f.name, cuda.ErrTimeout, err)
		}
		if time.Since(begun) > eager {
			time.Sleep(eager / 4)
		}
	}
	err := d.call("cuEventQuery", r)
	switch {
	case r == launchTimeout:
		return 0, fmt.Errorf("kernel %s: %w: %w", f.name, cuda.ErrTimeout, err)
	case r.fault():
		return 0, &cuda.Fault{Kernel: f.name, Err: err}
	case err != nil:
		return 0, err
	}
	var ms float32
	if err := d.call("cuEventElapsedTime", d.lib.EventElapsedTime(&ms, d.start, d.end)); err != nil {
		return 0, err
	}
	return time.Duration(math.Round(float64(ms) * 1e6)), nil
}
