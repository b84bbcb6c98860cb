package emu

import (
	"fmt"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// PC returns the index of the next instruction. The warp must not be done.
func (w *Warp) PC() int { return int(w.stack[len(w.stack)-1].pc) }

// Active returns the lanes that take part in the next instruction, whatever its
// guard. The warp must not be done.
func (w *Warp) Active() uint64 { return w.stack[len(w.stack)-1].lanes }

// Alive returns the lanes that hold threads that have not exited; of a warp-split, those that
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
	eff.Diverged, eff.Turned, eff.Looked, eff.LookedLocal = false, false, nil, false
	eff.Access.Kind = NoAccess
	eff.Unsettled = 0
	eff.Separate = false
	eff.Arrived = false
	eff.Released = 0
	eff.WarpDone = false
	eff.CTADone = false
	eff.Changed = in.changes && mask != 0
	eff.Recurs = false
	if in.reads != nil {
		w.refresh(in.reads, env)
	}
	switch {
	case in.control:
		if err := in.op.exec(w, mask, eff); err != nil {
			return err
		}
		if in.branch {
			w.countBranch(eff)
		}
		return nil
	case mask == 0:
	case in.op == nil:
		w.regs.Compute(&in.Instr, mask)
	default:
		if w.cta.Party != nil {
			if err := w.claim(in.op, mask); err != nil {
				return err
			}
		}
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

// jump sets the pc of the running entry and drops entries that have reached
// their reconvergence point.
func (w *Warp) jump(pc int32) {
	top := &w.stack[len(w.stack)-1]
	top.pc = pc
	if pc == top.rpc {
		w.stack = w.stack[:len(w.stack)-1]
		if w.parked != 0 && len(w.stack) > 0 && w.stack[len(w.stack)-1].lanes&^w.parked == 0 {
			_ = w.turn(false) || w.turn(true) // otherwise the lanes of the entry find a deadlock
		}
	}
}

// fault makes the error of a lane at the instruction pc.
func (w *Warp) fault(pc int32, lane int, err error) error {
	c := w.cta
	return &Fault{
		Kernel: c.grid.code.kernel,
		CTA:    unflatten(c.Index, c.grid.launch.Grid),
		Thread: w.thread(lane),
		Instr:  c.grid.code.Instr(int(pc)),
		Err:    err,
	}
}

// faultf makes the error of the first lane of mask at the instruction pc.
func (w *Warp) faultf(pc int32, mask uint64, format string, args ...any) error {
	return w.fault(pc, alu.First(mask), fmt.Errorf(format, args...))
}

// refresh reads special registers of scope ofStep into their vectors.
func (w *Warp) refresh(reads []volatile, env *Env) {
	for _, r := range reads {
		var x uint64
		switch r.special {
		case isa.Clock:
			x = uint64(uint32(env.Cycle))
		case isa.Clock64:
			x = env.Cycle
		case isa.ClockHi:
			x = env.Cycle >> 32
		case isa.GlobalTimer:
			x = env.Time
		case isa.GlobalTimerLo:
			x = uint64(uint32(env.Time))
		case isa.GlobalTimerHi:
			x = env.Time >> 32
		case isa.SmID:
			x = uint64(uint32(env.SM))
		case isa.NsmID:
			x = uint64(uint32(env.SMs))
		}
		for k := range w.regs.Chunks {
			w.regs.Fill(r.slot, k, x)
		}
	}
}
