package alu

import (
	"math/bits"

	"warpbound/internal/isa"
)

// carrying is an operation of extended precision: a result with a carry out,
// from sources with a carry in.
type carrying struct {
	d, a, b, c Slot // of either width
	out        MaskSlot
	in         Predicate
	f          func(a, b, c, in uint64) (d, out uint64)
}

func (op *carrying) Exec(r *Registers, mask uint64) {
	in, out := r.Mask(op.in), uint64(0)
	for m := mask; m != 0; m &= m - 1 {
		lane := First(m)
		d, carry := op.f(r.At(op.a, lane), r.At(op.b, lane), r.At(op.c, lane), in>>lane&1)
		r.Set(op.d, lane, d)
		out |= carry << lane
	}
	r.SetMask(op.out, out, mask)
}

// carrying decodes an operation of extended precision. The carry in is the
// source behind those of the operation, the carry out the second result.
func (d *decoder) carrying() Operation {
	in := d.in
	n, wide := in.Op.Info().Src[0], in.Type.Bits() > 32
	op := &carrying{d: d.dest(0, in.Type.Bits()), a: d.source(0, wide), b: d.source(1, wide), out: MaskSink}
	if n > 2 {
		op.c = d.source(2, wide)
	}
	if len(in.Dst) > 1 {
		op.out = d.maskDest(1)
	}
	switch {
	case len(in.Src) > n:
		op.in = d.test(n)
	case in.Op != isa.SubCarry:
		op.in.Not = ^uint64(0)
	}
	switch {
	case in.Type.Class() != isa.Unsigned && in.Type.Class() != isa.Signed:
	case in.Type.Bits() == 32:
		op.f = carrying32(in.Op, in.Type)
	case in.Type.Bits() == 64:
		op.f = carrying64(in.Op, in.Type)
	}
	if op.f == nil {
		d.unsupported()
	}
	return op
}

func carrying64(op isa.Op, t isa.Type) func(a, b, c, in uint64) (d, out uint64) {
	switch {
	case op == isa.AddCarry:
		return func(a, b, _, in uint64) (d, out uint64) { return bits.Add64(a, b, in) }
	case op == isa.SubCarry:
		return func(a, b, _, in uint64) (d, out uint64) { return bits.Add64(a, ^b, in) }
	case op == isa.MadCarry:
		return func(a, b, c, in uint64) (d, out uint64) { return bits.Add64(a*b, c, in) }
	case t.IsSigned():
		return func(a, b, c, in uint64) (d, out uint64) { return bits.Add64(high64(a, b), c, in) }
	}
	return func(a, b, c, in uint64) (d, out uint64) {
		hi, _ := bits.Mul64(a, b)
		return bits.Add64(hi, c, in)
	}
}

func carrying32(op isa.Op, t isa.Type) func(a, b, c, in uint64) (d, out uint64) {
	const low = 1<<32 - 1
	split := func(sum uint64) (d, out uint64) { return sum & low, sum >> 32 & 1 }
	e := extenderOf(t)
	switch op {
	case isa.AddCarry:
		return func(a, b, _, in uint64) (d, out uint64) { return split(a&low + b&low + in) }
	case isa.SubCarry:
		return func(a, b, _, in uint64) (d, out uint64) { return split(a&low + ^b&low + in) }
	case isa.MadCarry:
		return func(a, b, c, in uint64) (d, out uint64) { return split(a*b&low + c&low + in) }
	}
	return func(a, b, c, in uint64) (d, out uint64) {
		return split(e.extend(a)*e.extend(b)>>32 + c&low + in)
	}
}
