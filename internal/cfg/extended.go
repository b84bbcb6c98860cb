package cfg

import (
	"slices"

	"warpbound/internal/graph"
)

// Extended is a flow graph with branch-divergent edges: every transition that a
// warp makes is one of its edges. Loops and post-dominators remain those of the
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

// IsDivergent reports whether e is one of the added edges.
func (x *Extended) IsDivergent(e graph.Edge) bool {
	_, found := slices.BinarySearchFunc(x.Divergent, e, graph.Edge.Compare)
	return found
}

// LoopDivergence says how divergent edges touch a loop of the flow graph. A
// bound on iterations relative to the loop's entries must count Entering too,
// and Inside may close cycles that use none of the loop's back edges.
type LoopDivergence struct {
	Entering []graph.Edge // from outside of the body into it
	Inside   []graph.Edge // from the body into the body
}

// LoopDivergence returns the divergent edges that lead into the body of the loop
// with index i in Flow.Loops, ascending.
func (x *Extended) LoopDivergence(i int) LoopDivergence {
	l := &x.Flow.Loops().Loops[i]
	var d LoopDivergence
	for _, e := range x.Divergent {
		switch {
		case !l.Contains(e.To):
		case l.Contains(e.From):
			d.Inside = append(d.Inside, e)
		default:
			d.Entering = append(d.Entering, e)
		}
	}
	return d
}
