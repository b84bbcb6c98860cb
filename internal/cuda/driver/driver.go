//go:build linux && !nocuda && (amd64 || arm64)

package driver

import (
	"fmt"

	"warpbound/internal/cuda"
)

// Where the dynamic linker finds the libraries: the names that they have wherever the
// driver is installed.
const (
	libcuda = "libcuda.so.1"
	libnvml = "libnvidia-ml.so.1"
)

// oldest is the oldest version of CUDA whose driver has all that is used.
var oldest = cuda.Version{Major: 9}

// driver is the driver of this computer.
type driver struct {
	lib     *library
	nvml    string // name of the management library
	version cuda.Version
}

// New returns the driver of this computer. It is an error that wraps cuda.ErrNoDriver if
// there is none or if it is too old, and one that wraps cuda.ErrNoDevice if it finds no GPU.
func New() (cuda.Driver, error) { return load(libcuda, libnvml) }

func load(name, nvml string) (cuda.Driver, error) {
	d := &driver{lib: new(library), nvml: nvml}
	if err := open(name, d.lib); err != nil {
		return nil, fmt.Errorf("%w: %w: install the NVIDIA driver, version 384 or newer", cuda.ErrNoDriver, err)
	}
	r := d.lib.Init(0)
	if r == stubLibrary {
		return nil, fmt.Errorf("%w: %s is the toolkit's stub for linking: install the NVIDIA driver", cuda.ErrNoDriver, name)
	}
	if err := d.lib.call("cuInit", r); err != nil {
		if r == noDevice {
			return nil, err
		}
		return nil, fmt.Errorf("%w: %w", cuda.ErrNoDriver, err)
	}
	var v int32
	if err := d.lib.call("cuDriverGetVersion", d.lib.DriverGetVersion(&v)); err != nil {
		return nil, fmt.Errorf("%w: %w", cuda.ErrNoDriver, err)
	}
	d.version = cuda.Version{Major: int(v) / 1000, Minor: int(v) % 1000 / 10}
	if d.version.Less(oldest) {
		return nil, fmt.Errorf("%w: it supports CUDA %v, at least %v is needed: install a newer NVIDIA driver", cuda.ErrNoDriver, d.version, oldest)
	}
	return d, nil
}

// Version implements cuda.Driver.
func (d *driver) Version() cuda.Version { return d.version }

// Devices implements cuda.Driver.
func (d *driver) Devices() (int, error) {
	var n int32
	err := d.lib.call("cuDeviceGetCount", d.lib.DeviceGetCount(&n))
	return int(n), err
}

// Open implements cuda.Driver.
func (d *driver) Open(number int) (cuda.Device, error) {
	n, err := d.Devices()
	if err != nil {
		return nil, err
	}
	if number < 0 || number >= n {
		return nil, fmt.Errorf("%w: number %d of %d", cuda.ErrNoDevice, number, n)
	}
	dev := &device{lib: d.lib}
	if err := d.lib.call("cuDeviceGet", d.lib.DeviceGet(&dev.ordinal, int32(number))); err != nil {
		return nil, err
	}
	if dev.attributes, err = d.lib.attributes(dev.ordinal); err != nil {
		return nil, err
	}
	if err := dev.create(); err != nil {
		return nil, err
	}
	dev.monitor = newMonitor(d.nvml, d.lib, dev.ordinal)
	return dev, nil
}
