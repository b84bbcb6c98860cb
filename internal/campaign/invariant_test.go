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
