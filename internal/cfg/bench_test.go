package cfg_test

import (
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
)

// elseIfChain has n conditions with a block of work each; its divergent edges
// grow with the square of n.
func elseIfChain(n int) *cfg.Flow {
	var edges []graph.Edge
	for i := range n {
		edges = append(edges,
			graph.Edge{From: 2 * i, To: 2*i + 1}, graph.Edge{From: 2 * i, To: 2*i + 2},
			graph.Edge{From: 2*i + 1, To: 2 * n})
	}
	return mustFlow(2*n+1, append(edges, graph.Edge{From: 2 * n, To: 2*n + 1}), nil)
}

// diamonds has n conditions one after another, with two blocks of work each, in
// a loop.
func diamonds(n int) *cfg.Flow {
	var edges []graph.Edge
	for i := range n {
		b := 3 * i
		edges = append(edges,
			graph.Edge{From: b, To: b + 1}, graph.Edge{From: b, To: b + 2},
			graph.Edge{From: b + 1, To: b + 3}, graph.Edge{From: b + 2, To: b + 3})
	}
	return mustFlow(3*n+1, append(edges, graph.Edge{From: 3 * n, To: 0}, graph.Edge{From: 3 * n, To: 3*n + 1}), nil)
}

// TestDivergentEdgesOfLargeGraphs checks the number of edges where it is known.
func TestDivergentEdgesOfLargeGraphs(t *testing.T) {
	// Two per diamond.
	if got := len(divergentEdges(diamonds(20_000), nil)); got != 40_000 {
		t.Errorf("%d divergent edges in 20000 diamonds", got)
	}
	// Work i, but for the last, waits while a later work or the last condition
	// runs: n-i edges. While work i runs, condition i+1 waits: n-1 edges.
	const n = 300
	if got := len(divergentEdges(elseIfChain(n), nil)); got != n*(n+1)/2-1+n-1 {
		t.Errorf("%d divergent edges in a chain of %d", got, n)
	}
}

func BenchmarkDivergentEdges(b *testing.B) {
	for _, bench := range []struct {
		name string
		f    *cfg.Flow
	}{
		{"chain of 2001 blocks", elseIfChain(1000)},
		{"chain of 8001 blocks", elseIfChain(4000)},
		{"diamonds of 9001 blocks", diamonds(3000)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				divergentEdges(bench.f, nil)
			}
		})
		b.Run("published, "+bench.name, func(b *testing.B) {
			for b.Loop() {
				cfg.PublishedDivergentEdges(bench.f)
			}
		})
	}
}
