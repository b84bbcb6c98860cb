package value

import (
	"fmt"
	"math"
	"slices"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// start returns the form and the set that a form over counters of the loop and what the
// loop leaves alone has at the first iteration: counters have the values with which they
// come into the loop. The form is missing if they come with different ones.
func (l *counting) start(f affine.Form) (affine.Form, strided.Interval, bool) {
	if l.loop.Header == l.r.Graph.Entry() {
		return affine.Form{}, strided.Interval{}, false
	}
	m := l.machine()
	form, set := affine.Constant(f.Bits, f.Constant), strided.Const(f.Bits, f.Constant)
	for _, t := range f.Terms {
		reg, counts := l.counter(t.Symbol)
		if !counts && l.inside(t.Symbol) {
			return affine.Form{}, strided.Interval{}, false
		}
		own := m.Syms.Symbols[t.Symbol].Set
		v := m.ResizeValue(m.MakeValue(own, affine.OfSymbol(own.Bits(), t.Symbol)), f.Bits)
		if counts {
			v = m.ResizeValue(l.enters(reg), f.Bits)
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

// enters returns what a register holds where control enters the loop.
func (l *counting) enters(reg isa.Reg) *transfer.Value {
	var all *transfer.Value
	m := l.machine()
	for _, e := range l.r.Into[l.loop.Header] {
		st := l.r.Along[e.Block][e.Index]
		if st == nil || l.loop.Contains(e.Block) {
			continue
		}
		v := m.ReadRegister(st, reg)
		switch {
		case all == nil:
			all = v
		case all.Form.Equal(v.Form):
			all = &transfer.Value{Set: all.Set.Join(v.Set), Form: v.Form}
		default:
			all = &transfer.Value{Set: all.Set.Join(v.Set)}
		}
	}
	if all == nil {
		return m.UnknownOf(reg)
	}
	return all
}

// step returns by how much a form changes from one iteration to the next.
func (l *counting) step(f affine.Form) (strided.Interval, bool) {
	m := l.machine()
	sum := strided.Const(f.Bits, 0)
	for _, t := range f.Terms {
		reg, counts := l.counter(t.Symbol)
		if !counts {
			if l.inside(t.Symbol) {
				return sum, false
			}
			continue
		}
		var steps *strided.Interval
		for _, next := range l.each(reg) {
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

// next returns the forms with which a register comes back to the header.
func (l *counting) next(reg isa.Reg) []affine.Form {
	var forms []affine.Form
	for _, e := range l.r.FindIncoming(l.loop.Header, reg) {
		if l.loop.Contains(e.From) {
			forms = append(forms, e.Form)
		}
	}
	return forms
}

// linear bounds a loop whose counter changes by steps of one sign.
func (l *counting) linear(c *transfer.Condition) Bound {
	step, ok := l.step(c.A.Form)
	if !ok {
		return Bound{}
	}
	form, from, ok := l.start(c.A.Form)
	if !ok {
		return Bound{}
	}
	minimum, maximum := step.Signed()
	distance, gap := c.B.Form.AddMultiple(form, ^uint64(0)), c.B.Set.Sub(from)
	if maximum < 0 {
		distance, gap = distance.Times(^uint64(0)), gap.Neg()
		minimum, maximum = -maximum, -minimum
	}
	if minimum <= 0 || maximum == math.MinInt64 {
		return Bound{}
	}
	if distance.IsKnown() {
		if both, ok := gap.Meet(l.machine().Syms.Words(distance)); ok {
			gap = both
		}
	}
	gap = l.where(distance, gap)
	t := travel{l, c, form, from, distance, gap, minimum, maximum, step}
	if c.Cmp == isa.Ne {
		return t.untilEqual()
	}
	return t.untilBeyond()
}

// where returns the words of a form where control enters the loop, as far as conditions on constants of the thread tell
// that lead there.
func (l *counting) where(f affine.Form, words strided.Interval) strided.Interval {
	if !f.IsKnown() || !l.r.Dom.Contains(l.loop.Header) {
		return words
	}
	return l.paths.words(f, words, slices.Concat(l.paths.enters(l.loop), l.under))
}

// travel is a counter that goes from a start to a limit: by minimum to maximum in each
// iteration, in the direction of step.
type travel struct {
	*counting
	c        *transfer.Condition
	form     affine.Form // where it starts
	from     strided.Interval
	distance affine.Form      // from the start to the limit, in the direction of the steps
	gap      strided.Interval // the same, as words
	minimum  int64
	maximum  int64
	step     strided.Interval
}

// untilEqual is for a loop that goes on while counter and limit differ. The first time
// that they are equal is after distance / step iterations if the step divides the
// distance, modulo the width of both: before, the counter has not gone round.
func (t travel) untilEqual() Bound {
	gap := t.gap.UnwrapUnsigned()
	d := uint64(t.minimum)
	_, hi := gap.Unsigned()
	if t.minimum != t.maximum || gap.Base()%d != 0 || gap.Step()%d != 0 || hi/d > math.MaxInt64 {
		return Bound{}
	}
	b := t.bound(int64(hi / d))
	if lo, _, ok := t.machine().Syms.ExactRange(t.distance); ok && lo >= 0 && t.machine().Syms.Fits(t.distance, false) {
		b.Formula = t.quotient(t.distance, true)
	}
	return b
}

// untilBeyond is for a loop that goes on while the counter has not reached the limit.
func (t travel) untilBeyond() Bound {
	more := int64(0) // of distance, if the counter may be equal
	limitLo, limitHi, okB := strided.Range(t.c.B.Set, t.c.Sign)
	fromLo, fromHi, okA := strided.Range(t.from, t.c.Sign)
	if !okA || !okB {
		return Bound{}
	}
	lowest, highest := int64(0), int64(strided.Mask(t.from.Bits())>>1) // of the type
	if t.c.Sign {
		lowest = -highest - 1
	} else if t.from.Bits() < 64 {
		highest = int64(strided.Mask(t.from.Bits()))
	}
	var distance int64
	up := t.step.IsPositive()
	switch {
	case up && (t.c.Cmp == isa.Lt || t.c.Cmp == isa.Le):
		if t.c.Cmp == isa.Le {
			more = 1
		}
		// The counter does not wrap around behind the last value below the limit.
		if limitHi-1+more > highest-t.maximum {
			return t.wraps()
		}
		distance = limitHi - fromLo
		if limitHi >= 0 && fromLo < 0 && distance < 0 {
			return Bound{}
		}
	case !up && (t.c.Cmp == isa.Gt || t.c.Cmp == isa.Ge):
		if t.c.Cmp == isa.Ge {
			more = 1
		}
		if limitLo+1-more < lowest+t.maximum {
			return t.wraps()
		}
		distance = fromHi - limitLo
		if fromHi >= 0 && limitLo < 0 && distance < 0 {
			return Bound{}
		}
	default:
		return Bound{}
	}
	formula := ""
	small := t.form.HasSmallCoefficients() && t.c.B.Form.HasSmallCoefficients()
	if s := t.machine().Syms; t.distance.IsKnown() && small && s.Fits(t.form, t.c.Sign) && s.Fits(t.c.B.Form, t.c.Sign) {
		if lo, hi, ok := s.ExactRange(t.distance); ok {
			distance = min(distance, hi)
			if t.minimum == t.maximum {
				formula = t.quotient(t.distance.AddMultiple(affine.Constant(t.distance.Bits, uint64(more)), 1), lo+more >= 0)
			}
		}
	}
	distance = t.closer(distance, fromLo, fromHi, limitLo, limitHi)
	if distance > math.MaxInt64-t.minimum-1 {
		return Bound{}
	}
	b := t.bound(max(0, (distance+more+t.minimum-1)/t.minimum))
	b.Formula = formula
	return b
}

// closer returns the greatest distance that the gap holds, if there is one that is less: of numbers in the given ranges.
func (t travel) closer(distance, fromLo, fromHi, limitLo, limitHi int64) int64 {
	const limit = 1 << 61 // beyond it differences may wrap around
	if min(fromLo, limitLo) < -limit || max(fromHi, limitHi) > limit {
		return distance
	}
	lo, hi := limitLo-fromHi, limitHi-fromLo
	if !t.step.IsPositive() {
		lo, hi = fromLo-limitHi, fromHi-limitLo
	}
	if t.gap.Aliases(lo, hi, true) {
		return distance
	}
	_, hi = t.gap.Signed()
	return min(distance, hi)
}

// wraps says that the counter may never equal its limit.
func (t travel) wraps() Bound {
	return Bound{Reason: fmt.Sprintf("%s may overflow before the loop exits: it changes by %s while %s", t.name(t.c.A.Form), t.step, t.while(t.c))}
}

// quotient renders a distance divided by the step, rounded up.
func (t travel) quotient(distance affine.Form, positive bool) string {
	m := t.machine()
	inMemory := func(s affine.Symbol) bool { return m.Syms.Symbols[s].Element != nil }
	if !m.Syms.IsFixed(distance) || len(distance.Terms) == 0 || distance.Mentions(inMemory) {
		return ""
	}
	d := t.minimum
	text := ""
	if divided, ok := distance.Divide(d); ok {
		text = t.name(divided)
	} else {
		text = fmt.Sprintf("ceil((%s)/%d)", t.name(distance), d)
	}
	if !positive {
		text = "max(0, " + text + ")"
	}
	return text
}

// bound makes the result, with its explanation.
func (t travel) bound(n int64) Bound {
	by := t.step.String()
	if lo, hi := t.step.Signed(); lo != hi && t.step.Count() > 0 {
		by = fmt.Sprintf("[%d, %d]", lo, hi)
	}
	return Bound{Known: true, Iterations: n, by: &t, steady: t.minimum == t.maximum, Reason: fmt.Sprintf("%s from %s by %s while %s",
		t.name(t.c.A.Form), t.describe(t.form, t.from), by, t.while(t.c))}
}

// describe renders a word by its form if it is made of constants of the thread, else by
// its set.
func (l *counting) describe(f affine.Form, s strided.Interval) string {
	if l.machine().Syms.IsFixed(f) {
		return l.name(f)
	}
	return s.String()
}

// comparisonSigns are how comparisons are written.
var comparisonSigns = map[isa.Cmp]string{isa.Eq: "==", isa.Ne: "!=", isa.Lt: "<", isa.Le: "<=", isa.Gt: ">", isa.Ge: ">="}

func (l *counting) while(c *transfer.Condition) string {
	limit := l.name(c.B.Form)
	if !l.machine().Syms.IsFixed(c.B.Form) {
		limit = fmt.Sprintf("%s in %s", limit, c.B.Set)
	}
	return fmt.Sprintf("%s %s %s", l.name(c.A.Form), comparisonSigns[c.Cmp], limit)
}
