package device

import (
	"context"
	"errors"
	"time"

	"warpbound/internal/cuda"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/runner/gpu"
	"warpbound/internal/workload"
)

// averaged is how many runs of the same inputs a search takes the mean time of (Horga et al.).
const averaged = 10

// average is a device whose time of a run is the mean time by events of
// several runs, in cycles of the highest clock. The device stays open until Close. After a run
// that it does not survive it is opened anew.
type average struct {
	platform  *Platform
	workload  *workload.Workload
	maxCycles int64
	device    cuda.Device // nil while it is not open
	runner    *gpu.Runner
	warm      bool
	outcome   runner.Outcome
}

// Run implements runner.Runner, but for traces.
func (t *average) Run(ctx context.Context, in *job.Inputs, rec *runner.Recorder) (*runner.Outcome, error) {
	if rec != nil {
		return nil, errors.New("a kernel without instrumentation records no trace")
	}
	if t.device == nil {
		if err := t.open(); err != nil {
			return nil, &runner.UnusableError{Err: err}
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

func (t *average) open() error {
	on := t.platform
	text, err := gpu.Plain(module(t.workload))
	if err != nil {
		return err
	}
	if t.device, err = on.OpenDevice(t.maxCycles); err != nil {
		return err
	}
	t.runner, err = gpu.New(gpu.Config{Device: t.device, Job: t.workload.First().Bound, Program: text, Timeout: on.timeout(t.maxCycles)})
	if err != nil {
		return errors.Join(err, t.Close())
	}
	return nil
}

// mean runs in several times.
func (t *average) mean(ctx context.Context, in *job.Inputs) (*runner.Outcome, error) {
	on, repeats := t.platform, averaged
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
	launches := make([]gpu.Launch, len(t.workload.Kernels))
	for range repeats {
		run, err := t.runner.Run(ctx, in)
		if err != nil {
			return nil, err
		}
		sum += run.Elapsed
		t.outcome = runner.Outcome{Buffers: run.Buffers, Rounds: run.Rounds}
		for i, l := range run.Launches {
			l.Elapsed += launches[i].Elapsed
			launches[i] = l
		}
	}
	n := time.Duration(repeats)
	t.outcome.Cycles = on.cycles(sum / n)
	for _, l := range launches {
		l.Elapsed /= n
		t.outcome.Launches = append(t.outcome.Launches, on.launch(&l))
	}
	return &t.outcome, nil
}

// Report implements runner.Runner: times that are averaged say nothing of conditions.
func (t *average) Report() runner.Report { return runner.Report{} }

// Close gives the device back. The target may be used again.
func (t *average) Close() error {
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
