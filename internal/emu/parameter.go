package emu

import (
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// parameter makes a load of one element at a known place of the parameters known to be the copy of a
// constant, too.
func (d *decoder) parameter(op *load) {
	in := d.in
	at, dst := in.Src[0], in.Dst[0]
	known := at.Kind == isa.KindVarAddr && at.Var == isa.ParamVar && at.Reg == isa.NoReg
	end := at.Imm + uint64(op.bytes)
	if d.err != nil || !known || len(in.Dst) > 1 || dst.Kind != isa.KindReg || end > uint64(d.code.paramBytes) || end < at.Imm || at.Imm%uint64(op.bytes) != 0 {
		return
	}
	k := constant{isParam: true, value: at.Imm, bytes: op.bytes}
	t := d.kernel.Regs[dst.Reg].Type
	if op.signed {
		k.bits = t.Bits()
	}
	move := isa.Instr{Op: isa.Mov, Type: t, Dst: in.Dst, Src: in.Src}
	instr, err := alu.Decode(&move, t.Bits(), copied{operands{d}, k})
	d.note(err)
	d.out.Instr = instr
}

// copied are the operands of the copy of a constant.
type copied struct {
	operands
	constant
}

func (c copied) Source(_ int, wide bool) alu.Slot {
	k := c.constant
	k.wide = wide
	return c.decoder.constant(k)
}
