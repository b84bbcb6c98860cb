package emu

// Warp is the state of one warp: registers, predicates, and a stack of entries
// (pc, rpc, lanes), the last of which runs. It starts with one entry for all
// lanes at the first instruction and without rpc.
//
//   - A branch whose active lanes agree sets the pc of the entry.
//   - If they disagree, let r be the start of the immediate post-dominator of
//     the branch's block. The pc of the entry becomes r; if r is its rpc already,
//     the entry is dropped, because its lanes are awaited further below. Then an
//     entry (t, r, lanes that go to t) is pushed for each distinct target t other
//     than r: for an indexed branch in the order of its targets, for a guarded
//     one first the target and last the instruction that follows, which
//     therefore runs first.
//   - An entry whose pc has become its rpc is dropped, and the one below runs.
//   - Lanes that exit are taken out of every entry, and entries without lanes
//     are dropped. Where lanes may exit apart there is no r: the entries that
//     are pushed have no rpc and last until all their lanes have exited.
//
// So the stack is never deeper than branches are nested.
type Warp struct {
	cta   *CTA
	index int // in the CTA

	stack   []entry
	threads uint64 // the lanes that hold threads
	alive   uint64 // those that have not exited
}

// entry is an element of the reconvergence stack.
type entry struct {
	pc, rpc int32
	lanes   uint64
}

// PC returns the index of the next instruction. The warp must not be done.
func (w *Warp) PC() int { return int(w.stack[len(w.stack)-1].pc) }

// Active returns the lanes that take part in the next instruction, whatever its
// guard. The warp must not be done.
func (w *Warp) Active() uint64 { return w.stack[len(w.stack)-1].lanes }

// Depth returns the number of entries on the reconvergence stack.
func (w *Warp) Depth() int { return len(w.stack) }

// Done reports whether all lanes have exited.
func (w *Warp) Done() bool { return w.alive == 0 }

// AtBarrier reports whether the warp waits at a CTA barrier. It goes on when
// another warp's Step releases it.
func (w *Warp) AtBarrier() bool { return false }

// Step executes the next instruction for the active lanes and says in eff what
// it did. The warp must neither be done nor wait at a barrier. An error is a
// *Fault that ends the run: the state of the grid is no longer defined.
//
// A Step that leaves every warp of the CTA that has not exited waiting at a
// barrier that none can satisfy is the error ErrDeadlock; so a caller need not
// look for deadlocks.
func (w *Warp) Step(env *Env, eff *Effect) error {
	return nil
}
