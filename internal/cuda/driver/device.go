//go:build linux && !nocuda && (amd64 || arm64)

package driver

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"warpbound/internal/cuda"
)

// device is an open GPU: a context of its own.
type device struct {
	lib        *library
	ordinal    ordinal
	ctx        ctxHandle
	attributes cuda.Attributes
	monitor    *monitor
	start, end event
	hold       function // what keeps the GPU busy while a launch is queued; 0 for nothing
	holdFor    uint32   // nanoseconds
	lost       error    // why the device cannot be used any more
	running    bool     // a kernel that was given up runs on
}

// create makes the context and the events of a device, and what holds it.
func (d *device) create() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.lib.call("cuCtxCreate", d.lib.CtxCreate(&d.ctx, 0, d.ordinal)); err != nil {
		return err
	}
	for _, e := range []*event{&d.start, &d.end} {
		if err := d.lib.call("cuEventCreate", d.lib.EventCreate(e, 0)); err != nil {
			d.lib.CtxDestroy(d.ctx)
			return err
		}
	}
	d.prepareHold()
	return nil
}

// do calls f with the device's context current, which is a property of the thread.
func (d *device) do(f func() error) error {
	if d.lost != nil {
		return d.lost
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := d.call("cuCtxSetCurrent", d.lib.CtxSetCurrent(d.ctx)); err != nil {
		return err
	}
	return f()
}

// call makes an error of the result of a call. After a fault the device is lost.
func (d *device) call(name string, r result) error {
	err := d.lib.call(name, r)
	if r.fault() || r == launchTimeout {
		d.lost = fmt.Errorf("%w: %w", cuda.ErrLost, err)
	}
	return err
}

// Attributes implements cuda.Device.
func (d *device) Attributes() cuda.Attributes { return d.attributes }

// Alloc implements cuda.Device.
func (d *device) Alloc(bytes int) (cuda.Pointer, error) {
	if bytes < 1 {
		return 0, fmt.Errorf("an allocation of %d bytes", bytes)
	}
	var p address
	err := d.do(func() error {
		return d.call("cuMemAlloc", d.lib.MemAlloc(&p, uintptr(bytes)))
	})
	return cuda.Pointer(p), err
}

// Free implements cuda.Device.
func (d *device) Free(p cuda.Pointer) error {
	if p == 0 {
		return errors.New("0x0 is not the address of an allocation")
	}
	return d.do(func() error {
		return d.call("cuMemFree", d.lib.MemFree(address(p)))
	})
}

// Write implements cuda.Device.
func (d *device) Write(p cuda.Pointer, data []byte) error {
	if len(data) == 0 {
		return d.lost
	}
	return d.do(func() error {
		return d.call("cuMemcpyHtoD", d.lib.MemcpyHtoD(address(p), unsafe.Pointer(&data[0]), uintptr(len(data))))
	})
}

// Read implements cuda.Device.
func (d *device) Read(p cuda.Pointer, data []byte) error {
	if len(data) == 0 {
		return d.lost
	}
	return d.do(func() error {
		return d.call("cuMemcpyDtoH", d.lib.MemcpyDtoH(unsafe.Pointer(&data[0]), address(p), uintptr(len(data))))
	})
}

// Conditions implements cuda.Device.
func (d *device) Conditions() cuda.Conditions { return d.monitor.conditions() }

// Close implements cuda.Device. The context of a kernel that runs on is left alone: the
// driver would wait for it.
func (d *device) Close() error {
	d.monitor.close()
	d.lost = fmt.Errorf("%w: it was closed", cuda.ErrLost)
	if d.ctx == 0 || d.running {
		return nil
	}
	err := d.lib.call("cuCtxDestroy", d.lib.CtxDestroy(d.ctx))
	d.ctx = 0
	if e, ok := errors.AsType[*cuda.CallError](err); ok && result(e.Code).fault() {
		return nil // the fault that was reported already
	}
	return err
}
