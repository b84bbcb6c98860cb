package emu

import "fmt"

// jump sets the pc of the running entry and drops entries that have reached
// their reconvergence point.
func (w *Warp) jump(pc int32) {
	top := &w.stack[len(w.stack)-1]
	top.pc = pc
	if pc == top.rpc {
		w.stack = w.stack[:len(w.stack)-1]
	}
}

// branch is a direct branch. Its guard selects the lanes that take it.
type branch struct{ target, reconverge int32 }

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
		w.push(b.target, b.reconverge, mask)
		w.push(next, b.reconverge, top.lanes&^mask)
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
	index      slot
	targets    []int32
	distinct   []int32 // the targets without repetition, in order
	reconverge int32
}

func (b *indexed) exec(w *Warp, mask uint64, eff *Effect) error {
	top := w.stack[len(w.stack)-1]
	next := top.pc + 1
	for m := mask; m != 0; m &= m - 1 {
		lane := first(m)
		if i := w.at(b.index, lane); i >= uint64(len(b.targets)) {
			return w.fault(top.pc, lane, fmt.Errorf("index %d of a branch with %d targets", i, len(b.targets)))
		}
	}
	going := func(target int32) (lanes uint64) {
		for m := mask; m != 0; m &= m - 1 {
			if lane := first(m); b.targets[w.at(b.index, lane)] == target {
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
	if mask == 0 {
		w.jump(next)
		return nil
	}
	eff.Diverged = true
	w.split(b.reconverge)
	rest := top.lanes
	for _, t := range b.distinct {
		if to := going(t); to != 0 {
			w.push(t, b.reconverge, to)
			rest &^= to
		}
	}
	if rest != 0 {
		w.push(next, b.reconverge, rest)
	}
	return nil
}

// exit retires the lanes whose guard holds.
type exit struct{}

func (exit) exec(w *Warp, mask uint64, eff *Effect) error {
	w.stack[len(w.stack)-1].pc++
	w.alive &^= mask
	for i := range w.stack {
		w.stack[i].lanes &^= mask
	}
	for len(w.stack) > 0 && w.stack[len(w.stack)-1].lanes == 0 {
		w.stack = w.stack[:len(w.stack)-1]
	}
	if len(w.stack) > 0 {
		top := &w.stack[len(w.stack)-1]
		w.jump(top.pc)
		return nil
	}
	eff.WarpDone = true
	return w.cta.retire(w, eff)
}

// trap stops the run if any lane executes it.
type trap struct{}

func (trap) exec(w *Warp, mask uint64, _ *Effect) error {
	return w.fault(w.stack[len(w.stack)-1].pc, first(mask), ErrTrap)
}
