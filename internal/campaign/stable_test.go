package campaign_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
)

// learner is a sink that learns which runs there were, of which some show something new.
type learner struct {
	counter
	newest []int // runs with news
}

func (l *learner) Learn(from trace.Sink) (bool, error) {
	other := from.(*learner)
	l.runs = append(l.runs, other.runs...)
	return slices.ContainsFunc(other.runs, func(run int) bool { return slices.Contains(l.newest, run) }), l.err
}

func (l *learner) Absorb(from trace.Sink) error {
	_, err := l.Learn(from)
	return err
}

// TestUntilStable ends campaigns that show something new in some of their vectors, by times or by traces, and compares
// them with campaigns of so many vectors.
func TestUntilStable(t *testing.T) {
	j := prepare(t, random)
	const limit = 300
	for _, c := range []struct {
		longer []int // vectors that take longer than all before
		shows  []int // vectors with news in their traces
		failed int   // a vector that fails; 0 for none
		want   estimate.Convergence
		err    string
	}{
		{want: estimate.Convergence{Vectors: limit, Runs: 51, LastNew: 1, Stopped: estimate.StoppedStable}},
		{longer: []int{7}, shows: []int{3}, want: estimate.Convergence{Vectors: limit, Runs: 58, LastNew: 8, Stopped: estimate.StoppedStable}},
		{longer: []int{3}, shows: []int{49}, want: estimate.Convergence{Vectors: limit, Runs: 100, LastNew: 50, Stopped: estimate.StoppedStable}},
		{shows: []int{49, 100, 199}, want: estimate.Convergence{Vectors: limit, Runs: 100, LastNew: 50, Stopped: estimate.StoppedStable}},
		{shows: []int{49, 98, 100}, want: estimate.Convergence{Vectors: limit, Runs: 202, LastNew: 101, Stopped: estimate.StoppedStable}},
		{shows: []int{49, 98, 160}, want: estimate.Convergence{Vectors: limit, Runs: limit, LastNew: 161, Stopped: estimate.StoppedAtLimit}},
		{failed: 51, want: estimate.Convergence{Vectors: limit, Runs: 51, LastNew: 1, Stopped: estimate.StoppedStable}},
		{failed: 50, err: "test vector 50: it fails"},
	} {
		for _, n := range workers {
			spec := campaign.Spec{Vectors: limit, UntilStable: true, Inputs: saved("x.toml", "y.toml")}
			p := newScript(j, n, spec)
			p.run = func(_ context.Context, input int) (int64, error) {
				if n > 1 && input%5 == 0 {
					time.Sleep(50 * time.Microsecond) // later vectors end first
				}
				switch {
				case c.failed > 0 && input == c.failed:
					return 0, errors.New("it fails")
				case slices.Contains(c.longer, input), input >= limit:
					return 1000 + int64(input), nil
				}
				return 11 - int64(input%2), nil
			}
			sink := func(int) trace.Sink { return &learner{newest: c.shows} }
			result, sinks, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, sink)
			p.check(t)
			if c.err != "" {
				if err == nil || err.Error() != c.err {
					t.Errorf("%+v, %d workers: %v", c, n, err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			if *result.Convergence != c.want {
				t.Errorf("%+v, %d workers: %+v", c, n, result.Convergence)
			}
			if n == 1 && len(p.begun) != c.want.Runs+2 {
				t.Errorf("%+v: %d runs of one worker", c, len(p.begun))
			}
			runs := tracesOf(sinks[0])

			spec = campaign.Spec{Vectors: c.want.Runs, Inputs: saved("x.toml", "y.toml")}
			for i, s := range spec.Inputs { // which the script counts from the limit on
				p.numbers[string(s.Inputs.Buffers[0])] = limit + i
			}
			plain, sinks, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, sink)
			if err != nil {
				t.Fatal(err)
			}
			result.Convergence = nil
			if again := tracesOf(sinks[0]); !reflect.DeepEqual(result, plain) || !slices.Equal(runs, again) {
				t.Errorf("%+v, %d workers: %+v with the traces of %d runs, %+v with %d if so many are asked for", c, n, result, len(runs), plain, len(again))
			}
		}
	}
}

// tracesOf returns the numbers of the runs that sinks have, ascending.
func tracesOf(sinks []trace.Sink) []int {
	var runs []int
	for _, s := range sinks {
		runs = append(runs, s.(*learner).runs...)
	}
	slices.Sort(runs)
	return runs
}

// TestUntilStableNeedsLearners has sinks that cannot tell what is new.
func TestUntilStableNeedsLearners(t *testing.T) {
	j := prepare(t, random)
	spec := campaign.Spec{Vectors: 3, UntilStable: true}
	p := newScript(j, 1, spec)
	_, _, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, func(int) trace.Sink { return &counter{} })
	if err == nil {
		t.Error("there is no error")
	}
	p.check(t)
}
