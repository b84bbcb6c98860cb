package loopbound

import (
	"context"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/strided"
)

// FindLimits returns the values that counters can have at the headers of their loops because the
// loops end, as far as they are closer than what is known: a counter that nothing compares has been
// widened to all of its type. The error is that of ctx.
func FindLimits(ctx context.Context, s *fixpoint.Solution) (map[affine.Place]strided.Interval, error) {
	limits := make(map[affine.Place]strided.Interval)
	merged := make(map[int][]affine.Symbol) // by block
	for y, facts := range s.Machine.Syms.Symbols {
		if facts.Origin == affine.Merged {
			merged[facts.Block] = append(merged[facts.Block], affine.Symbol(y))
		}
	}
	for _, l := range makeAnalyses(ctx, s) {
		header := l.loop.Header
		if s.In[header] == nil || len(l.loop.Entries) > 1 || header == s.Graph.Entry() {
			continue
		}
		bound, err := l.boundByCounters()
		if err != nil {
			return nil, err
		}
		if !bound.Known {
			continue
		}
		for _, y := range merged[header] {
			reg, set := s.Machine.Syms.Symbols[y].Reg, s.Machine.Syms.Symbols[y].Set
			if uint64(bound.Iterations) > strided.Mask(set.Bits()) {
				continue
			}
			step, ok := l.findStep(affine.OfSymbol(set.Bits(), y))
			if !ok {
				continue
			}
			times := strided.Between(set.Bits(), 0, uint64(bound.Iterations))
			limit := set.Narrow(l.solution.FindEntering(l.loop, reg).Set.Add(step.Mul(times)))
			if limit.Count() < set.Count() {
				limits[affine.Place{Origin: affine.Merged, At: header, Reg: reg}] = limit
			}
		}
	}
	return limits, nil
}
