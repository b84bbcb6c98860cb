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
	eff.Changed = false
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		data, err := cur.locate(lane, w.regs.At(op.base, lane))
		if err != nil {
			return err
		}
		low, high := get(data, 8), get(data[8:], 8)
		if low == w.regs.At(op.b[0], lane) && high == w.regs.At(op.b[1], lane) {
			put(data, 8, w.regs.At(op.c[0], lane))
			put(data[8:], 8, w.regs.At(op.c[1], lane))
			eff.Changed = eff.Changed || low != get(data, 8) || high != get(data[8:], 8)
		}
		w.regs.Set(op.d[0], lane, low)
		w.regs.Set(op.d[1], lane, high)
	}
	cur.end(mask)
	return nil
}

func (d *decoder) wideSwap() operation {
	op := &wideSwap{access: d.access(Atomic, 2)}
	for i := range 2 {
		op.b[i], op.c[i] = d.source(1+i, true), d.source(3+i, true)
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
