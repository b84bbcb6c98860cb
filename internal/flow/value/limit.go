package value

import (
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
)

// maxLimited limits how often limits of counters are looked for: once for each loop of a nest
// that the loops inside depend on.
const maxLimited = 4

// limit finds the values that counters can have at the headers of their loops because the
// loops end: a counter that nothing compares has been widened to all of its type. What is
// then known of the loops inside gives limits of their counters in turn.
func (s *solver) limit() {
	for range maxLimited {
		if !s.limited() {
			return
		}
		for range narrowings {
			s.round(s.order, 0)
		}
	}
}

// limited finds limits of counters and reports whether some are closer than what was known.
func (s *solver) limited() bool {
	found := false
	paths := newPaths(s.Result, s.dom)
	for i := range s.Graph.Loops().Loops {
		l := &counting{r: s.Result, loop: &s.Graph.Loops().Loops[i], dom: s.dom, paths: paths}
		header := l.loop.Header
		if s.in[header] == nil || len(l.loop.Entries) > 1 || header == s.Graph.Entry() {
			continue
		}
		bound := l.counted()
		if !bound.Known {
			continue
		}
		for y := range s.machine.Syms.Symbols {
			reg, counts := l.counter(affine.Symbol(y))
			set := s.machine.Syms.Symbols[y].Set
			if !counts || uint64(bound.Iterations) > strided.Mask(set.Bits()) {
				continue
			}
			step, ok := l.step(affine.OfSymbol(set.Bits(), affine.Symbol(y)))
			if !ok {
				continue
			}
			times := strided.Between(set.Bits(), 0, uint64(bound.Iterations))
			limit := set.Narrow(l.enters(reg).Set.Add(step.Mul(times)))
			if limit.Count() < set.Count() {
				s.limits[affine.Place{Origin: affine.Merged, At: header, Reg: reg}] = limit
				found = true
			}
		}
	}
	return found
}
