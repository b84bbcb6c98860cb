package graph_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/graph"
)

func TestLoops(t *testing.T) {
	type edges = []graph.Edge
	tests := []struct {
		name  string
		n     int
		graph string
		want  []graph.Loop
	}{
		{"acyclic", 3, "0: 1 2\n1: 2", nil},
		{"self edge", 2, "0: 1\n1: 1", []graph.Loop{
			{Header: 1, Parent: -1, Depth: 1, Body: []int{1}, Entries: []int{1}, Entering: edges{{0, 1}}, Back: edges{{1, 1}}},
		}},
		{"at the root", 3, "0: 1\n1: 0 2", []graph.Loop{
			{Header: 0, Parent: -1, Depth: 1, Body: []int{0, 1}, Entries: []int{0}, Back: edges{{1, 0}}},
		}},
		{"two latches are one loop", 5, "0: 1\n1: 2 3\n2: 1\n3: 1 4", []graph.Loop{
			{Header: 1, Parent: -1, Depth: 1, Body: []int{1, 2, 3}, Entries: []int{1}, Entering: edges{{0, 1}}, Back: edges{{2, 1}, {3, 1}}},
		}},
		{"nested, with a self edge", 5, "0: 1\n1: 2\n2: 2 3\n3: 1 4", []graph.Loop{
			{Header: 1, Parent: -1, Depth: 1, Body: []int{1, 2, 3}, Entries: []int{1}, Entering: edges{{0, 1}}, Back: edges{{3, 1}}},
			{Header: 2, Parent: 0, Depth: 2, Body: []int{2}, Entries: []int{2}, Entering: edges{{1, 2}}, Back: edges{{2, 2}}},
		}},
		{"two in a row", 4, "0: 1\n1: 1 2\n2: 2 3", []graph.Loop{
			{Header: 1, Parent: -1, Depth: 1, Body: []int{1}, Entries: []int{1}, Entering: edges{{0, 1}}, Back: edges{{1, 1}}},
			{Header: 2, Parent: -1, Depth: 1, Body: []int{2}, Entries: []int{2}, Entering: edges{{1, 2}}, Back: edges{{2, 2}}},
		}},
		{"irreducible", 4, "0: 1 2\n1: 2 3\n2: 1", []graph.Loop{
			{Header: 1, Parent: -1, Depth: 1, Body: []int{1, 2}, Entries: []int{1, 2}, Entering: edges{{0, 1}, {0, 2}}, Back: edges{{2, 1}}},
		}},
		{"unreachable", 4, "0: 1\n2: 3 1\n3: 2", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := graph.Loops(parse(test.n, test.graph), 0)
			if diff := cmp.Diff(test.want, f.Loops); diff != "" {
				t.Errorf("Loops (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIrreducibleWitness(t *testing.T) {
	f := graph.Loops(parse(5, "0: 1\n1: 2 3\n2: 3\n3: 2 4"), 0)
	w := f.Irreducible()
	if w == nil {
		t.Fatal("no witness")
	}
	if !slices.Equal(w.Loop.Entries, []int{2, 3}) || w.Loop.Contains(w.Edge.From) || w.Edge.To == w.Loop.Header {
		t.Errorf("witness %v into the loop of %v", w.Edge, w.Loop)
	}
}

// slowLoops adds to loops, by header, the bodies of the loops among nodes: the
// classes of mutual reachability, then those inside each class without the
// edges to its header.
func slowLoops(g *graph.Graph, rank []int, nodes []int, loops map[int][]int) {
	sub := graph.New(g.Len())
	for _, e := range g.Edges() {
		if slices.Contains(nodes, e.From) && slices.Contains(nodes, e.To) && loops[e.To] == nil {
			sub.AddEdge(e.From, e.To)
		}
	}
	reach := slowReach(sub)
	for v := range g.Len() {
		if !reach[v][v] || loops[v] != nil {
			continue
		}
		var body []int
		header := -1
		for w := range g.Len() {
			if reach[v][w] && reach[w][v] {
				body = append(body, w)
			}
		}
		for _, w := range body {
			entered := rank[w] == 0 || slices.ContainsFunc(g.Pred(w), func(p int) bool {
				return rank[p] >= 0 && !slices.Contains(body, p)
			})
			if entered && (header < 0 || rank[w] < rank[header]) {
				header = w
			}
		}
		if v == header {
			loops[header] = body
			slowLoops(g, rank, body, loops)
		}
	}
}

func checkLoops(t interface{ Errorf(string, ...any) }, g *graph.Graph) {
	order := graph.ReversePostOrder(g, 0)
	rank := slices.Repeat([]int{-1}, g.Len())
	for i, v := range order {
		rank[v] = i
	}
	want := map[int][]int{}
	slowLoops(g, rank, order, want)

	f := graph.Loops(g, 0)
	got := map[int][]int{}
	for i, l := range f.Loops {
		got[l.Header] = l.Body
		if l.Parent >= i {
			t.Errorf("loop %d stands before its parent %d", i, l.Parent)
		}
		if l.Parent >= 0 {
			outer := f.Loops[l.Parent]
			if l.Depth != outer.Depth+1 || slices.ContainsFunc(l.Body, func(v int) bool { return !outer.Contains(v) }) {
				t.Errorf("%v: loop of %d is not properly inside that of %d", g.Edges(), l.Header, outer.Header)
			}
		}
		for _, e := range g.Edges() {
			inside := l.Contains(e.From)
			back := inside && e.To == l.Header
			enters := rank[e.From] >= 0 && !inside && l.Contains(e.To)
			if slices.Contains(l.Back, e) != back || slices.Contains(l.Entering, e) != enters {
				t.Errorf("%v: edge %v of the loop of %d is misjudged", g.Edges(), e, l.Header)
			}
			if enters && !slices.Contains(l.Entries, e.To) {
				t.Errorf("%v: %d is no entry of the loop of %d", g.Edges(), e.To, l.Header)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%v: loops (-want +got):\n%s", g.Edges(), diff)
	}
	if len(got) != len(f.Loops) {
		t.Errorf("%v: two loops have the same header", g.Edges())
	}
	for v := range g.Len() {
		deepest := -1
		for i, l := range f.Loops {
			if l.Contains(v) && (deepest < 0 || l.Depth > f.Loops[deepest].Depth) {
				deepest = i
			}
		}
		if f.Innermost(v) != deepest {
			t.Errorf("%v: Innermost(%d) = %d, want %d", g.Edges(), v, f.Innermost(v), deepest)
		}
	}
	forward := graph.New(g.Len())
	for _, e := range g.Edges() {
		if rank[e.From] >= 0 && !slices.Contains(f.BackEdges(), e) {
			forward.AddEdge(e.From, e.To)
		}
	}
	if hasCycle(forward) {
		t.Errorf("%v: a cycle is left without the back edges", g.Edges())
	}
	if got, want := graph.Loops(g, 0).Irreducible() == nil, slowReducible(g); got != want {
		t.Errorf("%v: reducible is %v, want %v", g.Edges(), got, want)
	}
}

func hasCycle(g *graph.Graph) bool {
	reach := slowReach(g)
	for v := range g.Len() {
		if reach[v][v] {
			return true
		}
	}
	return false
}

// slowReducible is a definition: no cycle is left without the edges whose
// destination dominates their source.
func slowReducible(g *graph.Graph) bool {
	reachable := g.Reachable(0)
	forward := graph.New(g.Len())
	for _, e := range g.Edges() {
		if reachable[e.From] && !slowDominates(g, 0, e.To, e.From) {
			forward.AddEdge(e.From, e.To)
		}
	}
	return !hasCycle(forward)
}

func TestLoopsOfAllSmallGraphs(t *testing.T) {
	for n := 1; n <= 3; n++ {
		forEachGraph(n, func(g *graph.Graph) { checkLoops(t, g) })
	}
}

func TestLoopsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkLoops(t, drawGraph(10).Draw(t, "g")) })
}

// TestDeepNests checks that loops around loops are given up where their bodies
// grow large, exactly beyond the limit.
func TestDeepNests(t *testing.T) {
	const n = 50
	g := graph.New(n)
	for v := range n {
		if v+1 < n {
			g.AddEdge(v, v+1)
		}
		g.AddEdge(n-1, v) // of the loop of v, around those behind it
	}
	const all = n * (n + 1) / 2
	f, err := graph.LoopsWithin(g, 0, all)
	if err != nil || len(f.Loops) != n || f.Loops[n-1].Depth != n {
		t.Errorf("%v, %v", f, err)
	}
	if f, err := graph.LoopsWithin(g, 0, all-1); f != nil || err == nil || err.Error() != "loops nest 50 deep in a graph of 50 nodes" {
		t.Errorf("%v, %v", f, err)
	}
}
