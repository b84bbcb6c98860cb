package constraint

import (
	"testing"

	"pgregory.net/rapid"
)

// TestPlaces compares sets of places with maps.
func TestPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 63, 64, 65, 4095, 4096, 4097, 300_000}).Draw(t, "n")
		s, want := newPlaces(n), make(map[int]bool)
		for range rapid.IntRange(0, 60).Draw(t, "changes") {
			if n == 0 {
				break
			}
			at := rapid.IntRange(0, n-1).Draw(t, "place")
			if rapid.IntRange(0, 2).Draw(t, "change") == 0 {
				s.remove(at)
				delete(want, at)
			} else {
				s.add(at)
				want[at] = true
			}
			from := rapid.IntRange(0, n).Draw(t, "from")
			first := -1
			for x := range want {
				if x >= from && (first < 0 || x < first) {
					first = x
				}
			}
			if got := s.next(from); got != first {
				t.Fatalf("%d comes next from %d on, not %d", got, from, first)
			}
		}
		count := 0
		for at := s.next(0); at >= 0; at = s.next(at + 1) {
			if count++; !want[at] {
				t.Errorf("%d is in the set", at)
			}
		}
		if count != len(want) {
			t.Errorf("%d places, not %d", count, len(want))
		}
	})
}
