package alu

import (
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// comparison is a test of two sources, joined with a predicate.
type comparison struct {
	a, b int32
	test test
	high test // of the upper halves of pairs
	c    Predicate
	join func(x, y uint64) uint64
}

// holds returns the lanes in which the test holds and those in which it does
// not, or in which it holds for the upper halves of pairs; each joined with the
// predicate.
func (op *comparison) holds(r *Registers) (yes, other uint64) {
	m := op.lanes(r, &op.test)
	o := ^m
	if op.high.word != nil {
		o = op.lanes(r, &op.high)
	}
	c := r.Mask(op.c)
	return op.join(m, c), op.join(o, c)
}

// lanes returns the lanes in which a test holds.
func (op *comparison) lanes(r *Registers, t *test) (m uint64) {
	for k := range r.Chunks {
		if t.word != nil {
			m |= uint64(t.word(r.Words[k][op.a], r.Words[k][op.b])) << (k * lanes)
		} else {
			m |= uint64(t.wide(r.Vecs[k][op.a], r.Vecs[k][op.b])) << (k * lanes)
		}
	}
	return m ^ t.not
}

// comparison decodes a comparison of the first two sources, of type t. A third
// is the predicate.
func (d *decoder) comparison(t isa.Type) comparison {
	in := d.in
	op := comparison{join: keep}
	if t.Bits() > 32 {
		op.a, op.b = d.vector(0), d.vector(1)
	} else {
		op.a, op.b = d.word(0), d.word(1)
	}
	if t.IsFloat() {
		op.test = floatTest(in.Cmp, t, in.FTZ, 0)
		if isPair(t) {
			op.high = floatTest(in.Cmp, t, in.FTZ, 16)
		}
	} else if !in.FTZ {
		op.test = integerTest(in.Cmp, t)
	}
	if len(in.Src) > 2 {
		op.c = d.test(2)
		op.join = joinFor(in.Combine)
	}
	if op.test.word == nil && op.test.wide == nil || op.join == nil || len(in.Src) == 2 && in.Combine != isa.CombineNone {
		d.unsupported()
	}
	if op.test.swap {
		op.a, op.b = op.b, op.a
	}
	return op
}

// setp assigns a comparison to a predicate and its complement to another.
type setp struct {
	comparison
	p, q MaskSlot
}

func (op *setp) Exec(r *Registers, mask uint64) {
	yes, other := op.holds(r)
	r.SetMask(op.p, yes, mask)
	r.SetMask(op.q, other, mask)
}

func (d *decoder) setp() Operation {
	op := &setp{comparison: d.comparison(d.in.Type), p: d.maskDest(0), q: MaskSink}
	if len(d.in.Dst) > 1 {
		op.q = d.maskDest(1)
	}
	return op
}

// set assigns one of two numbers by a comparison, or one by each of a pair.
type set struct {
	comparison
	d         int32
	yes, high uint32 // the bits of the result for each comparison that holds
}

func (op *set) Exec(r *Registers, mask uint64) {
	yes, other := op.holds(r)
	for k := range r.Chunks {
		y, o, result := Half(yes, k), Half(other, k), &r.Scratch.word
		for i := range result {
			result[i] = op.yes&-(y>>i&1) | op.high&-(o>>i&1)
		}
		vec.SelectWords(r.Words[k][op.d], result, r.Words[k][op.d], Half(mask, k))
	}
}

func (d *decoder) set() Operation {
	to, from := d.in.Type, d.in.SrcType
	op := &set{comparison: d.comparison(from), d: d.wordDest(0, to.Bits())}
	op.yes = truth(to, from)
	if isPair(from) {
		op.high = op.yes << 16
	}
	if op.yes == 0 {
		d.unsupported()
	}
	return op
}

// truth returns what Set assigns if the comparison of two values, or of two
// halves, holds: all ones, or the number one. It is zero if there is no such
// operation.
func truth(to, from isa.Type) uint32 {
	f, _ := formatOf(to)
	half := from == isa.F16 || from == isa.BF16
	switch {
	case isPair(from):
		switch to {
		case isa.U32, isa.S32:
			return 1<<16 - 1
		case from:
			return uint32(f.one())
		}
		return 0
	case to == isa.U32 || to == isa.S32:
		return 1<<32 - 1
	case half && (to == isa.U16 || to == isa.S16):
		return 1<<16 - 1
	case to == isa.F32 || to == isa.F16 || to == isa.BF16:
		return uint32(f.one())
	}
	return 0
}

// isPair reports whether a type is a pair of numbers of half precision.
func isPair(t isa.Type) bool { return t == isa.F16x2 || t == isa.BF16x2 }

func keep(x, _ uint64) uint64 { return x }
func and(x, y uint64) uint64  { return x & y }
func or(x, y uint64) uint64   { return x | y }
func xor(x, y uint64) uint64  { return x ^ y }

func joinFor(c isa.Combine) func(x, y uint64) uint64 {
	switch c {
	case isa.CombineAnd:
		return and
	case isa.CombineOr:
		return or
	case isa.CombineXor:
		return xor
	}
	return nil
}

// logicOp is a logical operation on predicates.
type logicOp struct {
	p    MaskSlot
	a, b Predicate
	f    func(x, y uint64) uint64
}

func (op *logicOp) Exec(r *Registers, mask uint64) {
	r.SetMask(op.p, op.f(r.Mask(op.a), r.Mask(op.b)), mask)
}

// logic decodes an operation on predicates.
func (d *decoder) logic() Operation {
	in := d.in
	op := &logicOp{}
	switch in.Op {
	case isa.And:
		op.f = and
	case isa.Or:
		op.f = or
	case isa.Xor:
		op.f = xor
	case isa.Mov, isa.Not:
		op.f = keep
	default:
		d.unsupported()
		return nil
	}
	op.p = d.maskDest(0)
	op.a = d.test(0)
	if in.Op == isa.Not {
		op.a.Not = ^op.a.Not
	}
	if len(in.Src) > 1 {
		op.b = d.test(1)
	}
	return op
}

// choice selects one of two sources in every lane: by a predicate, or by
// whether a third source is at least zero.
type choice[L vec.Lane] struct {
	d, a, b int32
	p       Predicate
	c       *comparison
	width   L
}

func (op *choice[L]) Exec(r *Registers, mask uint64) {
	take := r.Mask(op.p)
	if op.c != nil {
		take, _ = op.c.holds(r)
	}
	for k := range r.Chunks {
		table, result := lanesOf[L](r, k)
		choose(result, table[op.a], table[op.b], Half(take, k))
		if op.width != ^L(0) {
			for i := range result {
				result[i] &= op.width
			}
		}
		choose(table[op.d], result, table[op.d], Half(mask, k))
	}
}

// choice decodes Selp and Slct.
func (d *decoder) choice() Operation {
	in, bits := d.in, d.in.Type.Bits()
	var p Predicate
	var c *comparison
	switch {
	case bits < 16 || bits > 64:
		d.unsupported()
		return nil
	case in.Op == isa.Selp:
		p = d.test(2)
	case in.SrcType == isa.S32 && !in.FTZ:
		c = &comparison{a: d.zero(), b: d.word(2), test: integerTest(isa.Le, isa.S32), join: keep}
	case in.SrcType == isa.F32:
		c = &comparison{a: d.zero(), b: d.word(2), test: floatTest(isa.Le, isa.F32, in.FTZ, 0), join: keep}
	default:
		d.unsupported()
	}
	if bits > 32 {
		return &choice[uint64]{d: d.vectorDest(0, bits), a: d.vector(0), b: d.vector(1), p: p, c: c, width: LowBits(bits)}
	}
	return &choice[uint32]{d: d.wordDest(0, bits), a: d.word(0), b: d.word(1), p: p, c: c, width: uint32(LowBits(bits))}
}
