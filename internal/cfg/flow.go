package cfg

import (
	"fmt"

	"warpbound/internal/graph"
)

// Flow is the shape of a control-flow graph: blocks 0..Len()-1 of which 0 is
// the entry, the edges between them, and a virtual exit joined to every block
// at which lanes may end. It knows no instructions. A Flow does not change.
type Flow struct {
	g       *graph.Graph // the blocks and, last, the virtual exit
	reached []bool
	pdom    *graph.DomTree
	loops   *graph.LoopForest
}

// NewFlow returns the flow graph of n blocks with the given edges; the
// destination n is the virtual exit. Parallel edges count as one. It is an error
// if there is no block, or if an edge leaves the exit or the range of blocks.
func NewFlow(n int, edges []graph.Edge) (*Flow, error) {
	if n <= 0 {
		return nil, fmt.Errorf("a flow graph needs a block")
	}
	g := graph.New(n + 1)
	added := make(map[graph.Edge]bool)
	for _, e := range edges {
		if e.From < 0 || e.From >= n || e.To < 0 || e.To > n {
			return nil, fmt.Errorf("edge %d>%d in a flow graph of %d blocks", e.From, e.To, n)
		}
		if !added[e] {
			added[e] = true
			g.AddEdge(e.From, e.To)
		}
	}
	return &Flow{
		g:       g,
		reached: g.Reachable(0),
		pdom:    graph.PostDominators(g, n),
		loops:   graph.Loops(g, 0),
	}, nil
}

// Len returns the number of blocks, the virtual exit not counted.
func (f *Flow) Len() int { return f.g.Len() - 1 }

// Entry returns the block at which every warp starts.
func (f *Flow) Entry() int { return 0 }

// Exit returns the node that stands for the virtual exit.
func (f *Flow) Exit() int { return f.g.Len() - 1 }

// Graph returns the blocks and the virtual exit as a graph, which must not be
// changed.
func (f *Flow) Graph() *graph.Graph { return f.g }

// Succ returns the distinct successors of b, the virtual exit possibly among
// them. The caller must not change the slice.
func (f *Flow) Succ(b int) []int { return f.g.Succ(b) }

// Pred returns the distinct predecessors of b. The caller must not change the
// slice.
func (f *Flow) Pred(b int) []int { return f.g.Pred(b) }

// Reachable reports whether there is a path from the entry to b.
func (f *Flow) Reachable(b int) bool { return f.reached[b] }

// IPdom returns the immediate post-dominator of b: the nearest node that every
// path from b to the virtual exit visits, and so the point at which lanes that
// diverge at b reconverge. It is Exit() where lanes may end apart.
//
// A block from which the exit cannot be reached is treated as if the smallest
// block of each endless loop had an edge to it (see graph.Endless).
func (f *Flow) IPdom(b int) int { return f.pdom.IDom(b) }

// Loops returns the loops of the reachable blocks.
func (f *Flow) Loops() *graph.LoopForest { return f.loops }
