package graph_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/graph"
)

// parse makes a graph of lines such as "0: 1 2", one for each node with
// successors.
func parse(n int, lines string) *graph.Graph {
	g := graph.New(n)
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		from, rest, _ := strings.Cut(line, ":")
		var u int
		fmt.Sscan(from, &u)
		for f := range strings.FieldsSeq(rest) {
			var v int
			fmt.Sscan(f, &v)
			g.AddEdge(u, v)
		}
	}
	return g
}

// drawGraph draws a graph of up to maxNodes nodes in which self edges, parallel
// edges and nodes that cannot be reached occur.
func drawGraph(maxNodes int) *rapid.Generator[*graph.Graph] {
	return rapid.Custom(func(t *rapid.T) *graph.Graph {
		n := rapid.IntRange(1, maxNodes).Draw(t, "nodes")
		g := graph.New(n)
		node := rapid.IntRange(0, n-1)
		for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
			g.AddEdge(node.Draw(t, "from"), node.Draw(t, "to"))
		}
		return g
	})
}

// forEachGraph calls f with every graph of n nodes without parallel edges.
func forEachGraph(n int, f func(*graph.Graph)) {
	for bits := range 1 << (n * n) {
		g := graph.New(n)
		for e := range n * n {
			if bits>>e&1 == 1 {
				g.AddEdge(e/n, e%n)
			}
		}
		f(g)
	}
}

// without returns g without the edges that touch node v.
func without(g *graph.Graph, v int) *graph.Graph {
	h := graph.New(g.Len())
	for _, e := range g.Edges() {
		if e.From != v && e.To != v {
			h.AddEdge(e.From, e.To)
		}
	}
	return h
}

// slowReach returns reach[u][v]: whether a path of one or more edges leads from
// u to v, by Warshall's closure.
func slowReach(g *graph.Graph) [][]bool {
	n := g.Len()
	reach := make([][]bool, n)
	for u := range reach {
		reach[u] = make([]bool, n)
		for _, v := range g.Succ(u) {
			reach[u][v] = true
		}
	}
	for k := range n {
		for u := range n {
			for v := range n {
				reach[u][v] = reach[u][v] || reach[u][k] && reach[k][v]
			}
		}
	}
	return reach
}

func TestAdjacency(t *testing.T) {
	g := parse(4, "0: 2 1 2\n1: 1")
	if got, want := g.Succ(0), []int{2, 1, 2}; !slices.Equal(got, want) {
		t.Errorf("Succ(0) = %v, want %v", got, want)
	}
	if got, want := g.Pred(1), []int{0, 1}; !slices.Equal(got, want) {
		t.Errorf("Pred(1) = %v, want %v", got, want)
	}
	want := []graph.Edge{{From: 0, To: 1}, {From: 0, To: 2}, {From: 1, To: 1}}
	if diff := cmp.Diff(want, g.Edges()); diff != "" {
		t.Errorf("Edges (-want +got):\n%s", diff)
	}
	if got, want := g.Reverse().Succ(1), []int{0, 1}; !slices.Equal(got, want) {
		t.Errorf("reversed, Succ(1) = %v, want %v", got, want)
	}
	if !g.HasEdge(0, 2) || g.HasEdge(2, 0) {
		t.Error("HasEdge confuses the direction")
	}
}

func TestReachable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(8).Draw(t, "g")
		reach := slowReach(g)
		got := g.Reachable(0, g.Len()-1)
		for v := range g.Len() {
			want := v == 0 || v == g.Len()-1 || reach[0][v] || reach[g.Len()-1][v]
			if got[v] != want {
				t.Errorf("Reachable of %d = %v, want %v", v, got[v], want)
			}
		}
	})
}

func TestPostOrder(t *testing.T) {
	g := parse(6, "0: 1 2\n1: 3\n2: 3\n3: 1 4\n5: 0")
	if got, want := graph.PostOrder(g, 0), []int{4, 3, 1, 2, 0}; !slices.Equal(got, want) {
		t.Errorf("PostOrder = %v, want %v", got, want)
	}
	if got, want := graph.ReversePostOrder(g, 0), []int{0, 2, 1, 3, 4}; !slices.Equal(got, want) {
		t.Errorf("ReversePostOrder = %v, want %v", got, want)
	}
}

// slowPostOrder is the definition of the order.
func slowPostOrder(g *graph.Graph, v int, seen map[int]bool) []int {
	seen[v] = true
	var order []int
	for _, w := range g.Succ(v) {
		if !seen[w] {
			order = append(order, slowPostOrder(g, w, seen)...)
		}
	}
	return append(order, v)
}

func TestPostOrderProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(10).Draw(t, "g")
		got, want := graph.PostOrder(g, 0), slowPostOrder(g, 0, map[int]bool{})
		if !slices.Equal(got, want) {
			t.Errorf("PostOrder = %v, want %v", got, want)
		}
	})
}

func TestSCC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(9).Draw(t, "g")
		reach := slowReach(g)
		place := make([]int, g.Len())
		seen := 0
		for i, comp := range graph.SCC(g) {
			if !slices.IsSorted(comp) {
				t.Errorf("component %v is not ascending", comp)
			}
			for _, v := range comp {
				place[v] = i
				seen++
			}
		}
		if seen != g.Len() {
			t.Fatalf("components hold %d nodes of %d", seen, g.Len())
		}
		for u := range g.Len() {
			for v := range g.Len() {
				if same := u == v || reach[u][v] && reach[v][u]; same != (place[u] == place[v]) {
					t.Errorf("%d and %d: same component %v, want %v", u, v, !same, same)
				}
				if reach[u][v] && place[u] < place[v] {
					t.Errorf("component of %d stands before that of %d, which it reaches", u, v)
				}
			}
		}
	})
}

// TestDeepGraphs runs everything on graphs too deep for recursion: a chain of
// nodes each of which also leads to a second chain, closed to one great cycle.
func TestDeepGraphs(t *testing.T) {
	const half = 100_000
	g := graph.New(2 * half)
	for v := range half - 1 {
		g.AddEdge(v, v+1)
		g.AddEdge(v, half+v)
		g.AddEdge(half+v, half+v+1)
	}
	g.AddEdge(half-1, 2*half-1)
	g.AddEdge(2*half-1, 0)
	if got := len(graph.PostOrder(g, 0)); got != 2*half {
		t.Errorf("post-order holds %d nodes", got)
	}
	dom := graph.Dominators(g, 0)
	if !dom.Dominates(0, 2*half-1) || dom.IDom(half+1) != 0 || dom.IDom(half-1) != half-2 {
		t.Error("wrong dominators")
	}
	pdom := graph.PostDominators(g, 2*half-1)
	if !pdom.Dominates(2*half-1, half) || pdom.IDom(0) != 2*half-1 || pdom.IDom(half) != half+1 {
		t.Error("wrong post-dominators")
	}
	if loops := graph.Loops(g, 0).Loops; len(loops) != 1 || loops[0].Header != 0 {
		t.Errorf("%d loops", len(loops))
	}
}
