package absexec

import "warpbound/internal/isa"

// difference returns the first of two numbers minus the second, as integers. It may
// exceed an int64 in the box: then it has no span, and its relation to a bound is 0.
func (b Box) difference(s []linear, width int, sign bool) (ramp, cut) {
	x, c := b.exact(s, 0, width, sign)
	if !c.none() {
		return x, c
	}
	y, c := b.exact(s, 1, width, sign)
	if !c.none() {
		return x, c
	}
	diff := ramp{}
	var ok bool
	if diff.base, ok = sub(x.base, y.base); !ok {
		return diff, b.halve(dependsAny(s))
	}
	for i := range diff.step {
		if diff.step[i], ok = sub(x.step[i], y.step[i]); !ok {
			return diff, b.halve(dependsAny(s))
		}
	}
	return diff, cut{}
}

// compared finds whether a comparison has the same result in the whole box.
func compared(b Box, in *isa.Instr, _ int, s []linear) (step [Axes]uint64, c cut) {
	t := in.Type
	if in.Op == isa.Set {
		t = in.SrcType
	}
	if t.IsFloat() || t.Class() == isa.Packed {
		return b.halveNonAffine(s)
	}
	width, sign := t.Bits(), t.IsSigned()
	switch in.Cmp {
	case isa.Eq, isa.Ne:
		return step, b.sameEquality(s, width)
	case isa.Lo, isa.Ls, isa.Hi, isa.Hs:
		sign = false
	}
	diff, c := b.difference(s, width, sign)
	if !c.none() {
		return step, c
	}
	bound := int64(0) // the result tells on which side of it the difference is
	switch in.Cmp {
	case isa.Le, isa.Gt, isa.Ls, isa.Hi:
		bound = 1
	}
	if b.relation(diff, bound) == 0 {
		return step, b.crossing(diff, bound)
	}
	return step, cut{}
}

// sameEquality returns no cut if two numbers are equal in the whole box or in no
// CTA of it. The difference is taken modulo the width, so that numbers may wrap.
func (b Box) sameEquality(s []linear, width int) cut {
	diff := ramp{base: signed(s[0].base-s[1].base, width)}
	for i := range diff.step {
		diff.step[i] = signed(s[0].step[i]-s[1].step[i], width)
	}
	lo, hi, ok := b.span(diff)
	if !ok {
		return b.halve(diff.depends())
	}
	if minimum, maximum := limits(width, true); width < 64 && (lo <= 2*minimum || hi > 2*maximum+1) {
		return b.halve(diff.depends())
	}
	switch {
	case lo == 0 && hi == 0, lo > 0, hi < 0:
		return cut{}
	}
	first, second := b.relation(diff, 0), b.relation(diff, 1)
	if first == 0 && (second != 0 || diff.base < 0) {
		return b.crossing(diff, 0)
	}
	return b.crossing(diff, 1)
}
