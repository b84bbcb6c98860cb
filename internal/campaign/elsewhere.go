package campaign

import (
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
	"warpbound/internal/workload"
)

// Elsewhere runs random test vectors in other processes. Goroutines may share it.
type Elsewhere interface {
	// Open tells of which campaign the vectors are.
	Open(of Identity) error
	// Begin begins a campaign.
	Begin(ctx context.Context, how *How) error
	// Ask asks for vectors, of which Await returns once what they gave, by the first of them: nil if they could not be run there.
	Ask(ctx context.Context, vectors []int) error
	Await(ctx context.Context, first int) (*Batch, error)
}

// How says how vectors are run elsewhere, and what of them is wanted.
type How struct {
	runner.Options
	Sinks     json.RawMessage  // says how the sinks are made that take the traces there; nil if none do
	Translate [][]trace.Ipoint // as in Spec, for these sinks
	Each      bool             // sinks of each vector are wanted, else of all vectors of a batch
	Traces    bool             // are wanted in the records
	Confirm   int              // the first of the vectors that try what others give; 0 if none do
}

// Batch is what vectors gave that were asked for together.
type Batch struct {
	Records []*Record // by vector
	Sinks   [][]byte  // what sinks took of all of them or, as How says, of each, by trace.Portable for all launches; nil if there are none
}

// How many vectors are asked for at a time, and how often beside each other.
const (
	askedTogether = 16
	asks          = 32
)

// elsewhere has random vectors run elsewhere, but for those that are kept.
func (c *campaign) elsewhere(ctx context.Context, from, to int) (err error) {
	all := &c.workers[0]
	how := &How{Options: c.pool.options, Translate: c.spec.Translate, Each: c.taken.stable != nil, Confirm: c.random - c.spec.Confirming}
	if all.sink != nil {
		how.Sinks = c.spec.Sinks
	}
	how.Traces = all.records != nil || all.rec != nil && how.Sinks == nil
	if err := c.spec.Elsewhere.Begin(ctx, how); err != nil {
		return &runner.UnusableError{Err: err}
	}
	starts := together(from, to)
	slots := min(asks, len(starts))
	if all.mixed() {
		slots = 1
	}
	here := &fallback{campaign: c}
	defer func() { err = errors.Join(err, here.close()) }()
	q := &queue{failed: len(starts)}
	var group sync.WaitGroup
	for range slots {
		a := &asking{campaign: c, how: how, here: here, w: &worker{sinks: all.sinks, launches: all.launches, sink: all.sink, translate: all.translate, records: all.records}}
		if all.rec != nil {
			a.w.rec = &runner.Recorder{}
		}
		group.Go(func() {
			for k, ok := q.next(ctx); ok; k, ok = q.next(ctx) {
				end := to
				if k+1 < len(starts) {
					end = starts[k+1]
				}
				if err := a.ask(ctx, starts[k], end); err != nil {
					c.taken.stop()
					q.fail(k, err)
				}
			}
		})
	}
	group.Wait()
	if q.err == nil && q.issued < len(starts) {
		return ctx.Err()
	}
	return q.err
}

// together divides vectors into those that are asked for together, of which it returns the first ones: no more than a number of
// them, and a batch ends where estimates are reviewed.
func together(from, to int) (starts []int) {
	size := min(max((to-from)/asks, 1), askedTogether)
	for i := from; i < to; i++ {
		if i == from || i == starts[len(starts)-1]+size || IsRound(i) {
			starts = append(starts, i)
		}
	}
	return starts
}

// asking asks for vectors, one batch after the other.
type asking struct {
	*campaign
	how  *How
	here *fallback
	w    *worker
}

// ask takes what consecutive vectors give. They are taken all or, if ctx ends before that, not one: sinks may be of all of them.
func (a *asking) ask(ctx context.Context, from, to int) error {
	if err := a.taken.near(ctx, to-1); err != nil {
		return err
	}
	var missing []int
	for i := from; i < to; i++ {
		if a.spec.Keep != nil {
			if r, err := a.spec.Keep.Load(a.key(i)); err != nil {
				return &runner.UnusableError{Err: err}
			} else if r != nil {
				continue
			}
		}
		missing = append(missing, i)
	}
	there, err := a.await(ctx, missing)
	if err != nil {
		return err
	}
	var all []*outcome
	for i := from; i < to; i++ {
		out, err := a.vector(a.w, i, false, func() (*outcome, error) {
			if out := there[i]; out != nil {
				return out, nil
			}
			return a.here.run(ctx, a.w, i)
		})
		if err != nil {
			return a.failed(i, err)
		}
		all = append(all, out)
	}
	for i, out := range all {
		if err := a.taken.add(from+i, out); err != nil {
			return err
		}
	}
	return nil
}

// await returns what vectors gave elsewhere; nil if they could not be run there.
func (a *asking) await(ctx context.Context, vectors []int) (map[int]*outcome, error) {
	if vectors == nil {
		return nil, nil
	}
	if err := a.spec.Elsewhere.Ask(ctx, vectors); err != nil {
		return nil, &runner.UnusableError{Err: err}
	}
	batch, err := a.spec.Elsewhere.Await(ctx, vectors[0])
	switch {
	case err != nil:
		return nil, &runner.UnusableError{Err: err}
	case batch == nil:
		return nil, nil
	}
	return a.outcomes(vectors, batch)
}

// outcomes are those of vectors that were run elsewhere. Sinks of all of them are with the first one.
func (a *asking) outcomes(vectors []int, b *Batch) (map[int]*outcome, error) {
	sinks := 0
	switch {
	case a.how.Sinks == nil:
	case a.how.Each:
		sinks = len(vectors)
	default:
		sinks = 1
	}
	if len(b.Records) != len(vectors) || len(b.Sinks) != sinks {
		return nil, &runner.UnusableError{Err: fmt.Errorf("%d vectors gave %d records, and %d sinks in place of %d", len(vectors), len(b.Records), len(b.Sinks), sinks)}
	}
	all := make(map[int]*outcome)
	for i, vector := range vectors {
		var err error
		if sinks == 0 {
			all[vector], err = a.w.replay(vector, b.Records[i])
		} else {
			all[vector], err = a.w.outcome(vector, b.Records[i])
		}
		if err != nil {
			return nil, err
		}
	}
	for i, text := range b.Sinks {
		var err error
		if all[vectors[i]].sinks, err = restore(text, len(a.w.launches), a.w.sink); err != nil {
			return nil, &runner.UnusableError{Err: fmt.Errorf("what sinks took from vector %d on: %w", vectors[i], err)}
		}
	}
	return all, nil
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

// Run runs random test vectors of a workload, as many beside each other as the platform has runners for them. sink, unless
// nil, makes what the traces of a launch are replayed into, which is a trace.Portable. The error is that of the first vector that fails.
func (h *How) Run(ctx context.Context, p runner.Platform, w *workload.Workload, vectors []int, sink func(launch int) trace.Sink) (b *Batch, err error) {
	opts := h.Options
	opts.Repeats = p.Repeats(0)
	pool := NewPool(p, w, opts)
	defer func() { err = errors.Join(err, pool.Close()) }()
	workers := make([]worker, p.Workers(len(vectors), opts))
	for i := range workers {
		workers[i] = newWorker(len(w.Kernels), sink)
		workers[i].translate = h.Translate
		if h.Traces {
			workers[i].records, workers[i].rec = opts.Record, &runner.Recorder{}
		}
	}
	bound := w.First().Bound
	inputs := func(i int, own *job.Inputs) *job.Inputs {
		bound.SetVector(vectors[i], own)
		return own
	}
	outs := make([]*outcome, len(vectors))
	err = pool.Each(ctx, len(vectors), inputs, func(slot int, r runner.Runner, i int, in *job.Inputs) (err error) {
		workers[slot].from = trace.Sampled
		if h.Confirm > 0 && vectors[i] >= h.Confirm {
			workers[slot].from = trace.Confirming
		}
		if outs[i], err = workers[slot].run(ctx, r, vectors[i], opts.Repeats, in); err != nil {
			err = fmt.Errorf("test vector %d: %w", vectors[i], err)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	b = &Batch{}
	for _, out := range outs {
		b.Records = append(b.Records, out.record(false))
	}
	if sink == nil {
		return b, nil
	}
	all := outs
	if !h.Each {
		for _, out := range outs[1:] {
			for launch, s := range outs[0].sinks {
				if err := s.(trace.Mergeable).Absorb(out.sinks[launch]); err != nil {
					return nil, err
				}
			}
		}
		all = outs[:1]
	}
	for _, out := range all {
		text, err := save(out.sinks)
		if err != nil {
			return nil, err
		}
		b.Sinks = append(b.Sinks, text)
	}
	return b, nil
}

// save writes what sinks of all launches took.
func save(sinks []trace.Sink) ([]byte, error) {
	var text bytes.Buffer
	to := gob.NewEncoder(&text)
	for _, s := range sinks {
		if err := s.(trace.Portable).Save(to); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// restore makes sinks of launches that took what was saved of others.
func restore(text []byte, launches int, sink func(launch int) trace.Sink) (sinks []trace.Sink, err error) {
	from := gob.NewDecoder(bytes.NewReader(text))
	for launch := range launches {
		s := sink(launch)
		if err := s.(trace.Portable).Restore(from); err != nil {
			return nil, err
		}
		sinks = append(sinks, s)
	}
	return sinks, nil
}
