package published

import (
	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// Construct makes the abstract warp of a kernel, of the times of a machine with barrel
// cores and of whether lanes may part at the branch that ends a block. A load is a
// memory node in front of its own time.
//
// It is an error, with the position, if the kernel is not structured: a loop is left to
// several places, or a branch does not reconverge.
func Construct(g *cfg.Graph, m *machine.Machine, divergent func(block int) bool) (Warp, error) {
	c := &constructor{g: g, m: m, divergent: divergent, reconvergence: g.Reconverge}
	if g.Kernel.Reconvergence == isa.AtSyncs {
		c.reconvergence = before(g) // the sync, of which the paper counts one execution
	}
	return c.sequence(0, g.Exit(), -1)
}

// before returns the first block that is on all paths from the end of a block.
func before(g *cfg.Graph) func(block int) int {
	flow := graph.New(g.Exit() + 1)
	for b := range g.Len() {
		for _, s := range g.Succ(b) {
			flow.AddEdge(b, s)
		}
	}
	return graph.PostDominators(flow, g.Exit()).IDom
}

type constructor struct {
	g             *cfg.Graph
	m             *machine.Machine
	divergent     func(block int) bool
	reconvergence func(block int) int // where a branch reconverges
}

// sequence constructs the code from a block up to another, within a loop or -1.
func (c *constructor) sequence(block, stop, loop int) (Warp, error) {
	var w Warp
	loops := c.g.Loops()
	for steps := 0; block != stop && block != c.g.Exit(); steps++ {
		if steps > c.g.Len() {
			return nil, c.unstructured(block)
		}
		if inner := loops.Innermost(block); inner != loop && inner >= 0 && loops.Loops[inner].Header == block {
			body, err := c.body(inner)
			if err != nil {
				return nil, err
			}
			loop := Node{Kind: Loop, Loop: inner, Body: body}
			if len(c.within(block, inner)) == len(c.g.Succ(block)) {
				loop.More = 1 // it is not left from its header
			}
			w = w.join(loop)
			if block, err = c.left(inner); err != nil {
				return nil, err
			}
			continue
		}
		next, nodes, err := c.block(block, loop)
		if err != nil {
			return nil, err
		}
		w = w.join(nodes...)
		block = next
		if loop >= 0 && (block < 0 || block == loops.Loops[loop].Header) {
			break
		}
	}
	return w, nil
}

// body constructs the body of a loop.
func (c *constructor) body(loop int) (Warp, error) {
	header := c.g.Loops().Loops[loop].Header
	next, w, err := c.block(header, loop)
	if err != nil || next < 0 || next == header {
		return w, err
	}
	rest, err := c.sequence(next, header, loop)
	return w.join(rest...), err
}

// block constructs a block and the branch at its end. It returns where the code goes on,
// which is -1 if that is only behind the loop.
func (c *constructor) block(block, loop int) (int, Warp, error) {
	w := c.instructions(block)
	stay := c.within(block, loop)
	if last := len(w) - 1; loop >= 0 && last >= 0 && len(stay) < len(c.g.Succ(block)) {
		w[last].Last = w[last].Kind == Time
	}
	switch {
	case len(stay) == 0:
		return -1, w, nil
	case len(stay) == 1:
		return stay[0], w, nil
	}
	reconv := c.reconvergence(block)
	var successors []Warp
	for _, s := range stay {
		successor, err := c.sequence(s, reconv, loop)
		if err != nil {
			return 0, nil, err
		}
		successors = append(successors, successor)
	}
	return reconv, w.join(lub(successors, c.divergent(block))...), nil
}

// within returns the successors of a block that are in a loop, or all if there is none.
func (c *constructor) within(block, loop int) []int {
	var stay []int
	for _, s := range c.g.Succ(block) {
		if loop < 0 || s != c.g.Exit() && c.g.Loops().Loops[loop].Contains(s) {
			stay = append(stay, s)
		}
	}
	return stay
}

// left returns where control goes from a loop.
func (c *constructor) left(loop int) (int, error) {
	l := &c.g.Loops().Loops[loop]
	to := -1
	for b := range c.g.Len() {
		if !l.Contains(b) {
			continue
		}
		for _, s := range c.g.Succ(b) {
			if s != c.g.Exit() && l.Contains(s) {
				continue
			}
			if to >= 0 && to != s {
				return 0, c.unstructured(l.Header)
			}
			to = s
		}
	}
	return to, nil
}

func (c *constructor) unstructured(block int) error {
	return diag.Errorf(c.g.Blocks[block].Pos, "the published rules construct abstract warps of structured kernels only, and the code at %s is not", c.g.Name(block))
}

// instructions constructs the instructions of a block.
func (c *constructor) instructions(block int) Warp {
	var w Warp
	b := &c.g.Blocks[block]
	for pc := b.Start; pc < b.End; pc++ {
		in := &c.g.Kernel.Instrs[pc]
		if in.Op == isa.Exit && c.g.Kernel.Reconvergence == isa.AtSyncs {
			continue // the end of mini-SIMT code is no instruction of it
		}
		t := c.m.Timing(in.Class())
		if in.Op == isa.Ld || in.Op == isa.LdMatrix || in.Op == isa.Atom {
			w = w.join(Node{Kind: Memory, Wait: t.Latency})
		}
		w = w.join(Node{Kind: Time, Instr: t.Initiation})
		if in.Op == isa.Bar {
			w = w.join(Node{Kind: Barrier})
		}
	}
	return w
}
