package llc

import (
	"math"
	"slices"
	"testing"

	"warpbound/internal/method/llc/reuse"
)

// TestAccessesDuring has a CPU with known accesses and then some that may be any. Those beyond the intervals in which SMs access are left out.
func TestAccessesDuring(t *testing.T) {
	known := []reuse.Access{reuse.Line(4), reuse.Line(9), reuse.Line(4)}
	unknown := func(n int64) reuse.Access { return reuse.Access{Last: math.MaxUint32, Max: n} }
	for _, c := range []struct {
		name             string
		known            []reuse.Access
		more             int64 // unknown ones
		intervals, quota int64
		want, later      int64 // unknown ones
	}{
		{"none", nil, 0, 3, 4, 0, 0},
		{"known ones only", known, 0, 1, 2, 0, 0},
		{"unknown ones only", nil, 10, 2, 3, 6, 4},
		{"all", known, 10, 4, 4, 10, 0},
		{"some", known, 10, 2, 4, 5, 5},
		{"exactly the known ones", known, 10, 1, 3, 0, 10},
		{"fewer intervals than known ones take", known, 10, 1, 2, 0, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &cpu{accesses: slices.Clone(c.known)}
			if c.more > 0 {
				p.accesses = append(p.accesses, unknown(c.more))
			}
			want := slices.Clone(c.known)
			if c.want > 0 {
				want = append(want, unknown(c.want))
			}
			if got, later := p.during(c.intervals, c.quota); !slices.Equal(got, want) || later != c.later {
				t.Errorf("%v, %d later; want %v, %d later", got, later, want, c.later)
			}
		})
	}
}
