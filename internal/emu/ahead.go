package emu

import (
	"math/bits"

	"warpbound/internal/alu"
	"warpbound/internal/cfg"
)

// What nothing but the warp's own registers, predicates and stack takes part in can be executed ahead
// of its time: nobody sees when. A run is a sequence of such instructions within one block, perhaps
// with the branch that ends it. To execute a run in one go leaves the registers of a warp in the
// nearest cache from one instruction to the next.

// layOutRuns finds for every instruction how many can be executed ahead from there on, and with which ones blocks begin.
func (c *Code) layOutRuns(g *cfg.Graph) {
	c.runs, c.heads = make([]int32, len(c.instrs)), make([]bool, len(c.instrs))
	for _, b := range g.Blocks {
		c.heads[b.Start] = true
		run := int32(0)
		for pc := b.End - 1; pc >= b.Start; pc-- {
			run++
			in := &c.instrs[pc]
			if !in.computes() && !in.branches() {
				run = 0
			}
			c.runs[pc] = run
			in.plain = in.computes() && in.guard == alu.Predicate{} && (in.Word != nil || in.Func != nil)
		}
	}
}

// Head reports whether a block begins with the instruction at pc, so that it may follow another one than that before it.
func (c *Code) Head(pc int) bool { return c.heads[pc] }

// computes reports whether all that an instruction does is to compute registers and predicates
// from others, or to load a parameter. It cannot fail.
func (in *instr) computes() bool { return in.reads == nil && (in.op == nil || in.Instr.Computes()) }

// branches reports whether an instruction is a branch that cannot fail.
func (in *instr) branches() bool {
	_, ok := in.op.(*branch)
	return ok
}

// Run returns how many instructions from one on can be executed ahead: those up to the next
// that does more than to compute, or to the end of the block. It may be none.
func (c *Code) Run(pc int) int { return int(c.runs[pc]) }

// Ahead executes the run that begins with the next instruction, which must have one. It returns the
// number of lanes that executed the instructions, all together, and whether lanes have diverged.
func (w *Warp) Ahead(eff *Effect) (threads int64, diverged bool) {
	top := &w.stack[len(w.stack)-1]
	code, lanes := w.code, top.lanes
	run := code.instrs[top.pc:][:code.runs[top.pc]]
	last := len(run) - 1
	all := lanes == w.regs.Full && w.regs.Chunks == 1
	words, vectors := w.regs.Words[0], w.regs.Vecs[0]
	threads = int64(len(run) * bits.OnesCount64(lanes))
	eff.Diverged, eff.Turned, eff.Looked, eff.LookedLocal, eff.Recurs = false, false, nil, false, false
	for i := range run {
		in := &run[i]
		if all && in.plain { // what Compute does, without calling it
			if in.Word != nil {
				in.Word(words[in.D], words[in.A], words[in.B], words[in.C])
			} else {
				in.Func(vectors[in.D], vectors[in.A], vectors[in.B], vectors[in.C])
			}
			continue
		}
		mask := lanes & w.regs.Mask(in.guard)
		if mask != lanes {
			threads -= int64(bits.OnesCount64(lanes &^ mask))
		}
		if in.control {
			top.pc += int32(last)
			eff.PC = int(top.pc)
			in.op.exec(w, mask, eff) // a branch, which does not fail
			w.countBranch(eff)
			return threads, eff.Diverged
		}
		if mask != 0 {
			w.regs.Compute(&in.Instr, mask)
		}
	}
	w.jump(top.pc + int32(len(run)))
	return threads, false
}
