package cfg_test

import "testing"

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
	if got := len(f.WithEdges(nil).Divergent); got != 0 {
		t.Errorf("%d edges added of none", got)
	}
}
