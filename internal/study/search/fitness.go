package search

import (
	"context"
	"errors"
	"slices"
	"sync"

	"warpbound/internal/adversary"
	"warpbound/internal/campaign"
	"warpbound/internal/job"
	method "warpbound/internal/method/search"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// Inputs are what varies of the inputs of a run, and Outcome is what it gave.
type (
	Inputs  = method.Inputs
	Outcome = method.Outcome
)

// Elsewhere runs inputs in other processes.
type Elsewhere interface {
	// Run runs n inputs and hands on what each gave in their order, nil for those that could not be run there.
	Run(ctx context.Context, n int, inputs func(i int) Inputs, take func(i int, o *Outcome) error) error
}

// fitness runs a job for a search, on as many runners as the platform has beside each other.
type fitness struct {
	workload  *workload.Workload
	pool      *campaign.Pool
	elsewhere Elsewhere   // runs what can be; nil for none
	fixed     *job.Inputs // what does not vary

	ran   func(method.Outcome)                             // called after each run, by one goroutine at a time
	fault func(in workload.SavedInputs, text string) error // called for the first run that fails
}

func newFitness(p runner.Platform, w *workload.Workload, maxCycles int64) *fitness {
	return &fitness{
		workload: w, fixed: w.First().Bound.Vector(0),
		pool: campaign.NewPool(p, w, runner.Options{MaxCycles: maxCycles, Averaged: true}),
	}
}

// Run implements method.Fitness. A run that fails, such as one beyond the limit of cycles, is an
// outcome: it tells something of the kernel. What fails elsewhere is run here.
func (f *fitness) Run(ctx context.Context, n int, inputs func(i int) method.Inputs) ([]method.Outcome, error) {
	outcomes := make([]method.Outcome, n)
	var mu sync.Mutex
	note := func(i int, o method.Outcome) error {
		mu.Lock()
		defer mu.Unlock()
		outcomes[i] = o
		if f.ran != nil {
			f.ran(o)
		}
		return nil
	}
	here := make([]int, 0, n)
	var err error
	if f.elsewhere == nil {
		for i := range n {
			here = append(here, i)
		}
	} else {
		err = f.elsewhere.Run(ctx, n, inputs, func(i int, o *method.Outcome) error {
			if o == nil {
				here = append(here, i)
				return nil
			}
			return note(i, *o)
		})
	}
	if err == nil {
		err = f.each(ctx, len(here), func(i int) method.Inputs { return inputs(here[i]) }, func(i int, o method.Outcome) error { return note(here[i], o) })
	}
	if err != nil {
		return outcomes, err
	}
	return outcomes, f.failed(outcomes, inputs)
}

// each runs inputs here, and hands on what each gave in the order in which they end.
func (f *fitness) each(ctx context.Context, n int, inputs func(i int) method.Inputs, take func(i int, o method.Outcome) error) error {
	return f.pool.Each(ctx, n,
		func(i int, _ *job.Inputs) *job.Inputs { return f.whole(inputs(i)) },
		func(_ int, r runner.Runner, i int, in *job.Inputs) error {
			o, err := outcome(ctx, r, in)
			if err != nil {
				return err
			}
			return take(i, o)
		})
}

// Outcomes runs inputs of a workload as a search does, each up to so many cycles, and hands on what each gave in the order in
// which they end.
func Outcomes(ctx context.Context, p runner.Platform, w *workload.Workload, maxCycles int64, all []Inputs, take func(i int, o Outcome) error) (err error) {
	f := newFitness(p, w, maxCycles)
	defer func() { err = errors.Join(err, f.close()) }()
	return f.each(ctx, len(all), func(i int) Inputs { return all[i] }, take)
}

// outcome runs inputs. It is an error only if that says nothing of them.
func outcome(ctx context.Context, r runner.Runner, in *job.Inputs) (method.Outcome, error) {
	out, err := r.Run(ctx, in, nil)
	if ctx.Err() != nil {
		return method.Outcome{}, ctx.Err()
	}
	if unusable, ok := errors.AsType[*runner.UnusableError](err); ok {
		return method.Outcome{}, unusable
	}
	if err != nil {
		return method.Outcome{Fault: err.Error()}, nil
	}
	o := method.Outcome{Cycles: out.Cycles}
	if out.Statistics != nil {
		o.Counters = out.Statistics.Novelty(nil)
	} else {
		o.Counters = make([]int64, len(runner.NoveltyCounters()))
	}
	return o, nil
}

// close gives back what the runners hold.
func (f *fitness) close() error { return f.pool.Close() }

// failed reports the first run of a batch that failed, if none did before.
func (f *fitness) failed(outcomes []method.Outcome, inputs func(int) method.Inputs) error {
	at := slices.IndexFunc(outcomes, func(o method.Outcome) bool { return o.Fault != "" })
	if at < 0 || f.fault == nil {
		return nil
	}
	report := f.fault
	f.fault = nil
	return report(workload.SavedInputs{Inputs: f.whole(inputs(at))}, outcomes[at].Fault)
}

// whole returns inputs with what does not vary.
func (f *fitness) whole(varied method.Inputs) *job.Inputs {
	return adversary.Whole(f.workload, f.fixed, varied)
}
