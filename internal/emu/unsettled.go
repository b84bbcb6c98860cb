package emu

import (
	"slices"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// WithUnsettled returns code that does the same and besides tells in Effect.Unsettled where bounds
// must not rest on the results of conversions (see alu.Unsettled). Only these are slower, and the
// code that it was made of is not changed.
func (c *Code) WithUnsettled() *Code {
	out := *c
	out.instrs = slices.Clone(c.instrs)
	for pc := range out.instrs {
		if unsettled := alu.Unsettled(c.Instr(pc)); unsettled != nil {
			in := &out.instrs[pc]
			in.op = &doubtful{instr: in.Instr, source: c.Instr(pc).Src[0], unsettled: unsettled}
			in.Instr = alu.Instr{}
		}
	}
	out.layOutRuns(c.graph)
	return &out
}

// doubtful computes, and looks at the first source before.
type doubtful struct {
	instr     alu.Instr
	source    isa.Operand
	unsettled func(x uint64) bool
}

func (op *doubtful) exec(w *Warp, mask uint64, eff *Effect) error {
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		x, known := op.source.Imm, op.source.Kind == isa.KindImm
		if op.source.Kind == isa.KindReg {
			x, known = w.Register(op.source.Reg, lane), true
		}
		if !known || op.unsettled(x) {
			eff.Unsettled |= 1 << lane
		}
	}
	w.regs.Compute(&op.instr, mask)
	return nil
}
