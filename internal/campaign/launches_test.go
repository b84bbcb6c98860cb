package campaign

import (
	"testing"

	"warpbound/estimate"
	"warpbound/internal/runner"
)

// TestLaunches adds up the executions of launches by several workers, of which one ran nothing.
func TestLaunches(t *testing.T) {
	run := func(cycles ...int64) runner.Launch {
		var l runner.Launch
		for _, c := range cycles {
			l.Add(c)
		}
		return l
	}
	workers := []worker{{launches: make([]Executed, 2)}, {launches: make([]Executed, 2)}, {launches: make([]Executed, 2)}}
	for i, runs := range [][]runner.Launch{{run(7, 5), run(10, 20, 30)}, nil, {run(), run(40)}} {
		for launch := range runs {
			workers[i].launches[launch].add(&runs[launch])
		}
	}
	all := launches(workers)
	want := []Launch{
		{MinCount: 0, MaxCount: 2, Observed: estimate.Observation{Min: 5, Mean: 6, Max: 7}},
		{MinCount: 1, MaxCount: 3, Observed: estimate.Observation{Min: 10, Mean: 25, Max: 40}},
	}
	for i := range want {
		if all[i] != want[i] {
			t.Errorf("launch %d is %+v, want %+v", i, all[i], want[i])
		}
	}
}
