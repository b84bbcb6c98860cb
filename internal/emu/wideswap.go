package emu

import (
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// wideSwap compares 16 bytes with b and replaces them by c if they are equal. It
// gives what they were, the low half first.
type wideSwap struct {
	access
	d, b, c [2]alu.Slot
}

func (op *wideSwap) exec(w *Warp, mask uint64, eff *Effect) error {
	op.begin(eff)
	cur := cursor{access: &op.access, w: w, eff: eff}
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		v, i := w.regs.Vecs[lane/lanes], lane%lanes
		data, err := cur.locate(lane, v[op.base][i])
		if err != nil {
			return err
		}
		low, high := get(data, 8), get(data[8:], 8)
		if low == v[op.b[0]][i] && high == v[op.b[1]][i] {
			put(data, 8, v[op.c[0]][i])
			put(data[8:], 8, v[op.c[1]][i])
		}
		v[op.d[0]][i], v[op.d[1]][i] = low, high
	}
	cur.end(mask)
	return nil
}

func (d *decoder) wideSwap() operation {
	op := &wideSwap{access: d.access(Atomic, 2)}
	for i := range 2 {
		op.b[i], op.c[i] = d.source(1+i), d.source(3+i)
		if d.in.Op == isa.Atom {
			op.d[i] = d.dest(i, 64)
		}
	}
	switch d.in.Space {
	case isa.Generic, isa.Global, isa.Shared:
	default:
		d.unsupported()
	}
	return op
}
