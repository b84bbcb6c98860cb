package campaign

import (
	"context"
	"errors"
	"sync"

	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// Elsewhere runs random test vectors in other processes. Goroutines may share it.
type Elsewhere interface {
	// Open tells of which campaign the vectors are.
	Open(of Identity) error
	// Begin begins a campaign whose runs are made with options.
	Begin(ctx context.Context, opts runner.Options) error
	// Ask asks for vectors, of which Await returns each once: nil if it could not be run there.
	Ask(ctx context.Context, vectors []int) error
	Await(ctx context.Context, vector int) (*Record, error)
}

// How many vectors are asked for at a time, and how often beside each other.
const (
	askedTogether = 8
	asks          = 32
)

// elsewhere has random vectors run elsewhere, but for those that are kept.
func (c *campaign) elsewhere(ctx context.Context, from, to int) (err error) {
	if err := c.spec.Elsewhere.Begin(ctx, c.pool.options); err != nil {
		return &runner.UnusableError{Err: err}
	}
	size := min(max((to-from)/asks, 1), askedTogether)
	n := (to - from + size - 1) / size
	all := &c.workers[0]
	slots := min(asks, n)
	if all.mixed() {
		slots = 1
	}
	here := &fallback{campaign: c}
	defer func() { err = errors.Join(err, here.close()) }()
	q := &queue{failed: n}
	var group sync.WaitGroup
	for range slots {
		w := &worker{sinks: all.sinks, launches: all.launches, sink: all.sink, translate: all.translate, records: all.records}
		if all.rec != nil {
			w.rec = &runner.Recorder{}
		}
		group.Go(func() {
			for k, ok := q.next(ctx); ok; k, ok = q.next(ctx) {
				if err := c.askFor(ctx, w, here, from+k*size, min(from+(k+1)*size, to)); err != nil {
					c.taken.stop()
					q.fail(k, err)
				}
			}
		})
	}
	group.Wait()
	if q.err == nil && q.issued < n {
		return ctx.Err()
	}
	return q.err
}

// askFor takes what consecutive vectors give.
func (c *campaign) askFor(ctx context.Context, w *worker, here *fallback, from, to int) error {
	if err := c.taken.near(ctx, to-1); err != nil {
		return err
	}
	var missing []int
	for i := from; i < to; i++ {
		if c.spec.Keep != nil {
			if r, err := c.spec.Keep.Load(c.key(i)); err != nil {
				return &runner.UnusableError{Err: err}
			} else if r != nil {
				continue
			}
		}
		missing = append(missing, i)
	}
	if missing != nil {
		if err := c.spec.Elsewhere.Ask(ctx, missing); err != nil {
			return &runner.UnusableError{Err: err}
		}
	}
	for i := from; i < to; i++ {
		out, err := c.vector(w, i, false, func() (*outcome, error) {
			r, err := c.spec.Elsewhere.Await(ctx, i)
			switch {
			case err != nil:
				return nil, &runner.UnusableError{Err: err}
			case r == nil:
				return here.run(ctx, w, i)
			}
			return w.replay(i, r)
		})
		if err != nil {
			return c.failed(i, err)
		}
		if err := c.taken.add(i, out); err != nil {
			return err
		}
	}
	return nil
}

// fallback runs vectors here that could not be run elsewhere, one after the other: an error is then that of a run here.
type fallback struct {
	*campaign
	mu  sync.Mutex
	r   runner.Runner // nil until it is needed
	own job.Inputs
}

func (f *fallback) run(ctx context.Context, w *worker, i int) (*outcome, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.r == nil {
		r, err := f.pool.platform.Open(f.pool.workload, f.pool.options)
		if err != nil {
			return nil, &runner.UnusableError{Err: err}
		}
		f.r = r
	}
	return w.run(ctx, f.r, i, f.pool.options.Repeats, f.inputs(i, &f.own))
}

func (f *fallback) close() error {
	if f.r == nil {
		return nil
	}
	return f.r.Close()
}

// Records runs random test vectors of a workload, as many beside each other as the platform has runners for them, and hands
// on what each gives, or why it gives nothing, in the order in which they end.
func Records(ctx context.Context, p runner.Platform, w *workload.Workload, opts runner.Options, vectors []int, each func(vector int, r *Record, err error) error) (err error) {
	opts.Repeats = p.Repeats(0)
	pool := NewPool(p, w, opts)
	defer func() { err = errors.Join(err, pool.Close()) }()
	workers := make([]worker, p.Workers(len(vectors), opts))
	for i := range workers {
		workers[i] = worker{launches: make([]Executed, len(w.Kernels)), records: opts.Record}
		if opts.Record != nil {
			workers[i].rec = &runner.Recorder{}
		}
	}
	bound := w.First().Bound
	inputs := func(i int, own *job.Inputs) *job.Inputs {
		bound.SetVector(vectors[i], own)
		return own
	}
	return pool.Each(ctx, len(vectors), inputs, func(slot int, r runner.Runner, i int, in *job.Inputs) error {
		out, err := workers[slot].run(ctx, r, vectors[i], opts.Repeats, in)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return each(vectors[i], nil, err)
		}
		return each(vectors[i], out.record(false), nil)
	})
}
