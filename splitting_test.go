package warpbound_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/test/effort"
	"warpbound/kernels"
)

func suiteJob(t *testing.T, name, machine string) *warpbound.Job {
	t.Helper()
	j, err := warpbound.LoadFS(kernels.Suite(), name, warpbound.LoadOptions{Machine: machine})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// bound returns the estimate of the job's mode.
func bound(t *testing.T, j *warpbound.Job) (*estimate.Estimate, *estimate.Split) {
	t.Helper()
	a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/" + j.Mode()}})
	if err != nil {
		t.Fatal(err)
	}
	return &a.Estimates[0], a.Estimates[0].Detail.(*estimate.Split)
}

// TestSplitSIMDs marks all branches of a kernel with nested ones, of which as many split as
// there are split SIMDs for.
func TestSplitSIMDs(t *testing.T) {
	whole := suiteJob(t, "bfs/job.toml", "gcn3-split")
	splits := 0
	for simds := range 8 {
		j, err := whole.Split(warpbound.SplitOptions{SIMDs: &simds, Branches: []string{"all"}})
		if err != nil {
			t.Fatal(err)
		}
		_, d := bound(t, j)
		if len(d.Splits) < splits || simds == 0 && len(d.Splits) > 0 || simds > 0 && len(d.Splits) == 0 || d.SplitSIMDs > int64(simds) {
			t.Errorf("%d split SIMDs: %d in use for %+v", simds, d.SplitSIMDs, d.Splits)
		}
		splits = len(d.Splits)
	}
}

// TestSplitOrder checks Lemma 5.8 on the suite: PWS takes no longer than DWS at the same
// branches, but for what it takes to split where the hardware would not, since no lanes part;
// and not splitting takes no longer than DWS.
func TestSplitOrder(t *testing.T) {
	for _, name := range []string{"bfs", "reduction", "bitonicSort", "ludPerimeter", "nwLower", "gaussianUpdate"} {
		whole := suiteJob(t, name+"/job.toml", "gcn3-split")
		for _, simds := range effort.Some(t, []int{0, 1, 3, 7}, 3) {
			cycles := make(map[string]int64)
			for _, mode := range whole.Modes() {
				j, err := whole.Split(warpbound.SplitOptions{Mode: mode, SIMDs: &simds, Branches: []string{"all"}})
				if err != nil {
					t.Fatal(err)
				}
				e, d := bound(t, j)
				cycles[mode] = e.Cycles
				if mode == "pws" {
					cycles[mode] -= d.Last.Splitting
					if d.Full != nil {
						cycles[mode] -= (d.Rounds - 1) * d.Full.Splitting
					}
				}
			}
			if cycles["pws"] > cycles["dws"] || cycles["none"] > cycles["dws"] {
				t.Errorf("%s with %d split SIMDs: %v", name, simds, cycles)
			}
		}
	}
}

// TestSplitModes checks that the bound that counts for a job is that of its mode, and that
// runs in each mode are beside its estimate.
func TestSplitModes(t *testing.T) {
	whole := suiteJob(t, "reduction/job.toml", "gcn3-split")
	for _, mode := range whole.Modes() {
		j, err := whole.Split(warpbound.SplitOptions{Mode: mode, Branches: []string{"all"}})
		if err != nil {
			t.Fatal(err)
		}
		a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Runs: warpbound.Runs{Vectors: 1}})
		if err != nil {
			t.Fatal(err)
		}
		var methods []string
		for _, e := range a.Estimates {
			methods = append(methods, e.Method)
			if d, ok := e.Detail.(*estimate.Split); ok && (d.Observed.Max > e.Cycles || e.Method == "split/"+mode && *d.Observed != *a.Observed) {
				t.Errorf("%s of a job in mode %s: %+v, observed %+v and %+v", e.Method, mode, e.Cycles, d.Observed, a.Observed)
			}
		}
		want := []string{"split/none", "split/dws", "split/pws", "static/oblivious"}
		if mode == "none" {
			want = append([]string{"hybrid/phases", "hybrid/warp", "hybrid/dynamic", "hybrid/waves", "hybrid/list", "hybrid/placements"}, want...)
		}
		if !slices.Equal(methods, want) || a.Tightest().Cycles > a.Estimates[len(a.Estimates)-1].Cycles || a.SplitMode != mode {
			t.Errorf("mode %s: %v, of which %s counts", mode, methods, a.Tightest().Method)
		}
	}
}

func TestSplitErrors(t *testing.T) {
	eight := 8
	for i, c := range []struct {
		machine string
		opts    warpbound.SplitOptions
		want    string
	}{
		{"fermi-c2050", warpbound.SplitOptions{}, "do not split"},
		{"gcn3-split", warpbound.SplitOptions{Mode: "some"}, `no mode "some"`},
		{"gcn3-split", warpbound.SplitOptions{SIMDs: &eight}, "8 split SIMDs"},
		{"gcn3-split", warpbound.SplitOptions{Branches: []string{"nowhere"}}, "nowhere"},
		{"gcn3-split", warpbound.SplitOptions{Branches: []string{"$L__BB0_2"}}, "reduction.ptx:"}, // a loop
	} {
		_, err := suiteJob(t, "reduction/job.toml", c.machine).Split(c.opts)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d: error %v, want one with %q", i, err, c.want)
		}
	}
	j := suiteJob(t, "reduction/job.toml", "gcn3-split")
	for _, method := range []string{"hybrid/dynamic", "static/cta"} {
		if _, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{method}}); err == nil {
			t.Error(fmt.Sprint(method, " bounds wavefronts that split"))
		}
	}
}
