package emu

import (
	"slices"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// WithUnsettled returns code that does the same and besides tells in Effect.Unsettled where bounds
// must not rest on results (see alu.Unsettled). Only instructions of which that can be are slower,
// and the code that it was made of is not changed.
func (c *Code) WithUnsettled() *Code {
	out := *c
	out.instrs = slices.Clone(c.instrs)
	for pc := range out.instrs {
		if unsettled := alu.Unsettled(c.Instr(pc)); unsettled != nil {
			in := &out.instrs[pc]
			in.op = &doubtful{compute: in.Instr, op: in.op, in: c.Instr(pc), unsettled: unsettled}
			in.Instr = alu.Instr{}
		}
	}
	out.layOutRuns(c.graph)
	return &out
}

// doubtful computes, and looks at the sources before and at the first result.
type doubtful struct {
	compute   alu.Instr
	op        operation // that computes instead; nil for none
	in        *isa.Instr
	unsettled func(l *alu.InLane) bool
}

func (op *doubtful) exec(w *Warp, mask uint64, eff *Effect) error {
	var computed [64]alu.InLane
	known := true
	for i, o := range op.in.Src {
		known = known && (o.Kind == isa.KindReg || o.Kind == isa.KindImm)
		for m := mask; m != 0 && i < len(computed[0].Src); m &= m - 1 {
			lane := alu.First(m)
			if o.Kind == isa.KindReg {
				computed[lane].Src[i] = w.Register(o.Reg, lane)
			} else {
				computed[lane].Src[i] = o.Imm
			}
		}
	}
	if op.op == nil {
		w.regs.Compute(&op.compute, mask)
	} else if err := op.op.exec(w, mask, eff); err != nil {
		return err
	}
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		l := &computed[lane]
		l.Lane, l.Mask = lane, mask
		if op.in.Dst[0].Kind == isa.KindReg {
			l.Dst = w.Register(op.in.Dst[0].Reg, lane)
		}
		if !known || op.unsettled(l) {
			eff.Unsettled |= 1 << lane
		}
	}
	return nil
}
