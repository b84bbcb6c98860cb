//go:build linux && !nocuda && (amd64 || arm64)

package driver

import (
	"errors"
	"fmt"
	"runtime"
	"unsafe"

	"warpbound/internal/cuda"
)

// The options of the compiler in the driver (CUjit_option).
const (
	jitInfoLog      = 3
	jitInfoLogSize  = 4
	jitErrorLog     = 5
	jitErrorLogSize = 6
	jitLogVerbose   = 12
)

// logBytes is the room for each of the compiler's two logs in bytes.
const logBytes = 256 << 10

// loaded is a module on a device.
type loaded struct {
	device *device
	module module
	log    []cuda.Message
}

// Load implements cuda.Device.
func (d *device) Load(ptx []byte) (cuda.Module, error) {
	m := &loaded{device: d}
	err := d.do(func() error { return m.load(ptx) })
	if err != nil {
		return nil, err
	}
	return m, nil
}

// load compiles a module and loads it.
func (m *loaded) load(ptx []byte) error {
	d := m.device
	info, failures := make([]byte, logBytes), make([]byte, logBytes)
	image := append(ptx[:len(ptx):len(ptx)], 0)
	var pin runtime.Pinner
	defer pin.Unpin()
	pin.Pin(&info[0])
	pin.Pin(&failures[0])
	// A value is a pointer or a number, as wide as a pointer. The driver replaces the sizes
	// by how much it has written.
	options := []int32{jitInfoLog, jitInfoLogSize, jitErrorLog, jitErrorLogSize, jitLogVerbose}
	values := []uintptr{
		uintptr(unsafe.Pointer(&info[0])), logBytes - 1,
		uintptr(unsafe.Pointer(&failures[0])), logBytes - 1,
		1,
	}
	r := d.lib.ModuleLoad(&m.module, &image[0], uint32(len(options)), &options[0], &values[0])
	err := d.call("cuModuleLoadDataEx", r)
	switch {
	case err == nil:
		m.log = cuda.ParseLog(cut(info) + "\n" + cut(failures)) // warnings may stand in either
		return nil
	case r == outOfMemory || d.lost != nil:
		return err
	}
	return &cuda.BuildError{Err: err, Log: cuda.ParseLog(cut(failures))}
}

// Function implements cuda.Module.
func (m *loaded) Function(name string) (cuda.Function, error) {
	d := m.device
	f := &kernel{device: d, name: name}
	err := d.do(func() error {
		if err := d.call("cuModuleGetFunction", d.lib.ModuleGetFunction(&f.function, m.module, terminated(name))); err != nil {
			return fmt.Errorf("kernel %s: %w", name, err)
		}
		return f.describe()
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Global implements cuda.Module.
func (m *loaded) Global(name string) (cuda.Pointer, int, error) {
	d := m.device
	var p address
	var bytes uintptr
	err := d.do(func() error {
		return d.call("cuModuleGetGlobal", d.lib.ModuleGetGlobal(&p, &bytes, m.module, terminated(name)))
	})
	if err != nil {
		return 0, 0, fmt.Errorf("variable %s: %w", name, err)
	}
	return cuda.Pointer(p), int(bytes), nil
}

// Log implements cuda.Module.
func (m *loaded) Log() []cuda.Message { return m.log }

// Unload implements cuda.Module.
func (m *loaded) Unload() error {
	d := m.device
	err := d.do(func() error { return d.call("cuModuleUnload", d.lib.ModuleUnload(m.module)) })
	if errors.Is(err, cuda.ErrLost) {
		return nil // it went with the device
	}
	return err
}
