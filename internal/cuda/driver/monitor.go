//go:build linux && !nocuda && (amd64 || arm64)

package driver

import (
	"fmt"
	"slices"
	"syscall"

	"warpbound/internal/cuda"
)

// status is what every function of the management library returns.
type status int32

// The statuses that are told apart (nvml.h).
const (
	nvmlSuccess          status = 0
	nvmlInsufficientSize status = 7
)

// handle is a device of the management library.
type handle uintptr

// process is nvmlProcessInfo_v2_t: a process that uses a device.
type process struct {
	PID             uint32
	_               uint32
	MemoryBytes     uint64
	GPUInstance     uint32
	ComputeInstance uint32
}

// What the management library is asked for (nvml.h).
const (
	clockSM      = 1
	clockMemory  = 2
	sensorChip   = 0
	maxProcesses = 256
)

// slowdowns names the bits of nvmlClocksThrottleReasons.
var slowdowns = []struct {
	bit  uint64
	name string
}{
	{0x1, "idle"},
	{0x2, "clocks set by the user"},
	{0x4, "power limit"},
	{0x8, "hardware slowdown"},
	{0x10, "clocks in step with other boards"},
	{0x20, "temperature"},
	{0x40, "temperature, by hardware"},
	{0x80, "power brake, by hardware"},
	{0x100, "clocks set for the display"},
}

// monitor asks the management library about a device.
type monitor struct {
	lib     *management
	device  handle
	missing string // why it cannot be asked; empty if it can
}

// newMonitor finds a device of the driver in the management library, which numbers
// devices in its own order, by where it sits in the computer.
func newMonitor(name string, driver *library, device ordinal) *monitor {
	m := &monitor{lib: new(management)}
	if err := open(name, m.lib); err != nil {
		m.missing = fmt.Sprintf("the management library is not there or too old: %v", err)
		return m
	}
	if s := m.lib.Init(); s != nvmlSuccess {
		m.missing = m.failed("nvmlInit", s)
		return m
	}
	var id [32]byte
	if err := driver.call("cuDeviceGetPCIBusId", driver.GetPCIBusID(&id[0], int32(len(id)), device)); err != nil {
		m.missing = err.Error()
	} else if s := m.lib.HandleByPCI(&id[0], &m.device); s != nvmlSuccess {
		m.missing = m.failed("nvmlDeviceGetHandleByPciBusId", s)
	}
	if m.missing != "" {
		m.lib.Shutdown()
	}
	return m
}

func (m *monitor) close() {
	if m.missing == "" {
		m.lib.Shutdown()
		m.missing = "the device was closed"
	}
}

func (m *monitor) failed(call string, s status) string {
	return fmt.Sprintf("%s: error %d (%s)", call, s, m.lib.ErrorString(s))
}

// conditions asks for everything that can change what is measured.
func (m *monitor) conditions() cuda.Conditions {
	c := cuda.Conditions{Others: -1}
	if m.missing != "" {
		c.Unknown = []string{m.missing}
		return c
	}
	ask := func(call string, s status) bool {
		if s != nvmlSuccess {
			c.Unknown = append(c.Unknown, m.failed(call, s))
		}
		return s == nvmlSuccess
	}
	var version [96]byte
	if ask("nvmlSystemGetDriverVersion", m.lib.DriverVersion(&version[0], uint32(len(version)))) {
		c.DriverVersion = cut(version[:])
	}
	var v uint32
	if ask("nvmlDeviceGetClockInfo", m.lib.ClockInfo(m.device, clockSM, &v)) {
		c.ClockKHz = int(v) * 1000
	}
	if ask("nvmlDeviceGetClockInfo", m.lib.ClockInfo(m.device, clockMemory, &v)) {
		c.MemoryKHz = int(v) * 1000
	}
	if ask("nvmlDeviceGetTemperature", m.lib.Temperature(m.device, sensorChip, &v)) {
		c.Celsius = int(v)
	}
	if ask("nvmlDeviceGetPowerUsage", m.lib.PowerUsage(m.device, &v)) {
		c.Milliwatts = int(v)
	}
	var reasons uint64
	if ask("nvmlDeviceGetCurrentClocksThrottleReasons", m.lib.ThrottleReasons(m.device, &reasons)) {
		for _, s := range slowdowns {
			if reasons&s.bit != 0 {
				c.Slowed = append(c.Slowed, s.name)
			}
		}
	}
	compute, ok := m.processes("nvmlDeviceGetComputeRunningProcesses", m.lib.ComputeProcesses, &c)
	graphics, also := m.processes("nvmlDeviceGetGraphicsRunningProcesses", m.lib.GraphicsProcesses, &c)
	switch own := uint32(syscall.Getpid()); {
	case !ok || !also:
	case !slices.Contains(compute, own):
		c.Unknown = append(c.Unknown, "which processes are others: the management library numbers processes otherwise, as from outside of a container")
	default:
		all := append(compute, graphics...)
		slices.Sort(all)
		c.Others = len(slices.Compact(all)) - 1
	}
	return c
}

// processes returns the numbers of processes that use the device.
func (m *monitor) processes(call string, list func(handle, *uint32, *process) status, c *cuda.Conditions) ([]uint32, bool) {
	var found [maxProcesses]process
	n := uint32(len(found))
	s := list(m.device, &n, &found[0])
	if s == nvmlInsufficientSize {
		c.Unknown = append(c.Unknown, fmt.Sprintf("%s: more than %d processes", call, maxProcesses))
		return nil, false
	}
	if s != nvmlSuccess {
		c.Unknown = append(c.Unknown, m.failed(call, s))
		return nil, false
	}
	var pids []uint32
	for _, p := range found[:min(n, uint32(len(found)))] {
		pids = append(pids, p.PID)
	}
	return pids, true
}
