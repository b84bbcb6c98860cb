package emu

import (
	"fmt"
	"slices"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// branch is a direct branch. Its guard selects the lanes that take it.
type branch struct {
	target, reconverge int32
	// first says that lanes which take the branch run before those which do not.
	first bool
}

func (b *branch) exec(w *Warp, mask uint64, eff *Effect) error {
	top := w.stack[len(w.stack)-1]
	next := top.pc + 1
	switch {
	case mask == top.lanes:
		w.jump(b.target)
	case mask == 0 || b.target == next:
		w.jump(next)
	default:
		eff.Diverged = true
		w.split(b.reconverge)
		if b.first {
			w.push(next, b.reconverge, top.lanes&^mask)
			w.push(b.target, b.reconverge, mask)
		} else {
			w.push(b.target, b.reconverge, mask)
			w.push(next, b.reconverge, top.lanes&^mask)
		}
	}
	return nil
}

// split makes the running entry wait at r for its lanes, of which the caller
// pushes those that have farther to go.
func (w *Warp) split(r int32) {
	last := len(w.stack) - 1
	if r == none || r == w.stack[last].rpc {
		w.stack = w.stack[:last]
		return
	}
	w.stack[last].pc = r
}

// push makes lanes run from pc to rpc; those that are at rpc already wait there.
func (w *Warp) push(pc, rpc int32, lanes uint64) {
	if pc != rpc {
		w.stack = append(w.stack, entry{pc: pc, rpc: rpc, lanes: lanes})
	}
}

// indexed is a branch to one of several targets. Lanes whose guard does not
// hold go on to the following instruction.
type indexed struct {
	index      alu.Slot
	targets    []int32
	distinct   []int32 // the targets and the next instruction, without repetition; the last runs first
	reconverge int32
}

func (b *indexed) exec(w *Warp, mask uint64, eff *Effect) error {
	top := w.stack[len(w.stack)-1]
	next := top.pc + 1
	for m := mask; m != 0; m &= m - 1 {
		lane := alu.First(m)
		if i := w.regs.At(b.index, lane); i >= uint64(len(b.targets)) {
			return w.fault(top.pc, lane, fmt.Errorf("index %d of a branch with %d targets", i, len(b.targets)))
		}
	}
	going := func(target int32) (lanes uint64) {
		for m := mask; m != 0; m &= m - 1 {
			if lane := alu.First(m); b.targets[w.regs.At(b.index, lane)] == target {
				lanes |= 1 << lane
			}
		}
		if target == next {
			lanes |= top.lanes &^ mask
		}
		return lanes
	}
	for _, t := range b.distinct {
		if going(t) == top.lanes {
			w.jump(t)
			return nil
		}
	}
	eff.Diverged = true
	w.split(b.reconverge)
	for _, t := range b.distinct {
		if to := going(t); to != 0 {
			w.push(t, b.reconverge, to)
		}
	}
	return nil
}

// branch decodes a branch. Of its paths, those from which no barrier can be reached run
// first: their lanes may end, and then a barrier does not wait for them.
func (d *decoder) branch() operation {
	in := d.in
	b := d.graph.BlockOf(d.pc)
	reconverge := int32(none)
	if r := d.graph.Reconverge(b); r != d.graph.Exit() {
		reconverge = int32(d.graph.Blocks[r].Start)
	}
	next := int32(d.pc + 1)
	if in.Op == isa.Bra {
		target := int32(in.Target)
		return &branch{target: target, reconverge: reconverge, first: !d.awaits(target) && d.awaits(next)}
	}
	op := &indexed{index: d.source(0, false), reconverge: reconverge}
	for _, t := range in.Targets {
		op.targets = append(op.targets, int32(t))
	}
	seen := make(map[int32]bool)
	for _, t := range append(slices.Clone(op.targets), next) {
		if !seen[t] {
			seen[t] = true
			op.distinct = append(op.distinct, t)
		}
	}
	slices.SortStableFunc(op.distinct, func(a, b int32) int {
		switch {
		case d.awaits(a) == d.awaits(b):
			return 0
		case d.awaits(a):
			return -1
		}
		return 1
	})
	return op
}

// awaits reports whether a barrier can be reached from an instruction at which a block
// starts.
func (d *decoder) awaits(pc int32) bool {
	return int(pc) < len(d.kernel.Instrs) && d.code.awaits[pc]
}

// trap stops the run if any lane executes it.
type trap struct{}

func (trap) exec(w *Warp, mask uint64, _ *Effect) error {
	return w.fault(w.stack[len(w.stack)-1].pc, alu.First(mask), ErrTrap)
}
