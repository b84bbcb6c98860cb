package llc

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/method"
)

// Without is the sum that bounds a problem as it is, if one instruction never holds the port; of all as they are if that is negative.
func Without(ctx context.Context, m Method, p *method.Problem, pc int) (*estimate.Estimate, error) {
	a, err := newAnalysis(ctx, p)
	if err != nil {
		return nil, err
	}
	if pc >= 0 {
		c := &a.costs[pc]
		c.Initiation, c.Latency = 0, c.TailLatency()
	}
	if err := a.execute(ctx, p); err != nil {
		return nil, err
	}
	d, err := a.coarse()
	if err != nil {
		return nil, err
	}
	return a.estimate(p, m, d), nil
}
