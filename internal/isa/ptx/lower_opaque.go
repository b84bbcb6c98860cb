package ptx

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/isa"
)

// unmodelled lowers an instruction that PTX allows, or that parses as if it did, and isa cannot
// express. What is not bracketed of its first operand becomes its results: registers, vectors
// of them, and both of a pair. All other registers are its sources. It is isa.Unknown if it may
// do more than to change its results and memory.
func (fn *function) unmodelled(x *Instr, reason string) isa.Instr {
	does := traitsOf(x.Mnemonic)
	o := opaqueOperands{fn: fn, does: does}
	results := 1
	if does&twoResults != 0 {
		results = 2
	}
	for i := range x.Operands {
		o.operand(&x.Operands[i], i < results)
	}
	if slices.Contains(strings.Split(x.Mnemonic, "."), "cc") { // the carry flag
		fn.flag(&o.in, &slot{letter: 'e'})
	}
	if does&accumulates != 0 {
		o.in.Src = append(o.in.Dst[:len(o.in.Dst):len(o.in.Dst)], o.in.Src...)
	}
	in := o.in
	in.Op, in.Text, in.Reason = isa.Opaque, x.String(), reason
	if does&anywhere != 0 || does&stores != 0 && o.addresses {
		in.Op, in.Space = isa.OpaqueAccess, spaceOf(x.Mnemonic)
	}
	if does&waits != 0 {
		o.refuse("it may wait for other threads, branch or end its thread")
	}
	if in.CheckOperands() != nil {
		o.refuse("it has too many operands")
	}
	if o.refusal == "" {
		return in
	}
	if reason == "" {
		reason = "the instruction is not known"
	}
	return isa.Instr{Op: isa.Unknown, Text: in.Text, Reason: reason + ", and " + o.refusal}
}

// spaceOf returns the state space that a mnemonic names, isa.Generic if it names none or
// several.
func spaceOf(mnemonic string) isa.Space {
	var in isa.Instr
	for word := range strings.SplitSeq(mnemonic, ".") {
		set, ok := sets["space"][word]
		if !ok {
			continue
		}
		had := in.Space
		if set(&in); had != isa.Generic && had != in.Space {
			return isa.Generic
		}
	}
	return in.Space
}

// opaqueOperands gathers the operands of an instruction that is not modelled.
type opaqueOperands struct {
	fn        *function
	does      traits
	in        isa.Instr // with the results and the sources so far
	addresses bool      // there are addresses among them
	refusal   string    // why nothing is known of a kernel with the instruction
}

// refuse notes the first reason why nothing is known of a kernel with the instruction.
func (o *opaqueOperands) refuse(format string, args ...any) {
	if o.refusal == "" {
		o.refusal = fmt.Sprintf(format, args...)
	}
}

// operand gathers one operand, or the elements of one.
func (o *opaqueOperands) operand(x *Operand, result bool) {
	switch x.Kind {
	case OperandName:
		if x.Name != "_" {
			o.name(x.Name, result)
		}
	case OperandExpr:
		o.expr(x.Expr)
	case OperandAddr:
		o.addresses = true
		for i := range x.List {
			o.bracketed(&x.List[i])
		}
	case OperandTuple:
		for i := range x.List {
			o.argument(&x.List[i], result)
		}
	default:
		for i := range x.List {
			o.operand(&x.List[i], result)
		}
	}
}

// bracketed gathers an operand in brackets. A parameter in a register may be read and written
// by its name.
func (o *opaqueOperands) bracketed(x *Operand) {
	name := x.Name
	if x.Kind == OperandExpr && x.Expr.Kind == ExprName {
		name = x.Expr.Text
	}
	if sym := o.fn.lookup(name); name != "" && sym.kind == symScalar {
		o.reg(sym.reg, true)
		o.reg(sym.reg, false)
		return
	}
	o.operand(x, false)
}

// argument gathers an argument or a result of a call.
func (o *opaqueOperands) argument(x *Operand, result bool) {
	if sym := o.fn.lookup(x.Name); x.Kind == OperandName && sym.kind == symScalar {
		o.reg(sym.reg, result)
		return
	}
	o.operand(x, result)
}

// expr gathers the names in an expression.
func (o *opaqueOperands) expr(e *Expr) {
	if e.Kind == ExprName || e.Kind == ExprIndex {
		o.name(e.Text, false)
	}
	o.addresses = o.addresses || e.Kind == ExprIndex
	for _, arg := range e.Args {
		o.expr(arg)
	}
}

// name gathers what a name stands for. One that nothing declares is a word of the instruction.
func (o *opaqueOperands) name(name string, result bool) {
	fn := o.fn
	switch sym := fn.lookup(name); sym.kind {
	case symReg, symPointed:
		o.reg(sym.reg, result && sym.kind == symReg)
	case symWide:
		o.reg(sym.reg, result)
		o.reg(sym.reg+1, result)
	case symVector:
		for i := range sym.index {
			o.reg(sym.reg+isa.Reg(i), result)
		}
	case symVar, symAggregate:
		o.source(isa.Operand{Kind: isa.KindVar, Reg: isa.NoReg, Var: sym.index})
	case symEntry:
		o.source(isa.Operand{Kind: isa.KindVar, Reg: isa.NoReg, Var: isa.ParamVar, Imm: uint64(sym.off)})
	case symScalar:
		o.refuse("it may keep the address of parameter %s", name)
	case symLabel, symTargets:
		o.refuse("it may branch to %s", name)
	case symFunc, symProto:
		o.refuse("it may call %s", name)
	case symNone:
		base, _, selects := strings.Cut(name, ".")
		if s, ok := isa.SpecialByName(strings.TrimPrefix(name, "%")); ok {
			o.source(isa.Operand{Kind: isa.KindSpecial, Special: s, Reg: isa.NoReg})
		} else if selects && fn.lookup(base).kind != symNone { // a part of a register
			o.name(base, result)
		}
	}
}

// reg gathers a register.
func (o *opaqueOperands) reg(r isa.Reg, result bool) {
	if result {
		o.in.Dst = append(o.in.Dst, isa.RegOperand(r))
		return
	}
	o.source(isa.RegOperand(r))
}

// source gathers a source, which may be an address if nothing is known of the instruction.
func (o *opaqueOperands) source(x isa.Operand) {
	o.in.Src = append(o.in.Src, x)
	wide := x.Kind == isa.KindVar || x.Kind == isa.KindReg && o.fn.f.Regs[x.Reg].Type.Bits() >= o.fn.address.Bits()
	if o.does&strange != 0 && wide {
		o.addresses = true
	}
}
