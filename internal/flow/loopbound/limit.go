package loopbound

import (
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/strided"
)

// FindLimits returns the values that counters can have at the headers of their loops because the
// loops end, as far as they are closer than what is known: a counter that nothing compares has been
// widened to all of its type.
func FindLimits(s *fixpoint.Solution) map[affine.Place]strided.Interval {
	limits := make(map[affine.Place]strided.Interval)
	for _, l := range makeAnalyses(s) {
		header := l.loop.Header
		if s.In[header] == nil || len(l.loop.Entries) > 1 || header == s.Graph.Entry() {
			continue
		}
		bound := l.boundByCounters()
		if !bound.Known {
			continue
		}
		for y := range s.Machine.Syms.Symbols {
			reg, counts := l.counterRegister(affine.Symbol(y))
			set := s.Machine.Syms.Symbols[y].Set
			if !counts || uint64(bound.Iterations) > strided.Mask(set.Bits()) {
				continue
			}
			step, ok := l.findStep(affine.OfSymbol(set.Bits(), affine.Symbol(y)))
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
	return limits
}
