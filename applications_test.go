package warpbound_test

import (
	"context"
	"slices"
	"testing"

	"warpbound"
	"warpbound/estimate"
	"warpbound/kernels"
)

// TestApplications runs every application on every machine, compares what it leaves with the reference, and
// analyses it: bounds of the whole are above all runs, and those of a launch above all of its executions.
func TestApplications(t *testing.T) {
	for _, ref := range kernels.Applications() {
		for _, machine := range []string{"fermi-c2050", "predictable-rr", "integrated-fermi", "gcn3-split"} {
			t.Run(ref.Kernel+"/"+machine, func(t *testing.T) {
				t.Parallel()
				j, err := warpbound.LoadFS(kernels.Suite(), ref.Kernel+"/application.toml", warpbound.LoadOptions{Machine: machine})
				if err != nil {
					t.Fatal(err)
				}
				longest := int64(0)
				for vector := range 3 {
					longest = max(longest, compare(t, j, ref, vector))
				}
				a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Runs: warpbound.Runs{Vectors: 3}})
				if err != nil {
					t.Fatal(err)
				}
				if a.Observed.Max != longest || slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID != "random-inputs-only" }) {
					t.Errorf("runs take up to %d cycles, simulated alone up to %d; warnings %v", a.Observed.Max, longest, a.Warnings)
				}
				checkLaunches(t, a)
			})
		}
	}
}

// checkLaunches holds the estimates of an analysis against its runs, and those of the whole against those of its
// launches.
func checkLaunches(t *testing.T, a *estimate.Analysis) {
	t.Helper()
	if len(a.Estimates) == 0 || len(a.Launches) == 0 {
		t.Errorf("%d estimates, %d launches", len(a.Estimates), len(a.Launches))
	}
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if runs := a.Covered(e); e.Cycles < runs.Max {
			t.Errorf("%s is %d, runs take up to %d", e.Method, e.Cycles, runs.Max)
		}
		sum := int64(0)
		for n, part := range e.Detail.(*estimate.Sum).Launches {
			sum += part.Executed * part.Cycles
			for _, of := range a.Launches[n].Estimates {
				if of.Method == e.Method && (of.Cycles != part.Cycles || estimate.Weakest(e.Evidence, of.Evidence) != e.Evidence) {
					t.Errorf("%s of launch %d is %d (%s), in the sum %d (%s)", e.Method, n, of.Cycles, of.Evidence, part.Cycles, e.Evidence)
				}
			}
		}
		if sum != e.Cycles {
			t.Errorf("%s is %d, its parts are %d", e.Method, e.Cycles, sum)
		}
	}
	for n := range a.Launches {
		l := &a.Launches[n]
		if l.Executions.Min < 1 || l.Executions.Max > *l.Executions.Bound {
			t.Errorf("launch %d is executed %d to %d times, at most %d", n, l.Executions.Min, l.Executions.Max, *l.Executions.Bound)
		}
		for i := range l.Estimates {
			e := &l.Estimates[i]
			runs := l.Observed
			if d, ok := e.Detail.(estimate.Watched); ok {
				runs = d.Runs()
			}
			if e.Bounds() && e.Cycles < runs.Max {
				t.Errorf("%s of launch %d is %d, executions take up to %d", e.Method, n, e.Cycles, runs.Max)
			}
		}
	}
}
