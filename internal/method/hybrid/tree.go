package hybrid

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/graph"
	"warpbound/internal/ipet"
	"warpbound/internal/saturating"
)

// ErrDivergent says that a tree cannot bound a kernel because its branches may diverge:
// the maximum over alternatives is too small where a warp executes both.
var ErrDivergent = errors.New("branches may diverge")

// ErrNotTree says that an IPG has no tree whose loops are those of the control-flow
// graph, for example because a loop's header has no Ipoint.
var ErrNotTree = errors.New("the instrumentation point graph has no tree")

// TreeKind says how the time of a Tree follows from its parts.
type TreeKind uint8

// The kinds of trees (section II-C).
const (
	Leaf TreeKind = iota // the worst time of a transition
	Seq                  // the sum of the parts
	Alt                  // the maximum of the parts
	Rep                  // Bound times the only part
)

// Tree is a timing schema: the tree-based calculation of a warp's worst time. Trees
// share parts.
type Tree struct {
	Kind   TreeKind
	Edge   int   // of a Leaf, in IPG.Edges
	Bound  int64 // of a Rep
	Parts  []*Tree
	Cycles saturating.Int
}

// String renders the tree as a term, such as alt(seq(10, 2*7, 7), seq(3, 5)). Shared
// parts are written out each time, so it is for small trees.
func (t *Tree) String() string {
	switch t.Kind {
	case Leaf:
		return fmt.Sprint(t.Cycles)
	case Rep:
		return fmt.Sprintf("%d*%v", t.Bound, t.Parts[0])
	}
	var parts []string
	for _, p := range t.flatten(nil) {
		parts = append(parts, p.String())
	}
	name := map[TreeKind]string{Seq: "seq", Alt: "alt"}[t.Kind]
	return name + "(" + strings.Join(parts, ", ") + ")"
}

// flatten appends the parts of t, and in place of those of t's kind their parts.
func (t *Tree) flatten(to []*Tree) []*Tree {
	for _, p := range t.Parts {
		if p.Kind == t.Kind {
			to = p.flatten(to)
		} else {
			to = append(to, p)
		}
	}
	return to
}

// NewTree calculates the worst time of a warp by a tree over the observed transitions,
// where no branch can diverge. There it equals the time that Analyze finds by implicit
// path enumeration. The error wraps ErrDivergent, ErrNotTree or ipet.ErrOverflow where
// there is no tree, and otherwise is as for Analyze.
func NewTree(p *Profile, bounds Bounds) (*Tree, error) {
	if p.runs == 0 {
		return nil, errors.New("no run was observed")
	}
	if len(p.ipg.facts) > 0 {
		return nil, fmt.Errorf("%w that knows flow facts", ErrNotTree)
	}
	for _, e := range p.ipg.Edges {
		switch edge := p.ipg.Name(e.From) + " -> " + p.ipg.Name(e.To); {
		case e.Divergent:
			return nil, fmt.Errorf("%w: %s", ErrDivergent, edge)
		case e.Limited:
			return nil, fmt.Errorf("%w: %s may pass a loop in several ways", ErrNotTree, edge)
		}
	}
	loops, err := p.boundLoops(bounds)
	if err != nil {
		return nil, err
	}
	b, err := newTreeBuilder(p, loops)
	if err != nil {
		return nil, err
	}
	from, err := b.region(-1, p.ipg.Start())
	if err != nil {
		return nil, err
	}
	whole := from[p.ipg.Exit()]
	if whole.Cycles == saturating.Max {
		return nil, fmt.Errorf("tree: %w", ipet.ErrOverflow)
	}
	return whole, nil
}

// treeBuilder composes trees for the paths of the observed IPG, loops inside out.
type treeBuilder struct {
	p      *Profile
	forest *graph.LoopForest
	order  []int   // of the nodes, reverse post-order
	in     [][]int // observed edges by destination
	bounds []int64 // by loop of the forest
}

func newTreeBuilder(p *Profile, loops []boundedLoop) (*treeBuilder, error) {
	if len(p.unknown) > 0 {
		return nil, ErrNotTree
	}
	g := graph.New(p.ipg.Len() + 2)
	in := make([][]int, g.Len())
	for e, edge := range p.ipg.Edges {
		if p.edge(e) != nil {
			g.AddEdge(edge.From, edge.To)
			in[edge.To] = append(in[edge.To], e)
		}
	}
	b := &treeBuilder{
		p:      p,
		in:     in,
		forest: graph.Loops(g, p.ipg.Start()),
		order:  graph.ReversePostOrder(g, p.ipg.Start()),
	}
	if b.forest.Irreducible() != nil {
		return nil, ErrNotTree
	}
	b.bounds = make([]int64, len(b.forest.Loops))
	for i := range b.forest.Loops {
		l := slices.IndexFunc(loops, func(l boundedLoop) bool { return b.isLoop(&b.forest.Loops[i], l.loop) })
		if l < 0 {
			return nil, fmt.Errorf("%w: the cycle at %s is not one loop", ErrNotTree, p.ipg.Name(b.forest.Loops[i].Header))
		}
		b.bounds[i] = loops[l].bound.Max
	}
	return b, nil
}

// isLoop reports whether a loop of the observed IPG is the given loop of the
// control-flow graph: its back edges are the observed iterations, and the edges into it
// the observed entries.
func (b *treeBuilder) isLoop(l *graph.Loop, loop int) bool {
	return b.areObserved(l.Back, b.p.ipg.Loops[loop].Iter) &&
		b.areObserved(l.Entering, b.p.ipg.Loops[loop].Entries)
}

// areObserved reports whether edges, ascending, are those of the IPG edges of that were
// observed.
func (b *treeBuilder) areObserved(edges []graph.Edge, of []int) bool {
	var observed []graph.Edge
	for _, e := range of {
		if b.p.edge(e) != nil {
			observed = append(observed, graph.Edge{From: b.p.ipg.Edges[e].From, To: b.p.ipg.Edges[e].To})
		}
	}
	return slices.Equal(edges, observed)
}

// region returns, by node, trees for the paths from the head of a loop, or of the whole
// graph for loop -1, to the nodes of its body that take no back edge of it.
func (b *treeBuilder) region(loop, head int) (map[int]*Tree, error) {
	to := map[int]*Tree{head: {Kind: Seq}}
	for _, v := range b.order {
		inner := b.innerLoop(loop, v)
		switch {
		case v == head, loop >= 0 && !b.forest.Loops[loop].Contains(v):
			continue
		case inner < 0:
			to[v] = b.arrivals(v, to, func(int) bool { return true })
			continue
		case b.forest.Loops[inner].Header != v:
			continue // comes with its header
		}
		body := &b.forest.Loops[inner]
		within, err := b.region(inner, v)
		if err != nil {
			return nil, err
		}
		once := b.arrivals(v, within, body.Contains)
		enter := b.arrivals(v, to, func(u int) bool { return !body.Contains(u) })
		at := b.seq(enter, b.repeat(b.bounds[inner], once))
		for u, t := range within {
			to[u] = b.seq(at, t)
		}
	}
	return to, nil
}

// innerLoop returns the loop directly inside the given one that contains v, or -1.
func (b *treeBuilder) innerLoop(loop, v int) int {
	inner := -1
	for l := b.forest.Innermost(v); l >= 0 && l != loop; l = b.forest.Loops[l].Parent {
		inner = l
	}
	return inner
}

// arrivals returns the alternative of all transitions to v from nodes that from accepts
// and to which a tree leads.
func (b *treeBuilder) arrivals(v int, to map[int]*Tree, from func(u int) bool) *Tree {
	var ways []*Tree
	for _, e := range b.in[v] {
		if u := b.p.ipg.Edges[e].From; to[u] != nil && from(u) {
			ways = append(ways, b.seq(to[u], &Tree{Kind: Leaf, Edge: e, Cycles: saturating.Of(b.p.edge(e).worst.value)}))
		}
	}
	if len(ways) == 1 {
		return ways[0]
	}
	alt := &Tree{Kind: Alt, Parts: ways}
	for _, w := range ways {
		alt.Cycles = max(alt.Cycles, w.Cycles)
	}
	return alt
}

// seq joins two trees. A sequence without parts takes no time.
func (b *treeBuilder) seq(first, second *Tree) *Tree {
	switch {
	case first.Kind == Seq && first.Parts == nil:
		return second
	case second.Kind == Seq && second.Parts == nil:
		return first
	}
	return &Tree{Kind: Seq, Parts: []*Tree{first, second}, Cycles: first.Cycles.Add(second.Cycles)}
}

func (b *treeBuilder) repeat(bound int64, once *Tree) *Tree {
	return &Tree{Kind: Rep, Bound: bound, Parts: []*Tree{once}, Cycles: once.Cycles.Mul(saturating.Of(bound))}
}
