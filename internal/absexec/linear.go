package absexec

import (
	"math"
	"math/bits"

	"warpbound/internal/isa"
)

// linear is a number in one lane: base in the first CTA of the box, and step more,
// modulo the width, from one CTA to the next along each axis.
type linear struct {
	base uint64
	step [Axes]uint64
}

func (l linear) moves() bool { return l.step != [Axes]uint64{} }

func (l linear) depends() (d [Axes]bool) {
	for i, s := range l.step {
		d[i] = s != 0
	}
	return d
}

// dependsAny returns the axes that any of some numbers depends on.
func dependsAny(s []linear) (d [Axes]bool) {
	for _, l := range s {
		for i, x := range l.depends() {
			d[i] = d[i] || x
		}
	}
	return d
}

// signed returns the low bits of x as a signed number.
func signed(x uint64, width int) int64 {
	shift := 64 - uint(width)
	return int64(x<<shift) >> shift
}

// steps returns the steps as signed numbers of width bits.
func (l linear) steps(width int) (s [Axes]int64) {
	for i, x := range l.step {
		s[i] = signed(x, width)
	}
	return s
}

// limits returns the range of an integer type, that of 64-bit types cut to what an
// int64 holds.
func limits(width int, sign bool) (lo, hi int64) {
	switch {
	case sign:
		return math.MinInt64 >> (64 - width), math.MaxInt64 >> (64 - width)
	case width == 64:
		return 0, math.MaxInt64
	}
	return 0, 1<<width - 1
}

// exact returns the integer that the low bits of s[i] stand for in every CTA of the
// box. If the number wraps around within the box, or exceeds an int64, there is none,
// and a smaller box may have one.
func (b Box) exact(s []linear, i, width int, sign bool) (ramp, cut) {
	l := s[i]
	r := ramp{base: signed(l.base, width), step: l.steps(width)}
	if !sign && width < 64 {
		r.base = int64(l.base & (1<<width - 1))
	}
	lo, hi := limits(width, sign)
	switch {
	case r.base < lo:
		return r, b.halve(dependsAny(s))
	case b.relation(r, lo) <= 0:
		return r, b.crossing(r, lo)
	}
	if hi == math.MaxInt64 {
		return r, cut{} // span has found that nothing exceeds it
	}
	if b.relation(r, hi+1) >= 0 {
		return r, b.crossing(r, hi+1)
	}
	return r, cut{}
}

// rule tells how the first result of an instruction depends on the CTA if its sources
// do: by the steps, or in no known way unless the box is cut. The result in the first
// CTA of the box is computed from the bases of the sources.
type rule func(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut)

// rules are the operations that keep linear numbers linear, and comparisons, whose
// results do not depend on the CTA where a rule finds no cut. An operation without a rule
// is applied to sources that do not depend on the CTA.
var rules = map[isa.Op]rule{
	isa.Mov: copied,
	isa.Add: summed, isa.Cvta: summed, isa.Sub: summed, isa.CvtaTo: summed, isa.Neg: summed, isa.Not: summed,
	isa.Mul: multiplied, isa.Mad: multiplied, isa.MulWide: widened, isa.MadWide: widened,
	isa.Shl: shiftedLeft, isa.Shr: shiftedRight,
	isa.And: masked, isa.Or: masked, isa.Xor: masked,
	isa.Div: divided, isa.Rem: divided,
	isa.Min: chosenByOrder, isa.Max: chosenByOrder, isa.Abs: chosenBySign,
	isa.Cvt: converted, isa.Setp: compared, isa.Set: compared,
}

// isInteger reports whether an instruction computes integers modulo their width.
func isInteger(in *isa.Instr) bool {
	c := in.Type.Class()
	return (c == isa.Unsigned || c == isa.Signed || c == isa.Bits) && !in.Sat
}

func (b Box) halveNonAffine(s []linear) (step [Axes]uint64, c cut) {
	return step, b.halve(dependsAny(s))
}

func copied(_ Box, _ *isa.Instr, _ int, s []linear) ([Axes]uint64, cut) { return s[0].step, cut{} }

func summed(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut) {
	if !isInteger(in) {
		return b.halveNonAffine(s)
	}
	for i := range step {
		switch in.Op {
		case isa.Add, isa.Cvta:
			step[i] = s[0].step[i] + s[1].step[i]
		case isa.Sub, isa.CvtaTo:
			step[i] = s[0].step[i] - s[1].step[i]
		default: // Neg, and Not, which is -1 - x
			step[i] = -s[0].step[i]
		}
	}
	return step, cut{}
}

func multiplied(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut) {
	if !isInteger(in) || s[0].moves() && s[1].moves() {
		return b.halveNonAffine(s)
	}
	for i := range step {
		step[i] = s[0].step[i]*s[1].base + s[1].step[i]*s[0].base
		if len(s) > 2 {
			step[i] += s[2].step[i]
		}
	}
	return step, cut{}
}

func widened(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut) {
	if !isInteger(in) || s[0].moves() && s[1].moves() {
		return b.halveNonAffine(s)
	}
	x, c := b.exact(s, 0, in.Type.Bits(), in.Type.IsSigned())
	if !c.none() {
		return step, c
	}
	y, c := b.exact(s, 1, in.Type.Bits(), in.Type.IsSigned())
	if !c.none() {
		return step, c
	}
	for i := range step {
		step[i] = uint64(x.step[i]*y.base + y.step[i]*x.base)
		if len(s) > 2 {
			step[i] += s[2].step[i]
		}
	}
	return step, cut{}
}

func shiftedLeft(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut) {
	if s[1].moves() || in.Wrap {
		return b.halveNonAffine(s)
	}
	for i := range step {
		step[i] = s[0].step[i] << (s[1].base & (1<<32 - 1))
	}
	return step, cut{}
}

// shiftedRight divides: a number whose steps are multiples of the divisor, or one whose
// quotient is the same in the whole box.
func shiftedRight(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut) {
	by, width := s[1].base, in.Type.Bits()
	if s[1].moves() || in.Wrap || by > 62 {
		return b.halveNonAffine(s)
	}
	x, c := b.exact(s, 0, width, in.Type.IsSigned())
	if !c.none() {
		return step, c
	}
	if by > uint64(common(s[0], width)) {
		return step, b.within(x, 1<<by)
	}
	for i := range step {
		step[i] = uint64(x.step[i] >> by)
	}
	return step, cut{}
}

// within returns no cut if a number lies between the same two multiples of m in the whole
// box, so that its remainder changes as it does and its quotient not at all.
func (b Box) within(x ramp, m int64) cut {
	rest := x
	if rest.base %= m; rest.base < 0 {
		rest.base += m
	}
	switch {
	case b.relation(rest, 0) <= 0:
		return b.crossing(rest, 0)
	case b.relation(rest, m) >= 0:
		return b.crossing(rest, m)
	}
	return cut{}
}

// common returns how many low bits all steps of a number of width bits have zero.
func common(l linear, width int) int {
	all := uint64(1) << (width - 1)
	for _, s := range l.step {
		all |= s
	}
	return bits.TrailingZeros64(all)
}

// masked treats logical operations on a number whose steps leave its low bits alone
// and a mask that only matters there.
func masked(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut) {
	x, y := s[0], s[1]
	if y.moves() {
		x, y = y, x
	}
	width := in.Type.Bits()
	if y.moves() || !isInteger(in) {
		return b.halveNonAffine(s)
	}
	low := uint64(1)<<common(x, width) - 1
	all := ^uint64(0) >> (64 - width)
	mask := y.base & all
	above := mask | low // what the mask does where the steps matter
	switch {
	case in.Op == isa.And && mask&^low == 0:
		return step, cut{}
	case in.Op == isa.And && mask|low == all, in.Op != isa.And && mask&^low == 0:
		return x.step, cut{}
	case in.Op == isa.And && above&(above+1) == 0 && above < 1<<62:
		r, c := b.exact([]linear{x}, 0, width, false)
		if c.none() {
			c = b.within(r, int64(above+1))
		}
		return x.step, c
	}
	return b.halveNonAffine(s)
}

func divided(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut) {
	if !isInteger(in) || s[1].moves() {
		return b.halveNonAffine(s)
	}
	width, sign := in.Type.Bits(), in.Type.IsSigned()
	x, c := b.exact(s, 0, width, sign)
	if !c.none() {
		return step, c
	}
	by, c := b.exact(s, 1, width, sign)
	if lo, _, ok := b.span(x); !c.none() || !ok || lo < 0 || by.base <= 0 {
		return b.halveNonAffine(s)
	}
	for _, d := range x.step {
		if d%by.base == 0 {
			continue
		}
		if in.Op == isa.Rem {
			step = s[0].step
		}
		return step, b.within(x, by.base)
	}
	for i, d := range x.step {
		if in.Op == isa.Div {
			step[i] = uint64(d / by.base)
		}
	}
	return step, cut{}
}

func chosenByOrder(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut) {
	if !isInteger(in) || len(s) != 2 || in.Relu || in.Type.Class() == isa.Bits {
		return b.halveNonAffine(s)
	}
	diff, c := b.difference(s, in.Type.Bits(), in.Type.IsSigned())
	if !c.none() {
		return step, c
	}
	lo, hi, ok := b.span(diff)
	switch {
	case ok && hi <= 0: // the first is the least
		return s[pick(in.Op == isa.Max)].step, cut{}
	case ok && lo >= 0:
		return s[pick(in.Op == isa.Min)].step, cut{}
	}
	return step, b.crossing(diff, 0)
}

func pick(second bool) int {
	if second {
		return 1
	}
	return 0
}

func chosenBySign(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut) {
	if !isInteger(in) {
		return b.halveNonAffine(s)
	}
	x, c := b.exact(s, 0, in.Type.Bits(), true)
	if !c.none() {
		return step, c
	}
	switch b.relation(x, 0) {
	case 1:
		return s[0].step, cut{}
	case 0:
		return step, b.crossing(x, 0)
	}
	for i := range step {
		step[i] = -s[0].step[i]
	}
	return step, cut{}
}

// converted treats conversions of integers. A register that is wider than the result
// extends it by its sign or by zeros.
func converted(b Box, in *isa.Instr, reg int, s []linear) (step [Axes]uint64, c cut) {
	to, from := in.Type, in.SrcType
	if !isInteger(in) || from.IsFloat() || len(s) != 1 {
		return b.halveNonAffine(s)
	}
	narrow := to.Bits() <= from.Bits()
	if narrow && reg == to.Bits() {
		return s[0].step, cut{}
	}
	if narrow {
		from = to // the low bits are all that matters
	}
	x, c := b.exact(s, 0, from.Bits(), from.IsSigned())
	if c.none() && reg > to.Bits() && !to.IsSigned() && b.relation(x, 0) <= 0 {
		c = b.crossing(x, 0)
	}
	for i := range step {
		step[i] = uint64(x.step[i])
	}
	return step, c
}
