package ptx

import (
	"errors"
	"fmt"

	"warpbound/internal/isa"
)

// member is an element of an array: its address, and the space of that.
type member struct {
	at    isa.Operand
	space isa.Space
}

// indexed is what an index like 3, %r or %r+3 says: a register or none, and a
// constant.
type indexed struct {
	reg isa.Reg
	by  uint64
}

// element gives the address of array[index], where the array is a variable of one
// dimension. It is computed before the instruction if a register is in the index.
func (fn *function) element(e *Expr) (member, error) {
	sym := fn.lookup(e.Text)
	if sym.kind != symVar || sym.bytes == 0 {
		return member{}, fmt.Errorf("%s is not an array of one dimension", e.Text)
	}
	x, err := fn.index(e.Args[0])
	if err != nil {
		return member{}, err
	}
	size := uint64(sym.bytes)
	out := member{
		at:    isa.Operand{Kind: isa.KindVarAddr, Reg: isa.NoReg, Var: sym.index, Imm: x.by * size},
		space: fn.varAt(sym.index).Space,
	}
	if x.reg == isa.NoReg {
		return out, nil
	}
	typ := fn.address
	have := fn.f.Regs[x.reg].Type
	if out.space != isa.Global && have.Bits() == 32 {
		typ = isa.U32 // which is enough, whatever the sign of the index
	}
	index := isa.RegOperand(x.reg)
	switch {
	case have.Bits() == typ.Bits():
	case have.Class() == isa.Bits:
		return out, fmt.Errorf("the index %s is .%s, which does not say how it extends to .%s", fn.f.Regs[x.reg].Name, have, typ)
	default:
		index = isa.RegOperand(fn.newReg("%index", typ))
		from := integer(have.Bits(), have.IsSigned())
		fn.before = append(fn.before, isa.Instr{
			Op: isa.Cvt, Type: integer(typ.Bits(), have.IsSigned()), SrcType: from, Dst: []isa.Operand{index}, Src: []isa.Operand{isa.RegOperand(x.reg)},
		})
	}
	base := out.at
	base.Kind = isa.KindVar
	sum := fn.newReg("%element", typ)
	fn.before = append(fn.before, isa.Instr{
		Op: isa.Mad, Type: typ, Dst: []isa.Operand{isa.RegOperand(sum)}, Src: []isa.Operand{index, isa.ImmOperand(size), base},
	})
	out.at = isa.Operand{Kind: isa.KindAddr, Reg: sum}
	return out, nil
}

// elementAddress gives the address of an element as an operand of type t.
func (fn *function) elementAddress(e *Expr, t isa.Type) (isa.Operand, error) {
	m, err := fn.element(e)
	if err != nil {
		return m.at, err
	}
	m.at.Kind = isa.KindVar
	have := fn.address
	if m.at.Reg != isa.NoReg {
		m.at.Kind = isa.KindReg
		have = fn.f.Regs[m.at.Reg].Type
	}
	if !fits(have, t, false) {
		return m.at, fmt.Errorf("an address of %d bits does not fit into .%s", have.Bits(), t)
	}
	return m.at, nil
}

func (fn *function) index(e *Expr) (indexed, error) {
	v, err := fn.eval(e)
	switch {
	case err != nil:
		return indexed{}, err
	case v.name == "" && !v.float:
		return indexed{reg: isa.NoReg, by: v.bits}, nil
	case v.name == "" || v.generic || v.mask != 0:
		return indexed{}, errors.New("an index is an integer or a register, perhaps with an offset")
	}
	sym := fn.lookup(v.name)
	if sym.kind != symReg {
		return indexed{}, errors.New(fn.notSymbol(v.name, sym))
	}
	if t := fn.f.Regs[sym.reg].Type; t.IsFloat() || t.Bits() < 16 || t.Bits() > fn.address.Bits() {
		return indexed{}, fmt.Errorf("the index %s is .%s, want an integer of up to %d bits", v.name, t, fn.address.Bits())
	}
	return indexed{sym.reg, v.bits}, nil
}

// stride gives the size of the elements of an array of one dimension, in bytes,
// and 0 of any other variable.
func stride(d *Decl, name *Declarator, v *isa.Var) int {
	if len(name.Dims) != 1 {
		return 0
	}
	return v.Type.Bytes() * max(d.Vector, 1)
}
