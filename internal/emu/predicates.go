package emu

import (
	"math"

	"warpbound/internal/isa"
)

// comparison is a test of two sources, joined with a predicate.
type comparison struct {
	a, b slot
	test test
	c    predicate
	join func(x, y uint64) uint64
}

// holds returns the lanes in which the test holds and those in which it does
// not, each joined with the predicate.
func (op *comparison) holds(w *Warp) (yes, no uint64) {
	var m uint64
	for k := range w.chunks() {
		m |= uint64(op.test.holds(w.vecs[k][op.a], w.vecs[k][op.b])) << (k * lanes)
	}
	m ^= op.test.not
	c := w.mask(op.c)
	return op.join(m, c), op.join(^m, c)
}

// comparison decodes a comparison of the first two sources, of type t. A third
// is the predicate.
func (d *decoder) comparison(t isa.Type) comparison {
	in := d.in
	op := comparison{a: d.source(0), b: d.source(1), join: keep}
	if t.IsFloat() {
		op.test = floatTest(in.Cmp, t, in.FTZ)
	} else if !in.FTZ {
		op.test = integerTest(in.Cmp, t)
	}
	if len(in.Src) > 2 {
		op.c = d.test(in.Src[2])
		op.join = joinFor(in.Combine)
	}
	if op.test.holds == nil || op.join == nil || len(in.Src) == 2 && in.Combine != isa.CombineNone {
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
	p, q maskSlot
}

func (op *setp) exec(w *Warp, mask uint64, _ *Effect) error {
	yes, no := op.holds(w)
	w.setMask(op.p, yes, mask)
	w.setMask(op.q, no, mask)
	return nil
}

func (d *decoder) setp() operation {
	op := &setp{comparison: d.comparison(d.in.Type), p: d.maskDest(0), q: maskSink}
	if len(d.in.Dst) > 1 {
		op.q = d.maskDest(1)
	}
	return op
}

// set assigns one of two numbers by a comparison.
type set struct {
	comparison
	d   slot
	yes uint64
}

func (op *set) exec(w *Warp, mask uint64, _ *Effect) error {
	yes, _ := op.holds(w)
	for m := mask; m != 0; m &= m - 1 {
		lane := first(m)
		w.vecs[lane/lanes][op.d][lane%lanes] = op.yes & -(yes >> lane & 1)
	}
	return nil
}

func (d *decoder) set() operation {
	t := d.in.SrcType
	op := &set{comparison: d.comparison(t), d: d.dest(0, 32)}
	switch d.in.Type {
	case isa.U32, isa.S32, isa.B32:
		op.yes = 1<<32 - 1
	case isa.F32:
		op.yes = uint64(math.Float32bits(1))
	default:
		d.unsupported()
	}
	return op
}

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
	p    maskSlot
	a, b predicate
	f    func(x, y uint64) uint64
}

func (op *logicOp) exec(w *Warp, mask uint64, _ *Effect) error {
	w.setMask(op.p, op.f(w.mask(op.a), w.mask(op.b)), mask)
	return nil
}

// logic decodes an operation on predicates.
func (d *decoder) logic() operation {
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
	op.a = d.test(in.Src[0])
	if in.Op == isa.Not {
		op.a.not = ^op.a.not
	}
	if len(in.Src) > 1 {
		op.b = d.test(in.Src[1])
	}
	return op
}

// choice selects one of two sources in every lane: by a predicate, or by
// whether a third source is at least zero.
type choice struct {
	d, a, b slot
	p       predicate
	c       *comparison
	width   uint64
}

func (op *choice) exec(w *Warp, mask uint64, _ *Effect) error {
	take := w.mask(op.p)
	if op.c != nil {
		take, _ = op.c.holds(w)
	}
	all := mask == w.alive
	for k := range w.chunks() {
		v := w.vecs[k]
		d, a, b := v[op.d], v[op.a], v[op.b]
		if !all {
			d = &w.cta.grid.scratch
		}
		m := uint64(half(take, k))
		for i := range d {
			d[i] = (b[i] ^ (a[i]^b[i])&-(m>>i&1)) & op.width
		}
		if !all {
			v[op.d].merge(d, half(mask, k))
		}
	}
	return nil
}

// choice decodes Selp and Slct.
func (d *decoder) choice() operation {
	in, bits := d.in, d.in.Type.Bits()
	if bits < 16 || bits > 64 {
		d.unsupported()
		return nil
	}
	op := &choice{d: d.dest(0, bits), a: d.source(0), b: d.source(1), width: lowBits(bits)}
	switch {
	case in.Op == isa.Selp:
		op.p = d.test(in.Src[2])
	case in.SrcType == isa.S32 && !in.FTZ:
		op.c = &comparison{a: d.constant(constant{}), b: d.source(2), test: integerTest(isa.Le, isa.S32), join: keep}
	case in.SrcType == isa.F32:
		op.c = &comparison{a: d.constant(constant{}), b: d.source(2), test: floatTest(isa.Le, isa.F32, in.FTZ), join: keep}
	default:
		d.unsupported()
	}
	return op
}

// lowBits returns the n lowest bits set, for n up to 64.
func lowBits(n int) uint64 { return ^uint64(0) >> (64 - n) }

// isspacep tells whether addresses lie in a space.
type isspacep struct {
	p     maskSlot
	a     slot
	space isa.Space
}

func (op *isspacep) exec(w *Warp, mask uint64, _ *Effect) error {
	var in uint64
	for m := mask; m != 0; m &= m - 1 {
		lane := first(m)
		if r := w.region(w.at(op.a, lane)); r != nil && r.space == op.space {
			in |= 1 << lane
		}
	}
	w.setMask(op.p, in, mask)
	return nil
}
