package estimate

import (
	"slices"
	"testing"
)

// TestExceedHoldout holds vectors that estimates are not made of against the bounds of the mode of
// splitting in which they ran, and no others.
func TestExceedHoldout(t *testing.T) {
	for mode, want := range map[string][]string{
		"":     {"static/cta"},
		"dws":  {"static/cta", "split/dws"},
		"slip": {"static/cta"},
	} {
		a := &Analysis{SplitMode: mode}
		for _, method := range []string{"static/cta", "split/dws", "hybrid/warp"} {
			e := Estimate{Method: method, Cycles: 100, Evidence: Proven, Holdout: &Holdout{Max: 101}}
			if method == "hybrid/warp" {
				e.Evidence = Observed
			}
			a.Estimates = append(a.Estimates, e)
		}
		a.ExceedObserved()
		var void []string
		for _, v := range a.Void {
			void = append(void, v.Method)
		}
		if !slices.Equal(void, want) {
			t.Errorf("mode %q: void are %v, want %v", mode, void, want)
		}
	}
}

// TestExceedLaunches holds what was observed of launches against the bounds of the same launches.
func TestExceedLaunches(t *testing.T) {
	bounds := func(cycles ...int64) (list []LaunchAnalysis) {
		for _, c := range cycles {
			list = append(list, LaunchAnalysis{Estimates: []Estimate{{Method: "static/cta", Cycles: c, Evidence: Annotated}}})
		}
		return list
	}
	a := &Analysis{Launches: bounds(100, 100, 100)}
	a.ExceedLaunches([]LaunchAnalysis{
		{Kernel: "fits", Observed: &Observation{Max: 100}}, {Kernel: "exceeds", Observed: &Observation{Max: 101}}, {Kernel: "unseen"},
	})
	if len(a.Void) != 1 || a.Void[0].Kernel != "exceeds" || a.Void[0].Run != 101 {
		t.Errorf("void are %+v", a.Void)
	}
}
