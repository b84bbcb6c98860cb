package reproduce

import (
	"context"
	"flag"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var (
	compared       = flag.String("compare", "", "kernels on which TestStrategies compares guided with random testing, with commas between")
	comparedWith   = flag.String("compare-with", "random", "the strategy that it compares with instead")
	comparedRuns   = flag.Int("compare-runs", 2000, "runs of each search")
	comparedTime   = flag.Duration("compare-time", 0, "time of each search, of any number of runs then")
	comparedSeeds  = flag.Int64("compare-seeds", 10, "searches of each kernel")
	significance   = 0.05
	tolerableShare = 0.99 // of the median of random testing
)

// TestStrategies compares guided with another strategy: on no kernel it finds significantly shorter times, nor such that are shorter
// by more than a hundredth, and on two thirds of those that count significantly longer ones.
func TestStrategies(t *testing.T) {
	if *compared == "" {
		t.Skip("measures: -compare KERNELS")
	}
	c := contest{kernels: strings.Split(*compared, ","), first: "guided", second: *comparedWith, seeds: *comparedSeeds, runs: *comparedRuns}
	if c.time = *comparedTime; c.time > 0 {
		c.runs = 0
	}
	all, err := c.hold(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.write(os.Stdout, all); err != nil {
		t.Fatal(err)
	}
	counted, above := 0, 0
	var below []float64
	for _, s := range all {
		below = append(below, mannWhitney(s.second, s.first))
		if s.counts {
			counted++
			if s.adjusted < significance {
				above++
			}
		}
		if median(s.first) < tolerableShare*median(s.second) {
			t.Errorf("%s: the median is %g, that of %s %g", s.kernel, median(s.first), c.second, median(s.second))
		}
	}
	for i, p := range holm(below) {
		if p < significance {
			t.Errorf("%s: significantly below %s, p = %g", all[i].kernel, c.second, p)
		}
	}
	if 3*above < 2*counted {
		t.Errorf("significantly above %s on %d of %d kernels", c.second, above, counted)
	}
}

func TestMannWhitney(t *testing.T) {
	for _, c := range []struct {
		x, y []int64
		want float64
	}{
		{[]int64{4, 5, 6}, []int64{1, 2, 3}, 1.0 / 20},
		{[]int64{1, 2, 3}, []int64{4, 5, 6}, 1},
		{[]int64{3, 5, 6}, []int64{1, 2, 4}, 2.0 / 20},
		{[]int64{7, 7}, []int64{7, 7}, 1},
		{[]int64{1, 2}, []int64{1, 1}, 3.0 / 6}, // the 2 is in half of the choices
	} {
		if got := mannWhitney(c.x, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v above %v by chance: %g, not %g", c.x, c.y, got, c.want)
		}
	}
}

// Of equal distributions the test is wrong no more often than it says, in both directions.
func TestMannWhitneyBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 8)
		x, y := numbers.Draw(t, "x"), numbers.Draw(t, "y")
		p, q := mannWhitney(x, y), mannWhitney(y, x)
		if p <= 0 || p > 1 || p+q < 1-1e-9 { // both have the outcome itself
			t.Errorf("%g and %g", p, q)
		}
		more := slices.Clone(x)
		for i := range more {
			more[i] += 20
		}
		if mannWhitney(more, y) > p+1e-12 {
			t.Error("greater numbers are not rarer")
		}
	})
}

func TestHolm(t *testing.T) {
	// The example of Holm's procedure: sorted 0.005, 0.01, 0.03, 0.04 by 4, 3, 2, 1, never descending.
	got := holm([]float64{0.01, 0.04, 0.03, 0.005})
	for i, want := range []float64{0.03, 0.06, 0.06, 0.02} {
		if math.Abs(got[i]-want) > 1e-12 {
			t.Errorf("test %d: %g, not %g", i, got[i], want)
		}
	}
}

func TestInterval(t *testing.T) {
	for _, c := range []struct{ n, low, high int64 }{{1, 1, 1}, {5, 1, 5}, {6, 1, 6}, {10, 2, 9}, {20, 6, 15}} { // tables of the sign test
		var x []int64
		for i := range c.n {
			x = append(x, i+1)
		}
		if low, high := interval(x); low != c.low || high != c.high {
			t.Errorf("of %d: %d to %d, not %d to %d", c.n, low, high, c.low, c.high)
		}
	}
}
