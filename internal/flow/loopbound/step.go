package loopbound

import (
	"warpbound/internal/budget"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// findStart returns the form and the set that a form over counters of the loop and what the
// loop leaves alone has at the first iteration: counters have the values with which they
// come into the loop. The form is missing if they come with different ones.
func (l *loopAnalysis) findStart(f affine.Form) (affine.Form, strided.Interval, bool) {
	if l.loop.Header == l.solution.Graph.Entry() {
		return affine.Form{}, strided.Interval{}, false
	}
	m := l.machine()
	form, set := affine.Constant(f.Bits, f.Constant), strided.Const(f.Bits, f.Constant)
	for _, t := range f.Terms {
		reg, counts := l.counterRegister(t.Symbol)
		if !counts && l.isAssignedInside(t.Symbol) {
			return affine.Form{}, strided.Interval{}, false
		}
		own := m.Syms.Symbols[t.Symbol].Set
		v := m.ResizeValue(m.MakeValue(own, affine.OfSymbol(own.Bits(), t.Symbol)), f.Bits)
		if counts {
			v = m.ResizeValue(l.solution.FindEntering(l.loop, reg), f.Bits)
		}
		form, set = form.AddMultiple(v.Form, t.Coefficient), set.Add(v.Set.Times(t.Coefficient))
	}
	if form.IsKnown() {
		if both, ok := set.Meet(m.Syms.Words(form)); ok {
			set = both
		}
	}
	return form, set, true
}

// findStep returns by how much a form changes from one iteration to the next.
func (l *loopAnalysis) findStep(f affine.Form) (strided.Interval, bool) {
	m := l.machine()
	sum := strided.Const(f.Bits, 0)
	for _, t := range f.Terms {
		reg, counts := l.counterRegister(t.Symbol)
		if !counts {
			if l.isAssignedInside(t.Symbol) {
				return sum, false
			}
			continue
		}
		var steps *strided.Interval
		for _, next := range l.findReturningForms(reg) {
			if width := m.Syms.Symbols[t.Symbol].Set.Bits(); width < f.Bits {
				if !m.Syms.Fits(next, false) {
					return sum, false
				}
				next = next.Lift(f.Bits)
			}
			change := next.Cut(f.Bits).AddMultiple(affine.OfSymbol(f.Bits, t.Symbol), ^uint64(0))
			if !change.IsKnown() || change.Mentions(func(s affine.Symbol) bool { return s == t.Symbol }) {
				return sum, false
			}
			set := m.Syms.Words(change)
			if steps != nil {
				set = set.Join(*steps)
			}
			steps = &set
		}
		if steps == nil {
			return sum, false
		}
		sum = sum.Add(steps.Times(t.Coefficient))
	}
	return sum, true
}

// Limits of the forms with which a register comes back to the header of a loop, and of the joins that
// are taken apart for each of them.
var (
	returningForms = budget.Limit{What: "changes of a counter by paths through a loop", At: 8}
	splitJoins     = budget.Limit{What: "joins of paths through a loop", At: 8}
)

// findReturningForms is FindReturning, but where paths through the loop join, it has one form for each of
// them that does not leave the loop, unless these are too many.
func (l *loopAnalysis) findReturningForms(reg isa.Reg) []affine.Form {
	whole := l.solution.FindReturning(l.loop, reg)
	var all []affine.Form
	for _, f := range whole {
		all = append(all, l.splitForm(f, 1)...)
	}
	if len(all) == 0 || !l.work.Allows(returningForms, int64(len(all))) {
		return whole
	}
	return all
}

// splitForm returns what a form at the end of an iteration is on each of the paths that join in the
// loop: the form itself if there is no such join. level counts the joins that are taken apart one after
// the other.
func (l *loopAnalysis) splitForm(f affine.Form, level int64) []affine.Form {
	for _, t := range f.Terms {
		if !l.isSplit(t.Symbol) {
			continue
		}
		if !l.work.Allows(splitJoins, level) {
			break
		}
		y := &l.machine().Syms.Symbols[t.Symbol]
		var all []affine.Form
		for _, e := range l.paths.into[y.Block] {
			if l.leavesLoop(e.Block, e.Index) {
				continue
			}
			v := l.machine().ReadRegister(l.solution.Along[e.Block][e.Index], y.Reg)
			rest := f.AddMultiple(affine.Form{Bits: f.Bits, Terms: []affine.Term{t}}, ^uint64(0))
			one := rest.AddMultiple(l.machine().ResizeValue(v, f.Bits).Form, t.Coefficient)
			if !one.IsKnown() || !l.work.Allows(returningForms, int64(len(all))) {
				return []affine.Form{f}
			}
			all = append(all, l.splitForm(one, level+1)...)
		}
		return all
	}
	return []affine.Form{f}
}

// isSplit reports whether a symbol is of a block in the loop where paths join, and what its
// register holds on each of them still is what it was there, wherever the symbol is known: its
// symbols get new values only before the block, in every iteration.
func (l *loopAnalysis) isSplit(s affine.Symbol) bool {
	y := &l.machine().Syms.Symbols[s]
	if y.Origin != affine.Merged || y.Block == l.loop.Header || !l.loop.Contains(y.Block) {
		return false
	}
	for _, e := range l.paths.into[y.Block] {
		if !l.paths.isBefore(l.machine().ReadRegister(l.solution.Along[e.Block][e.Index], y.Reg).Form, y.Block) {
			return false
		}
	}
	return true
}
