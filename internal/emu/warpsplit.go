package emu

import "warpbound/internal/isa"

// A warp-split is a Warp that executes some lanes of a warp as a unit of its own: Detach takes
// them from the warp, and the warp-split and the warp may then be stepped in any order. They share
// registers, predicates, memory and CTA, and since every lane belongs to one of them only,
// the order makes no difference to a kernel that has no races. Warp-splits may be detached from
// warp-splits.
//
// The stack of a warp-split is the entry that was detached, on an entry in which its lanes wait
// at the reconvergence point. It is home when that one runs: then Join gives the lanes back.
// Lanes that exit are taken out of the entries of all warps that the warp-split was detached
// from, too. In a kernel whose lanes reconverge AtSyncs a warp-split has the frame of the
// branch instead, and is home when its lanes have executed the sync.
//
// A barrier of the CTA, and an instruction that names lanes which take part, are faults
// where lanes are diverged.

// Detach makes the running entry of w the warp-split's: w runs the entry below it, if it is
// not held. After a branch has diverged that is the entry of the other path; or the one
// that waits where the branch reconverges, if the other path begins there.
//
// The warp w must be able to step. The warp-split must be one that is done or was never used; it
// is used again without allocation, and must not be copied. In a kernel whose lanes reconverge
// AtSyncs, where cfg.Graph.CheckSyncs must have found the syncs in order, only a Step that has
// diverged may be followed by Detach, once: the warp-split then has the lanes that run, and w
// those that took the branch.
func (w *Warp) Detach(warpSplit *Warp) {
	s := warpSplit
	last := len(w.stack) - 1
	e := w.stack[last]
	w.out |= e.lanes
	s.code, s.cta, s.index = w.code, w.cta, w.index
	s.regs, s.local, s.own = w.regs, w.local, w.own
	s.parent, s.returns = w, true
	s.alive, s.regs.Full, s.out = e.lanes, 0, 0
	s.cta.grid.Change()
	s.branches = 0
	s.recurrence.restart(s.cta.grid.epoch)
	s.stack, s.syncs = s.stack[:0], s.syncs[:0]
	switch {
	case w.code.kernel.Reconvergence == isa.AtSyncs:
		f := &w.syncs[len(w.syncs)-1]
		s.syncs = append(s.syncs, syncFrame{branch: f.branch, next: f.next})
		f.out |= e.lanes
		w.stack[last].pc, w.stack[last].lanes = f.next, f.todo
		f.todo = 0
	case e.rpc == none:
		w.stack = w.stack[:last]
		s.returns = false
	default:
		w.stack = w.stack[:last]
		s.stack = append(s.stack, entry{pc: e.rpc, rpc: none, lanes: e.lanes})
	}
	s.stack = append(s.stack, e)
}

// Join ends a warp-split that was detached from w and is home: its lanes are with w again.
func (w *Warp) Join(warpSplit *Warp) {
	w.out &^= warpSplit.alive
	warpSplit.alive = 0
	w.cta.grid.Change()
	warpSplit.stack = warpSplit.stack[:0]
}

// Home reports whether all lanes of a warp-split, except those that have exited, have come to
// the instruction at which they reconverge with those from which they were detached. The
// warp-split cannot step any more. It is false if all have exited; that is for Done to say.
func (w *Warp) Home() bool {
	return w.parent != nil && w.returns && len(w.stack) == 1 && len(w.syncs) == 0 && w.out == 0
}

// Held reports whether w cannot step before a warp-split of it joins or exits: lanes of the
// running entry are with warp-splits, or all that w has left are.
func (w *Warp) Held() bool {
	if last := len(w.stack) - 1; last >= 0 {
		return w.stack[last].lanes&w.out != 0
	}
	return w.alive != 0
}

// Out returns the lanes of w that are with warp-splits and have not exited.
func (w *Warp) Out() uint64 { return w.out }

// whole returns the warp that w was detached from, directly or not: w itself if it is no
// warp-split.
func (w *Warp) whole() *Warp {
	for w.parent != nil {
		w = w.parent
	}
	return w
}

// beyond returns those of some living lanes of the whole warp that w does not hold itself.
func (w *Warp) beyond(lanes uint64) uint64 { return lanes&^w.alive | lanes&w.out }

// united returns an error if lanes of the whole warp are diverged.
func (w *Warp) united(pc int32, mask uint64) error {
	if w.parent == nil && w.out == 0 {
		return nil
	}
	return w.faultf(pc, mask, "%w: the thread is diverged from others of its warp, which is split. "+
		"Let the branch reconverge before the barrier", ErrBarrier)
}
