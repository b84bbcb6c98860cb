package core

import (
	"warpbound/internal/emu"
	"warpbound/internal/sim"
)

// State says whether a warp can issue.
type State uint8

// The states.
const (
	Absent    State = iota // it has retired, or there is none
	Running                // when it is ready
	AtBarrier              // when others arrive
	Exited                 // no more; its accesses are not over yet
)

// Warp is where a warp is.
type Warp struct {
	Emu   *emu.Warp
	State State
	Why   sim.Stall // what it waits for until it is ready
	PC    int       // of the instruction that it issued last
}

// Active reports whether the warp may go on although no other does, or is to retire.
func (w *Warp) Active() bool { return w.State == Exited || w.State != Absent && !Inert(w.Emu) }

// site returns where a warp is and what it waits for there: ready if it is so.
func (w *Warp) site(code *emu.Code, isReady bool, ready string) sim.Site {
	pc := w.PC
	if !w.Emu.Done() {
		pc = w.Emu.PC()
	}
	what := WaitsFor(w.Why)
	switch {
	case w.State == AtBarrier:
		what = WaitsAtBarrier
	case w.State == Exited:
		what = WaitsToRetire
	case isReady:
		what = ready
	}
	return sim.SiteOf(code, w.Emu, pc, what)
}

// What warps wait for that are not running.
const (
	WaitsAtBarrier = "waits at a barrier"
	WaitsToRetire  = "has exited and waits for its accesses"
)

// WaitsFor says what a warp waits for that is running but not ready.
func WaitsFor(why sim.Stall) string {
	switch why {
	case sim.StallFence:
		return "waits at a fence for its accesses"
	case sim.StallIdle:
		return "waits for its first instruction"
	case sim.StallBranch:
		return "waits for its next instruction"
	case sim.StallBarrier:
		return "waits for the barrier that was reached"
	case sim.StallSplit:
		return "splits or merges"
	}
	return "waits for a result"
}
