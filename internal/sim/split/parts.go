package split

import (
	"warpbound/diag"
	"warpbound/internal/sim"
)

// This file moves the lanes of wavefronts that split and merge, as the contexts say.

// splitAtInstr executes a split instruction: the branch that follows decides which lanes
// stay. If that are none or all, all stay.
func (c *cu) splitAtInstr(st *warpSplit, now int64, by int) error {
	s := c.sim
	stay, active := st.warp.Guard(st.pc+1), st.warp.Active()
	if s.branches[st.pc].takenGo {
		stay = active &^ stay
	}
	if stay == 0 || stay == active {
		stay = ^uint64(0)
	}
	if c.fronts[st.x].unused() == none {
		return diag.Errorf(s.run.Config.Code.Instr(st.pc).Pos, "a wavefront splits into more parts than the %d that %s has contexts for", s.shape.parts, s.m.Name)
	}
	c.split(st, stay, now, by)
	return nil
}

// diverge is called when the lanes of a branch diverged: those that go leave the warp if a
// split instruction came before, or if the hardware splits by itself here and can.
func (c *cu) diverge(st *warpSplit, now int64, by int) {
	s := c.sim
	if b := s.branches[st.pc]; b.splits && c.fronts[st.x].unused() != none {
		stay := s.run.Effect.Mask
		if b.takenGo {
			stay = ^stay
		}
		c.split(st, stay, now, by)
	}
	if st.child != none {
		child := &c.warpSplits[c.warpSplit(st.x, st.child)]
		st.warp.Detach(&child.own)
		child.warp = &child.own
	}
}

// split takes a context for the lanes of a warp-split that do not stay.
func (c *cu) split(st *warpSplit, stay uint64, now int64, by int) {
	f := &c.fronts[st.x]
	f.keep(st.part, stay)
	st.child = f.split(st.part)
	at := c.warpSplit(st.x, st.child)
	child := &c.warpSplits[at]
	child.place(st.x, st.child, c.host(st), nil)
	c.lodge(at)
	child.state, child.served, c.ready[at] = beginning, st.served, never
	c.reasons.split(c.warpSplit(st.x, st.part), at)
	c.sim.run.Count.Splits++
	c.look(at, now, by)
}

// depart lets the part begin that split off; without lanes, it is where it merges.
func (c *cu) depart(st *warpSplit, ready, now int64, by int) {
	at := c.warpSplit(st.x, st.child)
	child := &c.warpSplits[at]
	st.child = none
	child.why, child.met = st.why, ready
	c.reasons.depart(at, ready, st.why)
	if child.warp == nil {
		child.state = atMerge
		return
	}
	c.wake(at, ready, now, by)
}

// arrive makes a warp-split wait that is where it merges, and lets the parent go on if both
// parts are there.
func (c *cu) arrive(at int, now int64, by int) {
	st := &c.warpSplits[at]
	if st.task == taskSplit {
		return // what the branch has done takes effect when the split is over
	}
	f := &c.fronts[st.x]
	parent := st.part
	switch {
	case st.warp.Held():
	case st.part > 0 && st.warp.Home():
		parent = f.partner(st.part)
	default:
		return
	}
	st.state, st.met, c.ready[at] = atMerge, c.ready[at], never
	c.reasons.arrive(at)
	child := f.partner(parent)
	if f.partner(child) != parent {
		return // the child waits for a child of its own
	}
	p, q := &c.warpSplits[c.warpSplit(st.x, parent)], &c.warpSplits[c.warpSplit(st.x, child)]
	if p.state != atMerge || q.state != atMerge {
		return
	}
	p.why = sim.StallSplit
	if c.sim.shape.shared {
		p.task = taskMerge
	}
	c.reasons.join(c.warpSplit(st.x, parent), c.warpSplit(st.x, child))
	c.wake(c.warpSplit(st.x, parent), max(p.met, q.met), now, by)
}

// merge merges a warp-split with its latest child, which waits for it.
func (c *cu) merge(st *warpSplit, now int64, by int) error {
	f := &c.fronts[st.x]
	if child := f.partner(st.part); f.parts[st.part].depth == 0 || c.warpSplits[c.warpSplit(st.x, child)].state != atMerge {
		return diag.Errorf(c.sim.run.Config.Code.Instr(st.pc).Pos, "merge without a part to merge with")
	}
	at := c.warpSplit(st.x, f.merge(st.part))
	child := &c.warpSplits[at]
	if child.warp != nil {
		st.warp.Join(child.warp)
	}
	st.served = max(st.served, child.served)
	c.reasons.merge(c.warpSplit(st.x, st.part), at)
	child.state = absent
	c.leave(at)
	c.look(at, now, by)
	return nil
}
