package warpbound

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/graph"
	"warpbound/internal/job"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/provenance"
	"warpbound/internal/sim"
	"warpbound/internal/target"
	"warpbound/internal/trace"
)

// SimulateOptions say what one simulated run does.
type SimulateOptions struct {
	Vector    int       // which of the job's test vectors, from 0
	MaxCycles int64     // give up after so many cycles; 0 for 2^30
	Trace     io.Writer // where to write the Ipoint trace; nil for nowhere
	TraceCSV  bool      // as CSV instead of the binary format
	Ipoints   Placement // blocks to record; nil for every block
	Out       io.Writer // where what the kernel prints goes; nil for nowhere

	// Step, unless nil, is called after every instruction that a warp executes: in the
	// order of cycles for the warps of one SM.
	Step func(*Step)

	// Access, unless nil, is called for every access to the last-level cache that the cores
	// of an integrated machine share, in the order in which the cache serves them.
	Access func(*LLCAccess)
}

// LLCAccess is one access to a shared last-level cache.
type LLCAccess = estimate.LLCAccess

// Simulation is the figures of one simulated run.
type Simulation = estimate.Simulation

// Run is what one simulated run gave.
type Run struct {
	Simulation
	buffers map[string][]byte
}

// Buffer returns the contents of a buffer of the job after the run,
// little-endian, or nil if the job has none of that name.
func (r *Run) Buffer(name string) []byte { return r.buffers[name] }

// Simulate runs the job once on its machine. Two runs of one job, seed and vector
// are the same in every bit. What threads read of shared and local memory and of the
// heap that nothing had written is among the warnings. A fault of the program, a barrier that is never
// satisfied and a run beyond the cycle limit are errors that name the place.
func (j *Job) Simulate(ctx context.Context, opts SimulateOptions) (*Run, error) {
	if opts.Trace != nil && j.several() {
		return nil, diag.Errorf(j.bound.Job.Repeat.Pos.Table, "%w: leave [repeat] out to trace the first", target.ErrTrace)
	}
	if j.device != nil {
		return j.simulateOnDevice(ctx, opts)
	}
	var ipg *hybrid.IPG // only for a trace: not every kernel has one of a reasonable size
	if opts.Trace != nil {
		var err error
		if ipg, err = j.ipg(opts.Ipoints, false, nil); err != nil {
			return nil, err
		}
	}
	t, err := j.target((*emu.Code).Checked, ipg, opts)
	if err != nil {
		return nil, err
	}
	var records *trace.Run // stays nil unless asked for: it grows with the run
	if opts.Trace != nil {
		records = new(trace.Run)
		records.Reset(opts.Vector)
	}
	out, err := t.Run(ctx, j.bound.Inputs(opts.Vector), records)
	if err != nil {
		return nil, err
	}
	if records != nil {
		if err := j.writeTrace(opts, ipg, records); err != nil {
			return nil, err
		}
	}
	run := &Run{Simulation: j.simulation(opts.Vector, out), buffers: make(map[string][]byte)}
	for i, p := range j.bound.Job.Params {
		if p.Kind == job.Buffer {
			run.buffers[p.Name] = out.Buffers[i]
		}
	}
	return run, nil
}

func (j *Job) simulation(vector int, out *target.Outcome) Simulation {
	spec := j.bound.Job
	s := Simulation{
		Provenance: provenance.Of(),
		Job:        j.Name(), Kernel: j.graph.Kernel.Name, Machine: j.machine.Name, MachineHash: j.machine.Hash(),
		ModuleHash: j.module, JobHash: spec.Hash,
		Launch: estimate.Launch{Grid: spec.Grid, Block: spec.Block},
		Seed:   spec.Seed, Vector: vector, Cycles: out.Cycles, Registers: j.registers,
		Counters: map[string]int64{}, Scheduler: map[string]int64{},
	}
	if j.several() {
		s.Rounds = out.Rounds
		for _, l := range out.Launches {
			s.Kernels = append(s.Kernels, estimate.KernelTime{Kernel: l.Kernel, Cycles: l.Cycles})
		}
	}
	warnings := slices.Clone(j.warnings)
	for _, next := range j.then {
		warnings = append(warnings, next.warnings...)
	}
	if out.Result != nil {
		warnings = append(warnings, uninitialised(out.Uninitialised)...)
		counted(&s, out.Result)
	}
	s.Warnings = estimate.Warnings(warnings)
	return s
}

// counted adds the simulator's figures.
func counted(s *Simulation, r *sim.Result) {
	s.CTAsPerSM, s.Limit = r.Occupancy.CTAs, r.Occupancy.Limit
	values := r.Counters.Values(nil)
	for i, name := range sim.CounterNames() {
		s.Counters[name] = values[i]
	}
	s.Intervals = r.Intervals
	for i := range r.Cores {
		c := &r.Cores[i]
		s.Cores = append(s.Cores, map[string]int64{
			"l1_hits":          c.L1Hits,
			"l1_misses":        c.L1Misses,
			"l1_merged":        c.L1Merged,
			"llc_accesses":     c.Accesses(),
			"llc_hits":         c.Hits,
			"llc_joined":       c.Joined,
			"llc_misses":       c.Misses,
			"throttled_cycles": c.Throttled,
		})
	}
	for stall, cycles := range r.Stalled() {
		s.Scheduler[sim.Stall(stall).String()] = cycles
	}
	for _, schedulers := range r.Schedulers {
		for _, c := range schedulers {
			s.Scheduler["issued"] += c.Issued
		}
	}
}

// ipg builds the instrumentation point graph of the kernel, with the edges that
// divergence adds or with those of the published algorithm.
func (j *Job) ipg(place Placement, published bool, facts []method.Fact) (*hybrid.IPG, error) {
	if place == nil {
		place = method.EveryBlock()
	}
	program, err := j.program(published, facts)
	if err != nil {
		return nil, err
	}
	return hybrid.NewIPG(program, place)
}

// program is the kernel as the hybrid method sees it.
func (j *Job) program(published bool, facts []method.Fact) (*hybrid.Program, error) {
	divergent, err := divergentEdges(j.graph, published)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", j.graph.Kernel.Name, err)
	}
	program := hybrid.NewProgram(j.graph, j.graph.WithEdges(divergent))
	program.Facts = facts
	return program, nil
}

func divergentEdges(g *cfg.Graph, published bool) ([]graph.Edge, error) {
	if published {
		return cfg.PublishedDivergentEdges(g.Flow), nil
	}
	return cfg.DivergentEdges(g.Flow, nil)
}

// uninitialised makes warnings of reads of memory that nothing had written.
func uninitialised(reads []emu.UninitialisedRead) []diag.Warning {
	var warnings []diag.Warning
	for i := range reads {
		in := reads[i].Instr
		text := reads[i].String()
		if in.Loc.Known() {
			text = "(" + in.Loc.String() + ") " + text
		}
		warnings = append(warnings, diag.Warning{Pos: in.Pos, ID: "uninitialised-read", Text: text})
	}
	return warnings
}

// target makes a simulator of the job that records the Ipoints of ipg, none if that
// is nil, and prints, lists and is limited as opts say. How the code is executed may differ
// from what the job has.
func (j *Job) target(how func(*emu.Code) *emu.Code, ipg *hybrid.IPG, opts SimulateOptions) (target.Target, error) {
	if j.device != nil {
		t := &deviceTarget{job: j, maxCycles: opts.MaxCycles}
		return t, t.open()
	}
	config := func(j *Job) target.Config {
		return target.Config{
			Job: j.bound, Code: how(j.code), Machine: j.hardware(), Registers: j.registers,
			MaxCycles: opts.MaxCycles, Out: opts.Out, Observe: j.observer(opts.Step), Access: accesses(opts.Access),
		}
	}
	if j.several() {
		kernels := []target.Config{config(j)}
		for _, next := range j.then {
			kernels = append(kernels, config(next))
		}
		return target.NewRounds(kernels)
	}
	c := config(j)
	if ipg != nil {
		c.Ipoints = make([]trace.Ipoint, len(j.graph.Kernel.Instrs))
		for i := range c.Ipoints {
			c.Ipoints[i] = trace.None
		}
		for b, at := range ipg.OfBlock {
			c.Ipoints[j.graph.Blocks[b].Start] = at
		}
	}
	return target.NewSimulator(c)
}

// accesses makes an estimate.LLCAccess of every access that a simulator tells, nil if nobody asks
// for them.
func accesses(report func(*LLCAccess)) func(*sim.LLCAccess) {
	if report == nil {
		return nil
	}
	return func(a *sim.LLCAccess) {
		access := LLCAccess(*a)
		report(&access)
	}
}

// workers returns how many targets make n runs beside each other. The runs of a GPU would get in
// each other's way.
func (j *Job) workers(n int) int {
	if j.device != nil && !j.device.simulated {
		return 1
	}
	return min(runtime.GOMAXPROCS(0), n)
}

// asIs leaves code as it is.
func asIs(code *emu.Code) *emu.Code { return code }

// header describes the traces of the job.
func (j *Job) header(ipg *hybrid.IPG) *trace.Header {
	h := &trace.Header{
		Kernel: j.graph.Kernel.Name, Module: j.module, Machine: j.machine.Hash(), Ipoints: ipg.Ipoints,
	}
	if j.device != nil {
		h.Clocks = trace.PerSM
	}
	return h
}

func (j *Job) writeTrace(opts SimulateOptions, ipg *hybrid.IPG, run *trace.Run) error {
	type writer interface {
		trace.Sink
		Close() error
	}
	var w writer
	var err error
	if opts.TraceCSV {
		w, err = trace.NewCSVWriter(opts.Trace, j.header(ipg))
	} else {
		w, err = trace.NewWriter(opts.Trace, j.header(ipg))
	}
	if err != nil {
		return err
	}
	if err := run.Replay(w); err != nil {
		return err
	}
	return w.Close()
}
