package analysis

import (
	"slices"
	"testing"
	"testing/fstest"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/platform"
	"warpbound/internal/runner"
	"warpbound/internal/workload"
	"warpbound/kernels"
)

// TestHoldout: held-out vectors are those of another seed, each estimate tells how many of them exceed it, and no estimate changes.
func TestHoldout(t *testing.T) {
	j, err := platform.LoadFS(kernels.Suite(), "petriSmall/job.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	req := Request{Methods: []string{"hybrid/phases", "hybrid/dynamic", "hybrid/warp"}, Campaign: campaign.Spec{Vectors: 1}}
	plain, err := Analyze(t.Context(), j.Platform, j.Workload, req)
	if err != nil {
		t.Fatal(err)
	}
	req.Holdout = 12
	a, err := Analyze(t.Context(), j.Platform, j.Workload, req)
	if err != nil {
		t.Fatal(err)
	}
	var times []int64
	other := workload.Reseeded(j.Workload, j.Spec.Seed+heldOutSeed)
	spec := campaign.Spec{Vectors: 12, Taken: func(t estimate.RunTime) { times = append(times, t.Cycles) }}
	if _, _, err := campaign.Run(t.Context(), j.Platform, other, spec, runner.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	warned := 0
	for i := range a.Estimates {
		e := &a.Estimates[i]
		if e.Cycles != plain.Estimates[i].Cycles || plain.Estimates[i].Holdout != nil {
			t.Errorf("%s: %d cycles, and %d without held-out vectors", e.Method, e.Cycles, plain.Estimates[i].Cycles)
		}
		if !e.Bounds() {
			if e.Holdout != nil {
				t.Errorf("%s bounds no launch, and is held against runs", e.Method)
			}
			continue
		}
		want := estimate.Holdout{Vectors: 12, Max: slices.Max(times), Seed: j.Spec.Seed + heldOutSeed}
		for _, cycles := range times {
			if cycles > e.Cycles {
				want.Exceeded++
			}
		}
		if *e.Holdout != want {
			t.Errorf("%s: %+v, want %+v", e.Method, *e.Holdout, want)
		}
		if want.Exceeded > 0 {
			warned++
		}
	}
	found := 0
	for _, w := range a.Warnings {
		if w.ID == "holdout-exceeded" {
			found++
		}
	}
	if warned == 0 || found != warned {
		t.Errorf("%d warnings, want %d, of which there should be some: one run says little of others", found, warned)
	}
}

// TestNothingHeldOut: where no input is sampled no vector differs from the one that was run.
func TestNothingHeldOut(t *testing.T) {
	files := fstest.MapFS{
		"job.toml": {Data: []byte("module = \"k.ptx\"\ngrid = [2]\nblock = [64]\n")},
		"k.ptx":    {Data: []byte(".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k() { ret; }\n")},
	}
	j, err := platform.LoadFS(files, "job.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Analyze(t.Context(), j.Platform, j.Workload, Request{Methods: []string{"hybrid/phases"}, Holdout: 3})
	if err != nil {
		t.Fatal(err)
	}
	if e := a.Estimates[0]; e.Holdout != nil || !slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "nothing-held-out" }) {
		t.Errorf("%+v, warnings %+v", e.Holdout, a.Warnings)
	}
	if e := a.Estimates[0]; e.Cycles != a.Observed.Max || !e.Prediction.Fixed || a.Answer == nil {
		t.Errorf("%d cycles, %+v, answer %+v", e.Cycles, e.Prediction, a.Answer)
	}
}

// TestSumIsNotRelied: a sum over launches is no better than the worst of its parts: it does not decide where the runs are too few
// to try one of them.
func TestSumIsNotRelied(t *testing.T) {
	j, err := platform.LoadFS(kernels.Suite(), "relaxation/application.toml", "")
	if err != nil {
		t.Fatal(err)
	}
	a, err := Analyze(t.Context(), j.Platform, j.Workload, Request{Methods: []string{"hybrid/phases", "hybrid/dynamic", "hybrid/placements"}, Campaign: campaign.Spec{Vectors: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if e := &a.Estimates[2]; e.Method != "hybrid/placements" || e.Cycles >= a.Estimates[1].Cycles || e.Relied() {
		t.Errorf("%s: %d cycles, relied upon %t", e.Method, e.Cycles, e.Relied())
	}
	e := &a.Estimates[0]
	if e.Method != "hybrid/phases" || e.Prediction == nil || e.Prediction.Status != estimate.Untested || e.Cycles > a.Estimates[1].Cycles {
		t.Errorf("%s: %d cycles, %+v", e.Method, e.Cycles, e.Prediction)
	}
	if a.Answer == nil || a.Answer.Method != "hybrid/dynamic" {
		t.Errorf("answer %+v", a.Answer)
	}
}

// TestUncertified: the certificate where none is named is of an estimate that has one, although another one is less.
func TestUncertified(t *testing.T) {
	a := &estimate.Analysis{Estimates: []estimate.Estimate{
		{Method: "hybrid/phases", Cycles: 1, Evidence: estimate.Observed, Detail: &estimate.HybridPhases{}},
		{Method: "hybrid/waves", Cycles: 3, Evidence: estimate.Observed, Detail: &estimate.HybridWaves{}},
		{Method: "hybrid/dynamic", Cycles: 2, Evidence: estimate.Observed, Detail: &estimate.HybridDynamic{}},
	}}
	if e := best(a); e == nil || e.Method != "hybrid/dynamic" {
		t.Errorf("%+v", e)
	}
}
