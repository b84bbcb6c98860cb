package split

import (
	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// This file is the L1 of a CU. Its lines are the segments of global memory; stores and atomics go by it and leave it as it is.

// cachedLoads returns, by instruction, which load from global memory through the L1.
func cachedLoads(code *emu.Code, m *machine.Machine) []bool {
	cached := make([]bool, code.Len())
	for pc := range cached {
		in := code.Instr(pc)
		cached[pc] = m.Cached() && in.Class() == isa.MemGlobal && !in.Volatile
	}
	return cached
}

// gather notes the lines that the last instruction, an access, looks for.
func (c *cu) gather(st *warpSplit) {
	s, acc := c.sim, &c.sim.run.Effect.Access
	st.lines = st.lines[:0]
	if !s.cached[st.pc] || acc.Kind != emu.Load || acc.Bulk {
		return
	}
	lanes := acc.Lanes[isa.Global]
	switch acc.Space {
	case isa.Global:
		lanes = s.run.Effect.Mask
	case isa.Generic:
	default:
		return
	}
	if lanes != 0 {
		st.lines = append(st.lines, s.run.Requests.Pieces(acc, lanes, s.shape.segment)...)
	}
}

// lookUp looks the lines of a load up that comes to the L1 in a cycle. The load has no requests to memory for those
// that it finds, and keeps the others. It returns when the last of those found is there for the load.
func (c *cu) lookUp(st *warpSplit, now int64) causes.Since {
	count := &c.sim.run.Count
	last := c.reasons.since(now+c.sim.shape.hit, sim.StallMemory)
	missing := st.lines[:0]
	for _, number := range st.lines {
		line := c.l1.Use(number)
		switch {
		case line == nil:
			count.L1Misses++
			missing = append(missing, number)
			continue
		case line.At > now:
			count.L1Merged++
		default:
			count.L1Hits++
		}
		last = causes.Later(last, *line)
		st.requests--
	}
	st.lines = missing
	return last
}

// fill puts the lines into the L1 that a load has missed, which are there when it is served. So are then all that it has
// found: memory has begun to serve them before, and a hit takes no longer than a miss.
func (c *cu) fill(st *warpSplit, served causes.Since) {
	for _, number := range st.lines {
		c.l1.Insert(number, served)
	}
}
