package split_test

import (
	"context"
	"testing"

	"warpbound"
	"warpbound/estimate"
	"warpbound/kernels"
)

// TestRuns pins how far the bounds of the suite's kernels are above runs in each mode, all
// branches being marked, and for which of them, without splits, all is known that takes time,
// so that the bound is the time of a run.
func TestRuns(t *testing.T) {
	for job, want := range map[string]struct {
		maximum [3]float64 // bound divided by simulation: none, dws, pws
		exact   bool       // without splits
	}{
		"vectorAdd/job.toml":     {[3]float64{1.6, 1.7, 1.4}, true},
		"matrixMul/job.toml":     {[3]float64{2, 2, 1.6}, true},
		"reduction/job.toml":     {[3]float64{1.5, 1.5, 1.7}, true},
		"bitonicSort/job.toml":   {[3]float64{1.6, 1.6, 1.7}, false},
		"histogram64/worst.toml": {[3]float64{1.2, 1.2, 1.2}, false},
		"histogram64/job.toml":   {[3]float64{4.7, 4.7, 4.7}, false},
		"bfs/job.toml":           {[3]float64{2.9, 3, 2.9}, false},

		"cfdStep/job.toml":         {[3]float64{1.8, 1.8, 1.9}, true},
		"cfdAdvance/job.toml":      {[3]float64{1.7, 1.7, 1.6}, true},
		"gaussianFactor/job.toml":  {[3]float64{1.1, 1.1, 1.1}, true},
		"gaussianUpdate/job.toml":  {[3]float64{2, 2, 2}, true},
		"ludDiagonal/job.toml":     {[3]float64{1.4, 1.4, 1.4}, true},
		"ludPerimeter/job.toml":    {[3]float64{1.7, 2.4, 1.7}, true},
		"ludInternal/job.toml":     {[3]float64{1.8, 1.8, 1.6}, true},
		"nwUpper/job.toml":         {[3]float64{1.9, 1.9, 1.8}, true},
		"nwLower/job.toml":         {[3]float64{1.9, 1.9, 1.8}, true},
		"sradCoefficient/job.toml": {[3]float64{1.7, 1.7, 1.7}, false},
		"sradUpdate/job.toml":      {[3]float64{1.6, 1.6, 1.4}, true},
	} {
		t.Run(job, func(t *testing.T) {
			t.Parallel()
			whole, err := warpbound.LoadFS(kernels.Suite(), job, warpbound.LoadOptions{Machine: "gcn3-split"})
			if err != nil {
				t.Fatal(err)
			}
			for i, mode := range whole.Modes() {
				j, err := whole.Split(warpbound.SplitOptions{Mode: mode, Branches: []string{"all"}})
				if err != nil {
					t.Fatal(err)
				}
				a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/" + mode}, Runs: warpbound.Runs{Observe: true, Vectors: 1}})
				if err != nil {
					t.Fatal(err)
				}
				check(t, a, mode, want.maximum[i])
				if e := &a.Estimates[0]; mode == "none" && e.Exact() != want.exact {
					t.Errorf("exact %t, %d cycles, simulated %d", e.Exact(), e.Cycles, a.Observed.Max)
				}
			}
		})
	}
}

// check holds an estimate against a run and its parts against each other.
func check(t *testing.T, a *estimate.Analysis, mode string, maximum float64) {
	t.Helper()
	e := &a.Estimates[0]
	d := e.Detail.(*estimate.Split)
	ratio := float64(d.Composed()) / float64(a.Observed.Max)
	if e.Exact() && e.Cycles != a.Observed.Max || e.Cycles > d.Composed() {
		t.Errorf("%s: %d cycles, exact %t; bounds %+v, simulated %d", mode, e.Cycles, e.Exact(), d.Bounds, a.Observed.Max)
	}
	if ratio < 1 || ratio > maximum || e.Evidence != estimate.Proven {
		t.Errorf("%s: bound %d (%s), simulated %d: ratio %.2f, want at most %.2f", mode, e.Cycles, e.Evidence, a.Observed.Max, ratio, maximum)
	}
	sum := int64(0)
	for _, s := range e.Breakdown {
		sum += s.Cycles
	}
	parts := d.Service + d.Passes + d.Rounds*d.Dispatch + d.Before + d.Last.Cycles
	if (d.Full != nil) != (d.Rounds > 1) || d.Full != nil && (d.Before < d.Full.Cycles || d.Before > (d.Rounds-1)*d.Full.Cycles) {
		t.Errorf("%s: %d cycles of %d rounds, of which the longest is %+v", mode, d.Before, d.Rounds-1, d.Full)
	}
	if sum != e.Cycles || parts != d.Composed() || *d.Observed != *a.Observed {
		t.Errorf("%s: shares of %d and parts of %d cycles, bound %d; observed %+v and %+v", mode, sum, parts, e.Cycles, d.Observed, a.Observed)
	}
	if s := d.Schedule; (s != nil) != e.Exact() || s != nil && s.Rounds*d.Dispatch+s.Wavefronts != e.Cycles {
		t.Errorf("%s: exact %t, %d cycles: %+v", mode, e.Exact(), e.Cycles, s)
	}
	t.Logf("%s: ratio %.2f, exact %t", mode, ratio, e.Exact())
	for _, g := range []*estimate.SplitGroup{d.Full, d.Last} {
		if g != nil && (g.Issue+g.Memory+g.Splitting+g.Own != g.Wavefront || g.Own < 0) {
			t.Errorf("%s: parts of a wavefront: %+v", mode, g)
		}
	}
}
