package split

import (
	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
	"warpbound/internal/trace"
)

// cu is a compute unit: an SM.
//
// Its CTAs have slots. The wavefronts of slot k are those from k*Grid.Warps on, and
// wavefront x has the ID x/simds on SIMD x%simds.
type cu struct {
	sim   *Sim
	index int

	slots  []slot
	handed int                      // CTAs that it has begun
	freeAt int64                    // when its memory serves the next access
	l1     core.Cache[causes.Since] // when each line is there; without storage on a machine without L1

	ports      []port
	ids        int         // wavefronts on a SIMD
	fronts     []contexts  // by wavefront
	warpSplits []warpSplit // (simd*parts + part)*ids + id
	ready      []int64     // by warp-split: from when on it can issue a pass; never if it cannot

	reasons *reasons // nil unless the chain of causes is wanted

	retireAt int64 // when the first of the wavefronts retires that have exited; never if there is none
}

// slot is where a CTA executes.
type slot struct {
	cta  emu.CTA
	left int // wavefronts that have not retired
}

// reset begins the first CTAs, as many as there are slots, and returns when something happens.
func (c *cu) reset(occ machine.Occupancy) (next int64) {
	s, sh := c.sim, &c.sim.shape
	mine := (s.run.Grid.CTAs() - c.index + len(s.cus) - 1) / len(s.cus) // of the CTAs
	slots := min(occ.CTAs, mine)
	if slots > cap(c.slots) {
		c.slots = make([]slot, slots) // none is moved: wavefronts know their CTA
	}
	c.slots = c.slots[:slots]
	fronts := slots * occ.Warps
	c.ids = (fronts + sh.simds - 1) / sh.simds
	if n := sh.simds * sh.parts * c.ids; n > cap(c.warpSplits) {
		c.warpSplits, c.ready = make([]warpSplit, n), make([]int64, n)
		c.fronts = make([]contexts, sh.simds*c.ids)
	} else {
		c.warpSplits, c.ready = c.warpSplits[:n], c.ready[:n]
	}
	for i := range c.warpSplits {
		c.warpSplits[i].state, c.ready[i] = absent, never
	}
	for i := range c.ports {
		c.ports[i].reset(sh, i, c.ids)
	}
	c.handed, c.freeAt, c.retireAt = 0, 0, never
	c.l1.Reset()
	c.reasons.reset()
	for k := range c.slots {
		c.begin(k, 0)
	}
	return c.schedule()
}

// begin executes the next CTA of the CU in a slot, if there is one left.
func (c *cu) begin(k int, now int64) {
	s := c.sim
	index := c.index + c.handed*len(s.cus)
	if index >= s.run.Grid.CTAs() {
		return
	}
	c.handed++
	s.run.Started++
	sl := &c.slots[k]
	s.run.Grid.Change()
	s.run.Grid.StartCTA(&sl.cta, index)
	sl.left = len(sl.cta.Warps)
	begin := c.reasons.begin(index, now)
	for i := range sl.cta.Warps {
		x := k*len(sl.cta.Warps) + i
		w := &sl.cta.Warps[i]
		c.fronts[x].start(w.Alive(), s.shape.parts)
		at := c.warpSplit(x, 0)
		st := &c.warpSplits[at]
		st.place(x, 0, c.port(x, 0), w)
		c.ports[st.port].used++
		st.why = sim.StallIdle
		c.reasons.start(at, now+s.m.SM.Dispatch.Value, begin)
		c.wake(at, now+s.m.SM.Dispatch.Value, now, none)
		s.run.Record(now, c.index, index, i, trace.Start)
	}
}

// warpSplit returns the place of a part of a wavefront in warp-splits.
func (c *cu) warpSplit(x, part int) int {
	sh := &c.sim.shape
	return (x%sh.simds*sh.parts+part)*c.ids + x/sh.simds
}

// port returns the number of the port of the SIMD or split SIMD of a part of a wavefront.
func (c *cu) port(x, part int) int {
	sh := &c.sim.shape
	if sh.shared {
		return x % sh.simds
	}
	return x%sh.simds*sh.parts + part
}

// cta returns the slot of a wavefront's CTA, and the wavefront's index in that.
func (c *cu) cta(x int) (sl *slot, warp int) {
	n := c.sim.run.Grid.Warps()
	return &c.slots[x/n], x % n
}

// step performs what happens in a cycle: retirements, then passes, port by port. It returns
// when something happens again.
func (c *cu) step(now int64) (next int64, err error) {
	if c.retireAt <= now {
		c.retire(now)
	}
	for i := range c.ports {
		if c.ports[i].next <= now {
			if err := c.pass(i, now); err != nil {
				return 0, err
			}
		}
	}
	return c.schedule(), nil
}

// schedule finds out when something happens next.
func (c *cu) schedule() (next int64) {
	next = c.retireAt
	for i := range c.ports {
		next = min(next, c.ports[i].next)
	}
	return next
}

// retire ends the wavefronts whose time has come, and begins CTAs in the slots of those
// that have ended with them.
func (c *cu) retire(now int64) {
	s := c.sim
	c.retireAt = never
	for x := range len(c.slots) * s.run.Grid.Warps() {
		at := c.warpSplit(x, 0)
		st := &c.warpSplits[at]
		switch {
		case st.state != exited:
		case st.retires > now:
			c.retireAt = min(c.retireAt, st.retires)
		default:
			st.state = absent
			c.ports[st.port].used--
			c.reasons.retire(at, now)
			c.look(at, now, none)
			sl, warp := c.cta(x)
			s.run.Retire(now, c.index, sl.cta.Index, warp)
			sl.left--
			if sl.left == 0 {
				s.run.Done++
			}
		}
	}
	for k := range c.slots {
		if c.slots[k].left == 0 {
			c.begin(k, now)
		}
	}
}

// wake lets a warp-split issue from a cycle on. Whoever does so in the cycle now is a port, or
// none if it happens before all of them.
func (c *cu) wake(at int, ready, now int64, by int) {
	c.warpSplits[at].state, c.ready[at] = running, ready
	c.look(at, now, by)
}

// look makes the port of a warp-split look at its warp-splits again, as soon as it can see what
// changes in the cycle now by a port: those with higher numbers see it in the same cycle.
func (c *cu) look(at int, now int64, by int) {
	st := &c.warpSplits[at]
	i := st.port
	switch {
	case i == by:
		return // it looks when its pass is over
	case i < by:
		now++
	}
	c.ports[i].next = min(c.ports[i].next, now)
}
