package campaign

import (
	"context"
	"errors"

	"warpbound/diag"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
)

// An adversarial run is given up after so many times what the longest run took so far, and not
// before so many cycles: one that goes on for long says as much as one that ends, and no others are
// made.
const (
	muchLonger = 16
	minCycles  = 1 << 18
)

// runAdversarial runs the inputs that the adversary makes, until there are no more.
func (c *campaign) runAdversarial(ctx context.Context) (err error) {
	opts := c.pool.options
	opts.MaxCycles = min(opts.Limit(), max(minCycles, muchLonger*c.taken.times.Max))
	before := c.pool
	c.pool = NewPool(before.platform, before.workload, opts)
	defer func() {
		err = errors.Join(err, c.pool.Close())
		c.pool = before
	}()
	if c.taken.maximum > 0 {
		c.spec.Adversary.Begin(c.taken.worst, c.taken.maximum)
	}
	left := c.spec.Adversarial
	if c.convergence != nil { // the others ended early, of which a half is a third of all
		left = min(left, c.random/2)
	}
	for {
		next, evolved := c.spec.Adversary.Next()
		next = next[:min(len(next), left)]
		if c.total = c.taken.next + left; len(next) == 0 {
			c.total = c.taken.next
			return nil
		}
		left -= len(next)
		if c.made = append(c.made, next...); !evolved {
			c.plain = len(c.made)
		}
		first := c.taken.next
		if err := c.each(ctx, first+len(next)); err != nil {
			return err
		}
		for i := range next {
			h := c.adversarialRuns[len(c.adversarialRuns)-len(next)+i]
			if h.Stopped > 0 {
				left = 0
			}
			c.spec.Adversary.Took(len(c.adversarialRuns)-len(next)+i, h.Cycles)
		}
	}
}

// isUnusable reports whether an error of a run says nothing of its inputs.
func isUnusable(ctx context.Context, err error) bool {
	_, unusable := errors.AsType[*runner.UnusableError](err)
	_, replay := errors.AsType[*replayError](err)
	return unusable || replay || ctx.Err() != nil
}

// adversarialRunOf is what the outcome of adversarial inputs comes to.
func adversarialRunOf(name string, out *outcome) AdversarialRun {
	h := AdversarialRun{Name: name, Cycles: out.cycles, Err: out.failed}
	if long, ok := errors.AsType[*diag.LimitError](out.failed); ok {
		h.Stopped = long.Cycle
	}
	return h
}

// originOf says where the inputs of a vector come from.
func (c *campaign) originOf(i int) trace.Origin {
	switch {
	case i >= c.random && !c.isAdversarial(i):
		return trace.Saved
	case i >= c.random && i-c.random-len(c.spec.Inputs) < c.plain:
		return trace.Structured
	case i >= c.random:
		return trace.Evolved
	case i >= c.random-c.spec.Confirming:
		return trace.Confirming
	}
	return trace.Sampled
}
