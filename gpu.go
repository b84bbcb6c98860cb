package warpbound

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"warpbound/diag"
	"warpbound/internal/cuda"
	"warpbound/internal/cuda/driver"
	"warpbound/internal/cuda/standin"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/target/gpu"
)

// Devices are named like machines: "cuda:" and the number of a GPU, or what stands in for one.
const (
	devicePrefix = "cuda:"
	standInName  = devicePrefix + "standin"
	standInFor   = "fermi-c2050" // where no machine is named that can
)

// isDevice tells the name of a device from that of a machine.
func isDevice(name string) bool { return strings.HasPrefix(name, devicePrefix) }

// device is a GPU that runs a job in place of a simulator.
type device struct {
	name       string // as it was asked for
	driver     cuda.Driver
	number     int
	attributes cuda.Attributes
	simulated  bool        // it stands in for a GPU: runs of the same inputs take the same time
	module     *ptx.Module // of the job, prepared
}

// openDriver returns the driver that a name is of, and the number of the device. m is the
// machine that a stand-in simulates.
func openDriver(name string, m *machine.Machine) (cuda.Driver, int, error) {
	if name == standInName {
		d, err := standin.New(m)
		return d, 0, err
	}
	number, err := strconv.Atoi(strings.TrimPrefix(name, devicePrefix))
	if err != nil || number < 0 {
		return nil, 0, fmt.Errorf("machine %q: want %s and the number of a GPU, or %s", name, devicePrefix, standInName)
	}
	d, err := driver.New()
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	return d, number, nil
}

// findDevice asks the driver about a device.
func findDevice(name string, m *machine.Machine) (*device, error) {
	d, number, err := openDriver(name, m)
	if err != nil {
		return nil, err
	}
	out := &device{name: name, driver: d, number: number, simulated: name == standInName}
	return out, out.describe()
}

// describe asks the device what it is.
func (d *device) describe() error {
	opened, err := d.open(0)
	if err != nil {
		return err
	}
	d.attributes = opened.Attributes()
	if d.attributes.ClockKHz < 1 {
		err = fmt.Errorf("%s: the driver does not say the highest clock of the SMs, in whose cycles times are stated", d.name)
	}
	return errors.Join(err, opened.Close())
}

// standInMachine is the machine of the job if it can stand in for a GPU.
func standInMachine(j *job.Job, read func(string) ([]byte, error)) (*machine.Machine, error) {
	if !isDevice(j.Machine) {
		m, err := machineOf(j, "", read)
		if err != nil {
			return nil, err
		}
		if _, err := standin.New(m); err == nil {
			return m, nil
		}
	}
	return machine.Builtin(standInFor)
}

// deviceCore is the core of a device: one that no static method and no simulator takes.
const deviceCore machine.Core = "GPU's"

// machine describes the device as far as analyses of runs need it.
func (d *device) machine() *machine.Machine {
	a := &d.attributes
	number := func(n int) machine.Number { return machine.Number{Value: int64(n), Source: "the driver"} }
	m := &machine.Machine{Name: fmt.Sprintf("%s (%s)", d.name, a.Name), Core: deviceCore}
	m.Clock.Core = number(a.ClockKHz * 1000)
	m.SM.Count, m.SM.WarpSize = number(a.SMs), number(a.WarpSize)
	m.SM.CTAs, m.SM.Threads, m.SM.CTAThreads = number(a.SMCTAs), number(a.SMThreads), number(a.CTAThreads)
	m.SM.Registers, m.SM.Shared = number(a.SMRegisters), number(a.SMShared)
	return m
}

// limited is a driver whose device can count the cycles of launches.
type limited interface {
	WithLimit(cycles int64) cuda.Driver
}

// open opens the device for launches of at most so many cycles, where it counts them; 0 for
// 2^30.
func (d *device) open(maxCycles int64) (cuda.Device, error) {
	driver := d.driver
	if l, ok := driver.(limited); ok {
		driver = l.WithLimit(maxLaunch(maxCycles))
	}
	opened, err := driver.Open(d.number)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.name, err)
	}
	return opened, nil
}

// maxLaunch is the limit of a launch in cycles.
func maxLaunch(maxCycles int64) int64 {
	c := sim.Config{MaxCycles: maxCycles}
	return c.Limit()
}

// timeout is how long a launch may take: the limit in cycles at the highest clock, or no
// limit for a simulation, which counts cycles itself.
func (d *device) timeout(maxCycles int64) time.Duration {
	if d.simulated {
		return 0
	}
	return time.Duration(float64(maxLaunch(maxCycles)) / float64(d.attributes.ClockKHz) * 1e6)
}

// cycles converts a time to cycles at the highest clock, rounded up.
func (d *device) cycles(t time.Duration) int64 {
	khz := int64(d.attributes.ClockKHz)
	ns := t.Nanoseconds()
	return ns/1e6*khz + (ns%1e6*khz+1e6-1)/1e6
}

// prepareModule reads the module of a job for a device.
func (d *device) prepareModule(j *job.Job, src []byte) (*ptx.Module, error) {
	file := j.Resolve(j.Module)
	if !isPTX(file) {
		return nil, diag.Errorf(j.Pos.Module, "%s runs PTX, and module %s is in another language", d.name, j.Module)
	}
	m, err := ptx.Parse(file, src)
	if err != nil {
		return nil, err
	}
	return gpu.Prepare(m, j)
}
