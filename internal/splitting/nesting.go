package splitting

import (
	"maps"
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// edge is an edge of the flow graph.
type edge struct{ from, to int }

// nesting is how the regions of the branches to be split lie in each other. Regions that
// have the same reconvergence point form a forest.
type nesting struct {
	g       *cfg.Graph
	regions []*region             // in the order of their branches
	outer   map[*region]*region   // the innermost region around another with the same point
	inner   map[*region][]*region // the reverse
	ending  map[int][]*region     // by point, the outermost ones that it has
	leaves  map[edge]*region      // for edges that leave regions, the innermost one
}

func nest(g *cfg.Graph, of map[int]*region) *nesting {
	n := &nesting{
		g: g, outer: make(map[*region]*region), inner: make(map[*region][]*region),
		ending: make(map[int][]*region), leaves: make(map[edge]*region),
	}
	for _, b := range slices.Sorted(maps.Keys(of)) {
		n.regions = append(n.regions, of[b])
	}
	// Of regions around each other the smaller one is inside.
	bySize := slices.Clone(n.regions)
	slices.SortStableFunc(bySize, func(a, b *region) int { return len(a.inside) - len(b.inside) })
	for _, r := range bySize {
		for _, from := range g.Pred(r.reconverge) {
			if e := (edge{from, r.reconverge}); r.within(from) && n.leaves[e] == nil {
				n.leaves[e] = r
			}
		}
	}
	for _, r := range n.regions {
		around := slices.IndexFunc(bySize, func(o *region) bool { return o.reconverge == r.reconverge && o.inside[r.branch] })
		if around < 0 {
			n.ending[r.reconverge] = append(n.ending[r.reconverge], r)
			continue
		}
		o := bySize[around]
		n.outer[r] = o
		n.inner[o] = append(n.inner[o], r)
	}
	return n
}

// before returns the regions whose merges stand right before a block, where control falls
// through from each to the next: from some region to the one around it, and so on.
func (n *nesting) before(b int) []*region {
	if b == 0 || len(n.ending[b]) == 0 {
		return nil // the kernel starts at block 0
	}
	if slices.ContainsFunc(n.g.Blocks[b-1].Edges, func(e cfg.Edge) bool { return e.Kind == cfg.FallThrough }) {
		var chain []*region
		for r := n.leaves[edge{b - 1, b}]; r != nil; r = n.outer[r] {
			chain = append(chain, r)
		}
		return chain
	}
	if first := &n.g.Kernel.Instrs[n.g.Blocks[b].Start]; first.Op == isa.Bra && !first.Guard.Set {
		return nil // a merge and a branch behind what ends the flow is what Remove takes away
	}
	return n.chainTo(n.ending[b][0])
}

// chainTo returns a region and, before it, the first one inside of it that has the same
// point, the first one inside of that, and so on.
func (n *nesting) chainTo(r *region) []*region {
	chain := []*region{r}
	for len(n.inner[r]) > 0 {
		r = n.inner[r][0]
		chain = append(chain, r)
	}
	slices.Reverse(chain)
	return chain
}

// entered reports whether control comes to a block only from regions that end there.
func (n *nesting) entered(b int) bool {
	return !slices.ContainsFunc(n.g.Pred(b), func(from int) bool { return n.leaves[edge{from, b}] == nil })
}
