// Package campaign hands inputs to the runners of a platform and gathers what the runs gave.
//
// The outcome depends on the inputs alone, not on the number of runners or on which of them is faster.
// campaign must not import methods or simulators.
package campaign

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"warpbound/estimate"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// Spec says what is run.
type Spec struct {
	Vectors  int                    // random test vectors; 0 for the job's number
	Inputs   []workload.SavedInputs // are run after the random test vectors, and count like these
	Repeats  int                    // how often a device runs each input; 0 for its default
	Progress func(done, total int)  // called after each input, by one goroutine at a time; may be nil

	Cores   int              // that may simulate a run beside which there is no other
	OneCore func(why string) // as runner.Options
}

// Result is what the runs of a campaign gave.
type Result struct {
	Runs     int
	Observed estimate.Observation
	Inputs   []estimate.InputRun // how long the saved inputs took
	Report   runner.Report       // of a device
	Launches []Launch            // by job.Job.Runs
}

// Launch sums up the executions of one of the launches in all runs.
type Launch struct {
	MinCount, MaxCount int                  // executions in a run
	Observed           estimate.Observation // of one execution; zero if there is none
}

// Run runs the test vectors and saved inputs of a workload. sink, unless nil, makes what the traces of a
// launch on a runner are replayed into: one for each of them, all returned with the result by launch.
//
// It is an error if a run fails: that of the first input which does.
func Run(ctx context.Context, p runner.Platform, w *workload.Workload, spec Spec, opts runner.Options, sink func(launch int) trace.Sink) (result *Result, sinks [][]trace.Sink, err error) {
	v := newVectors(w, spec)
	opts.Repeats = p.Repeats(spec.Repeats)
	workers := make([]worker, p.Workers(v.total, opts))
	if len(workers) == 1 {
		opts.Cores, opts.OneCore = spec.Cores, spec.OneCore
	}
	pool := NewPool(p, w, opts)
	defer func() { err = errors.Join(err, pool.Close()) }()
	for i := range workers {
		workers[i].launches = make([]executed, len(w.Kernels))
		if sink != nil {
			for launch := range w.Kernels {
				workers[i].sinks = append(workers[i].sinks, sink(launch))
			}
			workers[i].rec.Take = workers[i].take
		}
	}
	for launch := range w.Kernels {
		var all []trace.Sink
		for i := range workers {
			if sink != nil {
				all = append(all, workers[i].sinks[launch])
			}
		}
		sinks = append(sinks, all)
	}
	err = pool.Each(ctx, v.total, v.inputs, func(slot int, r runner.Runner, i int, in *job.Inputs) error {
		cycles, err := workers[slot].run(ctx, r, i, opts.Repeats, in)
		if err != nil {
			return v.failed(i, err)
		}
		v.done(i, cycles)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	out := &Result{Runs: v.total, Observed: v.observed(), Inputs: v.saved(), Report: pool.Report(), Launches: launches(workers)}
	if out.Report.Device != nil {
		out.Runs, out.Observed = out.Report.Runs, *out.Report.Observed
	}
	return out, sinks, nil
}

// worker is what one runner needs besides.
type worker struct {
	sinks    []trace.Sink // by launch; nil if no trace is wanted
	rec      runner.Recorder
	launches []executed
}

// take replays what an execution of a launch recorded.
func (w *worker) take(launch int, run *trace.Run) error {
	if err := run.Replay(w.sinks[launch]); err != nil {
		return &replayError{err}
	}
	return nil
}

// run runs an input as often as it is to be, and returns the longest time in cycles.
func (w *worker) run(ctx context.Context, r runner.Runner, i, repeats int, in *job.Inputs) (int64, error) {
	longest := int64(0)
	for n := range repeats {
		var rec *runner.Recorder
		if w.sinks != nil {
			rec = &w.rec
			rec.Number = i*repeats + n
		}
		out, err := r.Run(ctx, in, rec)
		if err != nil {
			return 0, err
		}
		for i := range out.Launches {
			w.launches[i].add(&out.Launches[i])
		}
		longest = max(longest, out.Cycles)
	}
	return longest, nil
}

// replayError is the error of a sink, which names the run itself.
type replayError struct{ error }

// Unwrap returns the cause.
func (e *replayError) Unwrap() error { return e.error }

// vectors are the inputs of a campaign: random test vectors, then inputs that were saved.
type vectors struct {
	bound  *job.Bound
	spec   Spec
	random int // vectors that are sampled
	total  int

	mu       sync.Mutex
	finished int
	cycles   []int64 // by vector
}

func newVectors(w *workload.Workload, spec Spec) *vectors {
	random := spec.Vectors
	switch {
	case !w.Spec.Varies():
		random = 1 // every run would be the same
	case random == 0:
		random = w.Spec.Vectors
	}
	total := random + len(spec.Inputs)
	return &vectors{bound: w.First().Bound, spec: spec, random: random, total: total, cycles: make([]int64, total)}
}

// inputs returns the inputs of a vector, which may be made in the memory of own.
func (v *vectors) inputs(i int, own *job.Inputs) *job.Inputs {
	if i >= v.random {
		return v.spec.Inputs[i-v.random].Inputs
	}
	v.bound.SetVector(i, own)
	return own
}

// failed names the vector of an error, unless that is about none.
func (v *vectors) failed(i int, err error) error {
	_, unusable := errors.AsType[*runner.UnusableError](err)
	_, replay := errors.AsType[*replayError](err)
	switch {
	case unusable, replay, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case i >= v.random:
		return fmt.Errorf("%s: %w", v.spec.Inputs[i-v.random].File, err)
	}
	return fmt.Errorf("test vector %d: %w", i, err)
}

// done notes how long a vector took, in cycles.
func (v *vectors) done(i int, cycles int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.cycles[i] = cycles
	v.finished++
	if v.spec.Progress != nil {
		v.spec.Progress(v.finished, v.total)
	}
}

// observed sums up the times.
func (v *vectors) observed() estimate.Observation {
	o := estimate.Observation{Min: v.cycles[0]}
	sum := 0.0
	for _, c := range v.cycles {
		o.Min, o.Max = min(o.Min, c), max(o.Max, c)
		sum += float64(c)
	}
	o.Mean = sum / float64(v.total)
	return o
}

// saved tells how long the saved inputs took.
func (v *vectors) saved() []estimate.InputRun {
	var runs []estimate.InputRun
	for i, s := range v.spec.Inputs {
		runs = append(runs, estimate.InputRun{File: s.File, Cycles: v.cycles[v.random+i]})
	}
	return runs
}
