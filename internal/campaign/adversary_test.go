package campaign_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
)

// foe is an adversary that makes inputs of batches, of which the last are evolved, and notes what
// it is told.
type foe struct {
	batches [][]workload.SavedInputs
	told    []string
}

func (s *foe) Begin(vector int, cycles int64) {
	s.told = append(s.told, fmt.Sprintf("vector %d: %d", vector, cycles))
}

func (s *foe) Next() (next []workload.SavedInputs, evolved bool) {
	if len(s.batches) == 0 {
		return nil, false
	}
	next, s.batches = s.batches[0], s.batches[1:]
	return next, len(s.batches) == 0
}

func (s *foe) Took(i int, cycles int64) { s.told = append(s.told, fmt.Sprintf("%d: %d", i, cycles)) }

// attacked is a campaign of 12 random vectors, of which 4 confirm, a saved input, and 5 of an
// adversary, the runs of which are told by name.
func attacked(t *testing.T, workers int, run func(name string) (int64, error)) (*campaign.Result, *foe, []estimate.RunTime) {
	t.Helper()
	all := saved("chosen", "a", "b", "c", "d", "e")
	made := &foe{batches: [][]workload.SavedInputs{all[1:4], all[4:]}}
	var times []estimate.RunTime
	spec := campaign.Spec{
		Vectors: 12, Inputs: all[:1], Adversary: made, Adversarial: 5, Confirming: 4, Taken: func(r estimate.RunTime) { times = append(times, r) },
	}
	j := prepare(t, random)
	p := newScript(j, workers, spec)
	for i, s := range all {
		p.numbers[string(s.Inputs.Buffers[0])] = 12 + i
	}
	p.run = func(_ context.Context, input int) (int64, error) {
		if input <= 12 {
			return int64(100 + input), nil
		}
		return run(all[input-12].File)
	}
	result, _, err := campaign.Run(t.Context(), p, j.Workload, spec, runner.Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return result, made, times
}

// TestAdversary: what an adversary makes is run behind all else and counts like it, and the
// adversary is told how long it took, and of the longest of the random vectors that do not confirm.
func TestAdversary(t *testing.T) {
	for _, workers := range []int{1, 3} {
		result, made, times := attacked(t, workers, func(name string) (int64, error) {
			return map[string]int64{"a": 90, "b": 500, "c": 80, "d": 600, "e": 70}[name], nil
		})
		want := "vector 7: 107, 0: 90, 1: 500, 2: 80, 3: 600, 4: 70"
		if got := strings.Join(made.told, ", "); got != want {
			t.Errorf("the adversary is told %s, want %s", got, want)
		}
		runs := []campaign.AdversarialRun{{Name: "a", Cycles: 90}, {Name: "b", Cycles: 500}, {Name: "c", Cycles: 80}, {Name: "d", Cycles: 600}, {Name: "e", Cycles: 70}}
		if diff := cmp.Diff(runs, result.Adversarial); diff != "" {
			t.Error(diff)
		}
		if result.Runs != 18 || result.Planned != 18 || result.Longest != (estimate.LongestRun{Adversarial: "d", Cycles: 600}) || result.Observed.Min != 70 {
			t.Errorf("%+v", result)
		}
		if len(result.Inputs) != 1 || len(times) != 18 || times[17].Set != estimate.Adversarial || times[17].Inputs != "e" || times[12].Set != estimate.Training {
			t.Errorf("saved %+v, times %+v", result.Inputs, times)
		}
	}
}

// TestAdversaryFails: a run that fails is told and counts for no time, and no inputs are made after
// one that was given up.
func TestAdversaryFails(t *testing.T) {
	for _, workers := range []int{1, 3} {
		broken := errors.New("out of bounds")
		result, made, times := attacked(t, workers, func(name string) (int64, error) {
			switch name {
			case "b":
				return 0, broken
			case "c":
				return 0, &diag.LimitError{Cycle: 4096, Err: errors.New("too long")}
			}
			return 200, nil
		})
		if len(result.Adversarial) != 3 || !errors.Is(result.Adversarial[1].Err, broken) || result.Adversarial[2].Stopped != 4096 || len(made.batches) != 0 {
			t.Errorf("%+v", result.Adversarial)
		}
		if result.Observed.Max != 200 || len(times) != 14 || fmt.Sprintf("%.2f", result.Observed.Mean) != "112.71" {
			t.Errorf("%+v, %d times", result.Observed, len(times))
		}
	}
}
