package split

import (
	"warpbound/internal/machine"
)

// maxParts is the largest number of contexts of a wavefront: one on its SIMD and one on
// each split SIMD of that.
const maxParts = 1 + machine.MaxSplitSIMDs

// contexts is the hardware that follows into which parts a wavefront is split: the contexts
// with its ID on its SIMD, numbered 0, and on the split SIMDs of that, numbered from 1 on
// (SpSIMDID). Klashtorny et al., TECS 2023, section 4.1 with Fig. 5.
//
// The vector registers are the wavefront's, for all of its parts. Of scalar registers a
// kernel has two here, the operands of its next split.
type contexts struct {
	parts [maxParts]part
	n     int // contexts that there are
}

// part is what a context holds of its part of the wavefront.
type part struct {
	scalars  [2]uint32 // of each lane whether it stays with the part when it splits, 32 lanes in each
	mask     uint64    // split mask: the lanes that belong to the part
	parent   int8      // the part that this one was split from; unset if the context is unused
	children [machine.MaxSplitSIMDs]int8
	depth    int // of the stack of children
}

// unset is the parent of an unused context, and of the one that holds a whole wavefront.
const unset = -1

// none is no part.
const none = -1

// start places a wavefront into context 0 of n, the others of which are unused.
func (c *contexts) start(lanes uint64, n int) {
	c.n = n
	for i := range c.parts[:n] {
		c.parts[i] = part{parent: unset}
	}
	c.parts[0].mask = lanes
}

// keep sets the scalar registers of a part to the lanes that stay with it when it splits.
func (c *contexts) keep(i int, lanes uint64) {
	c.parts[i].scalars = [2]uint32{uint32(lanes), uint32(lanes >> 32)}
}

// split splits a part: the lanes in its scalar registers stay, and the others go to an
// unused context, of which it takes the one with the lowest number. It returns this child,
// or none if every context is in use.
func (c *contexts) split(parent int) (child int) {
	child = c.unused()
	if child == none {
		return none
	}
	p, q := &c.parts[parent], &c.parts[child]
	*q = part{scalars: p.scalars, parent: int8(parent)}
	p.children[p.depth] = int8(child)
	p.depth++
	lanes := uint64(p.scalars[0]) | uint64(p.scalars[1])<<32
	q.mask = p.mask &^ lanes
	p.mask &= lanes
	return child
}

// unused returns the lowest number of an unused context, or none.
func (c *contexts) unused() int {
	for i := 1; i < c.n; i++ {
		if c.parts[i].parent == unset {
			return i
		}
	}
	return none
}

// partner returns the part that a part merges with next: its latest child, or else its
// parent. A whole wavefront merges with none.
func (c *contexts) partner(i int) int {
	p := &c.parts[i]
	if p.depth > 0 {
		return int(p.children[p.depth-1])
	}
	return int(p.parent)
}

// merge merges a part with its latest child, whose context becomes unused, and returns the
// child. The child must have none of its own.
func (c *contexts) merge(parent int) (child int) {
	p := &c.parts[parent]
	p.depth--
	child = int(p.children[p.depth])
	p.mask |= c.parts[child].mask
	c.parts[child] = part{parent: unset}
	return child
}
