package loopbound

import (
	"fmt"
	"math"
	"slices"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// boundLinear bounds a loop whose counter changes by steps of one sign.
func (l *loopAnalysis) boundLinear(c *transfer.Condition) Bound {
	step, ok := l.findStep(c.A.Form)
	if !ok {
		return Bound{}
	}
	form, from, ok := l.findStart(c.A.Form)
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
	gap = l.wordsAtEntry(distance, gap)
	t := linearCounter{l, c, form, from, distance, gap, minimum, maximum, step}
	if c.Cmp == isa.Ne {
		return t.boundUntilEqual()
	}
	return t.boundUntilBeyond()
}

// wordsAtEntry returns the words of a form where control enters the loop, as far as conditions on
// constants of the thread tell that lead there.
func (l *loopAnalysis) wordsAtEntry(f affine.Form, words strided.Interval) strided.Interval {
	if !f.IsKnown() || !l.solution.Dom.Contains(l.loop.Header) {
		return words
	}
	return l.paths.wordsWhere(f, words, slices.Concat(l.paths.factsAtEntry(l.loop), l.under))
}

// travel is a counter that goes from a start to a limit: by minimum to maximum in each
// iteration, in the direction of step.
type linearCounter struct {
	*loopAnalysis
	c        *transfer.Condition
	form     affine.Form // where it starts
	from     strided.Interval
	distance affine.Form      // from the start to the limit, in the direction of the steps
	gap      strided.Interval // the same, as words
	minimum  int64
	maximum  int64
	step     strided.Interval
}

// boundUntilEqual is for a loop that goes on while counter and limit differ. The first time
// that they are equal is after distance / step iterations if the step divides the
// distance, modulo the width of both: before, the counter has not gone round.
func (t linearCounter) boundUntilEqual() Bound {
	gap := t.gap.UnwrapUnsigned()
	d := uint64(t.minimum)
	_, hi := gap.Unsigned()
	if t.minimum != t.maximum || gap.Base()%d != 0 || gap.Step()%d != 0 || hi/d > math.MaxInt64 {
		return Bound{}
	}
	b := t.makeBound(int64(hi / d))
	if lo, _, ok := t.machine().Syms.ExactRange(t.distance); ok && lo >= 0 && t.machine().Syms.Fits(t.distance, false) {
		b.Formula = t.formatQuotient(t.distance, true)
	}
	return b
}

// boundUntilBeyond is for a loop that goes on while the counter has not reached the limit.
func (t linearCounter) boundUntilBeyond() Bound {
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
			return t.refuseWrapped()
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
			return t.refuseWrapped()
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
				formula = t.formatQuotient(t.distance.AddMultiple(affine.Constant(t.distance.Bits, uint64(more)), 1), lo+more >= 0)
			}
		}
	}
	distance = t.minDistance(distance, fromLo, fromHi, limitLo, limitHi)
	if distance > math.MaxInt64-t.minimum-1 {
		return Bound{}
	}
	b := t.makeBound(max(0, (distance+more+t.minimum-1)/t.minimum))
	b.Formula = formula
	return b
}

// closer returns the greatest distance that the gap holds, if there is one that is less: of numbers
// in the given ranges.
func (t linearCounter) minDistance(distance, fromLo, fromHi, limitLo, limitHi int64) int64 {
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

// refuseWrapped says that the counter may never equal its limit.
func (t linearCounter) refuseWrapped() Bound {
	return Bound{Reason: fmt.Sprintf("%s may overflow before the loop exits: it changes by %s while %s",
		t.format(t.c.A.Form), t.step, t.describeComparison(t.c))}
}

// formatQuotient renders a distance divided by the step, rounded up.
func (t linearCounter) formatQuotient(distance affine.Form, positive bool) string {
	m := t.machine()
	inMemory := func(s affine.Symbol) bool { return m.Syms.Symbols[s].Element != nil }
	if !m.Syms.IsFixed(distance) || len(distance.Terms) == 0 || distance.Mentions(inMemory) {
		return ""
	}
	d := t.minimum
	text := ""
	if divided, ok := distance.Divide(d); ok {
		text = t.format(divided)
	} else {
		text = fmt.Sprintf("ceil((%s)/%d)", t.format(distance), d)
	}
	if !positive {
		text = "max(0, " + text + ")"
	}
	return text
}

// makeBound makes the result, with its explanation.
func (t linearCounter) makeBound(n int64) Bound {
	by := t.step.String()
	if lo, hi := t.step.Signed(); lo != hi && t.step.Count() > 0 {
		by = fmt.Sprintf("[%d, %d]", lo, hi)
	}
	why := fmt.Sprintf("%s from %s by %s while %s",
		t.format(t.c.A.Form), t.describeStart(t.form, t.from), by, t.describeComparison(t.c))
	return Bound{Known: true, Iterations: n, by: &t, steady: t.minimum == t.maximum, Reason: why}
}

// describeStart renders a word by its form if it is made of constants of the thread, else by
// its set.
func (l *loopAnalysis) describeStart(f affine.Form, s strided.Interval) string {
	if l.machine().Syms.IsFixed(f) {
		return l.format(f)
	}
	return s.String()
}

// comparisonSigns are how comparisons are written.
var comparisonSigns = map[isa.Cmp]string{
	isa.Eq: "==", isa.Ne: "!=", isa.Lt: "<", isa.Le: "<=", isa.Gt: ">", isa.Ge: ">=",
}

func (l *loopAnalysis) describeComparison(c *transfer.Condition) string {
	limit := l.format(c.B.Form)
	if !l.machine().Syms.IsFixed(c.B.Form) {
		limit = fmt.Sprintf("%s in %s", limit, c.B.Set)
	}
	return fmt.Sprintf("%s %s %s", l.format(c.A.Form), comparisonSigns[c.Cmp], limit)
}
