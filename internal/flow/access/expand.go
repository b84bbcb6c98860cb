package access

import (
	"warpbound/internal/budget"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/loopbound"
	"warpbound/internal/flow/strided"
)

// counterExpansion replaces counters of loops.
type counterExpansion struct {
	solution *fixpoint.Solution
	bounds   []loopbound.Bound
}

// expansions limits the counters that are replaced in one form.
var expansions = budget.Limit{What: "counters of loops in an address", At: 8}

// expandCounters replaces the counters of a form by what they begin with; how often their loops have come
// back, times their steps, are terms of their own. The form is none if it has too many terms.
func (x *counterExpansion) expandCounters(f affine.Form) (affine.Form, []Term) {
	var counts []Term
	for {
		next, count, found := x.replaceCounter(f)
		if !found || !x.solution.Machine.Work.Allows(expansions, int64(len(counts))+1) {
			return f, counts
		}
		f, counts = next, append(counts, count)
	}
}

// replaceCounter replaces one counter, if there is one.
func (x *counterExpansion) replaceCounter(f affine.Form) (affine.Form, Term, bool) {
	for _, t := range f.Terms {
		start, step, times, ok := x.describeCounter(t.Symbol, f.Bits)
		if !ok {
			continue
		}
		k, ok := strided.SignedProduct(strided.SignExtend(t.Coefficient, f.Bits), step, 64)
		if !ok {
			continue
		}
		out := f.Replace(t, start)
		if !out.IsKnown() {
			continue
		}
		name := "iterations of " + x.solution.Machine.Syms.NameOf(t.Symbol)
		return out, Term{Coef: k, Role: Free, Name: name, Max: times}, true
	}
	return f, Term{}, false
}

// describeCounter returns the form, in so many bits, with which a counter begins, its change in an
// iteration, and how many iterations there can be.
func (x *counterExpansion) describeCounter(
	s affine.Symbol, width int,
) (start affine.Form, step int64, times uint64, ok bool) {
	m := x.solution.Machine
	y := &m.Syms.Symbols[s]
	loops := x.solution.Graph.Loops()
	if y.Origin != affine.Merged || y.Set.Bits() > width || y.Block == x.solution.Graph.Entry() {
		return affine.Form{}, 0, 0, false
	}
	at := loops.Innermost(y.Block)
	if at < 0 || loops.Loops[at].Header != y.Block || !x.solution.IsRegular(&loops.Loops[at]) {
		return affine.Form{}, 0, 0, false
	}
	l := &loops.Loops[at]
	start = x.solution.FindEntering(l, y.Reg).Form
	if !start.IsKnown() || start.Bits != y.Set.Bits() || start.Mentions(func(z affine.Symbol) bool { return z == s }) {
		return affine.Form{}, 0, 0, false
	}
	steps := x.solution.FindReturning(l, y.Reg)
	for i, next := range steps {
		change := next.AddMultiple(affine.OfSymbol(y.Set.Bits(), s), ^uint64(0))
		if !change.IsKnown() || len(change.Terms) > 0 || i > 0 && !next.Equal(steps[0]) {
			return affine.Form{}, 0, 0, false
		}
		step = strided.SignExtend(change.Constant, change.Bits)
	}
	if step == 0 {
		return affine.Form{}, 0, 0, false
	}
	lo, hi := y.Set.Unsigned()
	size := uint64(step)
	if step < 0 {
		size = -size
	}
	// What comes to the header does not wrap around: it stays in a range that is short enough.
	straight := hi-lo <= strided.Mask(y.Set.Bits())-size
	if straight {
		times = (hi - lo) / size
	}
	if b := &x.bounds[at]; b.Known && (!straight || uint64(b.Iterations) < times) {
		times = uint64(b.Iterations)
	} else if !straight {
		return affine.Form{}, 0, 0, false
	}
	if y.Set.Bits() < width {
		if !straight || !m.Syms.Fits(start, false) {
			return affine.Form{}, 0, 0, false
		}
		start = start.Lift(width)
	}
	return start, step, times, true
}
