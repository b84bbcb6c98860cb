package method_test

import (
	"slices"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

func TestParsePlacement(t *testing.T) {
	flow, err := cfg.NewFlow(4, []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 1}, {From: 2, To: 3}, {From: 3, To: 4}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sites := &method.Sites{Flow: flow, Blocks: []trace.IpointInfo{{Name: "b0"}, {Name: "b1"}, {Name: "b2"}, {Name: "b3"}}}
	for text, want := range map[string][]bool{
		"blocks":       {true, true, true, true},
		"headers":      {false, true, false, false},
		"every:3":      {true, false, false, true},
		"labels:b3,b0": {true, false, false, true},
	} {
		place, err := method.ParsePlacement(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := place(sites); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s places %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "block", "every", "every:", "every:0", "every:x", "labels", "labels:", "blocks:1"} {
		if _, err := method.ParsePlacement(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
