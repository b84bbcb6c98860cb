package cfg

import (
	"fmt"
	"slices"

	"warpbound/internal/graph"
)

// Flow is the shape of a control-flow graph: blocks 0..Len()-1 of which 0 is
// the entry, the edges between them, and a virtual exit joined to every block
// at which lanes may end. It knows no instructions. A Flow does not change.
type Flow struct {
	g        *graph.Graph // the blocks and, last, the virtual exit
	awaits   []bool       // the block holds a barrier
	reached  []bool
	loops    *graph.LoopForest
	awaiting []bool // a barrier can be reached from the block
	points   []int  // of reconvergence
	parted   []bool // lanes may end on the way there
	later    []int  // where it is known, the only successor of a block whose lanes may wait while others run, else -1; nil if it is known nowhere
}

// MaxLoopBlocks is the largest number of blocks that all loops of a flow graph
// have together, a block counted in each of the loops around it.
const MaxLoopBlocks = 1 << 22

// NewFlow returns the flow graph of n blocks with the given edges; the
// destination n is the virtual exit. Parallel edges count as one. The blocks for
// which awaits holds have a barrier at which all threads of a CTA wait that have not
// ended; nil stands for none. It is an error if there is no block or awaits has another
// length, if an edge leaves the exit or the range of blocks, or if loops nest so deeply
// that they have more than MaxLoopBlocks.
func NewFlow(n int, edges []graph.Edge, awaits []bool) (*Flow, error) {
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
	if awaits == nil {
		awaits = make([]bool, n)
	}
	if len(awaits) != n {
		return nil, fmt.Errorf("barriers of %d blocks in a flow graph of %d", len(awaits), n)
	}
	loops, err := graph.LoopsWithin(g, 0, MaxLoopBlocks)
	if err != nil {
		return nil, err
	}
	f := &Flow{g: g, awaits: slices.Clone(awaits), reached: g.Reachable(0), loops: loops}
	var barriers []int
	for b, here := range awaits {
		if here {
			barriers = append(barriers, b)
		}
	}
	f.awaiting = g.Reverse().Reachable(barriers...)
	f.points = f.reconvergence()
	return f, nil
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

// Loops returns the loops of the reachable blocks.
func (f *Flow) Loops() *graph.LoopForest { return f.loops }
