package warpbound

import (
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"warpbound/internal/job"
	"warpbound/internal/method/search"
	"warpbound/internal/target"
)

// fitness runs a job for a search, on as many targets as there are processors.
type fitness struct {
	job       *Job
	fixed     *job.Inputs // what does not vary
	maxCycles int64
	idle      []target.Target // that no batch uses

	ran   func(search.Outcome)                    // called after each run, by one goroutine at a time
	fault func(in SavedInputs, text string) error // called for the first run that fails
}

// Run implements search.Fitness. A run that fails, such as one beyond the limit of cycles, is an
// outcome: it tells something of the kernel.
func (f *fitness) Run(ctx context.Context, n int, inputs func(i int) search.Inputs) ([]search.Outcome, error) {
	b := &batch{fitness: f, outcomes: make([]search.Outcome, n), inputs: inputs}
	workers := f.job.workers(n)
	for len(f.idle) < workers {
		t, err := f.job.target(asIs, nil, SimulateOptions{MaxCycles: f.maxCycles})
		if err != nil {
			return nil, err
		}
		f.idle = append(f.idle, t)
	}
	var group sync.WaitGroup
	for _, t := range f.idle[:workers] {
		group.Go(func() { b.work(ctx, t) })
	}
	group.Wait()
	if err := ctx.Err(); err != nil {
		return b.outcomes, err
	}
	if b.err != nil {
		return b.outcomes, b.err
	}
	return b.outcomes, f.failed(b)
}

// close gives back what the targets hold.
func (f *fitness) close() error {
	var errs []error
	for _, t := range f.idle {
		if c, ok := t.(io.Closer); ok {
			errs = append(errs, c.Close())
		}
	}
	return errors.Join(errs...)
}

// failed reports the first run of a batch that failed, if none did before.
func (f *fitness) failed(b *batch) error {
	at := slices.IndexFunc(b.outcomes, func(o search.Outcome) bool { return o.Fault != "" })
	if at < 0 || f.fault == nil {
		return nil
	}
	report := f.fault
	f.fault = nil
	return report(SavedInputs{in: f.whole(b.inputs(at))}, b.outcomes[at].Fault)
}

// whole returns inputs with what does not vary.
func (f *fitness) whole(varied search.Inputs) *job.Inputs {
	in := &job.Inputs{Scalars: slices.Clone(f.fixed.Scalars), Buffers: slices.Clone(f.fixed.Buffers)}
	for i, data := range varied {
		switch {
		case data == nil:
		case f.job.bound.Job.Params[i].Kind == job.Buffer:
			in.Buffers[i] = data
		default:
			in.Scalars[i] = data
		}
	}
	return in
}

// batch is inputs that are run together.
type batch struct {
	*fitness
	inputs   func(i int) search.Inputs
	mu       sync.Mutex
	issued   int
	outcomes []search.Outcome
	err      error // that is none of the inputs
}

// work runs inputs until there are none left or ctx ends.
func (b *batch) work(ctx context.Context, t target.Target) {
	for i, ok := b.next(ctx); ok; i, ok = b.next(ctx) {
		out, err := t.Run(ctx, b.whole(b.inputs(i)), nil)
		if ctx.Err() != nil {
			return
		}
		if closed, ok := errors.AsType[*openError](err); ok {
			b.fail(closed)
			return
		}
		o := search.Outcome{}
		if err != nil {
			o.Fault = err.Error()
		} else {
			o.Cycles, o.Counters = out.Cycles, novelty(nil, out.Result)
		}
		b.done(i, o)
	}
}

func (b *batch) next(ctx context.Context) (int, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.issued == len(b.outcomes) || ctx.Err() != nil {
		return 0, false
	}
	b.issued++
	return b.issued - 1, true
}

func (b *batch) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
}

func (b *batch) done(i int, o search.Outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.outcomes[i] = o
	if b.ran != nil {
		b.ran(o)
	}
}
