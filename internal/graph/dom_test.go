package graph_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/graph"
)

// slowDominates is the definition: a dominates b if b can be reached, and can no
// longer once a is removed.
func slowDominates(g *graph.Graph, root, a, b int) bool {
	if !g.Reachable(root)[b] {
		return false
	}
	return a == root || a == b || !without(g, a).Reachable(root)[b]
}

// checkDominators compares the dominator tree from a root with the definition.
func checkDominators(t interface{ Errorf(string, ...any) }, g *graph.Graph, root int) {
	tree := graph.Dominators(g, root)
	reachable := g.Reachable(root)
	for b := range g.Len() {
		if tree.Contains(b) != reachable[b] {
			t.Errorf("Contains(%d) = %v", b, tree.Contains(b))
		}
		var strict []int
		for a := range g.Len() {
			want := slowDominates(g, root, a, b)
			if got := tree.Dominates(a, b); got != want {
				t.Errorf("%v: Dominates(%d, %d) = %v, want %v", g.Edges(), a, b, got, want)
			}
			if want && a != b {
				strict = append(strict, a)
			}
		}
		// The immediate dominator is the strict one that all others dominate.
		want := -1
		for _, a := range strict {
			if !slices.ContainsFunc(strict, func(c int) bool { return !slowDominates(g, root, c, a) }) {
				want = a
			}
		}
		if got := tree.IDom(b); got != want {
			t.Errorf("%v: IDom(%d) = %d, want %d", g.Edges(), b, got, want)
		}
		if want >= 0 && !slices.Contains(tree.Children(want), b) {
			t.Errorf("%d is no child of %d", b, want)
		}
	}
}

func TestDominatorsOfAllSmallGraphs(t *testing.T) {
	for n := 1; n <= 3; n++ {
		forEachGraph(n, func(g *graph.Graph) { checkDominators(t, g, 0) })
	}
}

func TestDominatorsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(12).Draw(t, "g")
		root := rapid.IntRange(0, g.Len()-1).Draw(t, "root")
		checkDominators(t, g, root)
	})
}

func TestPostDominatorsProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(10).Draw(t, "g")
		exit := rapid.IntRange(0, g.Len()-1).Draw(t, "exit")
		tree := graph.PostDominators(g, exit)
		full := graph.New(g.Len())
		for _, e := range g.Edges() {
			full.AddEdge(e.From, e.To)
		}
		for _, v := range graph.Endless(g, exit) {
			if g.Reachable(v)[exit] {
				t.Errorf("%d is endless but reaches the exit", v)
			}
			full.AddEdge(v, exit)
		}
		for b := range full.Len() {
			if !full.Reachable(b)[exit] {
				t.Errorf("no path from %d to the exit", b)
			}
			for a := range full.Len() {
				want := a == b || a == exit || !without(full, a).Reachable(b)[exit]
				if got := tree.Dominates(a, b); got != want {
					t.Errorf("%d post-dominates %d: %v, want %v", a, b, got, want)
				}
			}
		}
	})
}

func TestEndless(t *testing.T) {
	tests := []struct {
		name  string
		n     int
		edges string
		exit  int
		want  []int
	}{
		{"none", 3, "0: 1 2\n1: 0", 2, nil},
		{"self loop", 3, "0: 1 2\n1: 1", 2, []int{1}},
		{"loop of two", 4, "0: 3 2\n3: 2\n2: 3\n1: 1", 0, []int{1, 2}},
		{"loop that ends in another", 4, "0: 0 1\n1: 2\n2: 1", 3, []int{1}},
		{"exit inside a loop", 2, "0: 1\n1: 0", 1, nil},
		{"dead end", 3, "0: 1", 2, []int{1}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := graph.Endless(parse(test.n, test.edges), test.exit); !slices.Equal(got, test.want) {
				t.Errorf("Endless = %v, want %v", got, test.want)
			}
		})
	}
}
