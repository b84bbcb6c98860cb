package split

import (
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
)

// waiting returns the state of all wavefronts, and of their parts, that have not retired.
func (s *Sim) waiting(now int64) (list []sim.Waiting) {
	for i := range s.cus {
		c := &s.cus[i]
		for x := range len(c.slots) * s.run.Grid.Warps() {
			for part := range s.shape.parts {
				at := c.warpSplit(x, part)
				st := &c.warpSplits[at]
				if st.state == absent || st.warp == nil {
					continue
				}
				pc := st.pc
				if st.warp.Depth() > 0 {
					pc = st.warp.PC()
				}
				sl, warp := c.cta(x)
				list = append(list, sim.Waiting{
					SM: i, CTA: sl.cta.Index, Warp: warp, Split: part, Emu: st.warp,
					Site: sim.SiteOf(s.run.Config.Code, st.warp, pc, c.waitsFor(at, now)),
				})
			}
		}
	}
	return list
}

// waitsFor says what a warp-split waits for in the cycle now.
func (c *cu) waitsFor(at int, now int64) string {
	st := &c.warpSplits[at]
	switch {
	case st.state == atBarrier:
		return core.WaitsAtBarrier
	case st.state == beginning:
		return "waits for the split"
	case st.state == atMerge:
		return "waits to merge"
	case st.state == exited:
		return core.WaitsToRetire
	case c.ready[at] <= now:
		return "can issue"
	}
	return core.WaitsFor(st.why)
}

// hasActive reports whether a wavefront, or a part of one, may go on although no other does.
func (s *Sim) hasActive() bool {
	for i := range s.cus {
		c := &s.cus[i]
		for x := range len(c.slots) * s.run.Grid.Warps() {
			for part := range s.shape.parts {
				switch st := &c.warpSplits[c.warpSplit(x, part)]; st.state {
				case absent, atMerge:
				case beginning, exited:
					return true
				default:
					if !core.Inert(st.warp) {
						return true
					}
				}
			}
		}
	}
	return false
}

// listUnstarted returns the CTAs that have not started.
func (s *Sim) listUnstarted() (list []int) {
	for i := range s.cus {
		c := &s.cus[i]
		for index := i + c.handed*len(s.cus); index < s.run.Grid.CTAs(); index += len(s.cus) {
			list = append(list, index)
		}
	}
	return list
}
