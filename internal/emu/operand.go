package emu

import "warpbound/internal/isa"

// source returns the slot that holds source i.
func (d *decoder) source(i int) slot {
	switch o := d.in.Src[i]; o.Kind {
	case isa.KindReg:
		return d.register(o)
	case isa.KindImm:
		return d.constant(constant{value: o.Imm})
	case isa.KindVar:
		return d.constant(constant{isVar: true, v: o.Var, value: o.Imm})
	case isa.KindParam:
		if o.Var < 0 || int(o.Var) >= len(d.kernel.Params) || d.kernel.Params[o.Var].Bytes > 8 {
			d.fail("source %d is no parameter of up to 8 bytes", i+1)
			return slotSink
		}
		return d.constant(constant{isParam: true, v: o.Var})
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
		return d.constant(constant{special: o.Special})
	default:
		d.fail("source %d cannot be %s", i+1, o)
		return slotSink
	}
}

// dest returns the slot of result i, of so many bits.
func (d *decoder) dest(i, bits int) slot {
	o := d.in.Dst[i]
	switch o.Kind {
	case isa.KindSink:
		return slotSink
	case isa.KindReg:
		s := d.register(o)
		if d.err == nil && d.kernel.Regs[o.Reg].Type.Bits() < bits {
			d.fail("a result of %d bits does not fit into register %s of %d", bits, d.kernel.Regs[o.Reg].Name, d.kernel.Regs[o.Reg].Type.Bits())
		}
		return s
	}
	d.fail("result %d cannot be %s", i+1, o)
	return slotSink
}

// resultWidth returns the bits that the register of the first result has: those
// of the operation's type if there is no register.
func (d *decoder) resultWidth() int {
	if len(d.in.Dst) > 0 {
		if o := d.in.Dst[0]; o.Kind == isa.KindReg {
			return d.kernel.Regs[o.Reg].Type.Bits()
		}
	}
	return d.in.Type.Bits()
}

// register returns the slot of a register that holds numbers.
func (d *decoder) register(o isa.Operand) slot {
	switch r := d.kernel.Regs[o.Reg]; {
	case r.Type == isa.Pred:
		d.fail("register %s is a predicate", r.Name)
		return slotSink
	case r.Type.Bits() > 64:
		d.fail("register %s has %d bits; at most 64 can be executed", r.Name, r.Type.Bits())
		return slotSink
	case o.Not:
		d.fail("register %s is no predicate and has no complement", r.Name)
		return slotSink
	}
	return d.registers[o.Reg]
}

// constant returns the slot of a constant, which instructions share.
func (d *decoder) constant(k constant) slot {
	if k.isVar && (k.v < isa.ParamVar || int(k.v) >= len(d.kernel.Vars)) {
		d.fail("there is no variable %d", k.v)
		return slotSink
	}
	s, ok := d.slots[k]
	if !ok {
		s = slot(d.code.vectors + len(d.code.constants))
		d.code.constants = append(d.code.constants, k)
		d.slots[k] = s
	}
	return s
}

// test returns a predicate source: a register or an immediate truth value.
func (d *decoder) test(o isa.Operand) predicate {
	p := predicate{slot: maskTrue, not: spread(o.Not)}
	switch o.Kind {
	case isa.KindImm:
		p.not ^= spread(o.Imm == 0)
	case isa.KindReg:
		p.slot = d.mask(o)
	case isa.KindSpecial:
		if o.Special != isa.IsExplicitCluster {
			d.fail("special register %s is no predicate", o)
		}
		p.not ^= spread(!d.kernel.Bounds.ExplicitCluster)
	default:
		d.fail("a predicate source cannot be %s", o)
	}
	return p
}

// maskDest returns the mask of result i.
func (d *decoder) maskDest(i int) maskSlot {
	switch o := d.in.Dst[i]; o.Kind {
	case isa.KindSink:
		return maskSink
	case isa.KindReg:
		return d.mask(o)
	default:
		d.fail("result %d cannot be %s", i+1, o)
		return maskSink
	}
}

// mask returns the mask of a predicate register.
func (d *decoder) mask(o isa.Operand) maskSlot {
	if r := d.kernel.Regs[o.Reg]; r.Type != isa.Pred {
		d.fail("register %s is no predicate", r.Name)
		return maskSink
	}
	return d.masks[o.Reg]
}
