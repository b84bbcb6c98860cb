package warpbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warpbound/estimate"
	"warpbound/internal/cuda"
	"warpbound/internal/job"
	"warpbound/internal/target"
	"warpbound/internal/target/gpu"
	"warpbound/internal/trace"
)

// averaged is how many runs of the same inputs a search takes the mean time of (Horga et al.).
const averaged = 10

// deviceTarget is a device as a target: the time of a run is the mean time by events of
// several runs, in cycles of the highest clock. The device stays open until Close. After a run
// that it does not survive it is opened anew.
type deviceTarget struct {
	job       *Job
	maxCycles int64
	device    cuda.Device // nil while it is not open
	runner    *gpu.Runner
	warm      bool
	outcome   target.Outcome
}

// openError says that a device cannot be used, which says nothing of the inputs that were to
// be run.
type openError struct{ error }

// Unwrap returns the cause.
func (e *openError) Unwrap() error { return e.error }

// Run implements target.Target, but for traces.
func (t *deviceTarget) Run(ctx context.Context, in *job.Inputs, tr *trace.Run) (*target.Outcome, error) {
	if tr != nil {
		return nil, errors.New("a kernel without recording code leaves no trace")
	}
	if t.device == nil {
		if err := t.open(); err != nil {
			return nil, &openError{err}
		}
	}
	out, err := t.mean(ctx, in)
	if err != nil && lost(err) {
		return nil, errors.Join(err, t.Close())
	}
	return out, err
}

// lost reports whether a run's error took the device with it.
func lost(err error) bool {
	_, fault := errors.AsType[*cuda.Fault](err)
	return fault || errors.Is(err, cuda.ErrTimeout) || errors.Is(err, cuda.ErrLost)
}

func (t *deviceTarget) open() error {
	on := t.job.device
	text, err := gpu.Plain(on.module)
	if err != nil {
		return err
	}
	if t.device, err = on.open(t.maxCycles); err != nil {
		return err
	}
	t.runner, err = gpu.New(gpu.Config{Device: t.device, Job: t.job.bound, Program: text, Timeout: on.timeout(t.maxCycles)})
	if err != nil {
		return errors.Join(err, t.Close())
	}
	return nil
}

// mean runs in several times.
func (t *deviceTarget) mean(ctx context.Context, in *job.Inputs) (*target.Outcome, error) {
	on, repeats := t.job.device, averaged
	if on.simulated {
		repeats = 1 // they would all take the same time
	}
	if !t.warm {
		if _, err := on.warmUp(func() error { _, err := t.runner.Run(ctx, in); return err }); err != nil {
			return nil, err
		}
		t.warm = true
	}
	var sum time.Duration
	launches := make([]time.Duration, 1+len(t.job.then))
	for range repeats {
		run, err := t.runner.Run(ctx, in)
		if err != nil {
			return nil, err
		}
		sum += run.Elapsed
		t.outcome = target.Outcome{Buffers: run.Buffers, Rounds: run.Rounds}
		for i, l := range run.Launches {
			launches[i] += l.Elapsed
			t.outcome.Launches = append(t.outcome.Launches, target.Launch{Kernel: l.Kernel})
		}
	}
	n := time.Duration(repeats)
	t.outcome.Cycles = on.cycles(sum / n)
	for i := range launches {
		t.outcome.Launches[i].Cycles = on.cycles(launches[i] / n)
	}
	return &t.outcome, nil
}

// Close gives the device back. The target may be used again.
func (t *deviceTarget) Close() error {
	if t.device == nil {
		return nil
	}
	var err error
	if t.runner != nil {
		err = t.runner.Close()
	}
	err = errors.Join(err, t.device.Close())
	t.device, t.runner = nil, nil
	return err
}

// simulateOnDevice runs the job once on its device. The time is that of the kernel as it is,
// by events in cycles of the highest clock, or, if a trace is wanted, that of the SM which
// took longest from its first start to its last exit, with recording code.
func (j *Job) simulateOnDevice(ctx context.Context, opts SimulateOptions) (run *Run, err error) {
	if opts.Step != nil || opts.Access != nil {
		return nil, fmt.Errorf("%s: only a simulator lists what warps execute", j.device.name)
	}
	b, err := j.benchFor(opts)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	in := j.bound.Inputs(opts.Vector)
	if err := b.begin(ctx); err != nil {
		return nil, b.failed(ctx, "warming up", err)
	}
	once, err := b.runPlain(ctx, in)
	if err != nil {
		return nil, b.failed(ctx, j.device.name, err)
	}
	out := &target.Outcome{Cycles: j.device.cycles(once.Elapsed), Rounds: once.Rounds}
	for _, l := range once.Launches {
		out.Launches = append(out.Launches, target.Launch{Kernel: l.Kernel, Cycles: j.device.cycles(l.Elapsed)})
	}
	if b.recorded != nil {
		var records trace.Run
		records.Reset(opts.Vector)
		if _, err := b.runRecorded(ctx, in, &records); err != nil {
			return nil, b.failed(ctx, j.device.name, err)
		}
		out.Cycles = records.End
		if err := j.writeTrace(opts, b.ipg, &records); err != nil {
			return nil, err
		}
	}
	run = &Run{Simulation: j.simulation(opts.Vector, out), buffers: make(map[string][]byte)}
	run.Device = b.end()
	run.CTAsPerSM, run.Registers = run.Device.Plain.CTAsPerSM, run.Device.Plain.Registers
	run.Warnings = append(run.Warnings, estimate.Warnings(b.warnings())...)
	for i, p := range j.bound.Job.Params {
		if p.Kind == job.Buffer {
			run.buffers[p.Name] = b.expected[i]
		}
	}
	return run, nil
}

// benchFor makes a bench for one run, with recording code if a trace is wanted.
func (j *Job) benchFor(opts SimulateOptions) (*bench, error) {
	if opts.Trace == nil {
		return j.bench(nil, nil, 1, opts.MaxCycles)
	}
	code, ipg, err := j.recording(opts.Ipoints, false, nil)
	if err != nil {
		return nil, err
	}
	return j.bench(code, ipg, 1, opts.MaxCycles)
}
