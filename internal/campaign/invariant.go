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

// first runs the first random test vector and follows what is sampled of it. If that reaches nothing that time depends
// on, the runs of all vectors are the same, and no other is made. Where inputs cannot be followed nothing is run, and
// neither if there are few vectors.
func (c *campaign) first(ctx context.Context) (err error) {
	if c.random < worthFollowing {
		return nil
	}
	opts := c.pool.options
	opts.Follow = true
	r, err := c.pool.platform.Open(c.pool.workload, opts)
	if errors.Is(err, runner.ErrFollow) {
		return nil
	}
	if err != nil {
		return &runner.UnusableError{Err: err}
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if err := ctx.Err(); err != nil {
		return err
	}
	var own job.Inputs
	out, err := c.workers[0].run(ctx, r, 0, opts.Repeats, c.inputs(0, &own), c.random == 0)
	if err != nil {
		return c.failed(0, err)
	}
	if at := out.last.Reached; at != nil {
		c.reached = &estimate.Reached{Pos: at.Pos.String(), What: at.What}
	}
	if out.last.Invariant {
		c.convergence = &estimate.Convergence{Vectors: c.random, Runs: 1, LastNew: 1, Stopped: estimate.StoppedInvariant}
		c.end(1)
	}
	return c.taken.add(0, out)
}
