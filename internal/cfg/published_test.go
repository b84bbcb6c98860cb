package cfg_test

import (
	"slices"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
)

// fig2 is the flow graph of Fig. 2 of the paper, with block b6 as 0 and b15 as
// 9.
func fig2() *cfg.Flow {
	return makeFlow(10, `
		0: 1 6
		1: 2 4
		2: 3
		3: 9
		4: 5
		5: 8
		6: 4 7
		7: 8
		8: 9
		9: x`)
}

// fig2Edges are the edges that section IV-B of the paper states for fig2, by the
// names of the figure: for the branch b6, for b7, for b12.
const fig2Edges = "9>12 14>7 14>12  9>10 14>8  11>13 13>10"

func TestFig2(t *testing.T) {
	var want []graph.Edge
	for _, e := range makeEdges(fig2Edges) {
		want = append(want, graph.Edge{From: e.From - 6, To: e.To - 6})
	}
	slices.SortFunc(want, graph.Edge.Compare)
	f := fig2()
	if diff := diffEdges(want, cfg.PublishedDivergentEdges(f)); diff != "" {
		t.Errorf("published edges (-paper +ours):\n%s", diff)
	}
	// There the paper's edges are those that a stack can produce.
	if diff := diffEdges(want, divergentEdges(f, nil)); diff != "" {
		t.Errorf("default edges (-paper +ours):\n%s", diff)
	}
	if diff := diffEdges(want, newMachine(f).explore(f, 2, nil)); diff != "" {
		t.Errorf("executed edges (-paper +executed):\n%s", diff)
	}
	// After insertion b11 and b13 form an irreducible loop.
	if x := f.WithEdges(want); graph.Loops(f.Graph(), 0).Irreducible() != nil || graph.Loops(x.Graph(), 0).Irreducible() == nil {
		t.Error("the flow graph must be reducible, the extended one not")
	}
}

// TestWhereFig3Fails keeps the examples of docs/methods/divergent-edges.md true.
func TestWhereFig3Fails(t *testing.T) {
	tests := []struct {
		name              string
		n                 int
		flow              string
		executed          string
		published         string
		misses, overshoot bool
	}{
		{
			"arms that jump to the loop header", 5, "0: 1\n1: 2 x\n2: 3 4\n3: 1\n4: 1",
			"3>4 4>3",
			"", true, false,
		}, {
			"work before a break", 6, "0: 1\n1: 2 5\n2: 3 4\n3: 5\n4: 1\n5: x",
			"1>3 3>3 3>4",
			"", true, false,
		}, {
			"two loop exits with work", 6, "0: 1\n1: 2 3\n2: 1 4\n3: 5\n4: 5\n5: x",
			"3>2 3>3 3>4 4>1 4>3 4>4",
			"", true, false,
		}, {
			"switch with a fall-through", 5, "0: 1 2 3\n1: 2\n2: 4\n3: 4\n4: x",
			"2>1 2>2 2>3 3>1 3>2",
			"2>3 3>1 3>2", true, false,
		}, {
			"self edge", 3, "0: 0 1 2\n1: 2\n2: x",
			"1>0 1>1",
			"", true, false,
		}, {
			"else if", 6, "0: 1 2\n1: 5\n2: 3 4\n3: 5\n4: 5\n5: x",
			"1>2 3>1 3>4 4>1 4>3",
			"1>2 1>3 1>4 3>1 3>4 4>1 4>3", false, true,
		}, {
			"two early returns", 3, "0: 1 x\n1: 2 x\n2: x",
			"",
			"0>2", false, true,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := makeFlow(test.n, test.flow)
			executed, published := makeEdges(test.executed), makeEdges(test.published)
			if diff := diffEdges(executed, newMachine(f).explore(f, 2, nil)); diff != "" {
				t.Errorf("executed edges (-want +got):\n%s", diff)
			}
			if diff := diffEdges(executed, divergentEdges(f, nil)); diff != "" {
				t.Errorf("default edges (-want +got):\n%s", diff)
			}
			if diff := diffEdges(published, cfg.PublishedDivergentEdges(f)); diff != "" {
				t.Errorf("published edges (-want +got):\n%s", diff)
			}
			if got := len(minus(executed, published)) > 0; got != test.misses {
				t.Errorf("Fig. 3 misses an edge: %v", got)
			}
			if got := len(minus(published, executed)) > 0; got != test.overshoot {
				t.Errorf("Fig. 3 adds an edge that no execution uses: %v", got)
			}
		})
	}
}

func minus(a, b []graph.Edge) []graph.Edge {
	return slices.DeleteFunc(slices.Clone(a), func(e graph.Edge) bool { return slices.Contains(b, e) })
}

// TestFig3OnSmallGraphs counts how often the published algorithm differs from
// the executions of reducible flow graphs; docs/methods/divergent-edges.md states the counts.
func TestFig3OnSmallGraphs(t *testing.T) {
	var total, misses, overshoots int
	forEachFlow(4, 2, func(f *cfg.Flow) {
		if graph.Loops(f.Graph(), 0).Irreducible() != nil || len(graph.Endless(f.Graph(), f.Exit())) > 0 {
			return
		}
		total++
		executed, published := divergentEdges(f, nil), cfg.PublishedDivergentEdges(f)
		if len(minus(executed, published)) > 0 {
			misses++
		}
		if len(minus(published, executed)) > 0 {
			overshoots++
		}
	})
	if total != 1757 || misses != 323 || overshoots != 399 {
		t.Errorf("of %d flow graphs, Fig. 3 misses edges in %d and adds too many in %d", total, misses, overshoots)
	}
}
