package scoreboard

import (
	"fmt"

	"warpbound/internal/sim"
)

// stuck gathers the state of all warps.
func (s *Sim) stuck(now int64, cause error) error {
	code := s.cfg.Code
	e := &sim.StuckError{
		Kernel: code.Kernel().Name, Cycle: now, Err: cause,
		CTAs: s.disp.total, Started: s.disp.started, Done: s.disp.done,
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
			e.Warps = append(e.Warps, sim.Waiting{SM: i, CTA: m.ctas[w.cta].emu.Index, Warp: int(w.index), Site: at})
		}
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
