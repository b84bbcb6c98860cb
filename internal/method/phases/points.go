package phases

import (
	"fmt"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

// point is an Ipoint, with what passing it means for the context of a warp.
type point struct {
	trace.IpointInfo
	instr, block int
	barrier      bool // the warp arrives at a barrier of its CTA
	loop         int  // that the block heads; -1 if the point does not begin a header
	milestone    int  // place among the blocks that every warp passes in this order, outside of loops; -1 for no such
}

// findPoints returns the points of a kernel, in the order of its instructions: those of the chosen blocks, and its
// barriers.
func findPoints(g *cfg.Graph, chosen []bool, sites *method.Sites) []point {
	forest := g.Loops()
	heads := make(map[int]int, len(forest.Loops))
	for l := range forest.Loops {
		heads[forest.Loops[l].Header] = l
	}
	place := milestones(g)
	var points []point
	for b := range g.Blocks {
		if !g.Reachable(b) {
			continue
		}
		barriers := 0
		for i := g.Blocks[b].Start; i < g.Blocks[b].End; i++ {
			begins, waits := chosen[b] && i == g.Blocks[b].Start, awaits(&g.Kernel.Instrs[i])
			if !begins && !waits {
				continue
			}
			p := point{IpointInfo: sites.Blocks[b], instr: i, block: b, barrier: waits, loop: -1, milestone: -1}
			if waits {
				barriers++
			}
			if l, ok := heads[b]; begins && ok {
				p.loop = l
			}
			if at, ok := place[b]; begins && ok {
				p.milestone = at
			}
			if i > g.Blocks[b].Start { // else it is the block's, whatever is chosen
				p.Name = fmt.Sprintf("%s/barrier", p.Name)
				if barriers > 1 {
					p.Name += fmt.Sprint(barriers)
				}
				p.Pos = source(&g.Kernel.Instrs[i])
			}
			points = append(points, p)
		}
	}
	return points
}

// source is where an instruction stands, in the source that the compiler was given if it is known.
func source(in *isa.Instr) string {
	if in.Loc.Known() {
		return in.Loc.String()
	}
	return in.Pos.String()
}

// awaits reports whether warps wait at an instruction until all of their CTA have arrived.
func awaits(in *isa.Instr) bool {
	if in.Op != isa.Bar {
		return false
	}
	switch in.Barrier {
	case isa.BarrierSync, isa.BarrierRedPopc, isa.BarrierRedAnd, isa.BarrierRedOr:
		return true
	}
	return false
}

// milestones returns the blocks outside of loops on every path from the entry to the exit, with their places in that order.
func milestones(g *cfg.Graph) map[int]int {
	places, seen := map[int]int{}, map[int]bool{}
	for b := g.Entry(); b != g.Exit() && !seen[b]; {
		seen[b] = true
		if g.Loops().Innermost(b) < 0 {
			places[b] = len(places)
		}
		next := g.Succ(b)
		switch len(next) {
		case 0:
			return places
		case 1:
			b = next[0]
		default:
			b = g.Reconverge(b)
		}
	}
	return places
}
