package cfg

import (
	"slices"

	"warpbound/internal/graph"
)

// PublishedDivergentEdges returns the edges that the algorithm of Fig. 3 of
// Betts and Donaldson, Estimating the WCET of GPU-accelerated applications using
// hybrid analysis (ECRTS 2013), adds to a flow graph, ascending. It is kept for
// comparison with that paper: it misses transitions that a warp can make and
// adds others that none can make (see DivergentEdges).
//
// As in the paper it works on the flow graph without loop-back edges. Where the
// paper is silent: the virtual exit is a merge vertex like any other; added edges
// are not seen by later steps, so that the order of branches does not matter; and
// a branch from which the exit cannot be reached without a loop-back edge has no
// post-dominator, so that nothing is added for it.
func PublishedDivergentEdges(f *Flow) []graph.Edge {
	forward := withoutBackEdges(f)
	backward := forward.Reverse()
	pdom := graph.Dominators(backward, f.Exit())
	added := newEdgeSet(f)
	for m := range f.g.Len() {
		var branches []int
		for _, b := range pdom.Children(m) {
			if isForwardBranch(f, forward, b) {
				branches = append(branches, b)
			}
		}
		if branches == nil {
			continue
		}
		for _, p := range forward.Pred(m) {
			reaches := backward.Reachable(p)
			for _, b := range branches {
				succ := forward.Succ(b)
				all := !slices.ContainsFunc(succ, func(s int) bool { return !reaches[s] })
				for _, s := range succ {
					if all || !reaches[s] {
						added.add(p, s)
					}
				}
			}
		}
	}
	return added.edges()
}

// withoutBackEdges returns the reachable part of the flow graph without its
// loop-back edges.
func withoutBackEdges(f *Flow) *graph.Graph {
	back := f.loops.BackEdges()
	forward := graph.New(f.g.Len())
	for u := range f.g.Len() {
		if !f.reached[u] {
			continue
		}
		for _, v := range f.g.Succ(u) {
			if _, isBack := slices.BinarySearchFunc(back, graph.Edge{From: u, To: v}, graph.Edge.Compare); !isBack {
				forward.AddEdge(u, v)
			}
		}
	}
	return forward
}

// isForwardBranch is the definition of section IV-A: several successors, and a
// loop header only if all of them are in the loop's body.
func isForwardBranch(f *Flow, forward *graph.Graph, b int) bool {
	succ := forward.Succ(b)
	if len(succ) < 2 {
		return false
	}
	i := f.loops.Innermost(b)
	if i < 0 || f.loops.Loops[i].Header != b {
		return true
	}
	return !slices.ContainsFunc(succ, func(s int) bool { return !f.loops.Loops[i].Contains(s) })
}
