package split_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/method/split"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
)

// TestBoundErrors: what has no bound is an error.
func TestBoundErrors(t *testing.T) {
	loop := flowOf(3, edges("0>1 1>1 1>2 2>3"), nil)
	known := func(int) (int64, string, bool) { return 10, "annotated", true }
	unknown := func(int) (int64, string, bool) { return 0, "", false }
	cases := []struct {
		name   string
		flow   *cfg.Flow
		blocks []saturating.Int
		loops  split.Loops
		splits []int
		want   string
	}{
		{"fine", loop, []saturating.Int{1, 2, 3}, known, nil, "<nil>"},
		{"no bound", loop, []saturating.Int{1, 2, 3}, unknown, nil, "the loop at b1 has no bound"},
		{"no bound, no time", loop, []saturating.Int{1, 0, 3}, unknown, nil, "<nil>"},
		{"negative bound", loop, []saturating.Int{1, 2, 3}, func(int) (int64, string, bool) { return -1, "", true }, nil, "the bound of the loop at b1 is -1"},
		{"too long", loop, []saturating.Int{1, math.MaxInt64 / 5, 3}, known, nil, split.ErrOverflow.Error()},
		{"too few times", loop, []saturating.Int{1, 2}, known, nil, "times of 2 blocks for a flow graph of 3"},
		{"negative time", loop, []saturating.Int{1, -2, 3}, known, nil, "block b1 takes -2 cycles, a split 0"},
		{"no branch to split", loop, []saturating.Int{1, 2, 3}, known, []int{1}, "the branch of block b1 cannot be split"},
		{"endless", flowOf(2, edges("0>1 1>1"), nil), []saturating.Int{1, 1}, known, nil, split.ErrEndless.Error()},
	}
	for _, c := range cases {
		f, err := bsb.NewFlow(c.flow, bsb.Options{Lanes: 64})
		if err != nil {
			t.Fatal(err)
		}
		b, err := split.LongestPath(context.Background(), f, split.Costs{Blocks: c.blocks}, c.loops, c.splits)
		if got := fmt.Sprint(err); got != c.want || (b == nil) != (err != nil) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		var unbounded *split.UnboundedError
		if errors.As(err, &unbounded) && unbounded.Header != 1 {
			t.Errorf("%s: the header is %d", c.name, unbounded.Header)
		}
	}
}
