package campaign

import (
	"context"
	"errors"

	"warpbound/estimate"
	"warpbound/internal/job"
	"warpbound/internal/runner"
)

// worthFollowing is from how many test vectors on inputs are followed. To follow them in a run takes as long as about
// five runs.
const worthFollowing = 10

// first runs the first random test vector and follows what is sampled of it. If that reaches
// nothing that time depends on, the runs of all vectors are the same, and no other is made. Where
// inputs cannot be followed nothing is run. If there are few vectors nothing is followed, and the
// run is watched if one is to be.
func (c *campaign) first(ctx context.Context) error {
	if c.random+c.spec.Adversarial < worthFollowing {
		if c.spec.Watch && c.random > 0 && c.total > 1 { // else all cores simulate the one run
			return c.watch(ctx)
		}
		return nil
	}
	w := &c.workers[0]
	out, err := c.vector(w, 0, true, func() (*outcome, error) { return c.follow(ctx, w) })
	if err != nil || out == nil {
		return err
	}
	c.reached = out.reached
	if out.invariant {
		c.convergence = &estimate.Convergence{Vectors: c.random + c.spec.Adversarial, Runs: 1, LastNew: 1, Stopped: estimate.StoppedInvariant}
		c.end(1)
		c.total = 1 + len(c.spec.Inputs)
	}
	return c.taken.add(0, out)
}

// watch runs the first random test vector and looks for data races.
func (c *campaign) watch(ctx context.Context) error {
	w := &c.workers[0]
	out, err := c.vector(w, 0, false, func() (*outcome, error) {
		opts := c.pool.options
		opts.Checked, opts.Races = true, true
		return c.runFirst(ctx, w, opts)
	})
	if err != nil || out == nil {
		return err
	}
	return c.taken.add(0, out)
}

// follow runs the first random test vector and follows its inputs. It returns nil where these cannot be followed.
func (c *campaign) follow(ctx context.Context, w *worker) (*outcome, error) {
	opts := c.pool.options
	opts.Follow = true
	return c.runFirst(ctx, w, opts)
}

// runFirst runs the first random test vector with options. It returns nil where what they ask for
// cannot be done.
func (c *campaign) runFirst(ctx context.Context, w *worker, opts runner.Options) (out *outcome, err error) {
	r, err := c.pool.platform.Open(c.pool.workload, opts)
	if errors.Is(err, runner.ErrFollow) || errors.Is(err, runner.ErrRaces) {
		return nil, nil
	}
	if err != nil {
		return nil, &runner.UnusableError{Err: err}
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var own job.Inputs
	if out, err = w.run(ctx, r, 0, opts.Repeats, c.inputs(0, &own)); err != nil {
		return nil, c.failed(0, err)
	}
	if opts.Races {
		c.watched = &Watched{Races: out.statistics.Races(), Warnings: out.statistics.Warnings()}
	}
	return out, nil
}
