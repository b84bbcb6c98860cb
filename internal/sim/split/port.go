package split

import (
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
)

// port is the port of a SIMD or of a split SIMD. In every round through the IDs of
// wavefronts each has a turn for one pass; if parts of it share the port, they take turns
// in that.
type port struct {
	core.Account

	used   int   // wavefronts and parts of them that execute on it
	guests []int // warp-splits of other SIMDs among them, in the order in which they came; their IDs follow those of its own

	base  int   // the warp-split of ID 0
	parts int   // of each wavefront on this port; those of the next part are ids further
	ids   int   // wavefronts
	last  int   // the ID that issued last, or none
	turns []int // by ID: the part that issued last

	next int64 // when to look for a warp-split that can issue
	free int64 // when the port takes the next pass
}

// reset brings port i of a CU to the state of cycle 0.
func (p *port) reset(sh *shape, i, ids int) {
	*p = port{ids: ids, last: none, turns: p.turns, guests: p.guests[:0], parts: 1, base: i * ids, next: never}
	p.Account.Reset()
	if sh.shared {
		p.parts, p.base = sh.parts, i*sh.parts*ids
	}
	if ids > len(p.turns) {
		p.turns = make([]int, ids)
	}
	for id := range p.turns {
		p.turns[id] = p.parts - 1
	}
}

// pick returns the warp-split that issues a pass: the first that is ready, in a circle of IDs after
// the one that issued last. If none is, it returns none and notes why and until when.
func (c *cu) pick(p *port, now int64) int {
	soonest, why := int64(never), sim.StallIdle
	own, ids := p.ids, p.ids+len(p.guests)
	for k, id := 0, p.last; k < ids; k++ {
		if id++; id >= ids {
			id = 0
		}
		parts, part := 1, 0
		if id < own {
			parts, part = p.parts, p.turns[id]
		}
		for range parts {
			var at int
			if id < own {
				if part++; part == p.parts {
					part = 0
				}
				if at = p.base + part*own + id; part > 0 && c.sim.shape.idle && c.away(at) {
					continue
				}
			} else {
				at = p.guests[id-own]
			}
			switch ready := c.ready[at]; {
			case ready <= now:
				if p.last = id; id < own {
					p.turns[id] = part
				}
				return at
			case ready < soonest:
				soonest, why = ready, c.warpSplits[at].why
			case soonest == never && why == sim.StallIdle:
				why = c.warpSplits[at].state.stall()
			}
		}
	}
	p.next, p.Reason = soonest, why
	return none
}

// pass lets a port issue a pass, if it is free and a warp-split has one to issue.
func (c *cu) pass(by int, now int64) error {
	p, q := &c.ports[by], c.sim.shape.pass
	if p.free > now {
		p.next = p.free
		return nil
	}
	p.Idle(now)
	at := c.pick(p, now)
	if at == none {
		return nil
	}
	st := &c.warpSplits[at]
	end := now + q
	p.free, p.From, p.next = end, end, end
	first := st.left == 0
	if !first { // a further pass of the same instruction
		p.Count.Stalls[st.busy] += q
	} else {
		issued, err := c.issue(at, now, by)
		if err != nil {
			return err
		}
		p.Count.Issued += issued
		p.Count.Stalls[st.busy] += q - issued
	}
	c.reasons.pass(at, by, now, end, first)
	if st.left--; st.left > 0 {
		c.ready[at] = end
		return nil
	}
	c.finish(at, end, now, by)
	return nil
}
