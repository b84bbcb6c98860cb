package cfg

import (
	"fmt"
	"slices"

	"warpbound/internal/graph"
)

// DivergentEdges returns the transitions from block to block that a warp can
// make although the flow graph has no such edge, because its lanes diverged:
// when the lanes on one path have reached their reconvergence point, those that
// wait on another path continue there. The edges are ascending.
//
// The model is a stack for each warp with entries (pc, rpc, lanes), the last of
// which runs. It starts with one entry for all lanes at the kernel's entry and
// without rpc.
//
//   - If the running lanes agree on the successor of their block, pc becomes
//     that successor.
//   - If they disagree at block b, let r = IPdom(b). The pc of the entry becomes
//     r; if r is its rpc already, the entry is dropped, because its lanes are
//     awaited further below. Then an entry (t, r, lanes that go to t) is pushed
//     for each of their distinct targets t but r. The order of these entries is
//     not known.
//   - An entry whose pc has become its rpc is dropped, and the one below runs.
//   - Lanes that end are taken out of every entry, and entries without lanes are
//     dropped. If r is the virtual exit, the pushed entries have no rpc: each
//     lasts until all of its lanes have ended.
//
// Any lanes may take any of the successors of a block at any execution of it,
// except that they always agree at blocks for which uniform holds. A nil uniform
// holds nowhere. Under these assumptions the result is sound for warps of any
// size, and exact for warps of two lanes or more.
//
// The number of edges can grow with the square of the number of blocks; more than
// MaxDivergentEdges are an error.
func DivergentEdges(f *Flow, uniform func(b int) bool) ([]graph.Edge, error) {
	// An entry with rpc r that waits at s was pushed by a branch b with
	// IPdom(b) = r and successor s. Those on top of it descend from an entry for
	// another target of b. When it comes to run, lanes of that one have just
	// reached r, by an edge of the flow graph, without having passed r before.
	added := newEdgeSet(f)
	w := newWalker(f)
	for r := range f.g.Len() {
		waiting := make(map[int][]int) // at each s, the branches that push it
		for _, b := range f.pdom.Children(r) {
			if !f.reached[b] || uniform != nil && uniform(b) {
				continue
			}
			for _, s := range f.g.Succ(b) {
				if s != r {
					waiting[s] = append(waiting[s], b)
				}
			}
		}
		for s, branches := range waiting {
			for _, p := range w.arrivals(r, s, branches) {
				added.add(p, s)
			}
			if added.count > MaxDivergentEdges {
				return nil, fmt.Errorf("divergence adds more than %d edges to a flow graph of %d blocks", MaxDivergentEdges, f.Len())
			}
		}
	}
	return added.edges(), nil
}

// MaxDivergentEdges is the largest number of transitions, repeated ones
// included, that DivergentEdges gathers before it gives up.
const MaxDivergentEdges = 1 << 23

// edgeSet gathers edges that a flow graph does not have.
type edgeSet struct {
	f     *Flow
	to    [][]int // destinations for each source, some more than once
	count int     // of all of to
}

func newEdgeSet(f *Flow) *edgeSet { return &edgeSet{f: f, to: make([][]int, f.g.Len())} }

func (e *edgeSet) add(from, to int) {
	if !e.f.g.HasEdge(from, to) {
		e.to[from] = append(e.to[from], to)
		e.count++
	}
}

// edges returns the distinct edges in ascending order.
func (e *edgeSet) edges() []graph.Edge {
	var all []graph.Edge
	for from, to := range e.to {
		slices.Sort(to)
		for _, t := range slices.Compact(to) {
			all = append(all, graph.Edge{From: from, To: t})
		}
	}
	return all
}

// walker finds the blocks from which lanes arrive at a reconvergence point.
type walker struct {
	f    *Flow
	seen []int // the walk that visited a block last
	walk int
	work []int
}

func newWalker(f *Flow) *walker { return &walker{f: f, seen: make([]int, f.g.Len())} }

// arrivals returns the predecessors of r that lanes visit, before they visit r,
// on a path from one of the branches by way of another successor than s. r must be
// the immediate post-dominator of the branches.
//
// A path from x to r visits IPdom(x) first. So the walk hops from x to IPdom(x)
// until that is r, and follows edges only there; and every predecessor of r on
// the path is such a block.
func (w *walker) arrivals(r, s int, branches []int) []int {
	w.walk++
	w.work = w.work[:0]
	for _, b := range branches {
		for _, t := range w.f.g.Succ(b) {
			if t != r && t != s {
				w.work = append(w.work, t)
			}
		}
	}
	var found []int
	for len(w.work) > 0 {
		x := w.work[len(w.work)-1]
		w.work = w.work[:len(w.work)-1]
		if w.seen[x] == w.walk {
			continue
		}
		w.seen[x] = w.walk
		if next := w.f.IPdom(x); next != r {
			w.work = append(w.work, next)
			continue
		}
		for _, y := range w.f.g.Succ(x) {
			if y == r {
				found = append(found, x)
			} else {
				w.work = append(w.work, y)
			}
		}
	}
	return found
}
