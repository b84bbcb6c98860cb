package emu

import (
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// source returns the slot that holds source i. What is no register has the width that is asked
// for.
func (d *decoder) source(i int, wide bool) alu.Slot {
	switch o := d.in.Src[i]; o.Kind {
	case isa.KindReg:
		return d.register(o)
	case isa.KindImm:
		return d.constant(constant{wide: wide, value: o.Imm})
	case isa.KindVar:
		return d.constant(constant{wide: wide, isVar: true, v: o.Var, value: o.Imm})
	case isa.KindParam:
		if o.Var < 0 || int(o.Var) >= len(d.kernel.Params) || d.kernel.Params[o.Var].Bytes > 8 {
			d.fail("source %d is no parameter of up to 8 bytes", i+1)
			return alu.SlotSink
		}
		p := &d.kernel.Params[o.Var]
		return d.constant(constant{wide: wide, isParam: true, value: uint64(p.Offset), bytes: p.Bytes})
	case isa.KindSpecial:
		if o.Special.Bits() == 1 {
			d.fail("source %d cannot be the predicate %s", i+1, o)
		}
		if s, ok := d.changing[o.Special]; ok {
			d.out.reads = append(d.out.reads, volatile{o.Special, s})
			return s
		}
		switch o.Special {
		case isa.LanemaskEq, isa.LanemaskLe, isa.LanemaskLt, isa.LanemaskGe, isa.LanemaskGt:
			d.code.wordMasks = int32(d.pc)
		}
		return d.constant(constant{wide: wide, special: o.Special})
	default:
		d.fail("source %d cannot be %s", i+1, o)
		return alu.SlotSink
	}
}

// dest returns the slot of result i, of so many bits.
func (d *decoder) dest(i, bits int) alu.Slot {
	o := d.in.Dst[i]
	switch o.Kind {
	case isa.KindSink:
		return alu.SlotSink
	case isa.KindReg:
		s := d.register(o)
		d.note(alu.CheckWidth(d.kernel, o, bits))
		return s
	}
	d.fail("result %d cannot be %s", i+1, o)
	return alu.SlotSink
}

// register returns the slot of a register that holds numbers.
func (d *decoder) register(o isa.Operand) alu.Slot {
	if err := alu.CheckNumber(d.kernel, o); err != nil {
		d.note(err)
		return alu.SlotSink
	}
	return d.registers[o.Reg]
}

// constant returns the slot of a constant, which instructions share.
func (d *decoder) constant(k constant) alu.Slot {
	if k.isVar && (k.v < isa.ParamVar || int(k.v) >= len(d.kernel.Vars)) {
		d.fail("there is no variable %d", k.v)
		return alu.SlotSink
	}
	s, ok := d.slots[k]
	if !ok {
		before := 0 // constants of the same width
		for _, c := range d.code.constants {
			if c.wide == k.wide {
				before++
			}
		}
		if k.wide {
			s = alu.WideSlot(alu.RegsBase + d.code.vectors + before)
		} else {
			s = alu.Slot(alu.RegsBase + d.code.words + before)
		}
		d.code.constants = append(d.code.constants, k)
		d.slots[k] = s
	}
	return s
}

// test returns a predicate source: a register or an immediate truth value.
func (d *decoder) test(o isa.Operand) alu.Predicate {
	p, known, err := alu.Truth(d.kernel, o)
	d.note(err)
	if !known && err == nil {
		p.Slot = d.masks[o.Reg]
	}
	return p
}

// maskDest returns the mask of result i.
func (d *decoder) maskDest(i int) alu.MaskSlot {
	switch o := d.in.Dst[i]; o.Kind {
	case isa.KindSink:
		return alu.MaskSink
	case isa.KindReg:
		if err := alu.CheckPredicate(d.kernel, o); err != nil {
			d.note(err)
			return alu.MaskSink
		}
		return d.masks[o.Reg]
	default:
		d.fail("result %d cannot be %s", i+1, o)
		return alu.MaskSink
	}
}
