package analysis

import (
	"context"
	"errors"
	"io"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/halt"
	"warpbound/internal/job"
	"warpbound/internal/method"
	"warpbound/internal/provenance"
	"warpbound/internal/runner"
	"warpbound/internal/symbol"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// SimulateRequest says what one run does.
type SimulateRequest struct {
	Vector    int              // which of the job's test vectors, from 0
	Name      string           // of adversarial inputs, which are run instead unless it is empty
	MaxCycles int64            // give up after so many cycles; 0 for 2^30
	Trace     io.Writer        // where to write the Ipoint trace; nil for nowhere
	TraceCSV  bool             // as CSV instead of the binary format
	Ipoints   method.Placement // blocks to record; nil for every block
	Out       io.Writer        // where what the kernel prints goes; nil for nowhere
	Races     bool             // as in runner.Options
	Chain     bool             // as in runner.Options
	Cores     int              // as in runner.Options
	OneCore   func(why string) // as in runner.Options

	Step   func(*estimate.Step)      // as in runner.Options
	Access func(*estimate.LLCAccess) // as in runner.Options
}

// Run is what one run gave.
type Run struct {
	estimate.Simulation
	Buffers map[string][]byte // contents after the run by parameter, little-endian
}

// Simulate runs a workload once. Two runs of one job, seed and vector on a simulator are the same in every bit.
// What threads read of shared and local memory and of the heap that nothing had written is among the warnings. A
// fault of the program, a barrier that is never satisfied and a run beyond the cycle limit are errors that name
// the place. If ctx ends, the error is that of ctx, and the run, unless nil, tells how many cycles were simulated.
func Simulate(ctx context.Context, p runner.Platform, w *workload.Workload, req SimulateRequest) (run *Run, err error) {
	if pos, key := w.Spec.SeveralAt(); req.Trace != nil && w.Several() {
		return nil, diag.Errorf(pos, "%w: leave %s out to trace the first", runner.ErrTrace, key)
	}
	in, err := Adversarial(w, req.Name)
	if err != nil {
		return nil, err
	}
	if in == nil {
		in = w.First().Bound.Vector(req.Vector)
	}
	opts := runner.Options{
		MaxCycles: req.MaxCycles, Repeats: 1, Checked: true, Out: req.Out, Step: req.Step, Access: req.Access,
		Cores: req.Cores, OneCore: req.OneCore, Races: req.Races, Chain: req.Chain,
	}
	var recording *joint
	var records *runner.Recorder
	if req.Trace != nil { // else nothing is recorded: not every kernel has a graph of Ipoints of a reasonable size
		problem, err := graphProblem(ctx, p, w)
		if err != nil {
			return nil, err
		}
		problem.Facts = nil // a trace shows what happens, whatever the job states
		var chosen []bool
		if recording, chosen, err = place(p, w, Methods().recorders(p), problem, req.Ipoints); err != nil {
			return nil, err
		}
		opts.Record = []*runner.Record{{Chosen: chosen, Points: recording.Points(), Graph: recording}}
		records = &runner.Recorder{Number: req.Vector, Take: func(_ int, run *trace.Run) error { return writeTrace(p, w, req, recording, run) }}
	}
	r, err := p.Open(w, opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	out, err := r.Run(ctx, in, records)
	if ended, ok := errors.AsType[*halt.RunError](err); ok {
		return interruptedRun(ctx, w, req.Vector, ended), err
	} else if err != nil {
		return nil, err
	}
	run = &Run{Simulation: simulation(w, req.Vector, out, r.Report()), Buffers: make(map[string][]byte)}
	run.Adversarial = req.Name
	if req.Races {
		run.Races = out.Statistics.Races()
	}
	if req.Chain {
		run.Chain = out.Statistics.Chain()
	}
	for i, p := range w.Spec.Params {
		if p.Kind == job.Buffer {
			run.Buffers[p.Name] = out.Buffers[i]
		}
	}
	return run, nil
}

// interruptedRun is a run that has ended with ctx.
func interruptedRun(ctx context.Context, w *workload.Workload, vector int, ended *halt.RunError) *Run {
	s := simulation(w, vector, &runner.Outcome{Cycles: ended.Cycles}, runner.Report{})
	s.Interrupted = &estimate.Interruption{Reason: halt.Reason(ctx), Missing: []string{"end of the run"}}
	return &Run{Simulation: s}
}

// shape is the grid and the block of a launch.
func shape(k *workload.Kernel) estimate.Launch {
	return estimate.Launch{Grid: k.Bound.Job.Grid, Block: k.Bound.Job.Block}
}

// simulation is the figures of a run.
func simulation(w *workload.Workload, vector int, out *runner.Outcome, report runner.Report) estimate.Simulation {
	spec := w.Spec
	s := estimate.Simulation{
		Provenance: provenance.Of(),
		Job:        w.Name(), Kernel: w.Kernel(), KernelDemangled: symbol.Demangled(w.Kernel()), Machine: w.Machine.Name, MachineHash: w.Machine.Hash(), Threads: w.Spec.Threads.Way,
		ModuleHash: w.Module.Hash, JobHash: workload.Hash(w),
		Launch: shape(w.First()),
		Seed:   spec.Seed, Vector: vector, Cycles: out.Cycles, Registers: w.First().Registers,
		Counters: map[string]int64{}, Scheduler: map[string]int64{},
	}
	if w.Several() {
		for i, l := range out.Launches {
			s.Launches = append(s.Launches, estimate.LaunchTime{
				Kernel: l.Kernel, KernelDemangled: symbol.Demangled(l.Kernel), Launch: shape(w.Kernels[i]), Executed: l.Executions, Cycles: l.Cycles,
			})
		}
	}
	if spec.Repeat.Several() && out.Launches != nil {
		s.Rounds = out.Rounds
		for _, l := range out.Launches {
			s.Kernels = append(s.Kernels, estimate.KernelTime{Kernel: l.Kernel, Cycles: l.Cycles})
		}
	}
	warnings := w.AllWarnings()
	if out.Statistics != nil {
		warnings = append(warnings, out.Statistics.Warnings()...)
		out.Statistics.Describe(&s)
	}
	if d := report.Device; d != nil {
		s.Device, s.CTAsPerSM, s.Registers = d, d.Plain.CTAsPerSM, d.Plain.Registers
	}
	s.Warnings = append(estimate.Warnings(warnings), estimate.Warnings(report.Warnings)...)
	return s
}
