//go:build linux && !nocuda && (amd64 || arm64)

package driver

import "warpbound/internal/cuda"

// The attributes of devices that are asked for (CUdevice_attribute).
const (
	maxThreadsPerBlock  = 1
	maxBlockX           = 2 // y and z follow
	maxGridX            = 5 // y and z follow
	maxSharedPerBlock   = 8
	warpSize            = 10
	maxRegsPerBlock     = 12
	clockRate           = 13
	multiprocessors     = 16
	kernelExecTimeout   = 17
	integrated          = 18
	computeMode         = 20
	eccEnabled          = 32
	memoryClockRate     = 36
	busWidth            = 37
	l2CacheSize         = 38
	maxThreadsPerSM     = 39
	capabilityMajor     = 75
	capabilityMinor     = 76
	maxSharedPerSM      = 81
	maxRegsPerSM        = 82
	maxSharedOptIn      = 97
	maxBlocksPerSM      = 106 // since CUDA 11.0
	reservedSharedBlock = 111 // since CUDA 11.0
)

// exclusiveProcess is the compute mode in which one process has the device for itself.
const exclusiveProcess = 3

// attributes asks the driver about a device.
func (l *library) attributes(device ordinal) (cuda.Attributes, error) {
	var a cuda.Attributes
	var name [256]byte
	if err := l.call("cuDeviceGetName", l.DeviceGetName(&name[0], int32(len(name)), device)); err != nil {
		return a, err
	}
	a.Name = cut(name[:])
	var bytes uintptr
	if err := l.call("cuDeviceTotalMem", l.DeviceTotalMem(&bytes, device)); err != nil {
		return a, err
	}
	a.MemoryBytes = int(bytes)
	var ecc, onChip, watchdog, mode int
	for _, q := range []struct {
		attribute int32
		value     *int
		newer     bool // drivers before CUDA 11.0 do not know it
	}{
		{attribute: maxThreadsPerBlock, value: &a.CTAThreads},
		{attribute: maxBlockX, value: &a.MaxBlock[0]},
		{attribute: maxBlockX + 1, value: &a.MaxBlock[1]},
		{attribute: maxBlockX + 2, value: &a.MaxBlock[2]},
		{attribute: maxGridX, value: &a.MaxGrid[0]},
		{attribute: maxGridX + 1, value: &a.MaxGrid[1]},
		{attribute: maxGridX + 2, value: &a.MaxGrid[2]},
		{attribute: warpSize, value: &a.WarpSize},
		{attribute: maxRegsPerBlock, value: &a.CTARegisters},
		{attribute: clockRate, value: &a.ClockKHz},
		{attribute: multiprocessors, value: &a.SMs},
		{attribute: kernelExecTimeout, value: &watchdog},
		{attribute: integrated, value: &onChip},
		{attribute: computeMode, value: &mode},
		{attribute: eccEnabled, value: &ecc},
		{attribute: memoryClockRate, value: &a.MemoryKHz},
		{attribute: busWidth, value: &a.BusBits},
		{attribute: l2CacheSize, value: &a.L2Bytes},
		{attribute: maxThreadsPerSM, value: &a.SMThreads},
		{attribute: capabilityMajor, value: &a.Capability.Major},
		{attribute: capabilityMinor, value: &a.Capability.Minor},
		{attribute: maxSharedPerSM, value: &a.SMShared},
		{attribute: maxRegsPerSM, value: &a.SMRegisters},
		{attribute: maxSharedOptIn, value: &a.CTAShared},
		{attribute: maxBlocksPerSM, value: &a.SMCTAs, newer: true},
		{attribute: reservedSharedBlock, value: &a.ReservedShared, newer: true},
	} {
		var v int32
		r := l.GetAttribute(&v, q.attribute, device)
		if r == invalidValue && q.newer {
			continue
		}
		if err := l.call("cuDeviceGetAttribute", r); err != nil {
			return a, err
		}
		*q.value = int(v)
	}
	if a.CTAShared == 0 { // devices on which none has to be asked for
		var v int32
		if err := l.call("cuDeviceGetAttribute", l.GetAttribute(&v, maxSharedPerBlock, device)); err != nil {
			return a, err
		}
		a.CTAShared = int(v)
	}
	a.ECC, a.Integrated, a.Watchdog, a.Exclusive = ecc != 0, onChip != 0, watchdog != 0, mode == exclusiveProcess
	return a, nil
}
