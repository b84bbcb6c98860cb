package emu

import (
	"fmt"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// atSyncs decodes the instructions that work on the synchronisation stack, nil for
// all others.
func (d *decoder) atSyncs() operation {
	in := d.in
	switch {
	case in.Op == isa.Reconverge:
		d.out.control = true
		return syncOp{}
	case in.Op == isa.Bra && in.Guard.Set:
		d.out.control = true
		op := &syncBranch{target: int32(in.Target)}
		if d.testsNumber() {
			op.number, op.isNumber = d.register(isa.RegOperand(in.Guard.Reg)), true
			op.not = alu.Spread(in.Guard.Not)
		}
		return op
	case in.Op == isa.Bra:
		d.out.control = true
		return jumpOp{target: int32(in.Target)}
	case in.Op == isa.Ret || in.Op == isa.Exit:
		d.out.control = true
		return syncExit{}
	case in.Op == isa.BrxIdx:
		d.fail("lanes cannot reconverge behind an indexed branch of a kernel with syncs")
	}
	return nil
}

// testsNumber reports whether the guard of the instruction is a register of integers.
func (d *decoder) testsNumber() bool {
	return d.kernel.Reconvergence == isa.AtSyncs && d.in.Op == isa.Bra && d.in.Guard.Set &&
		d.kernel.Regs[d.in.Guard.Reg].Type != isa.Pred
}

// syncBranch is a direct branch with a guard.
type syncBranch struct {
	target   int32
	isNumber bool
	number   alu.Slot // is not zero where the guard holds, if isNumber
	not      uint64   // all ones if it is zero there
}

func (b *syncBranch) exec(w *Warp, taken uint64, eff *Effect) error {
	top := &w.stack[0]
	if b.isNumber {
		taken = b.takes(w, top.lanes)
		eff.Mask = taken
	}
	last := len(w.syncs) - 1
	if last < 0 || w.syncs[last].branch != top.pc {
		w.syncs = append(w.syncs, syncFrame{branch: top.pc, next: b.target})
		last++
	}
	f := &w.syncs[last]
	switch {
	case f.done != 0:
		return w.fault(top.pc, alu.First(top.lanes), fmt.Errorf("%w: the thread comes back to its branch while thread %s of the warp waits at %s",
			ErrSync, triple(w.thread(alu.First(f.done))), w.code.place(f.met)))
	case f.out != 0:
		return w.fault(top.pc, alu.First(top.lanes), fmt.Errorf("%w: the thread comes back to its branch, where thread %s of the warp diverged",
			ErrSync, triple(w.thread(alu.First(f.out)))))
	}
	switch {
	case taken == top.lanes:
		top.pc = b.target
		return nil
	case b.target == top.pc+1:
		taken = 0
	}
	eff.Diverged = taken != 0
	f.todo |= taken
	top.lanes &^= taken
	top.pc++
	return nil
}

// takes returns those of some lanes that take a branch by a number.
func (b *syncBranch) takes(w *Warp, lanes uint64) uint64 {
	var nonzero uint64
	for m := lanes; m != 0; m &= m - 1 {
		if lane := alu.First(m); w.regs.At(b.number, lane) != 0 {
			nonzero |= 1 << lane
		}
	}
	return nonzero ^ b.not&lanes
}

// jumpOp is a branch without a guard.
type jumpOp struct{ target int32 }

func (j jumpOp) exec(w *Warp, _ uint64, _ *Effect) error {
	w.stack[0].pc = j.target
	return nil
}

// syncOp is where the branch of the frame on top reconverges.
type syncOp struct{}

func (syncOp) exec(w *Warp, _ uint64, _ *Effect) error {
	top := &w.stack[0]
	last := len(w.syncs) - 1
	if last < 0 {
		return w.fault(top.pc, alu.First(top.lanes), fmt.Errorf("%w: this sync matches no branch", ErrSync))
	}
	f := &w.syncs[last]
	if f.done != 0 && f.met != top.pc {
		return w.fault(top.pc, alu.First(top.lanes), fmt.Errorf("%w: the other path of %s, with thread %s, reconverged at %s",
			ErrSync, w.code.place(f.branch), triple(w.thread(alu.First(f.done))), w.code.place(f.met)))
	}
	if f.todo == 0 {
		top.lanes |= f.done | f.out
		top.pc++
		w.syncs = w.syncs[:last]
		return nil
	}
	f.done, f.met = top.lanes, top.pc
	top.pc, top.lanes = f.next, f.todo
	f.todo = 0
	return nil
}

// syncExit ends the running lanes, which must not be on a path of a branch.
type syncExit struct{}

func (syncExit) exec(w *Warp, mask uint64, eff *Effect) error {
	if last := len(w.syncs) - 1; last >= 0 {
		top := w.stack[0]
		return w.fault(top.pc, alu.First(top.lanes), fmt.Errorf("%w: the thread ends before a sync has ended the divergence of %s",
			ErrSync, w.code.place(w.syncs[last].branch)))
	}
	return exit{}.exec(w, mask, eff)
}

// place names an instruction with its position.
func (c *Code) place(pc int32) string {
	in := c.Instr(int(pc))
	text := c.kernel.Format(in)
	if in.Pos.Known() {
		text += fmt.Sprintf(" (%s)", in.Pos)
	}
	return text
}

// Guard returns the active lanes in which the guard of the instruction at pc holds now: of a
// branch those that would take it. The warp must not be done.
func (w *Warp) Guard(pc int) uint64 {
	in := &w.code.instrs[pc]
	if b, ok := in.op.(*syncBranch); ok && b.isNumber {
		return b.takes(w, w.Active())
	}
	return w.Active() & w.regs.Mask(in.guard)
}
