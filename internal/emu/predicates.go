package emu

import "warpbound/internal/isa"

// comparison is a test of two sources, joined with a predicate.
type comparison struct {
	a, b slot
	test test
	high test // of the upper halves of pairs
	c    predicate
	join func(x, y uint64) uint64
}

// holds returns the lanes in which the test holds and those in which it does
// not, or in which it holds for the upper halves of pairs; each joined with the
// predicate.
func (op *comparison) holds(w *Warp) (yes, other uint64) {
	m := op.lanes(w, &op.test)
	o := ^m
	if op.high.holds != nil {
		o = op.lanes(w, &op.high)
	}
	c := w.mask(op.c)
	return op.join(m, c), op.join(o, c)
}

// lanes returns the lanes in which a test holds.
func (op *comparison) lanes(w *Warp, t *test) (m uint64) {
	for k := range w.chunks() {
		m |= uint64(t.holds(w.vecs[k][op.a], w.vecs[k][op.b])) << (k * lanes)
	}
	return m ^ t.not
}

// comparison decodes a comparison of the first two sources, of type t. A third
// is the predicate.
func (d *decoder) comparison(t isa.Type) comparison {
	in := d.in
	op := comparison{a: d.source(0), b: d.source(1), join: keep}
	if t.IsFloat() {
		op.test = floatTest(in.Cmp, t, in.FTZ, 0)
		if isPair(t) {
			op.high = floatTest(in.Cmp, t, in.FTZ, 16)
		}
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
	yes, other := op.holds(w)
	w.setMask(op.p, yes, mask)
	w.setMask(op.q, other, mask)
	return nil
}

func (d *decoder) setp() operation {
	op := &setp{comparison: d.comparison(d.in.Type), p: d.maskDest(0), q: maskSink}
	if len(d.in.Dst) > 1 {
		op.q = d.maskDest(1)
	}
	return op
}

// set assigns one of two numbers by a comparison, or one by each of a pair.
type set struct {
	comparison
	d         slot
	yes, high uint64 // the bits of the result for each comparison that holds
}

func (op *set) exec(w *Warp, mask uint64, _ *Effect) error {
	yes, other := op.holds(w)
	for m := mask; m != 0; m &= m - 1 {
		lane := first(m)
		w.vecs[lane/lanes][op.d][lane%lanes] = op.yes&-(yes>>lane&1) | op.high&-(other>>lane&1)
	}
	return nil
}

func (d *decoder) set() operation {
	to, from := d.in.Type, d.in.SrcType
	op := &set{comparison: d.comparison(from), d: d.dest(0, to.Bits())}
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
func truth(to, from isa.Type) uint64 {
	f, _ := formatOf(to)
	half := from == isa.F16 || from == isa.BF16
	switch {
	case isPair(from):
		switch to {
		case isa.U32, isa.S32:
			return 1<<16 - 1
		case from:
			return f.one()
		}
		return 0
	case to == isa.U32 || to == isa.S32:
		return 1<<32 - 1
	case half && (to == isa.U16 || to == isa.S16):
		return 1<<16 - 1
	case to == isa.F32 || to == isa.F16 || to == isa.BF16:
		return f.one()
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
	all := mask == w.full
	for k := range w.chunks() {
		v := w.vecs[k]
		d, a, b := v[op.d], v[op.a], v[op.b]
		if !all {
			d = &w.cta.grid.scratch
		}
		m, width := uint64(half(take, k)), op.width
		_, _, _ = *d, *a, *b
		for i := range d {
			d[i] = (b[i] ^ (a[i]^b[i])&-(m&1)) & width
			m >>= 1
		}
		if !all {
			v[op.d].Merge(d, half(mask, k))
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
		op.c = &comparison{a: d.constant(constant{}), b: d.source(2), test: floatTest(isa.Le, isa.F32, in.FTZ, 0), join: keep}
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
