package emu

import (
	"fmt"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// Warp is the state of one warp: registers, predicates, and a stack of entries
// (pc, rpc, lanes), the last of which runs. It starts with one entry for all
// lanes at the first instruction and without rpc.
//
//   - A branch whose active lanes agree sets the pc of the entry.
//   - If they disagree, let r be the start of the block at which the flow graph lets
//     lanes meet again that diverge in the branch's block (cfg.Flow.Reconverge). The pc
//     of the entry becomes r; if r is its rpc already, the entry is dropped, because
//     its lanes are awaited further below. Then an entry (t, r, lanes that go to t) is
//     pushed for each distinct target t other than r, of which the last runs first:
//     targets from which a barrier can be reached before the others; among these, those
//     of an indexed branch in their order and last the instruction that follows.
//   - An entry whose pc has become its rpc is dropped, and the one below runs.
//   - Lanes that exit are taken out of every entry, and entries without lanes
//     are dropped. Where lanes do not meet again there is no r: the entry is dropped
//     and those that are pushed have no rpc and last until all their lanes have
//     exited.
//
// So the stack is never deeper than branches are nested. In a kernel whose lanes meet
// AtSyncs it has one entry, the running one, and the other lanes are in the frames of the
// synchronisation stack.
type Warp struct {
	// What every instruction needs comes first.
	code  *Code
	stack []entry
	regs  alu.Registers // Full is alive, zero in strands
	cta   *CTA
	room  [4]entry // of the stack, while it suffices

	alive   uint64 // lanes that hold threads that have not exited
	index   int    // in the CTA
	waiting bool   // at a barrier
	arrived int32  // the barrier instruction at which it waits
	phase   int    // of the cluster's barrier at which it has arrived
	local   region
	out     uint64      // lanes that are with strands, see Detach
	parent  *Warp       // of a strand: that it was detached from
	returns bool        // of a strand: its lanes meet others of the parent before they exit
	syncs   []syncFrame // see syncFrame
}

// entry is an element of the reconvergence stack.
type entry struct {
	pc, rpc int32
	lanes   uint64
}

// PC returns the index of the next instruction. The warp must not be done.
func (w *Warp) PC() int { return int(w.stack[len(w.stack)-1].pc) }

// Active returns the lanes that take part in the next instruction, whatever its
// guard. The warp must not be done.
func (w *Warp) Active() uint64 { return w.stack[len(w.stack)-1].lanes }

// Guard returns the active lanes in which the guard of the instruction at pc holds now: of a
// branch those that would take it. The warp must not be done.
func (w *Warp) Guard(pc int) uint64 {
	in := &w.code.instrs[pc]
	if b, ok := in.op.(*syncBranch); ok && b.isNumber {
		return b.takes(w, w.Active())
	}
	return w.Active() & w.regs.Mask(in.guard)
}

// Alive returns the lanes that hold threads that have not exited; of a strand, those that
// it holds.
func (w *Warp) Alive() uint64 { return w.alive }

// Depth returns the number of entries on the reconvergence stack, and of frames on the
// synchronisation stack.
func (w *Warp) Depth() int { return len(w.stack) + len(w.syncs) }

// Register returns what a register holds in a lane, for a predicate 0 or 1. It is
// known only where the register is live, and for a result until the lane executes
// another instruction: elsewhere others may have its place.
func (w *Warp) Register(r isa.Reg, lane int) uint64 {
	if w.code.kernel.Regs[r].Type == isa.Pred {
		return w.regs.Preds[w.code.slots[r]] >> lane & 1
	}
	return w.regs.At(w.code.registers[r], lane)
}

// Done reports whether all lanes have exited.
func (w *Warp) Done() bool { return w.alive == 0 }

// AtBarrier reports whether the warp waits at a CTA barrier. It goes on when
// another warp's Step releases it.
func (w *Warp) AtBarrier() bool { return w.waiting }

// Barrier returns the index of the barrier instruction at which the warp waits.
func (w *Warp) Barrier() int { return int(w.arrived) }

// Step executes the next instruction for the active lanes and says in eff what
// it did. The warp must neither be done, home or held, nor wait at a barrier. An error is a
// *Fault that ends the run: the state of the grid is no longer defined.
//
// A Step that leaves every warp of the CTA that has not exited waiting at a
// barrier is the error ErrDeadlock; so a caller need not look for deadlocks.
func (w *Warp) Step(env *Env, eff *Effect) error {
	top := &w.stack[len(w.stack)-1]
	in := &w.code.instrs[top.pc]
	mask := top.lanes & w.regs.Mask(in.guard)
	eff.PC = int(top.pc)
	eff.Mask = mask
	eff.Diverged = false
	eff.Access.Kind = NoAccess
	eff.Arrived = false
	eff.Released = 0
	eff.WarpDone = false
	eff.CTADone = false
	if in.reads != nil {
		w.refresh(in.reads, env)
	}
	switch {
	case in.control:
		return in.op.exec(w, mask, eff)
	case mask == 0:
	case in.Func != nil:
		w.regs.Compute(&in.Instr, mask)
	case in.Op != nil:
		in.Op.Exec(&w.regs, mask)
	default:
		if err := in.op.exec(w, mask, eff); err != nil {
			return err
		}
	}
	w.advance()
	return nil
}

// advance goes on to the following instruction.
func (w *Warp) advance() { w.jump(w.stack[len(w.stack)-1].pc + 1) }

// uniform returns the value that all lanes of mask have, and an error if they
// differ.
func (w *Warp) uniform(s alu.Slot, mask uint64, pc int32, what string) (uint64, error) {
	x, other := w.regs.Uniform(s, mask)
	if other >= 0 {
		return 0, w.fault(pc, other, fmt.Errorf("%s %d, which is %d in thread %s of the same warp",
			what, w.regs.At(s, other), x, triple(w.thread(alu.First(mask)))))
	}
	return x, nil
}

// thread returns the coordinates of a lane's thread in its CTA.
func (w *Warp) thread(lane int) [3]int {
	g := w.cta.grid
	return unflatten(w.index*g.width+lane, g.launch.Block)
}
