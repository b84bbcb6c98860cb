package cfg

import (
	"fmt"
	"slices"

	"warpbound/internal/graph"
)

// DivergentEdges returns the transitions from block to block that a warp can
// make although the flow graph has no such edge, because its lanes diverged:
// when the lanes on one path have reached their reconvergence point, or have
// ended, those that wait on another path or for them continue there. The edges are
// ascending.
//
// The model is a stack for each warp with entries (pc, rpc, lanes), the last of
// which runs. It starts with one entry for all lanes at the kernel's entry and
// without rpc.
//
//   - If the running lanes agree on the successor of their block, pc becomes
//     that successor.
//   - If they disagree at block b, let r = Reconverge(b). The pc of the entry becomes
//     r; if r is its rpc already, the entry is dropped, because its lanes are
//     awaited further below. Then an entry (t, r, lanes that go to t) is pushed
//     for each of their distinct targets t but r. The order of these entries is
//     not known.
//   - An entry whose pc has become its rpc is dropped, and the one below runs.
//   - Lanes that end are taken out of every entry, and entries without lanes are
//     dropped. If r is the virtual exit, the entry is dropped and those pushed have
//     no rpc: each lasts until all of its lanes have ended.
//
// Any lanes may take any of the successors of a block at any execution of it,
// except that they always agree at blocks for which uniform holds. A nil uniform
// holds nowhere. Under these assumptions the result is sound for warps of any
// size, and exact for warps of two lanes or more.
//
// For a kernel whose lanes reconverge AtSyncs, r is the block behind the sync that ends the
// wait of b, and the lanes that take the branch wait. That lanes which leave a loop at
// different times run on together adds nothing: it is as if all of them but those that
// leave last had left at the first time.
//
// The number of edges can grow with the square of the number of blocks; more than
// MaxDivergentEdges are an error.
func DivergentEdges(f *Flow, uniform func(b int) bool) ([]graph.Edge, error) {
	// An entry that waits at s was pushed by a branch b with Reconverge(b) = r and
	// successor s, or it is the one that waits at r. Those on top of it descend from
	// an entry for another target of b. When it comes to run, lanes of that one have
	// just reached r, by an edge of the flow graph, or ended, and have not passed r
	// before.
	added := newEdgeSet(f)
	w := newWalker(f)
	diverging := make([][]int, f.g.Len()) // by r, the branches b
	for b, r := range f.points {
		if f.reached[b] && len(f.Succ(b)) > 1 && (uniform == nil || !uniform(b)) {
			diverging[r] = append(diverging[r], b)
		}
	}
	for r, branches := range diverging {
		waiting := make(map[int][]int) // at each s, the branches that push it
		for _, b := range branches {
			for _, s := range f.Succ(b) {
				if s != r && s != f.Exit() && f.waits(b, s) {
					waiting[s] = append(waiting[s], b)
				}
			}
		}
		if r != f.Exit() {
			waiting[r] = branches
		}
		for s, branches := range waiting {
			for _, p := range w.arrivals(r, s, branches) {
				added.add(p, s)
			}
			for _, p := range w.exiting(r, s, branches) {
				added.add(p, s)
			}
			if added.count > MaxDivergentEdges {
				return nil, fmt.Errorf("divergence adds more than %d edges to a flow graph of %d blocks", MaxDivergentEdges, f.Len())
			}
		}
	}
	return added.edges(), nil
}

// waits reports whether lanes that go from b to s may wait there while others run.
func (f *Flow) waits(b, s int) bool {
	return f.later == nil || f.later[b] < 0 || f.later[b] == s
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

// walker finds the blocks at which lanes that others wait for stop to run: where they
// arrive at the reconvergence point or end.
type walker struct {
	f    *Flow
	seen []int // the walk that visited a block last
	walk int
	work []int
}

func newWalker(f *Flow) *walker { return &walker{f: f, seen: make([]int, f.g.Len())} }

// start begins a walk at the successors of the branches but r, s and the exit.
func (w *walker) start(r, s int, branches []int) {
	w.walk++
	w.work = w.work[:0]
	for _, b := range branches {
		for _, t := range w.f.Succ(b) {
			if t != r && t != s {
				w.push(t)
			}
		}
	}
}

// push adds a block to the walk unless it is the exit or was there before.
func (w *walker) push(x int) {
	if x != w.f.Exit() && w.seen[x] != w.walk {
		w.seen[x] = w.walk
		w.work = append(w.work, x)
	}
}

func (w *walker) pop() int {
	last := len(w.work) - 1
	x := w.work[last]
	w.work = w.work[:last]
	return x
}

// arrivals returns the predecessors of the block r that lanes visit, before they visit
// r, on a path from one of the branches by way of another successor than s. r must be
// the reconvergence point of the branches.
//
// A path from x to r visits Reconverge(x) first. So the walk hops from x to
// Reconverge(x) until that is r, and follows edges only there; and every predecessor
// of r on the path is such a block. From a block that cannot reach r the walk ends at
// the exit.
func (w *walker) arrivals(r, s int, branches []int) []int {
	if r == w.f.Exit() || r == s {
		return nil
	}
	var found []int
	for w.start(r, s, branches); len(w.work) > 0; {
		x := w.pop()
		if next := w.f.Reconverge(x); next != r {
			w.push(next)
			continue
		}
		for _, y := range w.f.Succ(x) {
			if y == r {
				found = append(found, x)
			} else {
				w.push(y)
			}
		}
	}
	return found
}

// exiting returns the blocks at which lanes may end that are on the same paths.
func (w *walker) exiting(r, s int, branches []int) []int {
	parted := make([]int, 0, len(branches))
	for _, b := range branches {
		if w.f.Parted(b) {
			parted = append(parted, b)
		}
	}
	var found []int
	for w.start(r, s, parted); len(w.work) > 0; {
		x := w.pop()
		for _, y := range w.f.Succ(x) {
			if y == w.f.Exit() {
				found = append(found, x)
			} else if y != r {
				w.push(y)
			}
		}
	}
	return found
}
