package ptx

import (
	"errors"
	"fmt"
	"strings"

	"warpbound/internal/isa"
)

// resolve gives the operand that a name or constant is in a place of type t.
func (fn *function) resolve(o *Operand, t isa.Type, s *slot) (isa.Operand, error) {
	if o.Kind == OperandExpr && o.Expr.Kind == ExprIndex {
		return fn.elementAddress(o.Expr, t)
	}
	if o.Kind == OperandExpr {
		v, err := fn.eval(o.Expr)
		if err != nil {
			return isa.Operand{}, err
		}
		if v.name == "" {
			imm, err := literal(v, t)
			return isa.ImmOperand(imm), err
		}
		out, err := fn.named(v.name, t, s.wider)
		if err != nil || out.Kind == isa.KindVar || out.Kind == isa.KindFunc {
			out.Imm += v.bits
			return out, err
		}
		return fn.offset(out, v.bits, s)
	}
	switch {
	case o.Name == "_":
		return isa.Operand{Kind: isa.KindSink, Reg: isa.NoReg}, nil
	case o.Name == "WARP_SZ" && t.Bits() != 32: // where the special register does not fit
		imm, err := literal(value{bits: warpSize}, t)
		return isa.ImmOperand(imm), err
	}
	out, err := fn.named(o.Name, t, s.wider)
	if err == nil && o.Not {
		if !s.not {
			return out, errors.New("! is not allowed here")
		}
		out.Not = true
	}
	return out, err
}

// offset gives a temporary that holds the sum of a register and a constant.
func (fn *function) offset(o isa.Operand, by uint64, s *slot) (isa.Operand, error) {
	if o.Kind != isa.KindReg || s.result() {
		return o, errors.New("an offset needs a variable or a source register")
	}
	have := fn.f.Regs[o.Reg].Type
	if have.IsFloat() || have == isa.Pred {
		return o, fmt.Errorf("a register of type .%s takes no offset", have)
	}
	sum, typ := isa.RegOperand(fn.newReg("%sum", have)), integer(have.Bits(), false)
	imm, err := literal(value{bits: by}, typ)
	fn.before = append(fn.before, isa.Instr{
		Op: isa.Add, Type: typ, Dst: []isa.Operand{sum}, Src: []isa.Operand{o, isa.ImmOperand(imm)},
	})
	return sum, err
}

// named gives the operand of a register, special register or variable.
func (fn *function) named(name string, t isa.Type, wider bool) (isa.Operand, error) {
	sym := fn.lookup(name)
	switch sym.kind {
	case symReg:
		have := fn.f.Regs[sym.reg].Type
		if !fits(have, t, wider) {
			return isa.Operand{}, fmt.Errorf("register %s is .%s, want .%s", name, have, t)
		}
		return isa.RegOperand(sym.reg), nil
	case symPointed: // the address of the aggregate
		if fits(fn.address, t, true) {
			return isa.RegOperand(sym.reg), nil
		}
	case symVar, symEntry, symAggregate:
		if t.IsFloat() || t.Bits() < 32 || t.Bits() > 64 {
			return isa.Operand{}, fmt.Errorf("the address of %s does not fit into .%s", name, t)
		}
		if sym.kind == symEntry {
			return isa.Operand{Kind: isa.KindVar, Reg: isa.NoReg, Var: isa.ParamVar, Imm: uint64(sym.off)}, nil
		}
		return isa.Operand{Kind: isa.KindVar, Reg: isa.NoReg, Var: sym.index}, nil
	case symScalar:
		return isa.Operand{}, unknownError{"the address of a scalar parameter is taken"}
	case symFunc:
		if fits(fn.address, t, false) {
			return isa.Operand{Kind: isa.KindFunc, Reg: isa.NoReg, Var: sym.index}, nil
		}
	case symLabel:
		return isa.Operand{}, unknownError{"the address of code is taken"}
	case symNone:
		return fn.special(name, t)
	}
	return isa.Operand{}, errors.New(fn.notSymbol(name, sym))
}

// special gives the operand of a special register.
func (fn *function) special(name string, t isa.Type) (isa.Operand, error) {
	s, ok := isa.SpecialByName(strings.TrimPrefix(name, "%"))
	if ok && strings.HasPrefix(name, "%") == (s == isa.WarpSize) {
		ok = false // %WARP_SZ or tid.x
	}
	if !ok {
		return isa.Operand{}, errors.New(undeclared(name))
	}
	narrow, wide := s.Bits(), s.Bits()
	switch {
	case s == isa.GridID: // 32 bits before PTX 3
		narrow = 32
	case wide == 32: // PTX 1 declared the coordinates with 16 bits
		narrow = 16
	}
	if t.IsFloat() || t.Bits() < narrow || t.Bits() > wide {
		return isa.Operand{}, fmt.Errorf("special register %s has %d bits, want .%s", name, wide, t)
	}
	fn.specials = append(fn.specials, name)
	return isa.Operand{Kind: isa.KindSpecial, Special: s, Reg: isa.NoReg}, nil
}

// fits reports whether a register of type have may stand where want is wanted:
// both have the same width, or the register is wider where that is allowed, and
// floats do not mix with signed or unsigned integers.
func fits(have, want isa.Type, wider bool) bool {
	if have == isa.Pred || want == isa.Pred {
		return have == want
	}
	if have.Bits() < want.Bits() || have.Bits() > want.Bits() && !wider {
		return false
	}
	switch {
	case have.Class() == isa.Bits || want.Class() == isa.Bits:
		return true
	case have.IsFloat() && want.IsFloat():
		return have == want
	}
	return have.IsFloat() == want.IsFloat()
}

// addressOf lowers what stands between [ and ] of a memory access.
func (fn *function) addressOf(in *isa.Instr, o *Operand) (isa.Operand, error) {
	v := value{name: o.Name}
	switch {
	case o.Kind == OperandExpr && o.Expr.Kind == ExprIndex:
		e, err := fn.element(o.Expr)
		if in.Space == isa.Generic {
			in.Space = e.space
		}
		if err == nil {
			err = fn.checkSpace(in, o.Expr.Text, e.space)
		}
		return e.at, err
	case o.Kind == OperandExpr:
		var err error
		if v, err = fn.eval(o.Expr); err != nil {
			return isa.Operand{}, err
		}
	case o.Kind != OperandName || o.Not:
		return isa.Operand{}, errors.New("an address is a register, a variable or a constant, perhaps with an offset")
	}
	switch {
	case v.float || v.generic || v.mask != 0:
		return isa.Operand{}, errors.New("an address is a register, a variable or a constant, perhaps with an offset")
	case v.name == "":
		return isa.Operand{Kind: isa.KindAddr, Reg: isa.NoReg, Imm: v.bits}, nil
	}
	sym := fn.lookup(v.name)
	out := isa.Operand{Kind: isa.KindVarAddr, Reg: isa.NoReg, Imm: v.bits}
	var have isa.Space
	switch sym.kind {
	case symReg:
		if t := fn.f.Regs[sym.reg].Type; t.IsFloat() || t.Bits() != 32 && t.Bits() != 64 {
			return out, fmt.Errorf("address register %s is .%s, want 32 or 64 bits", v.name, t)
		}
		return isa.Operand{Kind: isa.KindAddr, Reg: sym.reg, Imm: v.bits}, nil
	case symVar:
		out.Var = sym.index
		have = fn.varAt(sym.index).Space
	case symEntry:
		if v.bits >= uint64(sym.bytes) {
			return out, beyondParameter(int64(v.bits), v.name, sym.bytes)
		}
		out.Var = isa.ParamVar
		out.Imm += uint64(sym.off)
		have = isa.Param
	case symScalar, symPointed, symAggregate:
		return fn.parameterAddress(in, sym, v)
	default:
		return out, errors.New(fn.notSymbol(v.name, sym))
	}
	return out, fn.checkSpace(in, v.name, have)
}

// checkSpace reports an access in one space to a variable of another.
func (fn *function) checkSpace(in *isa.Instr, name string, have isa.Space) error {
	if in.Space == isa.Generic || in.Space == have {
		return nil
	}
	return fmt.Errorf("%s is in .%s, not in .%s", name, have, in.Space)
}

func (fn *function) varAt(index int32) *isa.Var {
	if n := int32(len(fn.program.Vars)); index >= n {
		return &fn.f.Vars[index-n]
	}
	return &fn.program.Vars[index]
}
