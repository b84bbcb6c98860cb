package hybrid

import (
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/trace"
)

// noBlock is the place of a warp before its entry block.
const noBlock = -1

// transition is an edge of the IPG while it is built: the Ipoint-free paths from a
// source to the block, or virtual exit, to.
type transition struct {
	to                 int
	divergent, limited bool
	iter, entry        []int32 // loops
}

// contraction finds Ipoint-free paths. What a path does to a loop, or whether it uses
// divergence, is a small state that changes along the path; a walk over pairs of block
// and state finds in which states each Ipoint can be reached.
type contraction struct {
	flow    *cfg.Flow
	loops   []graph.Loop
	ipoints []trace.Ipoint // by block
	steps   [][]step       // by block
	hops    *hops

	reached []states // by block, for the current walk
	work    []place
	touched []int // blocks with a state in reached
}

// step leads from a block to the next, by an edge of the flow graph or, as hop, by what
// divergence makes of it.
type step struct {
	to  int
	hop bool
}

// place is a block reached in a state.
type place struct {
	block int
	state state
}

type state uint8

// states is a set of states.
type states uint8

func (s states) has(x state) bool { return s>>x&1 != 0 }

// The states of a path with regard to divergence.
const (
	plain  state = iota // edges of the flow graph only
	hopped              // a hop among them
)

// The states of a path with regard to a loop.
const (
	inside  state = iota // in the loop since the source
	crossed              // the same, and took a back edge
	entered              // in the loop, but was outside since the source, or resumed lanes
	outside
)

func newContraction(p *Program, ipoints []trace.Ipoint) *contraction {
	c := &contraction{
		flow:    p.Flow,
		loops:   p.Flow.Loops().Loops,
		ipoints: ipoints,
		steps:   make([][]step, p.Flow.Len()),
		hops:    newHops(p.Flow),
		reached: make([]states, p.Flow.Len()+1),
	}
	for b := range c.steps {
		for _, to := range p.Flow.Succ(b) {
			c.steps[b] = append(c.steps[b], step{to: to})
			if c.hops.special(b, to) {
				c.steps[b] = append(c.steps[b], step{to, true})
			}
		}
	}
	for _, e := range p.Divergent {
		c.steps[e.From] = append(c.steps[e.From], step{e.To, true})
	}
	return c
}

// transitions returns the IPG edges that leave a source, ascending by destination.
func (c *contraction) transitions(source int) []transition {
	c.walk(source, plain, func(_ int, s step, at state) state {
		if s.hop {
			return hopped
		}
		return at
	})
	var found []transition
	for _, b := range c.touched {
		if c.isIpoint(b) {
			how := c.reached[b]
			found = append(found, transition{to: b, divergent: !how.has(plain), limited: how.has(hopped)})
		}
	}
	slices.SortFunc(found, func(a, b transition) int { return a.to - b.to })
	for _, l := range c.loopsAround(found) {
		c.classify(source, l, found)
	}
	return found
}

// loopsAround returns the loops that contain one of the destinations, ascending.
func (c *contraction) loopsAround(found []transition) []int {
	var loops []int
	for _, t := range found {
		for l := c.flow.Loops().Innermost(t.to); l >= 0; l = c.loops[l].Parent {
			loops = append(loops, l)
		}
	}
	slices.Sort(loops)
	return slices.Compact(loops)
}

// classify enters into the transitions from a source what they are to loop l.
//
// A transition that may enter the loop counts as an entry, so that a bound per entry is
// never too small. Only one that takes a back edge on every path counts as an
// iteration. One that is none of these surely, but may be one, is limited.
func (c *contraction) classify(source, l int, found []transition) {
	loop := &c.loops[l]
	first := outside
	if source != noBlock && loop.Contains(source) {
		first = inside
	}
	c.walk(source, first, func(from int, s step, at state) state {
		switch {
		case !loop.Contains(s.to):
			return outside
		case at == outside || s.hop && !c.hops.harmless(from, s.to, loop):
			return entered
		case at == inside && s.to == loop.Header:
			return crossed
		}
		return at
	})
	for i := range found {
		t := &found[i]
		if !loop.Contains(t.to) {
			continue
		}
		how := c.reached[t.to]
		switch {
		case how.has(entered):
			t.entry = append(t.entry, int32(l))
		case !how.has(inside):
			t.iter = append(t.iter, int32(l))
		}
		if how&(how-1) != 0 {
			t.limited = true
		}
	}
}

// walk follows all Ipoint-free paths from a source and leaves in reached the states in
// which they arrive at each block. next gives the state after a step.
func (c *contraction) walk(source int, first state, next func(from int, s step, at state) state) {
	for _, b := range c.touched {
		c.reached[b] = 0
	}
	c.touched = c.touched[:0]
	if source == noBlock {
		c.arrive(c.flow.Entry(), next(noBlock, step{to: c.flow.Entry()}, first))
	} else {
		c.leave(place{source, first}, next)
	}
	for len(c.work) > 0 {
		at := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		c.leave(at, next)
	}
}

func (c *contraction) leave(at place, next func(from int, s step, at state) state) {
	for _, s := range c.steps[at.block] {
		c.arrive(s.to, next(at.block, s, at.state))
	}
}

func (c *contraction) arrive(b int, at state) {
	if c.reached[b].has(at) {
		return
	}
	if c.reached[b] == 0 {
		c.touched = append(c.touched, b)
	}
	c.reached[b] |= 1 << at
	if !c.isIpoint(b) {
		c.work = append(c.work, place{b, at})
	}
}

func (c *contraction) isIpoint(b int) bool {
	return b == c.flow.Exit() || c.ipoints[b] != trace.None
}
