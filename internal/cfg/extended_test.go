package cfg_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
)

func TestWithEdges(t *testing.T) {
	f := makeFlow(4, "0: 1 2\n1: 3\n2: 3\n3: x")
	before := f.Graph().Edges()
	x := f.WithEdges(makeEdges("2>1 1>2 1>2 0>1")) // 0>1 is there already
	if diff := diffEdges(makeEdges("1>2 2>1"), x.Divergent); diff != "" {
		t.Errorf("added edges (-want +got):\n%s", diff)
	}
	if diff := diffEdges(makeEdges("0>1 0>2 1>2 1>3 2>1 2>3 3>4"), x.Graph().Edges()); diff != "" {
		t.Errorf("all edges (-want +got):\n%s", diff)
	}
	if diff := diffEdges(before, f.Graph().Edges()); diff != "" {
		t.Errorf("the flow graph has changed (-before +after):\n%s", diff)
	}
	if !x.IsDivergent(graph.Edge{From: 2, To: 1}) || x.IsDivergent(graph.Edge{From: 0, To: 1}) {
		t.Error("IsDivergent confuses added edges with others")
	}
	if got := len(f.WithEdges(nil).Divergent); got != 0 {
		t.Errorf("%d edges added of none", got)
	}
}

func TestLoopDivergence(t *testing.T) {
	tests := []struct {
		name             string
		n                int
		flow             string
		entering, inside string
	}{
		{"if with a loop on one side", 4, "0: 1 2\n1: 3\n2: 2 3\n3: x", "1>2", ""},
		{"if inside a loop", 6, "0: 1\n1: 2 5\n2: 3 4\n3: 1\n4: 1\n5: x", "", "3>4 4>3"},
		{"work before a break", 6, "0: 1\n1: 2 5\n2: 3 4\n3: 5\n4: 1\n5: x", "3>4", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := makeFlow(test.n, test.flow)
			want := cfg.LoopDivergence{Entering: makeEdges(test.entering), Inside: makeEdges(test.inside)}
			got := f.WithEdges(cfg.DivergentEdges(f, nil)).LoopDivergence(0)
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("divergent edges into the loop (-want +got):\n%s", diff)
			}
		})
	}
}
