// Package simulated runs workloads on the cycle-level simulators of machines.
//
// It must not import methods or drivers of devices.
package simulated

import (
	"context"
	"fmt"
	"io"
	"runtime"

	"warpbound/diag"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/runner"
	"warpbound/internal/sim"
	"warpbound/internal/sim/barrel"
	"warpbound/internal/sim/integrated"
	"warpbound/internal/sim/scoreboard"
	"warpbound/internal/sim/split"
	"warpbound/internal/taint"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// Platform is a simulated machine.
type Platform struct{ machine *machine.Machine }

// New returns the platform of a machine.
func New(m *machine.Machine) *Platform { return &Platform{m} }

// Name implements runner.Platform.
func (p *Platform) Name() string { return p.machine.Name }

// Machine implements runner.Platform.
func (p *Platform) Machine() *machine.Machine { return p.machine }

// Adapt implements runner.Platform: modules run as they are.
func (p *Platform) Adapt(_ *job.Job, m workload.Parsed) (workload.Parsed, error) { return m, nil }

// StandIns implements runner.Platform: once for each feature that the machine's generation lacks, at the
// first instruction that has it.
func (p *Platform) StandIns(k *isa.Kernel) []diag.Warning {
	var warnings []diag.Warning
	index := map[string]int{}
	count := map[string]int{}
	var assumed assumption
	for i := range k.Instrs {
		in := &k.Instrs[i]
		f, t, ok := p.machine.StandIn(in)
		if !ok {
			assumed.note(p.machine, k, in)
			continue
		}
		count[f.Name]++
		if count[f.Name] > 1 {
			continue
		}
		index[f.Name] = len(warnings)
		warnings = append(warnings, diag.Warning{Pos: in.Pos, ID: "machine-isa", Text: fmt.Sprintf(
			"%s: %s lacks %s, which came with sm_%d: a stand-in times it with latency %d and initiation %d core cycles on %s (%s)",
			k.Format(in), p.machine.Name, f.What, f.Since, t.Latency, t.Initiation, t.Pipeline, t.Source)})
	}
	for name, i := range index {
		if n := count[name]; n > 1 {
			warnings[i].Text += fmt.Sprintf("; the first of %d instructions", n)
		}
	}
	return append(warnings, assumed.warnings()...)
}

// assumption notes the instructions of a kernel whose class or product has a timing that is assumed.
type assumption struct {
	first diag.Warning
	count int
}

func (a *assumption) note(m *machine.Machine, k *isa.Kernel, in *isa.Instr) {
	t, what := m.Timing(in.Class()), "class "+in.Class().String()
	if product := in.Product(); len(m.Tensor) > 0 && product != "" {
		t, what = m.InstrTiming(in), product
	}
	if !t.Assumed() {
		return
	}
	if a.count++; a.count == 1 {
		a.first = diag.Warning{Pos: in.Pos, ID: "assumed-timing", Text: fmt.Sprintf("%s: the timing of %s on %s, latency %d and initiation %d core cycles, is %s",
			k.Format(in), what, m.Name, t.Latency, t.Initiation, t.Source)}
	}
}

func (a *assumption) warnings() []diag.Warning {
	switch a.count {
	case 0:
		return nil
	case 1:
	default:
		a.first.Text += fmt.Sprintf("; the first of %d instructions", a.count)
	}
	return []diag.Warning{a.first}
}

// Described implements runner.Platform.
func (p *Platform) Described() error { return nil }

// Clocks implements runner.Platform.
func (p *Platform) Clocks() trace.Clocks { return trace.Common }

// Workers implements runner.Platform: one for each processor, or one alone if it tells of single instructions.
func (p *Platform) Workers(n int, opts runner.Options) int {
	if opts.Issue != nil || opts.Step != nil || opts.Access != nil || opts.Follow {
		return min(1, n)
	}
	return min(runtime.GOMAXPROCS(0), n)
}

// Repeats implements runner.Platform: all runs of the same inputs are the same.
func (p *Platform) Repeats(int) int { return 1 }

// Recordable implements runner.Platform.
func (p *Platform) Recordable(_ *workload.Workload, chosen []bool) ([]bool, error) {
	return chosen, nil
}

// Open implements runner.Platform.
func (p *Platform) Open(w *workload.Workload, opts runner.Options) (runner.Runner, error) {
	return newRun(w, opts)
}

// simulator is what the simulators of all cores have in common.
type simulator interface {
	Run(context.Context, emu.Launch, *emu.Memory, *trace.Run) (*sim.Result, error)
}

// newSimulator makes the simulator of the machine's core.
func newSimulator(cfg sim.Config) (simulator, error) {
	switch cfg.Machine.Core {
	case machine.Barrel:
		return barrel.New(cfg)
	case machine.Splitting:
		return split.New(cfg)
	case machine.Integrated:
		return integrated.New(cfg)
	case machine.Scoreboard:
		return scoreboard.New(cfg)
	}
	return nil, fmt.Errorf("%s has a %s core, which no simulator is for", cfg.Machine.Name, cfg.Machine.Core)
}

// launch executes one of the launches of a run.
type launch struct {
	kernel  *workload.Kernel
	memory  *workload.Memory
	sim     simulator
	taint   *taint.Tracker // nil if inputs are not followed
	told    *issues        // nil if nobody asks
	out     io.Writer
	oneCore func(why string) // nil if nobody asks, or once it has been called
}

// newLaunch prepares a simulator. It is an error if the launch does not fit the machine.
func newLaunch(w *workload.Workload, number int, opts runner.Options, tracker *taint.Tracker) (*launch, error) {
	k := w.Kernels[number]
	if _, err := k.Occupancy(); err != nil {
		return nil, err
	}
	memory := k.NewMemory()
	code := k.Code
	if opts.Checked {
		code = code.Checked()
	}
	if opts.Races {
		code = code.WithRaces(k.Machine.LockStep() && !opts.Unordered)
		opts.Cores = 1
	}
	if tracker != nil {
		code = code.WithUnsettled()
	}
	told := newIssues(number, opts)
	cfg := sim.Config{
		Code: code, Machine: k.Machine, RegsPerThread: k.Registers,
		Ipoints: ipoints(opts.Recorded(number)), MaxCycles: opts.MaxCycles,
		Observe: observer(w, number, opts, tracker, told), Access: accesses(opts.Access), Chain: opts.Chain, Workers: opts.Cores,
	}
	if told != nil {
		cfg.Waited = told.waited
	}
	if cpu := memory.CPU(); cpu != nil {
		cfg.CPU = cpuStream{cpu}
	}
	s, err := newSimulator(cfg)
	if err != nil {
		return nil, err
	}
	return &launch{kernel: k, memory: memory, sim: s, taint: tracker, told: told, out: opts.Out, oneCore: opts.OneCore}, nil
}

// ipoints returns the Ipoint of each instruction, nil if none is recorded.
func ipoints(r *runner.Record) []trace.Ipoint {
	if r == nil {
		return nil
	}
	return r.Points
}

// cpuStream is what the CPU of a job does, as the simulators take it.
type cpuStream struct{ *workload.CPUStream }

// Next implements sim.CPUStream.
func (c cpuStream) Next() (sim.CPUAccess, bool, error) {
	a, address, ok, err := c.CPUStream.Next()
	return sim.CPUAccess{Gap: a.Gap, Address: address, Store: a.Store}, ok, err
}

// execute runs a launch on what is in memory.
func (t *launch) execute(ctx context.Context, on emu.Launch, rec *trace.Run) (*sim.Result, error) {
	on.Out = t.out
	t.followInputs()
	r, err := t.sim.Run(ctx, on, t.memory.Memory(), rec)
	t.told.end()
	if err == nil && r.Alone != "" && t.oneCore != nil {
		t.oneCore(r.Alone)
		t.oneCore = nil
	}
	return r, err
}

// follow makes the next run begin with what another launch left in the cache that multiprocessors share. Other machines
// have nothing to leave: an L1 is emptied.
func (t *launch) follow(before *launch) {
	switch s := t.sim.(type) {
	case *scoreboard.Sim:
		s.Continue(before.sim.(*scoreboard.Sim))
	case *integrated.Sim:
		s.Continue(before.sim.(*integrated.Sim))
	}
}
