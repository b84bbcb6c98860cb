package sensitivity_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/estimate"
	"warpbound/internal/analysis"
	"warpbound/internal/campaign"
	"warpbound/internal/job"
	"warpbound/internal/machine"
	"warpbound/internal/study/sensitivity"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

// TestAssumedNumbers: what decides the bound is said with the bound that a machine has on which it
// is another.
func TestAssumedNumbers(t *testing.T) {
	j := jobtest.Load(t, kernels.Suite(), "reduction/job.toml", "orin-agx")
	const base = 3172 // cycles of the bound as the machine is
	decisive := func(req analysis.Request, vectors int) *estimate.AssumedNumbers {
		req.Campaign = campaign.Spec{Vectors: vectors}
		a, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, req, sensitivity.Options{On: j.OnMachine, With: j.WithChange})
		if err != nil {
			t.Fatal(err)
		}
		return a.Assumed
	}
	got := decisive(analysis.Request{}, 100)
	if got.Method != "static/oblivious" || got.Varied != 16 || got.Possible < 30 {
		t.Errorf("%d of %d numbers are varied for %s", got.Varied, got.Possible, got.Method)
	}
	want := estimate.AssumedNumber{Number: "l2.copies", Value: "on", Other: "off", Cycles: 6876}
	if !slices.Contains(got.Decisive, want) {
		t.Errorf("%+v, want %+v among them", got.Decisive, want)
	}
	for _, n := range got.Decisive {
		if n.Value == n.Other || max(n.Cycles, base)*10 <= min(n.Cycles, base)*11 {
			t.Errorf("%+v of %d", n, base)
		}
	}
	p, w, err := j.WithChange(func(spec *job.Job) { spec.Registers = 129 })
	if err != nil {
		t.Fatal(err)
	}
	stated, _, err := analysis.Static(t.Context(), p, w, analysis.Request{Methods: []string{"static/oblivious"}})
	if err != nil {
		t.Fatal(err)
	}
	registers := estimate.AssumedNumber{Number: "registers of a thread", Value: "14", Other: "129", Cycles: stated.Estimates[0].Cycles}
	if got.Decisive[0] != registers {
		t.Errorf("%+v, want %+v first", got.Decisive[0], registers)
	}
	few := decisive(analysis.Request{}, 3)
	if few.Varied != 3 || few.Possible != got.Possible || len(few.Decisive) == 0 || few.Decisive[0].Number != "registers of a thread" {
		t.Errorf("with three vectors: %+v", few)
	}
	// Nothing decides a bound that there is not, or where nothing runs.
	for _, req := range []analysis.Request{{Methods: []string{"static/greedy"}}, {Methods: []string{"hybrid/waves"}}, {Try: 1000}} {
		if got := decisive(req, 5); got != nil {
			t.Errorf("%v: %+v", req.Methods, got)
		}
	}
}

// TestAssumedNumbersAreBelieved: bounds on other machines are those of the machines themselves.
func TestAssumedNumbersAreBelieved(t *testing.T) {
	j, opts := loadChip(t, clock+count+dispatch)
	req := analysis.Request{Methods: []string{"static/cta", "hybrid/waves"}, Campaign: campaign.Spec{Vectors: 20}}
	a, err := sensitivity.Analyze(t.Context(), j.Platform, j.Workload, req, opts)
	if err != nil {
		t.Fatal(err)
	}
	bound := func(count int64) int64 {
		m := *j.Platform.Machine()
		m.SM.Count = machine.Number{Value: count}
		p, w, err := opts.On(&m)
		if err != nil {
			t.Fatal(err)
		}
		a, _, err := analysis.Static(t.Context(), p, w, static())
		if err != nil {
			t.Fatal(err)
		}
		return a.Estimates[0].Cycles
	}
	want := []estimate.AssumedNumber{
		{Number: "sm.count", Value: "4", Other: "3", Cycles: bound(3)}, {Number: "sm.count", Value: "4", Other: "5", Cycles: bound(5)},
	}
	got := slices.DeleteFunc(a.Assumed.Decisive, func(n estimate.AssumedNumber) bool { return n.Number != "sm.count" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
