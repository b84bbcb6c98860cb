package reuse

import "testing"

// TestMaximum: two lines need two accesses, three lines four. An access to an unknown line may be to one more.
func TestMaximum(t *testing.T) {
	for _, open := range []int64{0, 2} {
		r := &runs{shortest: []int64{1, 2, 4}, open: open}
		for accesses, known := range []int64{0, 1, 2, 2, 3, 3, 3} {
			n := int64(accesses)
			if got, want := r.maximum(n), min(n, known+min(n, open)); got != want {
				t.Errorf("%d accesses, %d to unknown lines: %d different lines, want %d", n, open, got, want)
			}
		}
	}
}
