package warpbound_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
)

// With hardly any work allowed bounds still hold, and what is lost is said: a bound that is greater than it would be
// has a warning.
func TestEffort(t *testing.T) {
	limits := []string{"lines-not-counted", "loops-summarised", "order-not-followed", "partition-limit", "schedule-not-played"}
	warned := map[string]int{}
	greater := 0
	for _, seed := range effort.Draw(t, 400) {
		src := rand.New(rand.NewPCG(seed, 23))
		c := kernelgen.New(src, kernelgen.Options{Statements: 4 + src.IntN(12), Depth: 1 + src.IntN(3), Trips: 2 + src.IntN(9), Threads: 70, CTAs: 5})
		files := fstest.MapFS{"job.toml": {Data: []byte(c.Job)}, c.File: {Data: []byte(c.Module)}}
		machine := []string{"predictable-rr", "integrated-fermi", "gcn3-split", "fermi-c2050"}[seed%4]
		analyze := func(share float64) map[string]int64 {
			t.Helper()
			j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{Machine: machine, Effort: share})
			if err != nil {
				t.Fatal(err)
			}
			a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Runs: warpbound.Runs{Vectors: 3}})
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]int64{}
			for _, e := range a.Estimates {
				if e.Evidence == "proven" {
					found[e.Method] = e.Cycles
					if a.Observed.Max > e.Cycles {
						t.Errorf("seed %d, effort %g: a run takes %d cycles, bound %d (%s)", seed, share, a.Observed.Max, e.Cycles, e.Method)
					}
				}
			}
			if share < 1 {
				for _, id := range limits {
					if slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == id }) {
						warned[id]++
						found[id] = 1
					}
				}
			}
			return found
		}
		full, little := analyze(1), analyze([]float64{1e-3, 1e-4, 1e-5}[seed/4%3])
		for method, cycles := range full {
			if now, ok := little[method]; ok && now > cycles {
				greater++
				if !slices.ContainsFunc(limits, func(id string) bool { return little[id] > 0 }) {
					t.Errorf("seed %d: bound %d of %s instead of %d, and nothing says why", seed, now, method, cycles)
				}
			}
		}
	}
	if effort.Many() && (greater == 0 || len(warned) == 0) {
		t.Errorf("%d bounds are greater; warnings %v", greater, warned)
	}
}
