package split

import (
	"math"
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// TestLongestSchedule: a launch whose times may not fit is not played.
func TestLongestSchedule(t *testing.T) {
	s := &script{
		costs: []cost.Instr{{Kind: cost.Load, Initiation: 4, Latency: 10}, {Initiation: 4, Latency: 20}}, limit: 100,
		different: []sequence{{{0, 3}}, {{1, 0}}}, of: [][]int32{{0}, {1}},
	}
	a := &analysis{ctx: t.Context(), config: &config{Problem: &method.Problem{Machine: &machine.Machine{}}}}
	a.Machine.SM.Count.Value = 1
	a.Machine.SM.Barrier.Value, a.Machine.Split.Address.Value, a.Machine.Split.Pass.Value = 5, 1, 2
	for _, c := range []struct {
		dispatch int64
		want     saturating.Int
	}{
		{7, 2*(7+8) + 10 + 3*4 + 20}, {math.MaxInt64 / 2, saturating.Max}, {math.MaxInt64, saturating.Max},
	} {
		a.Machine.SM.Dispatch.Value = c.dispatch
		if got := s.longest(a.Machine, []int32{0, 1}); got != c.want {
			t.Errorf("with %d cycles for a dispatch: %d, want %d", c.dispatch, got, c.want)
		}
	}
	if got := a.play(s); got != nil {
		t.Errorf("played: %+v", got)
	}
}
