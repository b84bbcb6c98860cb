package hybrid

import (
	"fmt"
	"slices"

	"warpbound/internal/method"
	"warpbound/internal/trace"
)

// IPG is an instrumentation point graph: its nodes are Ipoints, its edges the
// transitions between them, each the contraction of the Ipoint-free paths of the
// control-flow graph (section II-B). It is the extended IPG of section IV-C: its edges
// cover branch divergence, its loops are those of the control-flow graph without
// divergent edges.
//
// Nodes 0..Len()-1 are the Ipoints of blocks; two more stand for the start and the exit
// of a warp.
type IPG struct {
	Ipoints []trace.IpointInfo // of blocks
	Edges   []Edge             // ascending by From and To
	Loops   []Loop             // as in Flow.Loops

	// OfBlock is the Ipoint of every block, trace.None where it has none. A simulator
	// records a block's Ipoint when its first instruction issues.
	OfBlock []trace.Ipoint

	succ   [][]arc   // by node, ascending
	around [][]int32 // by node, the loops around its block, ascending
	whole  bool      // every block that can be reached has an Ipoint
	in     []membership
	facts  []placedFact
}

// Edge is a transition between two Ipoints.
type Edge struct {
	From, To int
	// Divergent says that only branch divergence makes the transition.
	Divergent bool
	// Limited says that the loops may not bound how often the transition occurs: it may
	// be made by divergence, or stand for paths that differ in how they pass a loop.
	// The calculation then relies on the largest count of any observed warp.
	Limited bool
}

// Loop is a loop of the control-flow graph as the IPG shows it. For every warp, a bound
// on the back edges taken per entry of the loop bounds the sum of the counts of Iter by
// that many times the sum of the counts of Entries.
type Loop struct {
	Header  int    // block
	Name    string // of that block
	Pos     string // of that block
	Iter    []int  // edges that take a back edge without leaving the loop
	Entries []int  // edges that may enter the loop, or resume lanes in it
}

type arc struct{ to, edge int32 }

// membership lists the loops to which an edge counts as iteration or as entry.
type membership struct{ iter, entry []int32 }

// NewIPG builds the IPG of a program with the Ipoints that place chooses. It is an error
// if place fails, or if a fact is about a block without Ipoint.
func NewIPG(p *Program, place method.Placement) (*IPG, error) {
	chosen, err := place(p.Sites())
	if err != nil {
		return nil, err
	}
	if len(p.Blocks) != p.Flow.Len() || len(chosen) != len(p.Blocks) {
		return nil, fmt.Errorf("%d blocks described and %d placed in a flow graph of %d", len(p.Blocks), len(chosen), p.Flow.Len())
	}
	g := &IPG{OfBlock: make([]trace.Ipoint, len(p.Blocks)), whole: true}
	var blocks []int // by Ipoint
	for b, is := range chosen {
		g.OfBlock[b] = trace.None
		g.whole = g.whole && (is || !p.Flow.Reachable(b))
		if is && p.Flow.Reachable(b) {
			g.OfBlock[b] = trace.Ipoint(len(blocks))
			g.Ipoints = append(g.Ipoints, p.Blocks[b])
			blocks = append(blocks, b)
		}
	}
	for _, l := range p.Flow.Loops().Loops {
		g.Loops = append(g.Loops, Loop{Header: l.Header, Name: p.Blocks[l.Header].Name, Pos: p.Blocks[l.Header].Pos})
	}
	g.around = make([][]int32, g.Len()+2)
	for i, b := range blocks {
		loops := p.Flow.Loops()
		for l := loops.Innermost(b); l >= 0; l = loops.Loops[l].Parent {
			g.around[i] = append(g.around[i], int32(l))
		}
		slices.Sort(g.around[i])
	}
	g.connect(p, blocks)
	return g, g.placeFacts(p)
}

// connect contracts Ipoint-free paths from every node.
func (g *IPG) connect(p *Program, blocks []int) {
	c := newContraction(p, g.OfBlock)
	g.succ = make([][]arc, g.Len()+2)
	for from := range g.Exit() {
		source := noBlock
		if from != g.Start() {
			source = blocks[from]
		}
		for _, t := range c.transitions(source) {
			to := g.Exit()
			if t.to != p.Flow.Exit() {
				to = int(g.OfBlock[t.to])
			}
			e := len(g.Edges)
			g.Edges = append(g.Edges, Edge{From: from, To: to, Divergent: t.divergent, Limited: t.limited})
			g.succ[from] = append(g.succ[from], arc{int32(to), int32(e)})
			g.in = append(g.in, membership{iter: t.iter, entry: t.entry})
			for _, l := range t.iter {
				g.Loops[l].Iter = append(g.Loops[l].Iter, e)
			}
			for _, l := range t.entry {
				g.Loops[l].Entries = append(g.Loops[l].Entries, e)
			}
		}
	}
}

// Len returns the number of block Ipoints.
func (g *IPG) Len() int { return len(g.Ipoints) }

// Start returns the node for the start of a warp.
func (g *IPG) Start() int { return g.Len() }

// Exit returns the node for the exit of a warp.
func (g *IPG) Exit() int { return g.Len() + 1 }

// Name returns the name of a node.
func (g *IPG) Name(node int) string {
	switch node {
	case g.Start():
		return trace.Start.String()
	case g.Exit():
		return trace.Exit.String()
	}
	return g.Ipoints[node].Name
}

// Edge returns the index of the edge between two nodes.
func (g *IPG) Edge(from, to int) (int, bool) {
	i, found := slices.BinarySearchFunc(g.succ[from], to, func(a arc, to int) int { return int(a.to) - to })
	if !found {
		return 0, false
	}
	return int(g.succ[from][i].edge), true
}

// Follows reports whether there is a transition from an Ipoint to another one, of which
// the first may be trace.Start and the second trace.Exit.
func (g *IPG) Follows(from, to trace.Ipoint) bool {
	_, known := g.Edge(g.node(from), g.node(to))
	return known
}

// node returns the node of an Ipoint.
func (g *IPG) node(i trace.Ipoint) int {
	switch i {
	case trace.Start:
		return g.Start()
	case trace.Exit:
		return g.Exit()
	}
	return int(i)
}
