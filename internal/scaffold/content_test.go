package scaffold

import "testing"

// TestIndicesEnd follows the indices in contents that are guessed where elements lead to others, for structs of several
// sizes and indices at each place in them.
func TestIndicesEnd(t *testing.T) {
	for _, end := range []float64{-1, 0} {
		chain := content{how: "chain", lo: end}
		for size := 1; size <= 8; size++ {
			for at := range size {
				k, steps := float64(0), 0
				for ; steps <= chained; steps++ {
					next := chain.link(size*int(k) + at)
					if next == end {
						break
					}
					if next <= k {
						t.Fatalf("structs of %d: element %v leads to %v", size, k, next)
					}
					k = next
				}
				if steps > chained {
					t.Errorf("structs of %d, index at %d: no end", size, at)
				}
			}
		}
	}
	for i := range 100 {
		at, steps := i, 0
		for ; steps < 4 && rooted(at) != float64(at); steps++ {
			at = int(rooted(at))
		}
		if at != i/4*4 {
			t.Errorf("element %d leads to %d, want the first of its four", i, at)
		}
	}
}
