package budget

import (
	"math"
	"testing"
)

func TestEffort(t *testing.T) {
	for _, c := range []struct {
		e           Effort
		limit, want int64
	}{
		{0, 7, 7}, {1, 7, 7}, {2, 7, 14}, {0.5, 7, 3}, {1e-9, 1 << 20, 1}, {1e300, 5, math.MaxInt64 / 2}, {3, math.MaxInt64 / 4, math.MaxInt64 / 2},
	} {
		if got := c.e.Of(c.limit); got != c.want && got != c.want+1 {
			t.Errorf("%v of %d: %d, want %d", c.e, c.limit, got, c.want)
		}
	}
}
