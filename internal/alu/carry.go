package alu

import (
	"math/bits"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// carrying is an operation of extended precision: a result with a carry out,
// from sources with a carry in.
type carrying[L vec.Lane] struct {
	d, a, b, c int32
	out        MaskSlot
	in         Predicate
	f          func(d, a, b, c *vec.Of[L], in uint32) (out uint32)
}

func (op *carrying[L]) Exec(r *Registers, mask uint64) {
	in, out := r.Mask(op.in), uint64(0)
	for k := range r.Chunks {
		table, result := lanesOf[L](r, k)
		if mask == r.Full {
			result = table[op.d]
		}
		out |= uint64(op.f(result, table[op.a], table[op.b], table[op.c], Half(in, k))) << (k * lanes)
		if mask != r.Full {
			choose(table[op.d], result, table[op.d], Half(mask, k))
		}
	}
	r.SetMask(op.out, out, mask)
}

// carrying decodes an operation of extended precision.
func (d *decoder) carrying() Operation {
	in := d.in
	switch {
	case in.Type.Class() != isa.Unsigned && in.Type.Class() != isa.Signed:
	case in.Type.Bits() == 32:
		return d.carryingWords()
	case in.Type.Bits() == 64:
		return d.carryingVectors()
	}
	d.unsupported()
	return nil
}

func (d *decoder) carryingWords() Operation {
	op := &carrying[uint32]{d: d.wordDest(0, 32), a: d.word(0), b: d.word(1), f: carryWords(d.in)}
	if d.in.Op.Info().Src[0] > 2 {
		op.c = d.word(2)
	}
	op.in, op.out = d.carries()
	return op
}

func (d *decoder) carryingVectors() Operation {
	op := &carrying[uint64]{d: d.vectorDest(0, 64), a: d.vector(0), b: d.vector(1), f: carryVectors(d.in)}
	if d.in.Op.Info().Src[0] > 2 {
		op.c = d.vector(2)
	}
	op.in, op.out = d.carries()
	return op
}

// carries decodes the carry in, which is the source behind those of the operation, and the carry out, the second
// result.
func (d *decoder) carries() (in Predicate, out MaskSlot) {
	n := d.in.Op.Info().Src[0]
	switch {
	case len(d.in.Src) > n:
		in = d.test(n)
	case d.in.Op != isa.SubCarry:
		in.Not = ^uint64(0)
	}
	return in, d.secondMask()
}

// carryVectors returns the function of an operation on 64 bits.
func carryVectors(in *isa.Instr) func(d, a, b, c *Vector, in uint32) (out uint32) {
	switch op := in.Op; {
	case op == isa.AddCarry:
		return addCarry64
	case op == isa.SubCarry:
		return subCarry64
	case op == isa.MadCarry:
		return madCarry64
	case in.Type.IsSigned():
		return madHiCarryS64
	}
	return madHiCarryU64
}

func addCarry64(d, a, b, _ *Vector, in uint32) (out uint32) {
	for i := range d {
		x, carry := bits.Add64(a[i], b[i], uint64(in>>i&1))
		d[i] = x
		out |= uint32(carry) << i
	}
	return out
}

func subCarry64(d, a, b, _ *Vector, in uint32) (out uint32) {
	for i := range d {
		x, carry := bits.Add64(a[i], ^b[i], uint64(in>>i&1))
		d[i] = x
		out |= uint32(carry) << i
	}
	return out
}

func madCarry64(d, a, b, c *Vector, in uint32) (out uint32) {
	for i := range d {
		x, carry := bits.Add64(a[i]*b[i], c[i], uint64(in>>i&1))
		d[i] = x
		out |= uint32(carry) << i
	}
	return out
}

func madHiCarryU64(d, a, b, c *Vector, in uint32) (out uint32) {
	for i := range d {
		high, _ := bits.Mul64(a[i], b[i])
		x, carry := bits.Add64(high, c[i], uint64(in>>i&1))
		d[i] = x
		out |= uint32(carry) << i
	}
	return out
}

func madHiCarryS64(d, a, b, c *Vector, in uint32) (out uint32) {
	for i := range d {
		x, carry := bits.Add64(high64(a[i], b[i]), c[i], uint64(in>>i&1))
		d[i] = x
		out |= uint32(carry) << i
	}
	return out
}

// carryWords returns the function of an operation on 32 bits.
func carryWords(in *isa.Instr) func(d, a, b, c *Words, in uint32) (out uint32) {
	switch op := in.Op; {
	case op == isa.AddCarry:
		return addCarry32
	case op == isa.SubCarry:
		return subCarry32
	case op == isa.MadCarry:
		return madCarry32
	case in.Type.IsSigned():
		return madHiCarryS32
	}
	return madHiCarryU32
}

func addCarry32(d, a, b, _ *Words, in uint32) (out uint32) {
	for i := range d {
		x, carry := bits.Add32(a[i], b[i], in>>i&1)
		d[i] = x
		out |= carry << i
	}
	return out
}

func subCarry32(d, a, b, _ *Words, in uint32) (out uint32) {
	for i := range d {
		x, carry := bits.Add32(a[i], ^b[i], in>>i&1)
		d[i] = x
		out |= carry << i
	}
	return out
}

func madCarry32(d, a, b, c *Words, in uint32) (out uint32) {
	for i := range d {
		x, carry := bits.Add32(a[i]*b[i], c[i], in>>i&1)
		d[i] = x
		out |= carry << i
	}
	return out
}

func madHiCarryU32(d, a, b, c *Words, in uint32) (out uint32) {
	for i := range d {
		x, carry := bits.Add32(uint32(uint64(a[i])*uint64(b[i])>>32), c[i], in>>i&1)
		d[i] = x
		out |= carry << i
	}
	return out
}

func madHiCarryS32(d, a, b, c *Words, in uint32) (out uint32) {
	for i := range d {
		x, carry := bits.Add32(uint32(int64(int32(a[i]))*int64(int32(b[i]))>>32), c[i], in>>i&1)
		d[i] = x
		out |= carry << i
	}
	return out
}
