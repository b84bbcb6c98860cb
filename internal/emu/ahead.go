package emu

import (
	"math/bits"

	"warpbound/internal/cfg"
)

// What nothing but the warp's own registers and predicates takes part in can be executed ahead of
// its time: nobody sees when. A run is a sequence of such instructions within one block,
// behind which lanes do not reconverge before its end. To execute a run in one go leaves the
// registers of a warp in the nearest cache from one instruction to the next.

// layOutRuns finds for every instruction how many can be executed ahead from there on.
func (c *Code) layOutRuns(g *cfg.Graph) {
	c.runs = make([]int32, len(c.instrs))
	for _, b := range g.Blocks {
		run := int32(0)
		for pc := b.End - 1; pc >= b.Start; pc-- {
			run++
			if !c.instrs[pc].computes() {
				run = 0
			}
			c.runs[pc] = run
		}
	}
}

// computes reports whether all that an instruction does is to compute registers and predicates
// from others. It cannot fail.
func (in *instr) computes() bool { return in.op == nil && in.reads == nil }

// Run returns how many instructions from one on can be executed ahead: those up to the next
// that does more than to compute, or to the end of the block. It may be none.
func (c *Code) Run(pc int) int { return int(c.runs[pc]) }

// Ahead executes the run that begins with the next instruction, which must have one, but does
// not go on: PC stays what it is until Skip. It returns the number of lanes that executed the
// instructions, all together.
func (w *Warp) Ahead() (threads int64) {
	top := &w.stack[len(w.stack)-1]
	code := w.code
	run := code.instrs[top.pc:][:code.runs[top.pc]]
	for i := range run {
		in := &run[i]
		mask := top.lanes & w.regs.Mask(in.guard)
		threads += int64(bits.OnesCount64(mask))
		if mask != 0 {
			w.regs.Compute(&in.Instr, mask)
		}
	}
	return threads
}

// Skip goes on to the instruction behind the run that has been executed with Ahead, and returns its
// index.
func (w *Warp) Skip() int {
	pc := w.stack[len(w.stack)-1].pc
	w.jump(pc + w.code.runs[pc])
	return w.PC()
}
