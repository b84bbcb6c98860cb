package isa

import (
	"fmt"

	"warpbound/diag"
	"warpbound/internal/symbol"
)

// call appends what becomes of the i-th instruction of a function, a call. A
// guarded call is branched around.
func (l *linker) call(fr *frame, i int) error {
	k, in := l.kernel, &fr.fn.Instrs[i]
	if reason := l.unlinkable(in); reason != "" {
		site := l.copyInstr(fr, in)
		site.Reason = reason
		k.Instrs = append(k.Instrs, site)
		return nil
	}
	site := l.copyInstr(fr, in)
	around := -1
	if site.Guard.Set {
		around = len(k.Instrs)
		skip := site.Guard
		skip.Not = !skip.Not
		l.emit(in, Instr{Op: Bra, Guard: skip})
		site.Guard = Guard{}
	}
	var err error
	if in.Callee != "" {
		err = l.direct(fr, i, site, l.callGraph().find(in.Callee))
	} else {
		err = l.indirect(fr, i, site)
	}
	if around >= 0 {
		k.Instrs[around].Target = len(k.Instrs)
	}
	return err
}

// unlinkable says why a call must stay a call; it is empty if it need not.
func (l *linker) unlinkable(in *Instr) string {
	if in.Callee == "" {
		if len(l.callGraph().callees(in)) == 0 {
			return "call by address: the module uses the address of no function that fits"
		}
		return ""
	}
	if _, ok := SystemByName(in.Callee); ok {
		return ""
	}
	if f := l.callGraph().find(in.Callee); f == nil || f.Extern {
		return fmt.Sprintf("call to %s, which the module does not define", symbol.Readable(in.Callee))
	}
	return ""
}

// emit appends an instruction at the position of another one, of which it is a part.
func (l *linker) emit(at *Instr, in Instr) {
	in.Pos, in.Loc, in.WarpSize = at.Pos, at.Loc, at.WarpSize
	l.kernel.Instrs = append(l.kernel.Instrs, in)
}

// newReg makes a register of the kernel that no function has.
func (l *linker) newReg(name string, t Type) Reg {
	l.kernel.Regs = append(l.kernel.Regs, RegDecl{Name: name, Type: t})
	return Reg(len(l.kernel.Regs) - 1)
}

// direct appends a call to a known function: site has the operands in terms of
// the kernel and no guard.
func (l *linker) direct(fr *frame, i int, site Instr, callee *Func) error {
	in := &fr.fn.Instrs[i]
	if s, ok := SystemByName(callee.Name); ok && callee.Extern {
		if args, results := systems[s].args, systems[s].results; len(site.Src) != args || len(site.Dst) != results {
			return diag.Errorf(in.Pos, "call to %s passes %d arguments for %d and takes %d results of %d",
				callee.Name, len(site.Src), args, len(site.Dst), results)
		}
		l.emit(in, Instr{Op: RunSystem, System: s, Dst: site.Dst, Src: site.Src})
		return nil
	}
	switch {
	case callee.Entry:
		return diag.Errorf(in.Pos, "call to the kernel %s; only functions can be called", callee.Readable())
	case len(site.Src) != len(callee.ParamRegs) || len(site.Dst) != len(callee.ResultRegs):
		return diag.Errorf(in.Pos, "call to %s passes %d arguments for %d and takes %d results of %d",
			callee.Readable(), len(site.Src), len(callee.ParamRegs), len(site.Dst), len(callee.ResultRegs))
	case fr.member != nil && fr.member.group[callee] != nil:
		l.recur(fr, i, site, fr.member.group[callee])
		return nil
	case l.callGraph().reaches(callee, callee):
		return l.enter(fr, in, site, callee)
	}
	to := l.newFrame(callee, fr)
	l.pass(in, to, site.Src)
	if err := l.expand(to); err != nil {
		return err
	}
	l.receive(in, to, site.Dst)
	return nil
}

// pass appends the moves of arguments to the parameters of a copy.
func (l *linker) pass(at *Instr, to *frame, args []Operand) {
	for i, arg := range args {
		p := to.fn.ParamRegs[i]
		l.emit(at, move(to.fn.Regs[p].Type, RegOperand(to.reg+p), arg))
	}
}

// receive appends the moves of the results of a copy.
func (l *linker) receive(at *Instr, from *frame, results []Operand) {
	for i, res := range results {
		r := from.fn.ResultRegs[i]
		l.emit(at, move(from.fn.Regs[r].Type, res, RegOperand(from.reg+r)))
	}
}

// move is the instruction dst = src.
func move(t Type, dst, src Operand) Instr {
	return Instr{Op: Mov, Type: t, Dst: []Operand{dst}, Src: []Operand{src}}
}

// address is the type of an address.
func (l *linker) address() Type {
	if l.program.AddressBits == 32 {
		return U32
	}
	return U64
}

// indirect appends a call by address: a chain of comparisons with the addresses
// of the functions that it may be, behind each of which stands a call to that
// function. An address that is none of them ends the run with an error.
func (l *linker) indirect(fr *frame, i int, site Instr) error {
	k, in := l.kernel, &fr.fn.Instrs[i]
	target := site.Src[0]
	site.Src = site.Src[1:]
	other := l.newReg("%other", Pred)
	var exits []int // branches behind the calls
	for _, callee := range l.callGraph().callees(in) {
		l.emit(in, Instr{
			Op: Setp, Type: l.address(), Cmp: Ne, Dst: []Operand{RegOperand(other)},
			Src: []Operand{target, ImmOperand(FuncAddress(l.callGraph().index[callee.Name]))},
		})
		next := len(k.Instrs)
		l.emit(in, Instr{Op: Bra, Guard: Guard{Set: true, Reg: other}})
		if err := l.direct(fr, i, site, callee); err != nil {
			return err
		}
		exits = append(exits, len(k.Instrs))
		l.emit(in, Instr{Op: Bra})
		k.Instrs[next].Target = len(k.Instrs)
	}
	l.emit(in, Instr{
		Op: RunSystem, System: SysStop, Guard: Guard{Set: true, Reg: other},
		Reason: "call by an address that is no function of the module with these parameters",
	})
	for _, at := range exits {
		k.Instrs[at].Target = len(k.Instrs)
	}
	return nil
}
