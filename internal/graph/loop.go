package graph

import (
	"fmt"
	"math"
	"slices"
)

// Loop is a loop of a forest. Nodes and edges are ascending; parallel edges
// count once, and edges from nodes that cannot be reached are left out.
type Loop struct {
	Header int
	Parent int // index of the smallest loop around this one, -1 if outermost
	Depth  int // 1 for an outermost loop
	Body   []int
	// Entries are the nodes of the body at which it can be entered: the
	// destinations of Entering, and the root. A reducible loop has one, its
	// header.
	Entries  []int
	Entering []Edge // from outside of the body into it
	Back     []Edge // from the body to Header
}

// Contains reports whether v is in the loop's body.
func (l *Loop) Contains(v int) bool {
	_, found := slices.BinarySearch(l.Body, v)
	return found
}

// LoopForest is the set of loops of a graph, nested.
type LoopForest struct {
	Loops     []Loop // a loop stands before the loops inside it
	innermost []int
}

// Innermost returns the index of the smallest loop that contains v, or -1.
func (f *LoopForest) Innermost(v int) int { return f.innermost[v] }

// BackEdges returns the back edges of all loops, ascending. Without them the
// nodes reachable from the root form an acyclic graph.
func (f *LoopForest) BackEdges() []Edge {
	var back []Edge
	for _, l := range f.Loops {
		back = append(back, l.Back...)
	}
	slices.SortFunc(back, Edge.Compare)
	return slices.Compact(back)
}

// Irreducible describes how a graph is irreducible: Edge enters Loop elsewhere
// than at its header.
type Irreducible struct {
	Loop *Loop
	Edge Edge
}

// Irreducible returns a witness if the graph is irreducible: of the first loop
// with several entries, the first edge that does not enter at the header. It
// returns nil for a reducible graph.
func (f *LoopForest) Irreducible() *Irreducible {
	for i := range f.Loops {
		l := &f.Loops[i]
		for _, e := range l.Entering {
			if e.To != l.Header {
				return &Irreducible{Loop: l, Edge: e}
			}
		}
	}
	return nil
}

// Loops returns the loop forest of the nodes reachable from root. It is built
// by nested strongly connected components, in the framework of Ramalingam (On
// loops, dominators, and dominance frontiers, TOPLAS 24(5), 2002): a component
// with a cycle is a loop; one of its entries is its header; without the edges to
// the header, the components of its body are the loops inside it. The header is
// the entry that comes first in reverse post-order, so the root if it is in the
// body. For a reducible graph these are the natural loops, those
// with the same header joined. The time is linear in the edges times the
// greatest depth.
func Loops(g *Graph, root int) *LoopForest {
	f, _ := LoopsWithin(g, root, math.MaxInt) // no graph has so many
	return f
}

// LoopsWithin is Loops for graphs of which nothing is known: it gives up with an
// error if the bodies of the loops together have more than maximum nodes, which grow
// with the square of the nodes where loops nest deeply.
func LoopsWithin(g *Graph, root, maximum int) (*LoopForest, error) {
	b := &loopBuilder{
		g:      g,
		root:   root,
		rank:   make([]int, g.Len()),
		forest: &LoopForest{innermost: make([]int, g.Len())},
		tarjan: newTarjan(g),
	}
	for v := range g.Len() {
		b.rank[v] = -1
		b.forest.innermost[v] = -1
	}
	order := ReversePostOrder(g, root)
	for i, v := range order {
		b.rank[v] = i
	}
	b.split(order, -1, -1)
	for len(b.work) > 0 {
		next := b.work[len(b.work)-1]
		b.work = b.work[:len(b.work)-1]
		if maximum -= len(next.body); maximum < 0 {
			return nil, fmt.Errorf("loops nest %d deep in a graph of %d nodes", b.depth(next.parent)+1, g.Len())
		}
		i := b.add(next)
		b.split(next.body, i, b.forest.Loops[i].Header)
	}
	return b.forest, nil
}

// depth is the depth of a loop, 0 for the index -1.
func (b *loopBuilder) depth(loop int) int {
	if loop < 0 {
		return 0
	}
	return b.forest.Loops[loop].Depth
}

type loopBuilder struct {
	g      *Graph
	root   int
	rank   []int // place in reverse post-order, -1 if unreachable
	forest *LoopForest
	tarjan *tarjan
	work   []loopBody // bodies of loops still to be added, the next one last
}

type loopBody struct {
	body   []int
	parent int
}

// split finds the loops among the nodes of the loop with index parent, or among
// all nodes for -1, ignoring edges to that loop's header.
func (b *loopBuilder) split(nodes []int, parent, header int) {
	in := func(v int) bool {
		return v != header && b.rank[v] >= 0 && b.forest.innermost[v] == parent
	}
	for _, comp := range b.tarjan.components(nodes, in) {
		v := comp[0]
		if len(comp) > 1 || v != header && b.g.HasEdge(v, v) {
			b.work = append(b.work, loopBody{comp, parent})
		}
	}
}

// add appends a loop to the forest and returns its index.
func (b *loopBuilder) add(next loopBody) int {
	i := len(b.forest.Loops)
	l := Loop{Header: -1, Parent: next.parent, Depth: b.depth(next.parent) + 1, Body: next.body}
	for _, v := range l.Body {
		b.forest.innermost[v] = i
	}
	for _, v := range l.Body {
		entry := v == b.root
		for _, p := range b.g.Pred(v) {
			if b.rank[p] >= 0 && !l.Contains(p) {
				l.Entering = append(l.Entering, Edge{p, v})
				entry = true
			}
		}
		if !entry {
			continue
		}
		l.Entries = append(l.Entries, v)
		if l.Header < 0 || b.rank[v] < b.rank[l.Header] {
			l.Header = v
		}
	}
	for _, p := range b.g.Pred(l.Header) {
		if l.Contains(p) {
			l.Back = append(l.Back, Edge{p, l.Header})
		}
	}
	l.Entering = sortedSet(l.Entering)
	l.Back = sortedSet(l.Back)
	b.forest.Loops = append(b.forest.Loops, l)
	return i
}

func sortedSet(edges []Edge) []Edge {
	slices.SortFunc(edges, Edge.Compare)
	return slices.Compact(edges)
}
