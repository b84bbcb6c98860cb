package greedy_test

import (
	"testing"
	"testing/fstest"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/method/greedy"
	"warpbound/internal/test/jobtest"
)

// bound returns the terms of the bound of job.toml, and checks that a run takes no longer.
func bound(t *testing.T, fsys fstest.MapFS) *estimate.Greedy {
	t.Helper()
	return estimated(t, fsys).Detail.(*estimate.Greedy)
}

// estimated returns the bound of job.toml, and checks that a run takes no longer.
func estimated(t *testing.T, fsys fstest.MapFS) *estimate.Estimate {
	t.Helper()
	j := jobtest.Load(t, fsys, "job.toml", "")
	a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{greedy.ID}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	e := &a.Estimates[0]
	if e.Cycles < run.Cycles {
		t.Errorf("bound %d, the run takes %d", e.Cycles, run.Cycles)
	}
	return e
}
