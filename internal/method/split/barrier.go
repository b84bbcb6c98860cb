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

// barriersOf finds how wavefronts wait. together reports whether the work-items of a
// workgroup go the same way at the end of a block in the same iterations of the loops
// around it; nil if that is not known.
func barriersOf(g *cfg.Graph, reached []bool, together func(block int) bool) barriers {
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
	for _, b := range controlling(g, at) {
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

// controlling returns the branches, by block, that decide whether control comes to some
// blocks and how often: those on which they depend (Ferrante, Ottenstein and Warren, TOPLAS
// 1987), and on which these depend.
func controlling(g *cfg.Graph, blocks []int) []int {
	dom := graph.PostDominators(g.Flow.Graph(), g.Exit())
	found := make([]bool, g.Len())
	var all []int
	for work := blocks; len(work) > 0; {
		x := work[len(work)-1]
		work = work[:len(work)-1]
		for b := range g.Blocks {
			if found[b] || !dependent(g, dom, x, b) {
				continue
			}
			found[b] = true
			all = append(all, b)
			work = append(work, b)
		}
	}
	return all
}

// dependent reports whether the branch at the end of block b decides about x: some way out of
// it surely leads to x, another perhaps not.
func dependent(g *cfg.Graph, dom *graph.DomTree, x, b int) bool {
	surely := false
	for _, s := range g.Succ(b) {
		surely = surely || dom.Dominates(x, s)
	}
	return surely && (x == b || !dom.Dominates(x, b))
}
