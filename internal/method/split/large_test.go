package split_test

import (
	"context"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/method/split"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
	"warpbound/internal/test/effort"
)

// sequence is n ifs with else one after the other.
func sequence(n int) *cfg.Flow {
	var list []graph.Edge
	for b := 0; b < 3*n; b += 3 {
		for _, successor := range []int{b + 1, b + 2} {
			list = append(list, graph.Edge{From: b, To: successor}, graph.Edge{From: successor, To: b + 3})
		}
	}
	return flowOf(3*n+1, append(list, graph.Edge{From: 3 * n, To: 3*n + 1}), nil)
}

// TestLarge: what is done with forms takes steps in their nodes, however paths nest. One that
// took the square of them would need minutes.
func TestLarge(t *testing.T) {
	const few = 32 // times fewer nodes
	for name, flows := range map[string][2]*cfg.Flow{
		"in sequence": {sequence(20_000 / few), sequence(20_000)},
		"nested":      {nest(9000 / few), nest(9000)},
	} {
		t.Run(name, func(t *testing.T) {
			effort.Grows(t, 4*few, func() { whole(t, flows[0]) }, func() { whole(t, flows[1]) })
		})
	}
}

// whole makes a form of a flow graph, selects splits and bounds it.
func whole(t *testing.T, flow *cfg.Flow) {
	t.Helper()
	f, err := bsb.NewFlow(flow, bsb.Options{Lanes: 64})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Check(); err != nil {
		t.Error(err)
	}
	var marked []int
	costs := split.Costs{Blocks: make([]saturating.Int, flow.Len())}
	for b := range flow.Len() {
		costs.Blocks[b] = 1
		if len(flow.Succ(b)) == 2 {
			marked = append(marked, b)
		}
	}
	splits := f.Select(marked, 7)
	bound, err := split.LongestPath(context.Background(), f, costs, nil, splits)
	if err != nil {
		t.Fatal(err)
	}
	if c := f.Contexts(splits); c > 7 {
		t.Errorf("%d contexts", c)
	}
	t.Logf("%d nodes, %d of %d branches split, %d cycles", len(f.Nodes), len(splits), len(marked), bound.Cycles)
}

// nest is n ifs inside each other.
func nest(n int) *cfg.Flow {
	var list []graph.Edge
	for i := range n {
		list = append(list, graph.Edge{From: i, To: i + 1}, graph.Edge{From: i, To: 2*n - i}, graph.Edge{From: 2*n - i - 1, To: 2*n - i})
	}
	return flowOf(2*n+1, append(list, graph.Edge{From: 2 * n, To: 2*n + 1}), nil)
}
