package isa

import (
	"fmt"

	"warpbound/diag"
)

// StackBytes is the size of the call stack of a thread, which only kernels with
// recursive functions have.
const StackBytes = 8 << 10

// group is a copy of all functions that call each other in a circle, made for
// one call from outside of it. Each has one copy of its code and of its
// registers, whose values must survive calls within the circle. So such a call
// is written out as the code for a processor is: it saves the registers that are
// live behind it in a stack in local memory, saves the number of the place to
// return to, and branches to the function; that function returns by an indexed
// branch to one of the places from where it is called. All of this are
// instructions like any others: the flow graph has the circle as a loop, and
// nothing else needs to know of recursion.
//
// The stack pointer, a register of the kernel, is the address of the memory of
// the running activation: the local variables of its function, from which the
// stack grows upward. Below it lies what its caller saved, the number of the
// place to return to last.
type group map[*Func]*member

// member is a function in a group.
type member struct {
	*frame
	group   group
	offsets map[int32]int // of the function's local variables in the memory of an activation
	bytes   int           // of these variables
	live    map[int][]Reg // across each call, in the function's numbers
	calls   []int         // branches to the function
	places  []int         // where its calls continue
	back    int           // the branch to one of these places
}

// newGroup makes the registers of the functions that call each other in a circle
// with root.
func (l *linker) newGroup(fr *frame, root *Func) (group, []*member) {
	g := make(group)
	var members []*member
	for _, f := range l.circle(root) {
		members = append(members, l.newMember(fr, f, g))
	}
	return g, members
}

// circle returns the functions that call each other in a circle with root, which
// is the first.
func (l *linker) circle(root *Func) []*Func {
	all := []*Func{root}
	for _, f := range l.program.Funcs {
		if f != root && l.callGraph().reaches(root, f) && l.callGraph().reaches(f, root) {
			all = append(all, f)
		}
	}
	return all
}

func (l *linker) newMember(fr *frame, f *Func, g group) *member {
	m := &member{frame: l.newFrame(f, fr), group: g, offsets: make(map[int32]int), live: liveAcrossCalls(f)}
	m.member, m.nested = m, m
	g[f] = m
	for i := range f.Vars {
		if v := &f.Vars[i]; v.Space == Local {
			at := alignUp(m.bytes, v.Align)
			m.offsets[int32(len(l.program.Vars)+i)] = at
			m.bytes = at + v.Bytes
		}
	}
	m.bytes = alignUp(m.bytes, l.align)
	return m
}

// stackAlign returns the alignment of every activation's memory in bytes: the
// largest that a local variable of a recursive function asks for, and at least 16.
func (l *linker) stackAlign() int {
	align := 16
	for _, f := range l.program.Funcs {
		if !l.callGraph().reaches(f, f) {
			continue
		}
		for i := range f.Vars {
			if v := &f.Vars[i]; v.Space == Local {
				align = max(align, v.Align)
			}
		}
	}
	return align
}

func alignUp(n, align int) int { return (n + max(align, 1) - 1) / max(align, 1) * max(align, 1) }

// owns reports whether the function's variable v is in the activation's memory.
func (m *member) owns(v int32) bool {
	_, ok := m.offsets[v]
	return ok
}

// onStack gives the operand for a variable in the activation's memory.
func (l *linker) onStack(m *member, at *Instr, o Operand) Operand {
	imm := uint64(m.offsets[o.Var]) + o.Imm
	if o.Kind == KindVarAddr && o.Reg == NoReg {
		return Operand{Kind: KindAddr, Reg: l.sp, Imm: imm}
	}
	sum := l.newReg(m.prefix+"%address", l.address())
	l.emit(at, l.add(sum, l.sp, imm))
	if o.Kind == KindVar {
		return RegOperand(sum)
	}
	l.emit(at, Instr{Op: Add, Type: l.address(), Dst: []Operand{RegOperand(sum)}, Src: []Operand{RegOperand(sum), RegOperand(o.Reg)}})
	return Operand{Kind: KindAddr, Reg: sum}
}

// add is the instruction d = a + n.
func (l *linker) add(d, a Reg, n uint64) Instr {
	if l.address() == U32 {
		n &= 1<<32 - 1
	}
	return Instr{Op: Add, Type: l.address(), Dst: []Operand{RegOperand(d)}, Src: []Operand{RegOperand(a), ImmOperand(n)}}
}

// enter appends a call from outside of a circle, and the functions of the
// circle.
func (l *linker) enter(fr *frame, in *Instr, site Instr, callee *Func) error {
	k := l.kernel
	if l.sp == NoReg {
		l.sp = l.newReg("%stack", l.address())
		l.stack, l.align = int32(len(k.Vars)), l.stackAlign()
		k.Vars = append(k.Vars, Var{Name: "call stack", Space: Local, Type: B8, Bytes: StackBytes, Align: l.align})
	}
	if fr.nested == nil {
		l.emit(in, move(l.address(), RegOperand(l.sp), Operand{Kind: KindVar, Reg: NoReg, Var: l.stack}))
	}
	for _, f := range l.circle(callee) {
		if liveWords(f) > maxLive {
			return diag.Errorf(in.Pos, "function %s is too large to be recursive: %d instructions on %d registers", f.Readable(), len(f.Instrs), len(f.Regs))
		}
	}
	g, members := l.newGroup(fr, callee)
	root := g[callee]
	size := l.push(fr, in, root, nil)
	l.pass(in, root.frame, site.Src)
	for _, m := range members { // root is the first
		if err := l.body(m); err != nil {
			return err
		}
	}
	root.places[0] = len(k.Instrs)
	for _, m := range members {
		for _, at := range m.calls {
			k.Instrs[at].Target = m.start[0]
		}
		k.Instrs[m.back].Targets = m.places
	}
	l.emit(in, l.add(l.sp, l.sp, -uint64(size)))
	l.receive(in, root.frame, site.Dst)
	return nil
}

// body appends the code of a function of a circle, and behind it the return.
func (l *linker) body(m *member) error {
	if err := l.expand(m.frame); err != nil {
		return err
	}
	at := &Instr{Pos: m.fn.Pos}
	if n := len(m.fn.Instrs); n > 0 {
		at = &m.fn.Instrs[n-1]
	}
	place := l.newReg(m.prefix+"%place", U32)
	l.emit(at, saved(Ld, U32, place, l.sp, placeBytes))
	m.back = len(l.kernel.Instrs)
	l.emit(at, Instr{Op: BrxIdx, Src: []Operand{RegOperand(place)}})
	return nil
}

// placeBytes is the size of the number of a place to return to.
const placeBytes = 4

// recur appends a call within a circle.
func (l *linker) recur(fr *frame, i int, site Instr, to *member) {
	k, in := l.kernel, &fr.fn.Instrs[i]
	live := fr.member.live[i]
	size := l.push(fr, in, to, live)
	// The parameters may be the registers that arguments are in.
	args := make([]Operand, len(site.Src))
	for j, arg := range site.Src {
		t := to.fn.Regs[to.fn.ParamRegs[j]].Type
		args[j] = RegOperand(l.newReg(fmt.Sprintf("%s%%argument%d", to.prefix, j), t))
		l.emit(in, move(t, args[j], arg))
	}
	l.pass(in, to.frame, args)
	to.calls = append(to.calls, len(k.Instrs))
	l.emit(in, Instr{Op: Bra})
	to.places[len(to.places)-1] = len(k.Instrs)
	results := make([]Operand, len(site.Dst))
	for j := range site.Dst {
		results[j] = RegOperand(l.newReg(fmt.Sprintf("%s%%result%d", to.prefix, j), to.fn.Regs[to.fn.ResultRegs[j]].Type))
	}
	l.receive(in, to.frame, results)
	l.save(fr, in, Ld, live, l.sp)
	l.emit(in, l.add(l.sp, l.sp, -uint64(size)))
	for j, res := range site.Dst {
		l.emit(in, move(to.fn.Regs[to.fn.ResultRegs[j]].Type, res, results[j]))
	}
}

// push appends what saves registers and the place to return to, and sets the
// stack pointer for an activation of to. It returns by how many bytes that went
// up. The place is the last of to's and is not known yet.
func (l *linker) push(fr *frame, in *Instr, to *member, live []Reg) int {
	_, size := l.layout(fr.fn, live)
	if fr.nested != nil {
		size += fr.nested.bytes
	}
	top, over := l.newReg("%top", l.address()), l.newReg("%over", Pred)
	l.emit(in, l.add(top, l.sp, uint64(size)))
	l.emit(in, Instr{
		Op: Setp, Type: l.address(), Cmp: Gt, Dst: []Operand{RegOperand(over)},
		Src: []Operand{RegOperand(top), {Kind: KindVar, Reg: NoReg, Var: l.stack, Imm: uint64(int64(StackBytes - to.bytes))}},
	})
	l.emit(in, Instr{
		Op: RunSystem, System: SysStop, Guard: Guard{Set: true, Reg: over},
		Reason: fmt.Sprintf("recursion of %s needs more than the %d bytes of a thread's call stack", to.fn.Readable(), StackBytes),
	})
	l.save(fr, in, St, live, top)
	place := l.newReg("%place", U32)
	l.emit(in, move(U32, RegOperand(place), ImmOperand(uint64(len(to.places)))))
	l.emit(in, saved(St, U32, place, top, placeBytes))
	to.places = append(to.places, 0)
	l.emit(in, move(l.address(), RegOperand(l.sp), RegOperand(top)))
	return size
}

// layout gives the places of saved registers, in bytes below the stack pointer,
// and the bytes that they take together with the number of the place.
func (l *linker) layout(f *Func, live []Reg) (below []int, size int) {
	size = placeBytes
	for _, r := range live {
		t := f.Regs[r].Type
		if t == Pred {
			t = U32
		}
		size = alignUp(size+t.Bytes(), t.Bytes())
		below = append(below, size)
	}
	return below, alignUp(size, l.align)
}

// save appends loads or stores of registers below the stack pointer sp. A
// predicate is kept as a word.
func (l *linker) save(fr *frame, in *Instr, op Op, live []Reg, sp Reg) {
	below, _ := l.layout(fr.fn, live)
	for i, r := range live {
		t, reg := fr.fn.Regs[r].Type, fr.reg+r
		if t != Pred {
			l.emit(in, saved(op, t, reg, sp, below[i]))
			continue
		}
		word := l.newReg("%word", U32)
		if op == St {
			l.emit(in, Instr{Op: Selp, Type: U32, Dst: []Operand{RegOperand(word)}, Src: []Operand{ImmOperand(1), ImmOperand(0), RegOperand(reg)}})
		}
		l.emit(in, saved(op, U32, word, sp, below[i]))
		if op == Ld {
			l.emit(in, Instr{Op: Setp, Type: U32, Cmp: Ne, Dst: []Operand{RegOperand(reg)}, Src: []Operand{RegOperand(word), ImmOperand(0)}})
		}
	}
}

// saved is the load or store of a register so many bytes below sp.
func saved(op Op, t Type, reg, sp Reg, below int) Instr {
	in := Instr{Op: op, Type: t, Space: Local, Src: []Operand{{Kind: KindAddr, Reg: sp, Imm: -uint64(below)}}}
	if op == Ld {
		in.Dst = []Operand{RegOperand(reg)}
	} else {
		in.Src = append(in.Src, RegOperand(reg))
	}
	return in
}
