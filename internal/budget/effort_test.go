package budget

import (
	"fmt"
	"math"
	"slices"
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

// A greater effort lifts limits, levels by one for each time that the work grows as it does from one
// to the next, and a lesser one leaves them as they are.
func TestWork(t *testing.T) {
	rounds, levels := Limit{What: "rounds", At: 4}, Limit{What: "levels", At: 3, Levels: 4}
	for _, c := range []struct {
		e              Effort
		rounds, levels int64
	}{{0, 4, 3}, {1, 4, 3}, {1e-3, 4, 3}, {2, 8, 3}, {4, 16, 4}, {63, 252, 5}, {64, 256, 6}} {
		w := NewWork(c.e)
		if !w.Allows(rounds, 1) || !w.Allows(rounds, c.rounds) || !w.Allows(levels, c.levels) || w.Reached() != nil {
			t.Errorf("effort %v allows too few; %q", c.e, w.Reached())
		}
		if w.Allows(rounds, c.rounds+1) || w.Allows(levels, c.levels+1) || w.Allows(levels, c.levels+1) {
			t.Errorf("effort %v allows too many", c.e)
		}
		want := []string{fmt.Sprint(c.rounds, " rounds"), fmt.Sprint(c.levels, " levels")}
		slices.Sort(want)
		if got := w.Reached(); !slices.Equal(got, want) {
			t.Errorf("effort %v: %q, want %q", c.e, got, want)
		}
	}
}
