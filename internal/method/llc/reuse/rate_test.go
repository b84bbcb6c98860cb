package reuse

import (
	"math"
	"testing"
)

// TestRate: part of a period may hold all accesses of one.
func TestRate(t *testing.T) {
	for _, test := range []struct {
		rate     Rate
		from, to int64
		want     int64
	}{
		{Rate{}, 0, 0, math.MaxInt64},
		{Rate{5, 1}, 3, 3, 5}, {Rate{5, 1}, 3, 4, 10},
		{Rate{1, 3}, 0, 0, 1}, {Rate{1, 3}, 0, 2, 1}, {Rate{1, 3}, 0, 3, 2},
		{Rate{1, 1}, 0, Forever - 1, math.MaxInt64}, {Rate{2, 1}, 0, Forever - 1, math.MaxInt64},
	} {
		if got := test.rate.within(test.from, test.to); got != test.want {
			t.Errorf("%+v in units %d to %d: %d, want %d", test.rate, test.from, test.to, got, test.want)
		}
	}
}
