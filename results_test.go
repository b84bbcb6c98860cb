package warpbound_test

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warpbound"
	"warpbound/internal/test/goldentest"
)

// TestResultsOfTheSuite runs the first test vector of every job of the suite, and compares the
// cycles, counters and buffers with those of testdata/results.txt, by their hashes. So builds with
// other tags and for other processors are held against what all tests look at.
func TestResultsOfTheSuite(t *testing.T) {
	var found strings.Builder
	for _, pattern := range []string{"kernels/*/job.toml", "kernels/sdk/*/job.toml"} {
		jobs, err := filepath.Glob(pattern)
		if err != nil || len(jobs) == 0 {
			t.Fatalf("%s: %d jobs, %v", pattern, len(jobs), err)
		}
		for _, path := range jobs {
			j, err := warpbound.Load(path, warpbound.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			run, err := j.Simulate(t.Context(), warpbound.SimulateOptions{})
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			sum := sha256.New()
			addCounters(sum, run.Counters)
			for _, name := range j.Buffers() {
				fmt.Fprintf(sum, "%s %d\n", name, len(run.Buffer(name)))
				sum.Write(run.Buffer(name))
			}
			name := filepath.ToSlash(filepath.Dir(path))
			fmt.Fprintf(&found, "%s: %d cycles, %x\n", name, run.Cycles, sum.Sum(nil)[:16])
		}
	}
	goldentest.Check(t, "testdata/results.txt", found.String())
}

// addCounters writes the counters of a run in the order of their names.
func addCounters(sum hash.Hash, counters map[string]int64) {
	for _, name := range slices.Sorted(maps.Keys(counters)) {
		fmt.Fprintf(sum, "%s %d\n", name, counters[name])
	}
}
