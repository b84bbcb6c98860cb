package scoreboard

import (
	"fmt"

	"warpbound/internal/sim"
)

// stuck gathers the state of all warps.
func (s *Sim) stuck(now int64, cause error) *sim.StuckError {
	code := s.cfg.Code
	e := &sim.StuckError{
		Kernel: code.Kernel().Name, Cycle: now, Err: cause,
		CTAs: s.disp.total, Started: s.disp.started, Done: s.disp.done,
	}
	for index := s.disp.started; index < s.disp.total; index++ {
		e.Waiting = append(e.Waiting, index)
	}
	for i := range s.sms {
		m := &s.sms[i]
		for id := range m.warps {
			w := &m.warps[id]
			if w.state == free {
				continue
			}
			at := sim.SiteOf(code, w.emu, int(w.next.pc), m.waitsFor(w, now))
			if w.ahead > 0 {
				at.Active, at.Depth = w.active, w.depth
			}
			e.Warps = append(e.Warps, sim.Waiting{SM: i, CTA: m.ctas[w.cta].emu.Index, Warp: int(w.index), Emu: w.emu, Site: at})
		}
	}
	return e
}

// cannotGoOn reports whether no warp gets on and no CTA can start. The last round must have changed
// nothing. It looks first at the warp because of which it was false the last time.
func (s *Sim) cannotGoOn() bool {
	if s.lastActive != nil && s.lastActive.mayGoOn() || s.disp.next(s) != never {
		return false
	}
	for i := range s.sms {
		m := &s.sms[i]
		for id := range m.warps {
			if w := &m.warps[id]; w.mayGoOn() {
				s.lastActive = w
				return false
			}
		}
	}
	return true
}

// mayGoOn reports whether a warp may go on although no other does, or is to retire.
func (w *warp) mayGoOn() bool {
	return w.state == exited || w.state != free && !w.emu.AtBarrier() && !w.emu.Recurs()
}

// makeLivelockError returns the error of a run in which no warp gets on.
func (s *Sim) makeLivelockError(now int64) error {
	e := s.stuck(now, sim.ErrLivelock)
	if err := e.FindLoops(s.cfg.Code, len(s.sms)); err != nil {
		return err
	}
	return e
}

// waitsFor says what a warp waits for in the cycle now.
func (m *sm) waitsFor(w *warp, now int64) string {
	accesses := fmt.Sprintf("%d accesses", w.inflight)
	if w.inflight == 1 {
		accesses = "1 access"
	}
	switch w.state {
	case atBarrier:
		return "waits at a barrier"
	case atFence:
		return "waits at a fence for " + accesses
	case atCopies:
		return "waits for asynchronous copies, with " + accesses
	case exited:
		return "has exited and waits for " + accesses
	}
	switch {
	case w.at == never:
		return "waits for " + accesses
	case w.at > now && w.why == sim.StallBranch:
		return "waits for its next instruction"
	case w.at > now:
		return "waits for a result"
	case m.accepts[w.next.pipe] > now:
		return "waits for its unit"
	}
	return "can issue"
}
