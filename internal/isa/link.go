package isa

import (
	"fmt"
	"slices"

	"warpbound/diag"
)

// maxLinked bounds the instructions of a linked kernel: calls are expanded in
// place, and a chain of n functions that call the next twice has 2^n copies of
// the last.
const maxLinked = 1 << 18

// Link makes the entry function that a name means (Program.Kernel) self-contained: each call is
// replaced by a copy of the function it names, with registers, labels and local
// variables of its own, so that every analysis sees one flow graph and may tell
// call sites apart. A call by address compares the address with those of the
// functions that it may be (see FuncAddress). Functions that call each other in
// a circle are copied once for each call from outside of it and keep what must
// survive in a stack of StackBytes bytes per thread (see group). Only variables
// that the code names are kept.
//
// A call to a function that the program does not define stays a call, and an
// initial value that is the address of nothing in the program has none, so that
// the rest of the kernel can still be inspected; Obstacles lists them. It is an
// error, with the position of the call, to call a kernel or to pass a wrong
// number of arguments; and it is an error if the program has no such entry
// function.
func Link(p *Program, name string) (*Kernel, error) {
	f, err := p.Kernel(name)
	if err != nil {
		return nil, err
	}
	l := &linker{program: p, vars: make(map[storage]int32), sp: NoReg}
	k := &Kernel{
		Name: f.Name, File: p.File, Target: p.Target, AddressBits: p.AddressBits, Reconvergence: p.Reconvergence,
		Params: f.Params, Bounds: f.Bounds, Pos: f.Pos,
	}
	l.kernel = k
	if err := l.expand(l.newFrame(f, nil)); err != nil {
		return nil, err
	}
	l.relocated()
	if runsOut(k) {
		k.Instrs = append(k.Instrs, Instr{Op: Exit, Pos: f.Pos})
	}
	return k, nil
}

// Statics returns the variables of a program that live as long as it is loaded, those of the
// module before those of functions: whatever lies in global or constant memory. Addresses of
// functions among their initial values are bytes, as in a linked kernel.
func Statics(p *Program) []Var {
	l := &linker{program: p, kernel: new(Kernel), vars: make(map[storage]int32), sp: NoReg}
	static := func(v *Var) bool { return v.Space == Global || v.Space == Const }
	for i := range p.Vars {
		if static(&p.Vars[i]) {
			l.variable(nil, int32(i))
		}
	}
	for _, f := range p.Funcs {
		for i := range f.Vars {
			if static(&f.Vars[i]) {
				l.variable(&frame{fn: f}, int32(len(p.Vars)+i))
			}
		}
	}
	l.relocated()
	return l.kernel.Vars
}

// exitsFlow reports whether control never passes to the following instruction.
func exitsFlow(in *Instr) bool {
	return !in.Guard.Set && (in.Op.Info().Effect&Exits != 0 || in.Op == Bra || in.Op == BrxIdx)
}

// runsOut reports whether control may pass the last instruction of a kernel, or
// a label stands behind it.
func runsOut(k *Kernel) bool {
	end := len(k.Instrs)
	return end == 0 || !exitsFlow(&k.Instrs[end-1]) ||
		slices.ContainsFunc(k.Labels, func(l Label) bool { return l.Index == end }) ||
		slices.ContainsFunc(k.Instrs, func(in Instr) bool {
			return in.Op == Bra && in.Target == end || slices.Contains(in.Targets, end)
		})
}

type linker struct {
	program *Program
	kernel  *Kernel
	calls   *callGraph        // once it was needed
	vars    map[storage]int32 // index in the kernel
	copies  int               // calls expanded so far
	sp      Reg               // address of the running activation's memory; NoReg as long as nothing recurs
	stack   int32             // the variable that holds the call stack
	align   int               // of every activation's memory in it, in bytes
}

// callGraph returns the call graph of the program. Kernels that call nothing do without,
// since it takes a look at all functions.
func (l *linker) callGraph() *callGraph {
	if l.calls == nil {
		l.calls = newCallGraph(l.program)
	}
	return l.calls
}

// storage identifies a variable that needs memory of its own: one of a
// function, or of the program if fn is nil; copy tells local ones apart.
type storage struct {
	fn   *Func
	copy int
	v    int32
}

// frame is one copy of a function in the kernel.
type frame struct {
	fn     *Func
	copy   int
	reg    Reg // added to the function's registers
	prefix string
	start  []int   // kernel index of each of the function's instructions, and of its end
	member *member // the function's part in a circle of calls; nil if it does not recur
	nested *member // the innermost activation on the call stack; nil if there is none
}

// newFrame makes registers for a copy of f, which from calls; nil for the entry
// function.
func (l *linker) newFrame(f *Func, from *frame) *frame {
	k := l.kernel
	fr := &frame{fn: f, reg: Reg(len(k.Regs)), start: make([]int, len(f.Instrs)+1)}
	if from != nil {
		l.copies++
		fr.copy, fr.nested = l.copies, from.nested
		fr.prefix = fmt.Sprintf("%s%s@%d.", from.prefix, f.Name, l.copies)
	}
	for _, r := range f.Regs {
		k.Regs = append(k.Regs, RegDecl{Name: fr.prefix + r.Name, Type: r.Type})
	}
	return fr
}

// expand appends the code of a copy to the kernel. A return of anything but the
// entry function goes to the end of the code.
func (l *linker) expand(fr *frame) error {
	k, f := l.kernel, fr.fn
	var patches []int // kernel indices of copied branches, whose targets are the function's
	for i := range f.Instrs {
		fr.start[i] = len(k.Instrs)
		if len(k.Instrs) > maxLinked {
			return diag.Errorf(f.Instrs[i].Pos, "kernel %s grows beyond %d instructions when its calls are expanded", k.Readable(), maxLinked)
		}
		if f.Instrs[i].Op == Call {
			if err := l.call(fr, i); err != nil {
				return err
			}
			continue
		}
		in := l.copyInstr(fr, &f.Instrs[i])
		if in.Op == Ret && fr.prefix != "" {
			in.Op, in.Target = Bra, len(f.Instrs)
		}
		if in.Op == Bra || in.Op == BrxIdx {
			patches = append(patches, len(k.Instrs))
		}
		k.Instrs = append(k.Instrs, in)
	}
	fr.start[len(f.Instrs)] = len(k.Instrs)
	for _, at := range patches {
		in := &k.Instrs[at]
		if in.Op == Bra {
			in.Target = fr.start[in.Target]
		}
		for j := range in.Targets {
			in.Targets[j] = fr.start[in.Targets[j]]
		}
	}
	for _, lab := range f.Labels {
		k.Labels = append(k.Labels, Label{Name: fr.prefix + lab.Name, Index: fr.start[lab.Index], Pos: lab.Pos})
	}
	return nil
}

// Obstacles lists what keeps a kernel from being executed or bounded: the forms of its
// instructions that are not modelled (see UnmodelledInstrs), then calls that Link could not
// expand, then variables with addresses that Link could not find.
func Obstacles(k *Kernel) []diag.Warning {
	found := UnmodelledInstrs(k.Readable(), k.Instrs)
	for i := range k.Instrs {
		if in := &k.Instrs[i]; in.Op == Call {
			found = append(found, diag.Warning{Pos: in.Pos, ID: "unresolved-call", Text: in.Reason})
		}
	}
	for i := range k.Vars {
		for _, r := range k.Vars[i].Relocs {
			if variableNamed(k.Vars, r.Var) < 0 {
				found = append(found, diag.Warning{
					Pos: k.Vars[i].Pos, ID: "unresolved-address",
					Text: fmt.Sprintf("%s is initialised with the address of %s, which the module does not define", k.Vars[i].Name, r.Var),
				})
			}
		}
	}
	return found
}

// copyInstr copies an instruction with the frame's registers and the kernel's
// variables. Branch targets are left as the function's.
func (l *linker) copyInstr(fr *frame, in *Instr) Instr {
	out := *in
	if out.Guard.Set {
		out.Guard.Reg += fr.reg
	}
	out.Dst = l.copyOperands(fr, in, in.Dst)
	out.Src = l.copyOperands(fr, in, in.Src)
	out.Targets = slices.Clone(in.Targets)
	return out
}

func (l *linker) copyOperands(fr *frame, at *Instr, operands []Operand) []Operand {
	out := slices.Clone(operands)
	for i := range out {
		o := &out[i]
		if o.Reg != NoReg && (o.Kind == KindReg || o.Kind == KindAddr || o.Kind == KindVarAddr) {
			o.Reg += fr.reg
		}
		switch {
		case o.Kind == KindFunc:
			*o = ImmOperand(FuncAddress(int(o.Var)) + o.Imm)
		case o.Kind != KindVar && o.Kind != KindVarAddr || o.Var == ParamVar:
		case fr.member != nil && fr.member.owns(o.Var):
			*o = l.onStack(fr.member, at, *o)
		default:
			o.Var = l.variable(fr, o.Var)
		}
	}
	return out
}

// variable gives the kernel's index of a function's variable. Local variables
// are one per copy of their function, all others one per kernel.
func (l *linker) variable(fr *frame, v int32) int32 {
	key := storage{v: v}
	decl := &Var{}
	if globals := int32(len(l.program.Vars)); v < globals {
		decl = &l.program.Vars[v]
	} else {
		key.fn, decl = fr.fn, &fr.fn.Vars[v-globals]
		if decl.Space == Local {
			key.copy = fr.copy
		}
	}
	at, ok := l.vars[key]
	if !ok {
		at = int32(len(l.kernel.Vars))
		l.kernel.Vars = append(l.kernel.Vars, *decl)
		l.vars[key] = at
	}
	return at
}

// relocated adds the variables whose addresses initialise the kernel's
// variables, and theirs in turn. Addresses of functions become initial bytes.
func (l *linker) relocated() {
	for i := 0; i < len(l.kernel.Vars); i++ {
		v := &l.kernel.Vars[i]
		relocs := v.Relocs
		v.Relocs = nil
		for _, r := range relocs {
			if f, ok := l.callGraph().index[r.Var]; ok {
				v.Init = slices.Clone(v.Init)
				address := (FuncAddress(f) + uint64(r.Addend)) >> r.Shift
				for b := range r.Size {
					v.Init[r.Offset+b] = byte(address >> (8 * b))
				}
				continue
			}
			v.Relocs = append(v.Relocs, r)
			if at := variableNamed(l.program.Vars, r.Var); at >= 0 {
				l.variable(nil, int32(at))
				v = &l.kernel.Vars[i]
			}
		}
	}
}

// variableNamed returns the index of the variable of that name, -1 if there is
// none.
func variableNamed(vars []Var, name string) int {
	return slices.IndexFunc(vars, func(v Var) bool { return v.Name == name })
}
