package split

import "slices"

// This file says on which ports parts of wavefronts execute: in mode dws-idle some do so on the SIMDs of others.

// host returns the port for a part that splits off: that of an idle SIMD, on which nothing executes, the one with the lowest
// number, or else that of its parent.
func (c *cu) host(parent *warpSplit) int {
	if !c.sim.shape.shared {
		return c.port(parent.x, parent.child)
	}
	if c.sim.shape.idle {
		for i := range c.ports {
			if c.ports[i].used == 0 {
				return i
			}
		}
	}
	return parent.port
}

// away reports whether a warp-split executes on another SIMD than its wavefront's.
func (c *cu) away(at int) bool {
	st := &c.warpSplits[at]
	return st.state != absent && st.port != c.port(st.x, st.part)
}

// lodge enters a part that splits off on its port.
func (c *cu) lodge(at int) {
	st := &c.warpSplits[at]
	p := &c.ports[st.port]
	if p.used++; st.port != c.port(st.x, st.part) {
		p.guests = append(p.guests, at)
	}
}

// leave removes a part that has merged from its port.
func (c *cu) leave(at int) {
	st := &c.warpSplits[at]
	p := &c.ports[st.port]
	if p.used--; st.port != c.port(st.x, st.part) {
		i := slices.Index(p.guests, at)
		p.guests = slices.Delete(p.guests, i, i+1)
	}
}
