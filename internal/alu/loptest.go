package alu

import "warpbound/internal/isa"

// lop3Test is lop3 with a second result: whether the first is not zero, joined
// with a predicate.
type lop3Test struct {
	f          Func
	d, a, b, c Slot
	p          MaskSlot
	q          Predicate
	join       func(x, y uint64) uint64
}

func (op *lop3Test) Exec(r *Registers, mask uint64) {
	var m uint64
	for k := range r.Chunks {
		v, result := r.Vecs[k], r.Scratch
		op.f(result, v[op.a], v[op.b], v[op.c])
		for i, x := range result {
			m |= uint64(bit(x != 0)) << (k*lanes + i)
		}
		v[op.d].Merge(result, Half(mask, k))
	}
	r.SetMask(op.p, op.join(m, r.Mask(op.q)), mask)
}

func (d *decoder) lop3Test() Operation {
	in := d.in
	op := &lop3Test{join: joinFor(in.Combine)}
	if in.Type != isa.B32 || len(in.Src) != 5 || in.Src[3].Kind != isa.KindImm || op.join == nil {
		d.unsupported()
		return nil
	}
	op.f = lop3(uint8(in.Src[3].Imm))
	op.d, op.a, op.b, op.c = d.dest(0, 32), d.source(0), d.source(1), d.source(2)
	op.p, op.q = d.maskDest(1), d.test(4)
	return op
}
