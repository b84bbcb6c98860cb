package search

import (
	"context"

	"warpbound/estimate"
	"warpbound/internal/analysis"
)

// prove finds the least proven bound that needs no runs, at which searches end. Why there is none is told when what was found is
// compared.
func (s *searching) prove(ctx context.Context) {
	b := s.opts.Bounds
	if b == nil {
		return
	}
	a, _, err := analysis.Static(ctx, s.platform, s.Workload, analysis.Request{Methods: b.Methods, MaxCycles: b.MaxCycles, Refusals: b.Refusals})
	if err != nil {
		return
	}
	if e := minProven(a); e != nil {
		s.enough = e.Cycles
	}
}

// minProven returns the least of the proven bounds of the kernel, nil if there is none.
func minProven(a *estimate.Analysis) *estimate.Estimate {
	var minimum *estimate.Estimate
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if _, other := a.OtherMode(e); e.Evidence == estimate.Proven && e.Bounds() && !other && (minimum == nil || e.Cycles < minimum.Cycles) {
			minimum = e
		}
	}
	return minimum
}

// gapTo returns how far a time is below a bound.
func gapTo(e *estimate.Estimate, found int64) *estimate.SearchGap {
	return &estimate.SearchGap{
		Bound: e.Cycles, Method: e.Method, Cycles: e.Cycles - found, Share: float64(e.Cycles-found) / float64(e.Cycles),
	}
}
