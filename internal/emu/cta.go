package emu

// CTA is a slot in which one CTA after another is executed. The zero CTA is an
// empty slot.
type CTA struct {
	Index int // of the CTA in the grid, x fastest
	Warps []Warp

	grid *Grid
}

// StartCTA puts CTA number index of the grid into the slot: all warps at the
// kernel's first instruction, registers, local and shared memory zero. A slot
// that held a CTA of as many warps of the same code is used again without
// allocation.
func (g *Grid) StartCTA(c *CTA, index int) {
	c.Index, c.grid = index, g
}

// Done reports whether all warps have exited.
func (c *CTA) Done() bool { return true }
