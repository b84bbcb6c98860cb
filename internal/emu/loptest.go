package emu

import "warpbound/internal/isa"

// lop3Test is lop3 with a second result: whether the first is not zero, joined
// with a predicate.
type lop3Test struct {
	f          aluFunc
	d, a, b, c slot
	p          maskSlot
	q          predicate
	join       func(x, y uint64) uint64
}

func (op *lop3Test) exec(w *Warp, mask uint64, _ *Effect) error {
	var m uint64
	for k := range w.chunks() {
		v, result := w.vecs[k], &w.cta.grid.scratch
		op.f(result, v[op.a], v[op.b], v[op.c])
		for i, x := range result {
			m |= uint64(bit(x != 0)) << (k*lanes + i)
		}
		v[op.d].Merge(result, half(mask, k))
	}
	w.setMask(op.p, op.join(m, w.mask(op.q)), mask)
	return nil
}

func (d *decoder) lop3Test() operation {
	in := d.in
	op := &lop3Test{join: joinFor(in.Combine)}
	if in.Type != isa.B32 || len(in.Src) != 5 || in.Src[3].Kind != isa.KindImm || op.join == nil {
		d.unsupported()
		return nil
	}
	op.f = lop3(uint8(in.Src[3].Imm))
	op.d, op.a, op.b, op.c = d.dest(0, 32), d.source(0), d.source(1), d.source(2)
	op.p, op.q = d.maskDest(1), d.test(in.Src[4])
	return op
}
