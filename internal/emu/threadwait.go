package emu

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// threadWait is an instruction at which threads of a warp that are scheduled independently wait for
// others of it:
//
//   - A barrier waits for all threads of the warp that have not exited, and then the warp arrives (PTX ISA, barrier).
//   - An operation that names its members waits for those of them that have not exited (PTX ISA, shfl.sync and others).
//   - An aligned operation, such as mma, waits for all threads of the warp.
//
// They wait for threads that execute the same operation, with the same members, or the same barrier
// and count of threads, at whatever instruction; for an aligned operation it must be the same
// instruction. Lanes that wait have an entry of the stack at the instruction, and are parked. No
// other path of the warp can go on where that is a deadlock.
type threadWait struct {
	operation // that the instruction is without independent threads

	class      int32       // instructions that may be executed together have the same
	barrier    *barrierOp  // nil if it is none
	collective *collective // nil if it names no members
}

// waitForThreads makes threads wait at barriers and operations of a warp.
func (c *Code) waitForThreads() {
	classes := make(map[string]int32)
	for pc := range c.instrs {
		in := &c.instrs[pc]
		wait := &threadWait{operation: in.op, class: int32(len(c.instrs) + pc)}
		switch op := underlying(in.op).(type) {
		case *barrierOp:
			wait.barrier = op
		case *collective:
			wait.collective = op
		case *aligned, *matrixAccess:
			in.op, in.control = wait, true
			continue
		default:
			continue
		}
		of := qualifiersOf(c.Instr(pc))
		if _, ok := classes[of]; !ok {
			classes[of] = int32(len(classes))
		}
		wait.class = classes[of]
		in.op, in.control = wait, true
	}
}

// qualifiersOf tells operations apart of which threads do not execute one together with another.
func qualifiersOf(in *isa.Instr) string {
	if in.Op == isa.Bar {
		return fmt.Sprint(in.Op, in.Barrier)
	}
	return fmt.Sprint(in.Op, in.Type, in.Lane, in.Atom, in.NaN, in.Abs)
}

func (op *threadWait) exec(w *Warp, mask uint64, eff *Effect) error {
	if mask == 0 {
		w.advance()
		return nil
	}
	if op.canExecute(w, mask) {
		if err := op.operation.exec(w, mask, eff); err != nil {
			return err
		}
		w.advance()
		return nil
	}
	eff.Separate = true
	pc := int32(eff.PC)
	if top := w.stack[len(w.stack)-1]; mask != top.lanes || op.lanesLike(w, mask) != mask {
		w.split(pc + 1) // lanes whose guard does not hold wait behind
		for lanes := mask; lanes != 0; {
			group := op.lanesLike(w, lanes)
			w.push(pc, pc+1, group)
			lanes &^= group
		}
	}
	w.parked |= mask
	if op.collective != nil {
		for lanes := mask; lanes != 0; {
			group := op.lanesLike(w, lanes)
			if err := alu.CheckNamed(op.waitKey(w, alu.First(group)), group); err != nil {
				return w.laneFault(pc, err)
			}
			lanes &^= group
		}
	}
	return w.executeWaiting(eff)
}

// waitKey is what lanes must agree in to execute the operation together: a barrier and its count,
// or the members.
func (op *threadWait) waitKey(w *Warp, lane int) uint64 {
	switch {
	case op.collective != nil:
		return w.regs.At(op.collective.members, lane)
	case op.barrier == nil:
		return 0
	}
	key := w.regs.At(op.barrier.id, lane)
	if op.barrier.counted {
		key |= w.regs.At(op.barrier.count, lane) << 32
	}
	return key
}

// lanesLike returns those of some lanes whose key is that of the first.
func (op *threadWait) lanesLike(w *Warp, lanes uint64) uint64 {
	key, same := op.waitKey(w, alu.First(lanes)), uint64(0)
	for m := lanes; m != 0; m &= m - 1 {
		if lane := alu.First(m); op.waitKey(w, lane) == key {
			same |= 1 << lane
		}
	}
	return same
}

// awaitedLanes returns the lanes that must execute the operation together with one that has come to
// it.
func (op *threadWait) awaitedLanes(w *Warp, lane int) uint64 {
	if op.collective != nil {
		return op.waitKey(w, lane) & w.alive
	}
	return w.alive
}

// canExecute reports whether the lanes of mask can execute the operation at once.
func (op *threadWait) canExecute(w *Warp, mask uint64) bool {
	return op.awaitedLanes(w, alu.First(mask))&^mask == 0 && op.lanesLike(w, mask) == mask
}

// parkedGroup is a set of lanes that wait at one instruction.
type parkedGroup struct {
	pc    int32
	lanes uint64
}

// parkedGroups returns where lanes wait that are parked, the lowest entries of the stack first.
func (w *Warp) parkedGroups() []parkedGroup {
	list, above := w.groups[:0], uint64(0)
	for i := len(w.stack) - 1; i >= 0; i-- {
		e := &w.stack[i]
		if here := e.lanes &^ above & w.parked; here != 0 {
			list = append(list, parkedGroup{e.pc, here})
		}
		above |= e.lanes
	}
	slices.Reverse(list)
	w.groups = list
	return list
}

// waitAt returns the operation at which lanes of a warp wait.
func (c *Code) waitAt(pc int32) *threadWait { return c.instrs[pc].op.(*threadWait) }

// executeWaiting executes what lanes of the warp wait for, as far as all have come, and lets
// another path run if those of the running one still wait. It is a deadlock if there is none.
func (w *Warp) executeWaiting(eff *Effect) error {
	for again := true; again; {
		again = false
		for _, g := range w.parkedGroups() {
			done, err := w.executeGroup(g, eff)
			if err != nil {
				return err
			}
			if done {
				again = true
				break // there are other groups now
			}
		}
	}
	if w.parked == 0 || w.stack[len(w.stack)-1].lanes&^w.parked != 0 {
		return nil
	}
	if eff.Turned = w.turn(false) || w.turn(true); eff.Turned {
		return nil
	}
	return w.fault(int32(eff.PC), alu.First(w.parked), fmt.Errorf("%w: no thread of the warp can go on: %s", ErrDeadlock, w.describeWaiting()))
}

// executeGroup executes an operation for some lanes that wait there, and all others that execute it
// together with them, unless it has to wait for more.
func (w *Warp) executeGroup(g parkedGroup, eff *Effect) (done bool, err error) {
	op := w.code.waitAt(g.pc)
	key, all := op.waitKey(w, alu.First(g.lanes)), uint64(0)
	together := w.joined[:0]
	for _, other := range w.groups {
		if at := w.code.waitAt(other.pc); at.class == op.class && at.waitKey(w, alu.First(other.lanes)) == key {
			together, all = append(together, other), all|other.lanes
		}
	}
	w.joined = together
	if op.awaitedLanes(w, alu.First(g.lanes))&^all != 0 {
		return false, nil
	}
	switch {
	case op.barrier != nil:
		w.checkAligned(together)
		err = op.barrier.arriveAt(w, together, eff)
	case op.collective != nil:
		err = op.collective.execAt(w, together, all)
	default: // aligned, so that there is one instruction
		eff.PC, eff.Mask = int(g.pc), all
		err = op.operation.exec(w, all, eff)
	}
	if err != nil {
		return false, err
	}
	w.unparkLanes(all)
	return true, nil
}

// checkAligned notes that lanes are at several instructions of which some are aligned barriers.
func (w *Warp) checkAligned(groups []parkedGroup) {
	for _, g := range groups {
		if g.pc != groups[0].pc || g.pc != groups[len(groups)-1].pc {
			if !w.code.waitAt(g.pc).barrier.unaligned {
				w.cta.grid.noteUndefined(g.pc, "threads of a warp are at this aligned barrier and at another one; from sm_70 on "+
					"barrier.sync and the like without .aligned let them")
			}
		}
	}
}

// unparkLanes lets lanes go on behind the instructions at which they wait.
func (w *Warp) unparkLanes(lanes uint64) {
	w.parked &^= lanes
	above := uint64(0)
	for i := len(w.stack) - 1; i >= 0; i-- {
		e := &w.stack[i]
		here := e.lanes &^ above
		above |= e.lanes
		if here&lanes == 0 {
			continue // lanes of this entry are on paths that began here
		}
		if e.pc++; e.pc == e.rpc {
			w.stack = slices.Delete(w.stack, i, i+1)
		}
	}
}

// describeWaiting says where the lanes of the warp wait, and for whom.
func (w *Warp) describeWaiting() string {
	var list []string
	for _, g := range w.parkedGroups() {
		op := w.code.waitAt(g.pc)
		text := fmt.Sprintf("thread %s", triple(w.thread(alu.First(g.lanes))))
		if n := bits.OnesCount64(g.lanes); n > 1 {
			text += fmt.Sprintf(" and %d others (lanes 0x%x)", n-1, g.lanes)
		}
		text += " at " + w.code.place(g.pc)
		if absent := op.awaitedLanes(w, alu.First(g.lanes)) &^ g.lanes; op.collective != nil {
			text += fmt.Sprintf(", whose member mask 0x%x names thread %s", op.waitKey(w, alu.First(g.lanes)), triple(w.thread(alu.First(absent))))
		} else {
			text += fmt.Sprintf(" for all of the warp, such as thread %s", triple(w.thread(alu.First(absent))))
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ") + ". Let those that wait for each other execute the same operation with the same members"
}
