package split

import (
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// barriers says how the wavefronts of a workgroup wait for each other.
type barriers uint8

const (
	noBarrier barriers = iota
	// jointly: all wavefronts come to the same barriers in the same order, so that the last
	// arrivals make up a path of one wavefront.
	jointly
	// anyhow: what they come to is not known, or is for a part of the workgroup.
	anyhow
)

// barriers finds how wavefronts wait at barriers that are reached. together reports whether the
// work-items of a workgroup go the same way at the end of a block in the same iterations of
// the loops around it; nil if that is not known.
func (c *control) barriers(reached []bool, together func(block int) bool) barriers {
	g := c.graph
	var at []int
	for b := range g.Blocks {
		if !reached[b] {
			continue
		}
		for pc := g.Blocks[b].Start; pc < g.Blocks[b].End; pc++ {
			in := &g.Kernel.Instrs[pc]
			switch {
			case in.Op.Info().Effect&isa.Barriers == 0:
			case in.Guard.Set || !whole(in):
				return anyhow
			default:
				at = append(at, b)
			}
		}
	}
	if len(at) == 0 {
		return noBarrier
	}
	for _, b := range c.of(at...) {
		if together == nil || !together(b) {
			return anyhow
		}
	}
	return jointly
}

// whole reports whether an instruction waits for all wavefronts of the workgroup.
func whole(in *isa.Instr) bool {
	if in.Op != isa.Bar {
		return false
	}
	switch in.Barrier {
	case isa.BarrierSync:
		return len(in.Src) == 1 && in.Src[0].Kind == isa.KindImm
	case isa.BarrierArrive, isa.BarrierClusterArrive, isa.BarrierClusterWait:
		return false
	}
	return len(in.Src) == 2 && in.Src[0].Kind == isa.KindImm // the second is the predicate of a reduction
}

// control tells which branches decide about blocks.
type control struct {
	graph *cfg.Graph
	after *graph.DomTree // post-dominators
}

func newControl(g *cfg.Graph) *control {
	return &control{g, graph.PostDominators(g.Flow.Graph(), g.Exit())}
}

// of returns the branches, by block, that decide whether control comes to some blocks and how
// often: those on which they depend (Ferrante, Ottenstein and Warren, TOPLAS 1987), and on
// which these depend.
func (c *control) of(blocks ...int) []int {
	found := make([]bool, c.graph.Len())
	var all []int
	for work := blocks; len(work) > 0; {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		for b := range c.graph.Blocks {
			if found[b] || !c.decides(b, x) {
				continue
			}
			found[b] = true
			all = append(all, b)
			work = append(work, b)
		}
	}
	return all
}

// decides reports whether x depends on the branch at the end of block b: some way out of it
// surely leads to x, another perhaps not.
func (c *control) decides(b, x int) bool {
	surely := false
	for _, s := range c.graph.Succ(b) {
		surely = surely || c.after.Dominates(x, s)
	}
	return surely && (x == b || !c.after.Dominates(x, b))
}
