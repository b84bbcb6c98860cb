package cfg

import (
	"slices"

	"warpbound/internal/graph"
)

// Extended is a flow graph with branch-divergent edges: every transition that a
// warp makes is one of its edges. Loops and reconvergence points remain those of the
// flow graph, since the added edges often make it irreducible.
type Extended struct {
	Flow      *Flow
	Divergent []graph.Edge // the added edges, ascending
	g         *graph.Graph
}

// WithEdges returns the flow graph extended by the given edges, of which those
// that it has already are left out. The flow graph does not change.
func (f *Flow) WithEdges(edges []graph.Edge) *Extended {
	x := &Extended{Flow: f, g: graph.New(f.g.Len())}
	for u := range f.g.Len() {
		for _, v := range f.g.Succ(u) {
			x.g.AddEdge(u, v)
		}
	}
	sorted := slices.Clone(edges)
	slices.SortFunc(sorted, graph.Edge.Compare)
	for _, e := range slices.Compact(sorted) {
		if !f.g.HasEdge(e.From, e.To) {
			x.g.AddEdge(e.From, e.To)
			x.Divergent = append(x.Divergent, e)
		}
	}
	return x
}

// Graph returns the blocks, the virtual exit and all edges as a graph, which
// must not be changed. Divergent edges come after those of the flow graph.
func (x *Extended) Graph() *graph.Graph { return x.g }
