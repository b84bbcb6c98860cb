package emu

import (
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// isspacep tells whether generic addresses lie in the window of a space, or in a buffer or variable
// of one that has no window.
type isspacep struct {
	p     alu.MaskSlot
	a     alu.Slot
	space isa.Space
}

func (op *isspacep) exec(w *Warp, mask uint64, _ *Effect) error {
	var in uint64
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		if r := w.region(w.regs.At(op.a, lane)); r != nil && r.space == op.space {
			in |= 1 << lane
		}
	}
	w.regs.SetMask(op.p, in, mask)
	return nil
}
