package split

import "warpbound/internal/sim"

// stuck gathers the state of all wavefronts, and of their parts, of a run that is given up.
func (s *Sim) stuck(now int64, cause error) error {
	code := s.cfg.Code
	e := &sim.StuckError{
		Kernel: code.Kernel().Name, Cycle: now, Err: cause,
		CTAs: s.grid.CTAs(), Started: s.started, Done: s.done,
	}
	for i := range s.cus {
		c := &s.cus[i]
		for x := range len(c.slots) * s.grid.Warps() {
			for part := range s.shape.parts {
				at := c.strand(x, part)
				st := &c.strands[at]
				if st.state == absent || st.warp == nil {
					continue
				}
				pc := st.pc
				if st.warp.Depth() > 0 {
					pc = st.warp.PC()
				}
				sl, warp := c.cta(x)
				e.Warps = append(e.Warps, sim.Waiting{
					SM: i, CTA: sl.cta.Index, Warp: warp, Split: part,
					Site: sim.SiteOf(code, st.warp, pc, c.waitsFor(at, now)),
				})
			}
		}
	}
	return e
}

// waitsFor says what a strand waits for in the cycle now.
func (c *cu) waitsFor(at int, now int64) string {
	st := &c.strands[at]
	switch {
	case st.state == atBarrier:
		return "waits at a barrier"
	case st.state == beginning:
		return "waits for the split"
	case st.state == atMerge:
		return "waits to merge"
	case st.state == exited:
		return "has exited and waits for its accesses"
	case c.ready[at] <= now:
		return "can issue"
	}
	switch st.why {
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
