package campaign

import (
	"context"
	"errors"
	"sync"

	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// Pool keeps runners of a workload open, with the same options each. It may be used by one goroutine at a
// time.
type Pool struct {
	platform runner.Platform
	workload *workload.Workload
	options  runner.Options
	open     []runner.Runner
}

// NewPool returns a pool without runners: they are opened when they are needed.
func NewPool(p runner.Platform, w *workload.Workload, opts runner.Options) *Pool {
	return &Pool{platform: p, workload: w, options: opts}
}

// Visit runs the input of number i on a runner, which is that of a slot of the pool.
type Visit func(slot int, r runner.Runner, i int, in *job.Inputs) error

// Each visits the inputs 0 to n-1, on as many runners beside each other as the platform has for them. They are
// begun in ascending order. inputs returns one of them, which it may make in the memory of own.
//
// After an error no input with a greater number is begun, and that of the lowest is returned: it does not
// depend on timing. An input is not begun either once ctx has ended.
func (p *Pool) Each(ctx context.Context, n int, inputs func(i int, own *job.Inputs) *job.Inputs, visit Visit) error {
	workers := p.platform.Workers(n, p.options)
	for len(p.open) < workers {
		r, err := p.platform.Open(p.workload, p.options)
		if err != nil {
			return &runner.UnusableError{Err: err}
		}
		p.open = append(p.open, r)
	}
	q := &queue{failed: n}
	var group sync.WaitGroup
	for slot, r := range p.open[:workers] {
		group.Go(func() {
			var own job.Inputs
			for i, ok := q.next(ctx); ok; i, ok = q.next(ctx) {
				if err := visit(slot, r, i, inputs(i, &own)); err != nil {
					q.fail(i, err)
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

// Report returns what the runs so far showed beside their outcomes, for a pool with one runner.
func (p *Pool) Report() runner.Report {
	if len(p.open) != 1 {
		return runner.Report{}
	}
	return p.open[0].Report()
}

// Close gives back what the runners hold.
func (p *Pool) Close() error {
	var errs []error
	for _, r := range p.open {
		errs = append(errs, r.Close())
	}
	p.open = nil
	return errors.Join(errs...)
}

// queue hands out numbers in ascending order and keeps the error of the lowest.
type queue struct {
	mu     sync.Mutex
	issued int
	failed int // lowest number with an error, else the count of all
	err    error
}

// next returns the next number, or false if there is none left.
func (q *queue) next(ctx context.Context) (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.issued >= q.failed || ctx.Err() != nil {
		return 0, false
	}
	q.issued++
	return q.issued - 1, true
}

func (q *queue) fail(i int, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.err == nil || i < q.failed {
		q.failed, q.err = i, err
	}
}
