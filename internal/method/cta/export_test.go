package cta

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/method"
)

// Without is the bound of a problem as it is, if one instruction never holds the port; of all as they are if that is negative.
func Without(ctx context.Context, p *method.Problem, pc int) (*estimate.Estimate, error) {
	a := newAnalysis(ctx, p)
	if pc >= 0 {
		c := &a.costs[pc]
		c.Initiation, c.Latency = 0, c.TailLatency()
	}
	answer, err := a.bound(ctx, p)
	if err != nil {
		return nil, err
	}
	return &answer.Estimates[0], nil
}
