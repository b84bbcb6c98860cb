package alu

import (
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// lop3Test is lop3 with a second result: whether the first is not zero, joined
// with a predicate.
type lop3Test struct {
	f          WordFunc
	d, a, b, c int32
	p          MaskSlot
	q          Predicate
	join       func(x, y uint64) uint64
}

func (op *lop3Test) Exec(r *Registers, mask uint64) {
	var m uint64
	for k := range r.Chunks {
		w, result := r.Words[k], &r.Scratch.word
		op.f(result, w[op.a], w[op.b], w[op.c])
		for i, x := range result {
			m |= uint64(bit(x != 0)) << (k*lanes + i)
		}
		vec.SelectWords(w[op.d], result, w[op.d], Half(mask, k))
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
	op.d, op.a, op.b, op.c = d.wordDest(0, 32), d.word(0), d.word(1), d.word(2)
	op.p, op.q = d.maskDest(1), d.test(4)
	return op
}
