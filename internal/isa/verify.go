package isa

import (
	"errors"
	"fmt"
	"slices"

	"warpbound/diag"
)

// InvariantError says which invariant a program breaks that every stage behind the front
// ends relies on. It is an error of the tool and none of its input: what is wrong in a
// module is for the front ends, for Link and for the stages that cannot execute an
// instruction to report.
type InvariantError struct {
	Name  string // of the kernel or the function
	Index int    // of the instruction; -1 where a declaration is wrong
	Text  string // of the instruction
	Err   error  // what is wrong
}

// Error implements error.
func (e *InvariantError) Error() string {
	if e.Index < 0 {
		return fmt.Sprintf("invalid program: %s: %v", e.Name, e.Err)
	}
	return fmt.Sprintf("invalid program: %s: instruction %d, %s: %v", e.Name, e.Index, e.Text, e.Err)
}

// Unwrap returns what is wrong.
func (e *InvariantError) Unwrap() error { return e.Err }

// Verify returns an error if a linked kernel, or one that a pass has made of a linked
// kernel, does not have the form that every later stage relies on:
//
//   - Its address size, its reconvergence discipline, and the operations, types and modes of
//     its instructions exist. What an instruction has of targets, callees and modes belongs to
//     its operation.
//   - Variables and parameters have a size, an alignment that is a power of two or 0, for 1,
//     and a space; initial values lie within variables and addresses within initial values;
//     parameters follow each other in their block.
//   - Every instruction has as many results and sources as the table of operations says.
//     Registers, variables and parameters exist. Results are registers or dropped. Addresses
//     stand where the operation accesses memory and nowhere else, truth values where it tests
//     or makes some, and a register is as wide as a result that it takes.
//   - A guard is a predicate, or a number before a branch of a kernel whose lanes reconverge
//     AtSyncs. Only these kernels have Reconverge instructions, and they have no indexed
//     branches.
//   - Branches and labels lead to instructions of the kernel, and control does not run past
//     the last one.
//   - A call is left only with the reason that Obstacles gives for it, and addresses of
//     functions are numbers.
//
// What a user can get wrong is no invariant: operations may have no meaning on their types,
// registers may be read that nothing writes, instructions may not be modelled, and the branches
// of a kernel with syncs need not have one.
//
// Verify takes one pass over the kernel. The error, the first found, is a *diag.Error with
// the position of the instruction or the declaration and wraps an *InvariantError.
func Verify(k *Kernel) error {
	v := &verifier{
		name: k.Name, pos: k.Pos, kernel: k, addressBits: k.AddressBits, reconvergence: k.Reconvergence,
		regs: k.Regs, instrs: k.Instrs, labels: k.Labels, vars: len(k.Vars), params: k.Params, last: len(k.Instrs) - 1,
	}
	if err := v.declarations(k.Vars); err != nil {
		return err
	}
	if err := v.block(); err != nil {
		return err
	}
	if err := v.code(); err != nil {
		return err
	}
	if end := v.last; end < 0 || !exitsFlow(&k.Instrs[end]) {
		return v.declaration(k.Pos, "control runs past the last instruction")
	}
	return nil
}

// VerifyProgram returns an error if a program is not as Link takes it from the front ends.
// The functions have the form of kernels (see Verify), with these differences: targets and
// labels may lie right behind the last instruction, to which control may run; calls name
// what they call; operands may be addresses of functions of the program; parameters and
// results that are passed in registers have one.
func VerifyProgram(p *Program) error {
	v := &verifier{name: p.File, addressBits: p.AddressBits, reconvergence: p.Reconvergence}
	if err := v.declarations(p.Vars); err != nil {
		return err
	}
	for _, f := range p.Funcs {
		v := &verifier{
			name: f.Name, pos: f.Pos, program: p, addressBits: p.AddressBits, reconvergence: p.Reconvergence,
			regs: f.Regs, instrs: f.Instrs, labels: f.Labels, vars: len(p.Vars) + len(f.Vars), params: f.Params, last: len(f.Instrs),
		}
		if err := v.function(f); err != nil {
			return err
		}
	}
	return nil
}

// verifier checks a kernel, or a function of a program.
type verifier struct {
	name          string
	pos           diag.Pos
	kernel        *Kernel  // nil for a function
	program       *Program // of the function; nil for a kernel
	addressBits   int
	reconvergence Reconvergence
	regs          []RegDecl
	instrs        []Instr
	labels        []Label
	vars          int   // that operands can name
	params        []Var // of a kernel
	last          int   // the last place that targets and labels can have

	in *Instr // being checked
	at int    // its index
}

// declaration makes an error about what is declared.
func (v *verifier) declaration(pos diag.Pos, format string, args ...any) error {
	if !pos.Known() {
		pos = v.pos
	}
	return diag.Errorf(pos, "%w", &InvariantError{Name: v.name, Index: -1, Err: fmt.Errorf(format, args...)})
}

func (v *verifier) function(f *Func) error {
	if err := v.declarations(f.Vars); err != nil {
		return err
	}
	if f.Entry {
		if err := v.block(); err != nil {
			return err
		}
	}
	for _, r := range slices.Concat(f.ParamRegs, f.ResultRegs) {
		if !v.isReg(r) {
			return v.declaration(f.Pos, "a parameter or a result is in register %d of %d", r, len(f.Regs))
		}
	}
	return v.code()
}

// declarations checks what can be checked without looking at instructions.
func (v *verifier) declarations(vars []Var) error {
	switch {
	case v.addressBits != 32 && v.addressBits != 64:
		return v.declaration(v.pos, "addresses of %d bits", v.addressBits)
	case v.reconvergence != AtPostDominators && v.reconvergence != AtSyncs:
		return v.declaration(v.pos, "reconvergence discipline %d is unknown", v.reconvergence)
	}
	for i := range vars {
		if err := variable(&vars[i]); err != nil {
			return v.declaration(vars[i].Pos, "variable %s: %w", vars[i].Name, err)
		}
	}
	for i, r := range v.regs {
		if !r.Type.known() || r.Type.Bits() > 64 {
			return v.declaration(v.pos, "register %d, %s, has type %s", i, r.Name, r.Type)
		}
	}
	for _, l := range v.labels {
		if l.Index < 0 || l.Index > v.last {
			return v.declaration(l.Pos, "label %s at %d of %d instructions", l.Name, l.Index, len(v.instrs))
		}
	}
	return nil
}

// known reports whether a type is one.
func (t Type) known() bool { return t > Invalid && t < numTypes }

func variable(x *Var) error {
	switch {
	case x.Bytes < 0:
		return fmt.Errorf("%d bytes", x.Bytes)
	case x.Align < 0 || x.Align&(x.Align-1) != 0:
		return fmt.Errorf("alignment %d", x.Align)
	case x.Space != Global && x.Space != Shared && x.Space != Local && x.Space != Const:
		return fmt.Errorf("space %d", x.Space)
	case len(x.Init) > x.Bytes:
		return fmt.Errorf("%d initial bytes of %d", len(x.Init), x.Bytes)
	}
	for _, r := range x.Relocs {
		if r.Offset < 0 || r.Size < 1 || r.Size > 8 || r.Offset > len(x.Init)-r.Size || r.Shift < 0 || r.Shift > 63 {
			return fmt.Errorf("address of %s of %d bytes, shifted by %d, at %d of %d initial bytes", r.Var, r.Size, r.Shift, r.Offset, len(x.Init))
		}
	}
	return nil
}

// block checks the parameters of a kernel.
func (v *verifier) block() error {
	end := 0
	for i := range v.params {
		p := &v.params[i]
		if p.Offset < end || p.Bytes < 0 || p.Offset+p.Bytes < p.Offset || p.Space != Param {
			return v.declaration(p.Pos, "parameter %s of %d bytes in space %d at %d, where parameters before it take %d", p.Name, p.Bytes, p.Space, p.Offset, end)
		}
		end = p.Offset + p.Bytes
	}
	return nil
}

// code checks the instructions.
func (v *verifier) code() error {
	for i := range v.instrs {
		v.in, v.at = &v.instrs[i], i
		text := v.in.Op.String
		err := v.words()
		if err == nil {
			text = v.in.String // which looks words up
			err = v.names()
		}
		if err == nil && v.kernel != nil {
			text = func() string { return v.kernel.Format(v.in) } // which looks names up
		}
		if err == nil {
			err = v.form()
		}
		if err != nil {
			return diag.Errorf(v.in.Pos, "%w", &InvariantError{Name: v.name, Index: i, Text: text(), Err: err})
		}
	}
	return nil
}

func (v *verifier) isReg(r Reg) bool { return r >= 0 && int(r) < len(v.regs) }

// names checks that what an instruction names exists: registers, variables, parameters,
// functions and targets.
func (v *verifier) names() error {
	in := v.in
	if in.Guard.Set && !v.isReg(in.Guard.Reg) {
		return fmt.Errorf("the guard is register %d of %d", in.Guard.Reg, len(v.regs))
	}
	for _, list := range [2][]Operand{in.Dst, in.Src} {
		for i := range list {
			if err := v.operand(&list[i]); err != nil {
				return err
			}
		}
	}
	if in.Op == Bra && (in.Target < 0 || in.Target > v.last) {
		return fmt.Errorf("branch to %d of %d instructions", in.Target, len(v.instrs))
	}
	for _, t := range in.Targets {
		if t < 0 || t > v.last {
			return fmt.Errorf("branch to %d of %d instructions", t, len(v.instrs))
		}
	}
	return nil
}

func (v *verifier) operand(o *Operand) error {
	switch o.Kind {
	case KindReg, KindAddr, KindVarAddr:
		if !v.isReg(o.Reg) && (o.Kind == KindReg || o.Reg != NoReg) {
			return fmt.Errorf("register %d of %d", o.Reg, len(v.regs))
		}
	case KindParam:
		if o.Var < 0 || int(o.Var) >= len(v.params) || v.params[o.Var].Bytes > 8 {
			return fmt.Errorf("operand %d of %d parameters", o.Var, len(v.params))
		}
	case KindFunc:
		if v.program == nil {
			return errors.New("the address of a function is no number")
		}
		if o.Var < 0 || int(o.Var) >= len(v.program.Funcs) {
			return fmt.Errorf("function %d of %d", o.Var, len(v.program.Funcs))
		}
	}
	if (o.Kind == KindVar || o.Kind == KindVarAddr) && (o.Var < ParamVar || int(o.Var) >= v.vars) {
		return fmt.Errorf("variable %d of %d", o.Var, v.vars)
	}
	return nil
}
