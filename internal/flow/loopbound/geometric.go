package loopbound

import (
	"fmt"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// maxGeometric limits the iterations of counters that are multiplied or divided: such
// counters leave the range of their type sooner, or stay where they are.
const maxGeometric = 64

// scaling is how a counter changes in an iteration: it is divided by divisor, or becomes
// factor times itself plus summand.
type scaling struct {
	divisor         uint64
	factor, summand uint64
}

func (s scaling) apply(x uint64) uint64 {
	if s.divisor > 0 {
		return x / s.divisor
	}
	return x*s.factor + s.summand
}

func (s scaling) String() string {
	switch {
	case s.divisor > 0:
		return fmt.Sprintf("divided by %d", s.divisor)
	case s.summand > 0:
		return fmt.Sprintf("times %d plus %d", s.factor, s.summand)
	}
	return fmt.Sprintf("times %d", s.factor)
}

// findScaling returns how a counter is multiplied or divided, and the form that it then has.
func (l *loopAnalysis) findScaling(counter affine.Symbol, reg isa.Reg) (s scaling, next affine.Form, ok bool) {
	all := l.solution.FindReturning(l.loop, reg)
	for _, f := range all {
		if !f.Equal(all[0]) {
			return s, next, false
		}
	}
	if len(all) == 0 || !all[0].IsKnown() {
		return s, next, false
	}
	next = all[0]
	table := l.machine().Syms
	if len(next.Terms) == 1 && next.Terms[0].Symbol == counter {
		s.factor, s.summand = next.Terms[0].Coefficient, next.Constant
		half := strided.Mask(next.Bits) / 2
		return s, next, s.factor >= 2 && s.factor <= 1<<16 && s.summand <= half
	}
	y, single := next.AsSymbol()
	if !single || table.Symbols[y].Operation == nil || len(table.Symbols[y].Args) != 2 ||
		!table.Symbols[y].Args[0].Equal(affine.OfSymbol(next.Bits, counter)) {
		return s, next, false
	}
	in, by := table.Symbols[y].Operation, table.Symbols[y].Args[1]
	if len(by.Terms) > 0 || in.Type.IsSigned() && !table.Symbols[counter].Set.IsNonNegative() {
		return s, next, false
	}
	switch {
	case in.Op == isa.Shr && by.Constant > 0 && by.Constant < uint64(next.Bits):
		s.divisor = 1 << by.Constant
	case in.Op == isa.Div && by.Constant >= 2 && by.Constant <= strided.Mask(next.Bits)/2:
		s.divisor = by.Constant
	}
	return s, next, s.divisor > 0
}

// boundGeometric bounds a loop whose counter is multiplied or divided by a constant.
func (l *loopAnalysis) boundGeometric(c *transfer.Condition) Bound {
	for s := range l.machine().Syms.Symbols {
		counter := affine.Symbol(s)
		reg, counts := l.counterRegister(counter)
		if !counts || l.machine().Syms.Symbols[s].Set.Bits() != c.A.Form.Bits {
			continue
		}
		how, next, ok := l.findScaling(counter, reg)
		if !ok {
			continue
		}
		form, from, started := l.findStart(affine.OfSymbol(c.A.Form.Bits, counter))
		before := c.A.Form.Equal(affine.OfSymbol(c.A.Form.Bits, counter))
		if !started || !before && !c.A.Form.Equal(next) {
			continue
		}
		g := growth{how, from, before}
		n, ok := g.countExactly(c)
		if !ok && how.divisor > 0 {
			n, ok = g.countFalling(c)
		} else if !ok {
			n, ok = g.countRising(c)
		}
		if ok {
			return Bound{Known: true, Iterations: n, Reason: fmt.Sprintf("%s from %s %s while %s",
				l.format(affine.OfSymbol(c.A.Form.Bits, counter)), l.describeStart(form, from), how, l.describeComparison(c))}
		}
	}
	return Bound{}
}

// boundClearing bounds a loop that clears the lowest bit of a word until there is none.
func (l *loopAnalysis) boundClearing(c *transfer.Condition) Bound {
	zero, ok := c.B.Set.IsConst()
	if !ok || zero != 0 || c.Cmp != isa.Ne && (c.Cmp != isa.Gt || c.Sign) {
		return Bound{}
	}
	table := l.machine().Syms
	for s := range table.Symbols {
		reg, counts := l.counterRegister(affine.Symbol(s))
		word := affine.OfSymbol(c.A.Form.Bits, affine.Symbol(s))
		if !counts || table.Symbols[s].Set.Bits() != word.Bits {
			continue
		}
		next, ok := l.findCleared(word, reg)
		form, from, started := l.findStart(word)
		if !ok || !started || !c.A.Form.Equal(word) && !c.A.Form.Equal(next) {
			continue
		}
		_, n := from.CountOnes().Unsigned()
		if c.A.Form.Equal(next) { // it is compared when one bit less is left
			n = max(n, 1) - 1
		}
		why := fmt.Sprintf("one bit of %s from %s is cleared while %s",
			l.format(word), l.describeStart(form, from), l.describeComparison(c))
		return Bound{Known: true, Iterations: int64(n), Reason: why}
	}
	return Bound{}
}

// findCleared returns what a register comes back with if that is its word without its lowest bit.
func (l *loopAnalysis) findCleared(word affine.Form, reg isa.Reg) (affine.Form, bool) {
	all := l.solution.FindReturning(l.loop, reg)
	if len(all) == 0 {
		return affine.Form{}, false
	}
	y, single := all[0].AsSymbol()
	if !single {
		return affine.Form{}, false
	}
	less := word.AddMultiple(affine.Constant(word.Bits, 1), ^uint64(0))
	in, args := l.machine().Syms.Symbols[y].Operation, l.machine().Syms.Symbols[y].Args
	if in == nil || in.Op != isa.And || len(args) != 2 ||
		!(args[0].Equal(word) && args[1].Equal(less) || args[1].Equal(word) && args[0].Equal(less)) {
		return affine.Form{}, false
	}
	for _, f := range all {
		if !f.Equal(all[0]) {
			return affine.Form{}, false
		}
	}
	return all[0], true
}

// growth is a counter with its scaling and its first values; before says that it is
// compared before it changes, not after.
type growth struct {
	scaling
	from   strided.Interval
	before bool
}

// countIterations counts iterations from a value while the compared value satisfies goesOn.
func (g growth) countIterations(x uint64, goesOn func(uint64) bool) (int64, bool) {
	m := strided.Mask(g.from.Bits())
	for n := range int64(maxGeometric + 1) {
		compared := x
		if !g.before {
			compared = g.apply(x) & m
		}
		if !goesOn(compared) {
			return n, true
		}
		x = g.apply(x) & m
	}
	return 0, false
}

// countExactly follows a counter that starts at one value to a limit that is one.
func (g growth) countExactly(c *transfer.Condition) (int64, bool) {
	x, okX := g.from.IsConst()
	limit, okB := c.B.Set.IsConst()
	if !okX || !okB {
		return 0, false
	}
	return g.countIterations(x, func(y uint64) bool {
		width := g.from.Bits()
		_, _, ok := transfer.RestrictCompared(strided.Const(width, y), strided.Const(width, limit), c.Cmp, c.Sign)
		return ok
	})
}

// countFalling follows a counter that is divided from its largest value.
func (g growth) countFalling(c *transfer.Condition) (int64, bool) {
	lo, _, ok := strided.Range(c.B.Set, c.Sign)
	_, x := g.from.Unsigned()
	if !ok || c.Sign && !g.from.IsNonNegative() {
		return 0, false
	}
	switch zero, isConst := c.B.Set.IsConst(); {
	case c.Cmp == isa.Gt || c.Cmp == isa.Ne && isConst && zero == 0:
		return g.countIterations(x, func(y uint64) bool { return lo < 0 || y > uint64(lo) })
	case c.Cmp == isa.Ge:
		return g.countIterations(x, func(y uint64) bool { return lo < 0 || y >= uint64(lo) })
	}
	return 0, false
}

// countRising follows a counter that is multiplied from its least value.
func (g growth) countRising(c *transfer.Condition) (int64, bool) {
	_, hi, okB := strided.Range(c.B.Set, c.Sign)
	x, maximum, okX := strided.Range(g.from, c.Sign)
	if c.Cmp != isa.Lt && c.Cmp != isa.Le || !okB || !okX || x < 1 || hi < 1 {
		return 0, false
	}
	last := uint64(hi) // the largest value that goes on
	if c.Cmp == isa.Lt {
		last--
	}
	limit := strided.Mask(g.from.Bits())
	if c.Sign {
		limit /= 2
	}
	// Neither the counter nor what is compared wraps around.
	if largest := max(last, uint64(maximum)); largest > (limit-g.summand)/g.factor {
		return 0, false
	}
	return g.countIterations(uint64(x), func(y uint64) bool { return y <= last })
}
