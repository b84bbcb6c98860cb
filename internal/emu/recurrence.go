package emu

import (
	"slices"
	"strings"

	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// recurrence is what is needed to see that a warp comes back to a state in which it was, while
// nothing has changed that other warps can see. Then it does the same again and again, however long
// its instructions take: it waits in vain for memory to change, or has an endless loop.
//
// Most looks compare no more than where the running lanes are and a hash of the registers that
// decide where they go, with those of a look that is replaced after twice as many looks each time
// (Brent, An improved Monte Carlo factorization algorithm, BIT 1980). Where they are the same, the
// whole state is kept, and the next time compared in full: a hash alone proves nothing.
type recurrence struct {
	epoch int64    // of the grid, in which all looks were
	looks int      // in this epoch
	mark  mark     // what looks are compared with
	state []uint64 // see Warp.appendState; of a look that was like the mark, none if it is empty
	found bool     // that the warp is in a state in which it was
}

// mark is what is compared first of two states.
type mark struct {
	pc    int32
	depth int32
	lanes uint64
	sum   uint64 // of the registers that decide
}

// lookBranches is how many branches pass between two looks.
const lookBranches = 64

// restart makes a warp one that has not been looked at. The storage of states stays.
func (r *recurrence) restart(epoch int64) { *r = recurrence{epoch: epoch, state: r.state[:0]} }

// countBranch counts a branch, and looks now and then whether the warp recurs.
func (w *Warp) countBranch(eff *Effect) {
	if w.branches++; w.branches >= lookBranches {
		w.lookBetweenTurns(eff)
	}
}

// lookBetweenTurns looks whether the warp recurs, unless it has paths that take turns: then it is
// looked at when they do.
func (w *Warp) lookBetweenTurns(eff *Effect) {
	if len(w.stack) <= 1 || w.code.turns.Path == 0 {
		w.lookForRecurrence(eff)
	}
}

// lookForRecurrence finds out whether the warp recurs.
func (w *Warp) lookForRecurrence(eff *Effect) {
	r := &w.recurrence
	w.branches = 0
	if epoch := w.cta.grid.epoch; r.epoch != epoch {
		r.restart(epoch)
	}
	if eff.Recurs = r.found; r.found || len(w.stack) == 0 {
		return
	}
	r.looks++
	replace := r.looks&(r.looks-1) == 0
	top := &w.stack[len(w.stack)-1]
	d := &w.code.deciding[w.code.graph.BlockOf(int(top.pc))]
	now := mark{top.pc, int32(len(w.stack)), top.lanes, w.regs.Sum(d.registers, d.predicates, top.lanes)}
	if now != r.mark {
		if replace {
			r.mark, r.state = now, r.state[:0]
		}
		return
	}
	w.cta.looked = w.appendState(w.cta.looked[:0])
	r.found = slices.Equal(w.cta.looked, r.state)
	if eff.Recurs = r.found; !r.found && (replace || len(r.state) == 0) {
		r.state = append(r.state[:0], w.cta.looked...)
	}
}

// Recurs reports whether the warp goes through the same states again and again until something
// changes that other warps can see, and nothing has changed since that was found (Grid.Change).
func (w *Warp) Recurs() bool { return w.recurrence.found && w.recurrence.epoch == w.cta.grid.epoch }

// appendState appends all from which follows what the warp does next, but for memory: where its
// lanes are, which of them wait for others and for how long, and what is in the registers from
// which a guard, an address, who takes part in an instruction, or what an atomic operation in a
// loop writes can follow, live or not. A warp is in the same state where these numbers are the
// same.
func (w *Warp) appendState(list []uint64) []uint64 {
	own := w.alive &^ w.out
	list = append(list, w.alive, w.out, w.parked, uint64(w.since), uint64(w.spent), uint64(len(w.stack)))
	for _, e := range w.stack {
		list = append(list, uint64(e.pc), uint64(e.rpc), e.lanes)
	}
	for _, f := range w.syncs {
		list = append(list, uint64(f.branch), uint64(f.next), uint64(f.met), f.done, f.todo, f.out)
	}
	for _, p := range w.code.everywhere.predicates {
		list = append(list, w.regs.Preds[p]&own)
	}
	for _, s := range w.code.everywhere.registers {
		list = w.regs.Append(list, s, own)
	}
	return list
}

// Change notes that something has changed that other warps than the one that did it can see, such
// as memory (Effect.Changed). No warp of the grid may be stepped meanwhile.
func (g *Grid) Change() { g.epoch++ }

// canChangeOthers reports whether an instruction can change something that other warps see, or do
// another thing the next time in the same state of warp and memory. Only what surely does neither
// is none. Atomic operations find out when they are executed.
func canChangeOthers(in *isa.Instr, decoded *instr) bool {
	for _, r := range decoded.reads {
		if r.special != isa.SmID && r.special != isa.NsmID { // the clocks
			return true
		}
	}
	switch decoded.op.(type) {
	case nil, *branch, *indexed, *syncBranch, jumpOp, syncOp, *load, *isspacep, *collective, *aligned:
		return false
	case *matrixAccess:
		return in.Op != isa.LdMatrix
	case nop:
		return in.Op != isa.Nop && in.Op != isa.Fence && in.Op != isa.Prefetch
	}
	return true
}

// Loop is what a warp does that recurs.
type Loop struct {
	Start int      // index of its first instruction
	Reads []string // which places in memory it reads, each once
}

// maxLoopSteps is how many instructions FollowLoop executes at most.
const maxLoopSteps = 1 << 10

// FollowLoop executes what a warp does that recurs, until it is where it was or for many
// instructions, and says what that was. It changes nothing.
func (w *Warp) FollowLoop(env *Env, eff *Effect) (Loop, error) {
	begin, start := w.appendState(nil), w.PC()
	loop := Loop{Start: start}
	for range maxLoopSteps {
		if err := w.Step(env, eff); err != nil {
			return loop, err
		}
		loop.Start = min(loop.Start, eff.PC)
		if k := eff.Access.Kind; k == Load || k == Atomic {
			w.addPlaces(&loop, &eff.Access, eff.Mask)
		}
		if w.PC() == start && slices.Equal(w.appendState(nil), begin) {
			break
		}
	}
	return loop, nil
}

// addPlaces adds where lanes of an access read to the places that a loop reads.
func (w *Warp) addPlaces(loop *Loop, acc *Access, lanes uint64) {
	for m := lanes &^ acc.Lanes[isa.Param]; m != 0; m &= m - 1 {
		addr := acc.Addr[alu.First(m)]
		if r := w.region(addr); r != nil {
			if place := strings.TrimPrefix(w.cta.grid.place(r, addr), ", "); !slices.Contains(loop.Reads, place) {
				loop.Reads = append(loop.Reads, place)
			}
		}
	}
}
