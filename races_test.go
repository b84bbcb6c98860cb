package warpbound_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/test/goldentest"
)

// TestSuiteRaces looks for data races in the first test vector of every job of the suite, and compares them, by line of
// the source, with those that are known.
func TestSuiteRaces(t *testing.T) {
	var found strings.Builder
	jobs, err := fs.Glob(os.DirFS("."), "kernels/*/*.toml")
	if err != nil || len(jobs) == 0 {
		t.Fatalf("%d jobs, %v", len(jobs), err)
	}
	for _, path := range jobs {
		j, err := warpbound.Load(path, warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		run, err := j.Simulate(t.Context(), warpbound.SimulateOptions{Races: true})
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		place := func(a estimate.RaceAccess) string { return a.Access + " " + filepath.Base(a.Source) }
		var lines []string
		for _, r := range run.Races {
			lines = append(lines, fmt.Sprintf("%s: %s %s %s, %s, %s\n", path, r.Kind, r.Space, r.Buffer, place(r.First), place(r.Second)))
		}
		slices.Sort(lines)
		for _, l := range slices.Compact(lines) {
			found.WriteString(l)
		}
	}
	goldentest.Check(t, "testdata/races.txt", found.String())
}
