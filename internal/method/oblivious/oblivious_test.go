package oblivious_test

import (
	"fmt"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/method/oblivious"
)

// TestSinkError names the way of an input: all of it if it is short, and else the first three links and the input.
func TestSinkError(t *testing.T) {
	for links, want := range []string{
		"p: inputs can change an address",
		"p: inputs can change an address, by way of l0 (p0)",
		"p: inputs can change an address, by way of l0 (p0), l1 (p1)",
		"p: inputs can change an address, by way of l0 (p0), l1 (p1), l2 (p2)",
		"p: inputs can change an address, by way of l0 (p0), l1 (p1), l2 (p2), l3 (p3)",
		"p: inputs can change an address, by way of l0 (p0), l1 (p1), l2 (p2), l3 (p3), l4 (p4)",
		"p: inputs can change an address, by way of l0 (p0), l1 (p1), l2 (p2), 2 further instructions, l5 (p5)",
		"p: inputs can change an address, by way of l0 (p0), l1 (p1), l2 (p2), 3 further instructions, l6 (p6)",
	} {
		sink := &estimate.Sink{Pos: "p", What: "an address"}
		for i := range links {
			sink.SourceChain = append(sink.SourceChain, estimate.SourceLink{Pos: fmt.Sprint("p", i), Text: fmt.Sprint("l", i)})
		}
		if got := (&oblivious.SinkError{Sink: sink}).Error(); got != want {
			t.Errorf("%d links:\n%s\nwant\n%s", links, got, want)
		}
	}
}
