package report

import (
	"slices"
	"testing"

	"warpbound/estimate"
)

// TestSummariseMovedBounds has each number once, the others with their count.
func TestSummariseMovedBounds(t *testing.T) {
	s := &estimate.AssumedNumbers{Decisive: []estimate.AssumedNumber{
		{Number: "a", Value: "1", Other: "9", Cycles: 5000}, {Number: "a", Value: "1", Other: "0", Cycles: 7}, {Number: "b", Value: "on", Other: "off"},
	}}
	first := "a: at most 5,000 cycles with 9 instead of 1"
	for _, c := range []struct {
		s     *estimate.AssumedNumbers
		limit int
		want  []string
	}{
		{nil, 2, nil},
		{&estimate.AssumedNumbers{}, 2, nil},
		{s, 2, []string{first, "b: no bound with off instead of on"}},
		{s, 1, []string{"and 2 others that move the bound by more than a tenth (--details)"}},
	} {
		if got := summariseMovedBounds(c.s, c.limit); !slices.Equal(got, c.want) {
			t.Errorf("in %d lines: %q, want %q", c.limit, got, c.want)
		}
	}
}
