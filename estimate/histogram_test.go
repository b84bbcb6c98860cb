package estimate

import (
	"math/bits"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// TestHistogram: all runs are counted where they belong, in bins that are as narrow as possible, whatever their order.
func TestHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(0, 1<<rapid.IntRange(0, 40).Draw(t, "bits")), 1, 100).Draw(t, "times")
		var h, other Histogram
		shortest, longest := times[0], times[0]
		for _, cycles := range times {
			h.Add(cycles)
			shortest, longest = min(shortest, cycles), max(longest, cycles)
		}
		for _, cycles := range rapid.Permutation(times).Draw(t, "order") {
			other.Add(cycles)
		}
		if !reflect.DeepEqual(h, other) {
			t.Fatalf("%v, and in another order %v", h, other)
		}
		width := int64(1)
		for longest/width-shortest/width >= 64 {
			width *= 2
		}
		want := Histogram{From: shortest / width * width, Width: width, Counts: make([]int64, longest/width-shortest/width+1)}
		for _, cycles := range times {
			want.Counts[cycles/width-shortest/width]++
		}
		if bits.OnesCount64(uint64(h.Width)) != 1 || !reflect.DeepEqual(h, want) {
			t.Fatalf("%v, want %v", h, want)
		}
	})
}
