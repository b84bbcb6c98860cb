package emu

// Entry is an element of the reconvergence stack of a warp: lanes that go on at PC, until
// they come to Until. Until is negative if they go on until they end.
type Entry struct {
	PC, Until int
	Lanes     uint64
}

// Frame is an element of the synchronisation stack of a warp: lanes that wait at the sync
// of a branch, and lanes that are still to go on at Next.
type Frame struct {
	Branch int
	Done   uint64
	Next   int
	Todo   uint64
}

// Waiting returns the elements of the reconvergence stack below the running one, the
// lowest first.
func (w *Warp) Waiting() []Entry {
	var list []Entry
	for i := 0; i < len(w.stack)-1; i++ {
		e := w.stack[i]
		list = append(list, Entry{PC: int(e.pc), Until: int(e.rpc), Lanes: e.lanes})
	}
	return list
}

// Frames returns the elements of the synchronisation stack, the lowest first.
func (w *Warp) Frames() []Frame {
	var list []Frame
	for _, f := range w.syncs {
		list = append(list, Frame{Branch: int(f.branch), Done: f.done, Next: int(f.next), Todo: f.todo})
	}
	return list
}
