package campaign_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
)

// TestInvariant follows the inputs of the first vector: the others are run if these reach something, and only then, and
// saved inputs are run in any case.
func TestInvariant(t *testing.T) {
	j := prepare(t, random)
	for _, c := range []struct {
		vectors           int
		invariant, stable bool
		runs              int // of random vectors
		want              *estimate.Convergence
	}{
		{vectors: 10, invariant: true, runs: 1, want: &estimate.Convergence{Vectors: 10, Runs: 1, LastNew: 1, Stopped: estimate.StoppedInvariant}},
		{vectors: 10, runs: 10},
		{vectors: 9, invariant: true, runs: 9},
		{vectors: 200, invariant: true, stable: true, runs: 1, want: &estimate.Convergence{Vectors: 200, Runs: 1, LastNew: 1, Stopped: estimate.StoppedInvariant}},
		{vectors: 200, stable: true, runs: 51, want: &estimate.Convergence{Vectors: 200, Runs: 51, LastNew: 1, Stopped: estimate.StoppedStable}},
	} {
		for _, n := range workers {
			spec := campaign.Spec{Vectors: c.vectors, UntilStable: c.stable, Inputs: saved("x.toml")}
			p := newScript(j, n, spec)
			p.follow = &c.invariant
			p.run = func(_ context.Context, input int) (int64, error) { return 1000 - int64(input), nil }
			last := 0
			spec.Progress = func(done, total int) { last = total - done }
			result, sinks, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, func(int) trace.Sink { return &learner{} })
			if err != nil {
				t.Fatal(err)
			}
			p.check(t)
			same := result.Convergence == c.want
			if !same && result.Convergence != nil && c.want != nil {
				same = *result.Convergence == *c.want
			}
			if runs := tracesOf(sinks[0]); !same || result.Runs != c.runs+1 || len(runs) != c.runs+1 || len(slices.Compact(runs)) != c.runs+1 || last != 0 {
				t.Errorf("%+v, %d workers: %+v with %+v and the traces of %v", c, n, result, result.Convergence, runs)
			}
			if result.Observed.Max != 1000 || result.Inputs[0].Cycles != 1000-int64(c.vectors) {
				t.Errorf("%+v, %d workers: %+v", c, n, result)
			}
		}
	}
}

// TestFollowedRunFails has the first vector fail, whose inputs are followed.
func TestFollowedRunFails(t *testing.T) {
	j := prepare(t, random)
	spec := campaign.Spec{Vectors: 20}
	p := newScript(j, 3, spec)
	p.follow = new(bool)
	p.run = func(context.Context, int) (int64, error) { return 0, errors.New("it fails") }
	_, _, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, nil)
	if err == nil || err.Error() != "test vector 0: it fails" || len(p.begun) != 1 {
		t.Errorf("%v after %d runs", err, len(p.begun))
	}
	p.check(t)
}

// TestWatch has the first of few vectors watched, once, and no other; none where it is followed,
// where it is the only one, and where the platform cannot.
func TestWatch(t *testing.T) {
	j := prepare(t, random)
	for _, c := range []struct {
		vectors, inputs int
		watch, races    bool
		want            []int
	}{
		{vectors: 3, watch: true, races: true, want: []int{0}},
		{vectors: 1, inputs: 1, watch: true, races: true, want: []int{0}},
		{vectors: 3, races: true},
		{vectors: 3, watch: true},
		{vectors: 1, watch: true, races: true},
		{vectors: 10, watch: true, races: true},
	} {
		spec := campaign.Spec{Vectors: c.vectors, Watch: c.watch, Inputs: saved("x.toml", "y.toml")[:c.inputs]}
		p := newScript(j, 2, spec)
		p.follow, p.races = new(bool), c.races
		sink := func(int) trace.Sink { return &learner{} }
		result, sinks, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, sink)
		if err != nil {
			t.Fatal(err)
		}
		p.check(t)
		n := c.vectors + c.inputs
		if !slices.Equal(p.watch, c.want) || len(p.begun) != n || result.Runs != n || len(tracesOf(sinks[0])) != n {
			t.Errorf("%+v: inputs %v are run, and %v watched: %+v", c, p.begun, p.watch, result)
		}
		w := result.Watched
		if (w != nil) != (c.want != nil) || w != nil && (w.Races[0].Buffer != "a" || w.Warnings[0].ID != "b") {
			t.Errorf("%+v: %+v", c, w)
		}
	}
}

// TestWatchedOnce keeps what vectors gave: one that is known is not run again to be watched.
func TestWatchedOnce(t *testing.T) {
	j := prepare(t, random)
	spec := campaign.Spec{Vectors: 3, Watch: true, Keep: newNotebook()}
	for _, want := range []bool{true, false} {
		p := newScript(j, 2, spec)
		p.races = true
		result, _, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if (result.Watched != nil) != want || (len(p.begun) > 0) != want {
			t.Errorf("watched: %+v, after runs of %v", result.Watched, p.begun)
		}
	}
}
