package isa

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/diag"
)

// maxLinked bounds the instructions of a linked kernel: calls are expanded in
// place, and a chain of n functions that call the next twice has 2^n copies of
// the last.
const maxLinked = 1 << 18

// Link makes the entry function called name self-contained: each call is
// replaced by a copy of the function it names, with registers, labels and local
// variables of its own, so that every analysis sees one flow graph and may tell
// call sites apart. Only variables that the code names are kept.
//
// A call to a function that the program does not define and a recursive call
// stay calls, and an initial value that is the address of a function has none,
// so that the rest of the kernel can still be inspected; Obstacles lists them.
// It is an error, with the position of the call, to call a kernel or
// to pass a wrong number of arguments; and it is an error if the program has no
// such entry function.
func Link(p *Program, name string) (*Kernel, error) {
	f := p.Func(name)
	if f == nil || !f.Entry {
		return nil, fmt.Errorf("%s: no kernel %q; it has %s", p.File, name, entryNames(p))
	}
	l := &linker{program: p, vars: make(map[storage]int32)}
	k := &Kernel{
		Name: f.Name, File: p.File, Target: p.Target, AddressBits: p.AddressBits,
		Params: f.Params, Bounds: f.Bounds, Pos: f.Pos,
	}
	l.kernel = k
	if err := l.expand(f, "", nil); err != nil {
		return nil, err
	}
	l.relocated()
	if len(k.Instrs) == 0 || !endsFlow(&k.Instrs[len(k.Instrs)-1]) || labelled(k.Labels, len(k.Instrs)) {
		k.Instrs = append(k.Instrs, Instr{Op: Exit, Pos: f.Pos})
	}
	return k, nil
}

func entryNames(p *Program) string {
	var names []string
	for _, f := range p.Entries() {
		names = append(names, f.Name)
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// endsFlow reports whether control never passes to the following instruction.
func endsFlow(in *Instr) bool {
	return !in.Guard.Set && (in.Op.Info().Effect&Ends != 0 || in.Op == Bra || in.Op == BrxIdx)
}

func labelled(labels []Label, index int) bool {
	return slices.ContainsFunc(labels, func(l Label) bool { return l.Index == index })
}

type linker struct {
	program *Program
	kernel  *Kernel
	vars    map[storage]int32 // index in the kernel
	copies  int               // calls expanded so far
}

// storage identifies a variable that needs memory of its own: one of a
// function, or of the program if fn is nil; copy tells local ones apart.
type storage struct {
	fn   *Func
	copy int
	v    int32
}

// frame is what one copy of a function's code adds to its indices.
type frame struct {
	fn     *Func
	copy   int
	reg    Reg
	prefix string
	start  []int // kernel index of each of the function's instructions, and of its end
}

// expand appends a copy of f to the kernel. active holds the functions being
// expanded, outermost first.
func (l *linker) expand(f *Func, prefix string, active []*Func) error {
	k := l.kernel
	active = append(active, f)
	fr := &frame{
		fn: f, copy: l.copies, reg: Reg(len(k.Regs)), prefix: prefix,
		start: make([]int, len(f.Instrs)+1),
	}
	for _, r := range f.Regs {
		k.Regs = append(k.Regs, RegDecl{Name: prefix + r.Name, Type: r.Type})
	}
	var patches []int // kernel indices of copied branches, whose targets are the function's
	for i := range f.Instrs {
		fr.start[i] = len(k.Instrs)
		if len(k.Instrs) > maxLinked {
			return diag.Errorf(f.Instrs[i].Pos, "kernel %s grows beyond %d instructions when its calls are expanded", k.Name, maxLinked)
		}
		if f.Instrs[i].Op == Call {
			if err := l.call(fr, &f.Instrs[i], active); err != nil {
				return err
			}
			continue
		}
		in := l.copyInstr(fr, &f.Instrs[i])
		if in.Op == Ret && prefix != "" {
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
		k.Labels = append(k.Labels, Label{Name: prefix + lab.Name, Index: fr.start[lab.Index], Pos: lab.Pos})
	}
	return nil
}

// call appends the moves of the arguments, the callee's code and the moves of
// the results. A guarded call is branched around.
func (l *linker) call(fr *frame, in *Instr, active []*Func) error {
	k := l.kernel
	callee := l.program.Func(in.Callee)
	switch {
	case callee == nil || callee.Extern:
		l.keep(fr, in, fmt.Sprintf("call to %s, which the module does not define", in.Callee))
		return nil
	case slices.Contains(active, callee):
		l.keep(fr, in, fmt.Sprintf("recursive call to %s: recursion is not expanded; rewrite it as a loop", in.Callee))
		return nil
	case callee.Entry:
		return diag.Errorf(in.Pos, "call to the kernel %s; only functions can be called", in.Callee)
	case len(in.Src) != len(callee.ParamRegs) || len(in.Dst) != len(callee.ResultRegs):
		return diag.Errorf(in.Pos, "call to %s passes %d arguments for %d and takes %d results of %d",
			in.Callee, len(in.Src), len(callee.ParamRegs), len(in.Dst), len(callee.ResultRegs))
	}
	site := l.copyInstr(fr, in)
	around := -1
	if site.Guard.Set {
		around = len(k.Instrs)
		skip := site.Guard
		skip.Not = !skip.Not
		k.Instrs = append(k.Instrs, Instr{Op: Bra, Guard: skip, Pos: in.Pos, Loc: in.Loc})
	}
	l.copies++
	prefix := fmt.Sprintf("%s%s@%d.", fr.prefix, callee.Name, l.copies)
	base := Reg(len(k.Regs)) // where expand puts the callee's registers
	for i, arg := range site.Src {
		k.Instrs = append(k.Instrs, move(callee.Regs[callee.ParamRegs[i]].Type, RegOperand(base+callee.ParamRegs[i]), arg, in))
	}
	if err := l.expand(callee, prefix, active); err != nil {
		return err
	}
	for i, res := range site.Dst {
		k.Instrs = append(k.Instrs, move(callee.Regs[callee.ResultRegs[i]].Type, res, RegOperand(base+callee.ResultRegs[i]), in))
	}
	if around >= 0 {
		k.Instrs[around].Target = len(k.Instrs)
	}
	return nil
}

// keep appends a call as it stands, with the reason why it is not expanded.
func (l *linker) keep(fr *frame, in *Instr, reason string) {
	site := l.copyInstr(fr, in)
	site.Reason = reason
	l.kernel.Instrs = append(l.kernel.Instrs, site)
}

// Obstacles lists what keeps a kernel from being executed or bounded: in the
// order of its instructions those that the front end does not know and calls
// that Link could not expand, then variables with addresses that Link could not
// find.
func Obstacles(k *Kernel) []diag.Warning {
	var found []diag.Warning
	for i := range k.Instrs {
		switch in := &k.Instrs[i]; in.Op {
		case Unknown:
			text := "instruction is not known: " + in.Text
			if in.Reason != "" {
				text = in.Text + ": " + in.Reason
			}
			found = append(found, diag.Warning{Pos: in.Pos, ID: "unknown-instruction", Text: text})
		case Call:
			found = append(found, diag.Warning{Pos: in.Pos, ID: "unresolved-call", Text: in.Reason})
		}
	}
	for i := range k.Vars {
		for _, r := range k.Vars[i].Relocs {
			if variableNamed(k.Vars, r.Var) < 0 {
				found = append(found, diag.Warning{
					Pos: k.Vars[i].Pos, ID: "unresolved-address",
					Text: fmt.Sprintf("%s is initialised with the address of %s, which is no variable of the module", k.Vars[i].Name, r.Var),
				})
			}
		}
	}
	return found
}

func move(t Type, dst, src Operand, at *Instr) Instr {
	return Instr{Op: Mov, Type: t, Dst: []Operand{dst}, Src: []Operand{src}, Pos: at.Pos, Loc: at.Loc}
}

// copyInstr copies an instruction with the frame's registers and the kernel's
// variables. Branch targets are left as the function's.
func (l *linker) copyInstr(fr *frame, in *Instr) Instr {
	out := *in
	if out.Guard.Set {
		out.Guard.Reg += fr.reg
	}
	out.Dst = l.copyOperands(fr, in.Dst)
	out.Src = l.copyOperands(fr, in.Src)
	out.Targets = slices.Clone(in.Targets)
	return out
}

func (l *linker) copyOperands(fr *frame, operands []Operand) []Operand {
	out := slices.Clone(operands)
	for i := range out {
		o := &out[i]
		if o.Reg != NoReg && (o.Kind == KindReg || o.Kind == KindAddr || o.Kind == KindVarAddr) {
			o.Reg += fr.reg
		}
		if (o.Kind == KindVar || o.Kind == KindVarAddr) && o.Var != ParamVar {
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
// variables, and theirs in turn.
func (l *linker) relocated() {
	for i := 0; i < len(l.kernel.Vars); i++ {
		for _, r := range l.kernel.Vars[i].Relocs {
			if v := variableNamed(l.program.Vars, r.Var); v >= 0 {
				l.variable(nil, int32(v))
			}
		}
	}
}

// variableNamed returns the index of the variable of that name, -1 if there is
// none.
func variableNamed(vars []Var, name string) int {
	return slices.IndexFunc(vars, func(v Var) bool { return v.Name == name })
}
