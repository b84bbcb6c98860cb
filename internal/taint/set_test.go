package taint

import (
	"testing"

	"pgregory.net/rapid"
)

// TestSet compares a set with a map of bytes.
func TestSet(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var s set
		bytes := map[uint64]bool{}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			at := rapid.Uint64Range(0, 3*pageBytes).Draw(rt, "at")
			n := rapid.SampledFrom([]uint64{0, 1, 2, 4, 8, 16, 64, 100, pageBytes + 1}).Draw(rt, "bytes")
			any := false
			for i := range n {
				any = any || bytes[at+i]
			}
			if got := s.any(at, n); got != any {
				rt.Fatalf("one of %d bytes from %d is in the set: %v, want %v", n, at, got, any)
			}
			if rapid.Bool().Draw(rt, "put") {
				tainted := rapid.Bool().Draw(rt, "tainted")
				for i := range n {
					bytes[at+i] = tainted
				}
				s.put(at, n, tainted)
			}
		}
	})
}
