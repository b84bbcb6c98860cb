package emu

import "warpbound/internal/isa"

// awaitsChange reports whether an instruction reads what decides whether the innermost loop around
// it goes on: it is executed again until it reads something else. What goes through memory on the
// way is not followed.
func (c *Code) awaitsChange(pc int) bool {
	block := c.graph.BlockOf(pc)
	loops := c.graph.Loops()
	if !c.graph.Reachable(block) || loops.Innermost(block) < 0 {
		return false
	}
	loop := &loops.Loops[loops.Innermost(block)]
	from := make([]bool, len(c.kernel.Regs)) // registers that follow from what is read
	c.Instr(pc).Writes(func(r isa.Reg) { from[r] = true })
	for again := true; again; {
		again = false
		for _, b := range loop.Body {
			for i := c.graph.Blocks[b].Start; i < c.graph.Blocks[b].End; i++ {
				in, follows := c.Instr(i), false
				in.Reads(func(r isa.Reg) { follows = follows || from[r] })
				if follows {
					in.Writes(func(r isa.Reg) { again, from[r] = again || !from[r], true })
				}
			}
		}
	}
	for _, b := range loop.Body {
		if guard := c.graph.Last(b).Guard; guard.Set && from[guard.Reg] && c.leaves(b, loop.Contains) {
			return true
		}
	}
	return false
}

// leaves reports whether control may go from a block to one that is not among some.
func (c *Code) leaves(block int, among func(block int) bool) bool {
	for _, e := range c.graph.Blocks[block].Edges {
		if !among(e.To) {
			return true
		}
	}
	return false
}
