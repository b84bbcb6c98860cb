package analysis

import (
	"io/fs"
	"slices"
	"testing"

	"warpbound/internal/platform"
	"warpbound/internal/test/effort"
	"warpbound/kernels"
)

// TestByLine: what static methods charge to lines of the suite's kernels, and to none, is their bound, and for half of them less than a fifth is
// charged to none.
func TestByLine(t *testing.T) {
	names, err := fs.Glob(kernels.Suite(), "*/job.toml")
	if err != nil {
		t.Fatal(err)
	}
	type job struct {
		in   fs.FS
		name string
	}
	jobs := []job{{kernels.Suite(), "relaxation/application.toml"}} // of several launches
	for _, name := range names {
		jobs = append(jobs, job{kernels.Suite(), name})
	}
	for _, k := range kernels.SDK() {
		jobs = append(jobs, job{k.Files(), "job.toml"})
	}
	jobs = effort.Some(t, jobs, 8)
	remainders := make(map[string][]float64) // of each method, in parts of the bound
	for machine, methods := range map[string][]string{
		"fermi-c2050":      {"static/greedy", "static/oblivious"},
		"predictable-rr":   {"static/cta"},
		"integrated-fermi": {"static/llc-simple", "static/llc-interval"},
		"gcn3-split":       {"split/none", "split/dws", "split/pws"},
	} {
		for _, of := range jobs {
			j, err := platform.LoadFS(of.in, of.name, machine)
			if err != nil {
				continue // a job that is for another machine
			}
			a, _, err := Static(t.Context(), j.Platform, j.Workload, Request{Methods: methods, Refusals: true})
			if err != nil {
				t.Errorf("%s on %s: %v", of.name, machine, err)
				continue
			}
			for i := range a.Estimates {
				e := &a.Estimates[i]
				if e.ByLine == nil {
					t.Errorf("%s: %s charges no lines", j.Workload.Name(), e.Method)
					continue
				}
				if err := e.ByLine.Check(e.Cycles); err != nil {
					t.Errorf("%s: %s: %v", j.Workload.Name(), e.Method, err)
				}
				remainders[e.Method] = append(remainders[e.Method], float64(e.ByLine.Remainder.Cycles)/float64(max(e.Cycles, 1)))
			}
		}
	}
	for method, all := range remainders {
		slices.Sort(all)
		median := all[len(all)/2]
		t.Logf("%s: of %d bounds %.2f %% are charged to no line in the median, and %.2f %% at most", method, len(all), 100*median, 100*all[len(all)-1])
		if median >= 0.2 || effort.Many() && len(all) < 20 {
			t.Errorf("%s: of %d bounds %.2f %% are charged to no line in the median", method, len(all), 100*median)
		}
	}
	if len(remainders) != 8 && effort.Many() {
		t.Errorf("bounds of %d methods", len(remainders))
	}
}
