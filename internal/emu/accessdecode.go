package emu

import "warpbound/internal/isa"

// access decodes the address operand, the first source, of an access to n
// elements of the instruction's type.
func (d *decoder) access(kind AccessKind, n int) access {
	in := d.in
	a := access{kind: kind, space: in.Space, wrap: ^uint64(0), bytes: in.Type.Bytes()}
	a.total = n * a.bytes
	if d.kernel.AddressBits == 32 {
		a.wrap = 1<<32 - 1
	}
	if a.bytes < 1 || a.bytes > 8 || a.total&(a.total-1) != 0 || a.total > 32 {
		d.unsupported()
	}
	o := in.Src[0]
	switch o.Kind {
	case isa.KindAddr:
		a.offset = o.Imm
		if o.Reg == isa.NoReg {
			a.base = d.constant(constant{})
		} else {
			a.base = d.register(o)
		}
	case isa.KindVarAddr:
		a.offset = o.Imm
		a.base = d.constant(constant{isVar: true, v: o.Var})
		if o.Reg != isa.NoReg {
			a.index, a.indexed = d.register(o), true
		}
	default:
		d.fail("%s is no address", o)
	}
	a.simple = n == 1 && !a.indexed && (a.bytes == 4 || a.bytes == 8)
	return a
}

func (d *decoder) load() operation {
	in := d.in
	op := &load{access: d.access(Load, len(in.Dst))}
	for i, o := range in.Dst {
		e := element{slot: d.dest(i, in.Type.Bits()), width: ^uint64(0)}
		if o.Kind == isa.KindReg && d.valid(o.Reg) {
			bits := d.kernel.Regs[o.Reg].Type.Bits()
			e.width = lowBits(bits)
			op.signed = op.signed || in.Type.IsSigned() && bits > in.Type.Bits()
		}
		op.elems = append(op.elems, e)
	}
	op.simple = op.simple && op.elems[0].slot != op.base && !op.signed
	return op
}

func (d *decoder) store() operation {
	op := &store{access: d.access(Store, len(d.in.Src)-1)}
	for i := 1; i < len(d.in.Src); i++ {
		op.elems = append(op.elems, d.source(i))
	}
	if d.in.Space == isa.Const || d.in.Space == isa.Param {
		d.fail("%s space cannot be written", d.in.Space)
	}
	return op
}
