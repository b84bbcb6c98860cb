package integrated

import "warpbound/internal/sim"

// stuck gathers the state of all warps of a run that is given up.
func (s *Sim) stuck(now int64, cause error) error {
	code := s.cfg.Code
	e := &sim.StuckError{
		Kernel: code.Kernel().Name, Cycle: now, Err: cause,
		CTAs: s.grid.CTAs(), Started: s.started, Done: s.done,
	}
	for i := range s.sms {
		m := &s.sms[i]
		for id := range m.warps {
			w := &m.warps[id]
			if w.state == absent {
				continue
			}
			pc := w.pc
			if !w.emu.Done() {
				pc = w.emu.PC()
			}
			perCTA := s.grid.Warps()
			e.Warps = append(e.Warps, sim.Waiting{
				SM: i, CTA: m.ctas[id/perCTA].Index, Warp: id % perCTA,
				Site: sim.SiteOf(code, w.emu, pc, m.waitsFor(w, now)),
			})
		}
	}
	return e
}

// waitsFor says what a warp waits for in the cycle now.
func (m *sm) waitsFor(w *warp, now int64) string {
	switch {
	case w.state == atBarrier:
		return "waits at a barrier"
	case w.state == exited:
		return "has exited and waits for its accesses"
	case w.ready <= now && m.port.answered >= w.until:
		return "waits for its turn or can issue"
	case w.why == sim.StallFence:
		return "waits at a fence for its accesses"
	case w.why == sim.StallIdle:
		return "waits for its first instruction"
	case w.why == sim.StallBranch:
		return "waits for its next instruction"
	case w.why == sim.StallBarrier:
		return "waits for the barrier that was reached"
	}
	return "waits for a result"
}
