package value

import (
	"fmt"

	"warpbound/internal/flow/strided"
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

// scaled returns how a counter is multiplied or divided, and the form that it then has.
func (l *counting) scaled(counter Symbol, reg isa.Reg) (s scaling, next Form, ok bool) {
	all := l.next(reg)
	for _, f := range all {
		if !f.equal(all[0]) {
			return s, next, false
		}
	}
	if len(all) == 0 || !all[0].known() {
		return s, next, false
	}
	next = all[0]
	table := l.machine().syms
	if len(next.terms) == 1 && next.terms[0].sym == counter {
		s.factor, s.summand = next.terms[0].coef, next.c
		half := strided.Mask(next.bits) / 2
		return s, next, s.factor >= 2 && s.factor <= 1<<16 && s.summand <= half
	}
	y, single := next.symbol()
	if !single || table.all[y].in == nil || len(table.all[y].args) != 2 || !table.all[y].args[0].equal(symbolForm(next.bits, counter)) {
		return s, next, false
	}
	in, by := table.all[y].in, table.all[y].args[1]
	if len(by.terms) > 0 || in.Type.IsSigned() && !table.all[counter].set.IsNonNegative() {
		return s, next, false
	}
	switch {
	case in.Op == isa.Shr && by.c > 0 && by.c < uint64(next.bits):
		s.divisor = 1 << by.c
	case in.Op == isa.Div && by.c >= 2 && by.c <= strided.Mask(next.bits)/2:
		s.divisor = by.c
	}
	return s, next, s.divisor > 0
}

// geometric bounds a loop whose counter is multiplied or divided by a constant.
func (l *counting) geometric(c *condition) Bound {
	for s := range l.machine().syms.all {
		counter := Symbol(s)
		reg, counts := l.counter(counter)
		if !counts || l.machine().syms.all[s].set.Bits() != c.a.form.bits {
			continue
		}
		how, next, ok := l.scaled(counter, reg)
		if !ok {
			continue
		}
		form, from, started := l.start(symbolForm(c.a.form.bits, counter))
		before := c.a.form.equal(symbolForm(c.a.form.bits, counter))
		if !started || !before && !c.a.form.equal(next) {
			continue
		}
		g := growth{how, from, before}
		n, ok := g.exactly(c)
		if !ok && how.divisor > 0 {
			n, ok = g.falls(c)
		} else if !ok {
			n, ok = g.rises(c)
		}
		if ok {
			return Bound{Known: true, Iterations: n, Reason: fmt.Sprintf("%s from %s %s while %s",
				l.name(symbolForm(c.a.form.bits, counter)), l.describe(form, from), how, l.while(c))}
		}
	}
	return Bound{}
}

// clearing bounds a loop that clears the lowest bit of a word until there is none.
func (l *counting) clearing(c *condition) Bound {
	zero, ok := c.b.Strided.IsConst()
	if !ok || zero != 0 || c.cmp != isa.Ne && (c.cmp != isa.Gt || c.sign) {
		return Bound{}
	}
	table := l.machine().syms
	for s := range table.all {
		reg, counts := l.counter(Symbol(s))
		word := symbolForm(c.a.form.bits, Symbol(s))
		if !counts || table.all[s].set.Bits() != word.bits {
			continue
		}
		next, ok := l.cleared(word, reg)
		form, from, started := l.start(word)
		if !ok || !started || !c.a.form.equal(word) && !c.a.form.equal(next) {
			continue
		}
		_, n := from.CountOnes().Unsigned()
		if c.a.form.equal(next) { // it is compared when one bit less is left
			n = max(n, 1) - 1
		}
		return Bound{Known: true, Iterations: int64(n), Reason: fmt.Sprintf("one bit of %s from %s is cleared while %s", l.name(word), l.describe(form, from), l.while(c))}
	}
	return Bound{}
}

// cleared returns what a register comes back with if that is its word without its lowest bit.
func (l *counting) cleared(word Form, reg isa.Reg) (Form, bool) {
	all := l.next(reg)
	if len(all) == 0 {
		return Form{}, false
	}
	y, single := all[0].symbol()
	if !single {
		return Form{}, false
	}
	less := word.add(constForm(word.bits, 1), ^uint64(0))
	in, args := l.machine().syms.all[y].in, l.machine().syms.all[y].args
	if in == nil || in.Op != isa.And || len(args) != 2 || !(args[0].equal(word) && args[1].equal(less) || args[1].equal(word) && args[0].equal(less)) {
		return Form{}, false
	}
	for _, f := range all {
		if !f.equal(all[0]) {
			return Form{}, false
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

// run counts iterations from a value while the compared value satisfies goesOn.
func (g growth) run(x uint64, goesOn func(uint64) bool) (int64, bool) {
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

// exactly follows a counter that starts at one value to a limit that is one.
func (g growth) exactly(c *condition) (int64, bool) {
	x, okX := g.from.IsConst()
	limit, okB := c.b.Strided.IsConst()
	if !okX || !okB {
		return 0, false
	}
	return g.run(x, func(y uint64) bool {
		_, _, ok := compared(strided.Const(g.from.Bits(), y), strided.Const(g.from.Bits(), limit), c.cmp, c.sign)
		return ok
	})
}

// falls follows a counter that is divided from its largest value.
func (g growth) falls(c *condition) (int64, bool) {
	lo, _, ok := strided.Range(c.b.Strided, c.sign)
	_, x := g.from.Unsigned()
	if !ok || c.sign && !g.from.IsNonNegative() {
		return 0, false
	}
	switch zero, isConst := c.b.Strided.IsConst(); {
	case c.cmp == isa.Gt || c.cmp == isa.Ne && isConst && zero == 0:
		return g.run(x, func(y uint64) bool { return lo < 0 || y > uint64(lo) })
	case c.cmp == isa.Ge:
		return g.run(x, func(y uint64) bool { return lo < 0 || y >= uint64(lo) })
	}
	return 0, false
}

// rises follows a counter that is multiplied from its least value.
func (g growth) rises(c *condition) (int64, bool) {
	_, hi, okB := strided.Range(c.b.Strided, c.sign)
	x, maximum, okX := strided.Range(g.from, c.sign)
	if c.cmp != isa.Lt && c.cmp != isa.Le || !okB || !okX || x < 1 || hi < 1 {
		return 0, false
	}
	last := uint64(hi) // the largest value that goes on
	if c.cmp == isa.Lt {
		last--
	}
	limit := strided.Mask(g.from.Bits())
	if c.sign {
		limit /= 2
	}
	// Neither the counter nor what is compared wraps around.
	if largest := max(last, uint64(maximum)); largest > (limit-g.summand)/g.factor {
		return 0, false
	}
	return g.run(uint64(x), func(y uint64) bool { return y <= last })
}
