// Package device runs workloads on GPUs of a driver, and measures them there: the kernel as it is, and
// with code that records when warps reach basic blocks.
//
// It must not import methods, simulators or the bindings of drivers: a driver is given to it.
package device

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"time"

	"warpbound/diag"
	"warpbound/internal/cuda"
	"warpbound/internal/instrument"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/runner"
	"warpbound/internal/runner/gpu"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// Platform is a GPU that runs jobs in place of a simulator.
type Platform struct {
	name       string // as it was asked for
	driver     cuda.Driver
	number     int
	attributes cuda.Attributes
	simulated  bool // it stands in for a GPU: runs of the same inputs take the same time
}

// Config says which device to use.
type Config struct {
	Name      string // for messages
	Driver    cuda.Driver
	Number    int  // of the device
	Simulated bool // it stands in for a GPU: runs of the same inputs take the same time
}

// New asks the driver about a device. It is an error if there is no such device, or if the driver does not say
// its clock.
func New(cfg Config) (*Platform, error) {
	p := &Platform{name: cfg.Name, driver: cfg.Driver, number: cfg.Number, simulated: cfg.Simulated}
	opened, err := p.OpenDevice(0)
	if err != nil {
		return nil, err
	}
	p.attributes = opened.Attributes()
	if p.attributes.ClockKHz < 1 {
		err = fmt.Errorf("%s: the driver does not report the maximum SM clock, in whose cycles times are stated", p.name)
	}
	return p, errors.Join(err, opened.Close())
}

// Name implements runner.Platform.
func (p *Platform) Name() string { return p.name }

// Attributes returns what the driver says of the device.
func (p *Platform) Attributes() cuda.Attributes { return p.attributes }

// Core is the core of the machine that describes a device: one that no static method and no simulator takes.
const Core machine.Core = "GPU's"

// Machine implements runner.Platform: the device as far as analyses of runs need it.
func (p *Platform) Machine() *machine.Machine {
	a := &p.attributes
	number := func(n int) machine.Number { return machine.Number{Value: int64(n), Source: "the driver"} }
	m := &machine.Machine{Name: fmt.Sprintf("%s (%s)", p.name, a.Name), Core: Core}
	m.Clock.Core = number(a.ClockKHz * 1000)
	m.SM.Count, m.SM.WarpSize = number(a.SMs), number(a.WarpSize)
	m.SM.CTAs, m.SM.Threads, m.SM.CTAThreads = number(a.SMCTAs), number(a.SMThreads), number(a.CTAThreads)
	m.SM.Registers, m.SM.Shared = number(a.SMRegisters), number(a.SMShared)
	return m
}

// Adapt implements runner.Platform. It is an error if the module is not in PTX, or if a device cannot run what
// the job makes of it.
func (p *Platform) Adapt(j *job.Job, m workload.Parsed) (workload.Parsed, error) {
	own, ok := m.(workload.PTX)
	if !ok {
		return nil, diag.Errorf(j.Pos.Module, "%s runs PTX, and module %s is in another language", p.name, j.Module)
	}
	prepared, err := gpu.Prepare(own.Module, j)
	if err != nil {
		return nil, err
	}
	return workload.PTX{Module: prepared}, nil
}

// StandIns implements runner.Platform: a device has what its driver takes.
func (p *Platform) StandIns(*isa.Kernel) []diag.Warning { return nil }

// Described implements runner.Platform.
func (p *Platform) Described() error {
	return fmt.Errorf("%s: a static method needs the description of a machine", p.name)
}

// Clocks implements runner.Platform.
func (p *Platform) Clocks() trace.Clocks { return trace.PerSM }

// Workers implements runner.Platform. The runs of a GPU would get in each other's way, and measurements are
// summed up in one place.
func (p *Platform) Workers(n int, opts runner.Options) int {
	if p.simulated && opts.Averaged {
		return min(runtime.GOMAXPROCS(0), n)
	}
	return min(1, n)
}

// defaultRepeats is how often a device runs the same inputs unless a user says so. A simulation shows the same
// each time.
const defaultRepeats = 3

// Repeats implements runner.Platform.
func (p *Platform) Repeats(n int) int {
	switch {
	case n > 0:
		return n
	case p.simulated:
		return 1
	}
	return defaultRepeats
}

// Recordable implements runner.Platform.
func (p *Platform) Recordable(w *workload.Workload, chosen []bool) ([]bool, error) {
	code, err := recordingCode(w, chosen)
	if err != nil {
		return nil, err
	}
	return code.Blocks, nil
}

// recordingCode is the module of a workload with code that records Ipoints at the chosen blocks.
func recordingCode(w *workload.Workload, chosen []bool) (*instrument.Code, error) {
	points, err := instrument.Find(module(w), w.First().Graph)
	if err != nil {
		return nil, err
	}
	return points.Choose(chosen)
}

// module is the module of a workload that was prepared for a device.
func module(w *workload.Workload) *ptx.Module { return w.Module.Parsed.(workload.PTX).Module }

// Open implements runner.Platform.
func (p *Platform) Open(w *workload.Workload, opts runner.Options) (runner.Runner, error) {
	if opts.Step != nil || opts.Issue != nil || opts.Access != nil {
		return nil, fmt.Errorf("%s: only a simulator lists what warps execute", p.name)
	}
	if opts.Races {
		return nil, fmt.Errorf("%s: %w", p.name, runner.ErrRaces)
	}
	if opts.Chain {
		return nil, fmt.Errorf("%s: %w", p.name, runner.ErrChain)
	}
	if opts.Follow {
		return nil, fmt.Errorf("%s: %w", p.name, runner.ErrFollow)
	}
	if opts.Averaged {
		a := &average{platform: p, workload: w, maxCycles: opts.MaxCycles}
		return a, a.open()
	}
	return newBench(p, w, opts)
}

// limited is a driver whose device can count the cycles of launches.
type limited interface {
	WithLimit(cycles int64) cuda.Driver
}

// OpenDevice opens the device for launches of at most so many cycles, where it counts them; 0 for 2^30.
func (p *Platform) OpenDevice(maxCycles int64) (cuda.Device, error) {
	driver := p.driver
	if l, ok := driver.(limited); ok {
		driver = l.WithLimit(cmp.Or(maxCycles, runner.DefaultCycles))
	}
	opened, err := driver.Open(p.number)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return opened, nil
}

// timeout is how long a launch may take: the limit in cycles at the highest clock, or no limit for a
// simulation, which counts cycles itself.
func (p *Platform) timeout(maxCycles int64) time.Duration {
	if p.simulated {
		return 0
	}
	return time.Duration(float64(cmp.Or(maxCycles, runner.DefaultCycles)) / float64(p.attributes.ClockKHz) * 1e6)
}

// cycles converts a time to cycles at the highest clock, rounded up.
func (p *Platform) cycles(t time.Duration) int64 {
	khz := int64(p.attributes.ClockKHz)
	ns := t.Nanoseconds()
	return ns/1e6*khz + (ns%1e6*khz+1e6-1)/1e6
}

// launch converts the times of a launch to cycles.
func (p *Platform) launch(l *gpu.Launch) runner.Launch {
	return runner.Launch{
		Kernel: l.Kernel, Executions: l.Executions, Cycles: p.cycles(l.Elapsed), Min: p.cycles(l.Min), Max: p.cycles(l.Max),
	}
}
