package cta_test

import (
	"context"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/method/cta"
)

// boundAndRun bounds and runs a module with a job on predictable-rr.
func boundAndRun(t *testing.T, module, job string, opts warpbound.LoadOptions) (*estimate.Analysis, *warpbound.Run) {
	t.Helper()
	j, err := warpbound.LoadFS(fstest.MapFS{
		"k.ptx":    {Data: []byte(module)},
		"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"predictable-rr\"\n" + job)},
	}, "job.toml", opts)
	if err != nil {
		t.Fatal(err)
	}
	return analysedAndRun(t, j)
}

// analysedAndRun bounds and runs a job.
func analysedAndRun(t *testing.T, j *warpbound.Job) (*estimate.Analysis, *warpbound.Run) {
	t.Helper()
	a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{cta.ID}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return a, run
}
