package absexec

import (
	"warpbound/diag"
	"warpbound/internal/isa"
)

// This file holds the discipline of kernels whose lanes reconverge at syncs, that of
// internal/emu's synchronisation stack. The reconvergence stack has one entry then, the
// running one; other lanes are in frames.
//
// Lanes that may take a branch are put off, and the others, which may be all or none, run
// on. If the lanes of a loop may leave it at several times, the last that do so do not wait
// for a sync before: they go to the target at once, and those that left earlier follow.
// Nobody knows which are last, so that the lanes that may be go before those put off.
// What a warp executes is some of the steps of this order.

// syncFrame holds the lanes of a branch that do not run.
type syncFrame struct {
	branch int
	last   group // that may have taken the branch as the last to come to it, with others put off
	todo   group // put off, to run from the target
	done   group // that wait at a sync
	met    int   // that sync
}

// group is some lanes with what they know.
type group struct {
	must, may uint64
	state     *state
	loops     []loopCount
}

// take adds lanes of the running entry to the group.
func (g *group) take(from *entry, must, may uint64) {
	if g.may == 0 {
		*g = group{must: must, may: may, state: from.state.clone(), loops: from.loops}
		return
	}
	g.state = g.state.merge(from.state, g.may, may, choice{mixed: true})
	g.loops = fewest(g.loops, from.loops)
	g.must |= must
	g.may |= may
}

// run makes the group the running entry.
func (g *group) run(top *entry) {
	top.must, top.may, top.state, top.loops = g.must, g.may, g.state, g.loops
	*g = group{}
}

// branchToSync executes a branch with a guard, which the lanes of may take, for certain those of
// must.
func (x *execution) branchToSync(in *isa.Instr, must, may uint64) error {
	top := x.top()
	if last := len(x.frames) - 1; last < 0 || x.frames[last].branch != top.pc {
		x.frames = append(x.frames, syncFrame{branch: top.pc})
	}
	f := &x.frames[len(x.frames)-1]
	stay := top.may &^ must
	switch {
	case in.Target == top.pc+1, may == 0:
		return x.transfer(top.pc + 1)
	case stay == 0:
		return x.transfer(in.Target)
	}
	if may&stay != 0 {
		x.open(top, []successor{{pc: in.Target, may: may}, {pc: top.pc + 1, may: stay}})
	}
	put := top.must & must // off surely, unless they may be the last
	if top.must&^may == 0 && f.todo.may != 0 {
		f.last.take(top, 0, may)
		put = 0
	}
	f.todo.take(top, put, may)
	top.must, top.may = top.must&^may, stay
	return x.transfer(top.pc + 1)
}

// sync executes a sync.
func (x *execution) sync() error {
	top := x.top()
	if len(x.frames) == 0 {
		return diag.Errorf(x.instr(top.pc).Pos, "kernel %s: this sync matches no branch", x.kernel.Readable())
	}
	f := &x.frames[len(x.frames)-1]
	f.done.take(top, top.must, top.may)
	f.met = top.pc
	return x.other()
}

// other makes other lanes of the last frame run in place of those that have come to its
// sync, or are none.
func (x *execution) other() error {
	last := len(x.frames) - 1
	f, top := &x.frames[last], x.top()
	target := x.instr(f.branch).Target
	switch {
	case f.last.may != 0:
		f.last.run(top)
		return x.transfer(target)
	case f.todo.may != 0:
		f.todo.run(top)
		return x.transfer(target)
	}
	done, met := f.done, f.met
	x.frames = x.frames[:last]
	if done.may != 0 {
		done.run(top)
		top.pc = met
		return x.advance()
	}
	return nil
}

// exitAtSyncs retires lanes, which must not be on a path of a branch.
func (x *execution) exitAtSyncs(must, may uint64) error {
	if n := len(x.frames); n > 0 {
		return diag.Errorf(x.instr(x.top().pc).Pos, "kernel %s: the warp ends before a sync has ended the divergence of %s",
			x.kernel.Readable(), x.kernel.Format(x.instr(x.frames[n-1].branch)))
	}
	x.exit(must, may)
	return x.advance()
}
