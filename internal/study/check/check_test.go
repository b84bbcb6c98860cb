package check

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/diag"
	"warpbound/estimate"
	"warpbound/internal/budget"
)

func parse(t interface{ Fatal(...any) }, text string) budget.Budget {
	b, err := budget.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func one(method string, cycles int64, e estimate.Evidence) estimate.Estimate {
	return estimate.Estimate{Method: method, Cycles: cycles, Evidence: e}
}

func TestJob(t *testing.T) {
	const ghz = 1e9
	const tooSlow = "the budget lies between run and bound"
	noBound := estimate.MethodRefusal{Method: "static/cta", Pos: "k.ptx:7:2", Reason: "annotate LOOP"}
	for _, c := range []struct {
		name      string
		estimates []estimate.Estimate
		observed  int64 // 0 for no runs
		budget    string
		requires  estimate.Evidence
		want      estimate.Status
		failed    bool
		bound     int64    // cycles of the bound that counts; 0 for none
		reasons   []string // parts of them
	}{
		{"at a budget of cycles", []estimate.Estimate{one("static/cta", 1000, estimate.Proven)}, 0, "1000", "", estimate.Met, false, 1000, nil},
		{"one above", []estimate.Estimate{one("static/cta", 1001, estimate.Proven)}, 0, "1000", "", estimate.NotShown, false, 1001, []string{"the bound is above the budget, and nothing ran"}},
		{"at a budget of time", []estimate.Estimate{one("static/cta", 1000, estimate.Proven)}, 0, "1us", "", estimate.Met, false, 1000, nil},
		{"one above a time", []estimate.Estimate{one("static/cta", 1001, estimate.Proven)}, 9, "1us", "", estimate.NotShown, false, 1001, []string{tooSlow}},
		{"greatest", []estimate.Estimate{one("static/cta", math.MaxInt64, estimate.Proven)}, 0, "9223372036854775807", "", estimate.Met, false, math.MaxInt64, nil},
		{"proven, not the least", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed), one("static/cta", 1001, estimate.Proven)}, 9, "1000", "", estimate.NotShown, false, 1001, []string{tooSlow}},
		{"observed does not count", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed)}, 9, "10", "", estimate.NotShown, false, 0,
			[]string{"the strongest bound is hybrid/waves, whose evidence is observed, and proven is required", "annotate LOOP"}},
		{"observed by name", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed)}, 9, "10", estimate.Observed, estimate.Met, false, 10, nil},
		{"what is within, not what is strongest", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed), one("static/cta", 1001, estimate.Proven)}, 9, "1000", estimate.Observed, estimate.Met, false, 10, nil},
		{"the strongest that is within", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed), one("static/cta", 900, estimate.Proven), one("static/greedy", 800, estimate.Proven), one("split/none", 700, estimate.Annotated)}, 9, "1000", estimate.Observed, estimate.Met, false, 800, nil},
		{"the least that is above", []estimate.Estimate{one("hybrid/waves", 1100, estimate.Observed), one("static/cta", 1001, estimate.Proven), one("static/greedy", 1002, estimate.Proven)}, 9, "1000", estimate.Observed, estimate.NotShown, false, 1001, []string{tooSlow}},
		{"run above what is proven", []estimate.Estimate{one("static/cta", 10, estimate.Proven)}, 11, "1000", "", estimate.NotShown, true, 0, []string{"a run takes 11 cycles, but static/cta claims to prove at most 10: this is a bug"}},
		{"run above what is proven and the budget", []estimate.Estimate{one("static/cta", 10, estimate.Proven)}, 11, "10", "", estimate.Missed, false, 0, []string{"this is a bug"}},
		{"run above one of two that are proven", []estimate.Estimate{one("static/cta", 10, estimate.Proven), one("static/greedy", 20, estimate.Proven)}, 11, "1000", "", estimate.NotShown, true, 0, []string{"this is a bug"}},
		{"run above what is annotated", []estimate.Estimate{one("static/cta", 10, estimate.Annotated)}, 11, "1000", estimate.Annotated, estimate.NotShown, true, 0, []string{"an annotated loop bound or flow fact is too small"}},
		{"run above what is annotated, but not above what is proven", []estimate.Estimate{one("static/cta", 10, estimate.Annotated), one("static/greedy", 20, estimate.Proven)}, 11, "1000", "", estimate.NotShown, true, 20,
			[]string{"an annotated loop bound or flow fact is too small"}},
		{"annotated is enough", []estimate.Estimate{one("hybrid/waves", 10, estimate.Annotated)}, 9, "10", estimate.Annotated, estimate.Met, false, 10, nil},
		{"proven is more than enough", []estimate.Estimate{one("hybrid/waves", 10, estimate.Proven)}, 9, "10", estimate.Annotated, estimate.Met, false, 10, nil},
		{"annotated is too weak", []estimate.Estimate{one("hybrid/waves", 10, estimate.Annotated)}, 9, "10", estimate.Proven, estimate.NotShown, false, 0, []string{"annotated, and proven is required", "annotate LOOP"}},
		{"of a warp", []estimate.Estimate{one("hybrid/warp", 10, estimate.Observed)}, 9, "10", estimate.Observed, estimate.NotShown, false, 0, []string{"none of the selected methods bounds the whole kernel", "annotate LOOP"}},
		{"nothing", nil, 0, "10", "", estimate.NotShown, false, 0, []string{"none of the selected methods", "annotate LOOP"}},
		{"selected by its runs", []estimate.Estimate{{Method: "hybrid/placements", Cycles: 10, Evidence: estimate.Observed, Selected: true}}, 9, "10", estimate.Observed, estimate.NotShown, false, 0,
			[]string{"no estimate of the whole kernel decides", "hybrid/placements decides nothing: it is the least of several", "annotate LOOP"}},
		{"refused by its runs", []estimate.Estimate{{Method: "hybrid/phases", Cycles: 10, Evidence: estimate.Observed, Prediction: &estimate.Prediction{Status: estimate.Refuted}}}, 9, "10", estimate.Observed,
			estimate.NotShown, false, 0, []string{"no estimate of the whole kernel decides", "hybrid/phases decides nothing: the runs that it is made of do not predict each other", "annotate LOOP"}},
		{"run at the budget", nil, 10, "10", "", estimate.NotShown, false, 0, []string{"none of the selected methods", "annotate LOOP"}},
		{"run above the budget", nil, 11, "10", estimate.Proven, estimate.Missed, false, 0, nil},
		{"run above, bound below", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed)}, 11, "10", estimate.Observed, estimate.Missed, false, 10, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &estimate.Analysis{Estimates: c.estimates, Refused: []estimate.MethodRefusal{noBound}}
			if c.observed > 0 {
				a.Observed = &estimate.Observation{Max: c.observed}
			}
			got := Job(a, diag.Pos{File: "k.ptx", Line: 3}, Limits{Budget: parse(t, c.budget), Hz: ghz, Requires: c.requires, Pos: diag.Pos{File: "j.toml", Line: 7, Col: 1}})
			v := got.Verdict
			bound := int64(0)
			if got.Bound != nil {
				bound = got.Bound.Cycles
				if *v.Margin != got.Budget.Cycles-bound || *got.Margin != *v.Margin || *v.Bound != bound || v.Method != got.Bound.Method || v.Evidence != got.Bound.Evidence {
					t.Errorf("%+v of %+v", v, got.Bound)
				}
			}
			if v.Status != c.want || got.Failed != c.failed || bound != c.bound || len(got.Reasons) != len(c.reasons) || got.Pos != "k.ptx:3" || v.BudgetPos != "j.toml:7:1" || (v.Longest != nil) != (c.observed > 0) || v.Because == "" {
				t.Fatalf("got %+v, failed %t, by %d, %v at %s; want %s, failed %t, by %d, %d reasons", v, got.Failed, bound, got.Reasons, got.Pos, c.want, c.failed, c.bound, len(c.reasons))
			}
			for i, want := range c.reasons {
				if !strings.Contains(got.Reasons[i].Text, want) {
					t.Errorf("reason %d is %q, want %q", i, got.Reasons[i].Text, want)
				}
			}
			if len(got.Reasons) == 2 && got.Reasons[1].Pos != noBound.Pos {
				t.Errorf("the second reason is at %s", got.Reasons[1].Pos)
			}
		})
	}
}

// TestEveryCombination holds verdicts against their definition, for all combinations of runs, estimates, refusals
// and requirements with a budget of 10 cycles.
func TestEveryCombination(t *testing.T) {
	strength := map[estimate.Evidence]int{estimate.Observed: 1, estimate.Annotated: 2, estimate.Proven: 3, "": 3}
	cycles := []int64{0, 8, 10, 12} // 0 for none
	for _, run := range []int64{0, 9, 10, 11} {
		for _, proven := range cycles {
			for _, annotated := range cycles {
				for _, observed := range cycles {
					for requires := range strength {
						for _, refused := range [][]estimate.MethodRefusal{nil, {{Method: "static/cta", Reason: "LOOP"}}, {{Method: "static/cta", Reason: "no barrel", Machine: true}}} {
							a := &estimate.Analysis{Refused: refused, Estimates: []estimate.Estimate{one("hybrid/warp", 1, estimate.Observed)}}
							if run > 0 {
								a.Observed = &estimate.Observation{Max: run}
							}
							counts, within := int64(0), false // the last that is within is the strongest
							for i, e := range []estimate.Estimate{one("a", observed, estimate.Observed), one("b", annotated, estimate.Annotated), one("c", proven, estimate.Proven)} {
								if e.Cycles == 0 {
									continue
								}
								a.Estimates = append(a.Estimates, e)
								if e.Evidence != estimate.Observed && e.Cycles < run || i+1 < strength[requires] { // void, or too weak
									continue
								}
								if e.Cycles <= 10 || !within && (counts == 0 || e.Cycles < counts) {
									counts, within = e.Cycles, within || e.Cycles <= 10
								}
							}
							want, failed, exit := estimate.NotShown, false, 3
							switch {
							case run > 10:
								want, exit = estimate.Missed, 1
							case proven > 0 && run > proven, annotated > 0 && run > annotated:
								failed, exit = true, 2
							case within:
								want, exit = estimate.Met, 0
							}
							got := Job(a, diag.Pos{}, Limits{Budget: parse(t, "10 cycles"), Hz: 1e9, Requires: requires})
							all := All([]estimate.CheckedJob{got}, requires)
							code := 0*all.Met + 1*all.Missed + 2*all.Failed + 3*all.NotShown
							switch {
							case got.Verdict.Status != want || got.Failed != failed || code != exit || all.Verdict != got.Verdict:
								t.Fatalf("run %d, proven %d, annotated %d, observed %d, requires %q, refused %v: %+v, exit code %d; want %s, %d", run, proven, annotated, observed, requires, refused, got.Verdict, code, want, exit)
							case (got.Answer == nil) != (counts == 0) || got.Answer != nil && got.Answer.Cycles != counts:
								t.Fatalf("run %d, proven %d, annotated %d, observed %d, requires %q: answer %v, want %d", run, proven, annotated, observed, requires, got.Answer, counts)
							case want == estimate.NotShown && !failed && refused != nil && counts+proven+annotated+observed == 0 && len(got.Reasons) != 2:
								t.Fatalf("refused %v, but the reasons are %v", refused, got.Reasons)
							}
						}
					}
				}
			}
		}
	}
}

// TestIncomplete holds what is said of an analysis that ended early against what it may have become.
func TestIncomplete(t *testing.T) {
	for _, c := range []struct {
		bound    estimate.Estimate
		observed int64
		want     estimate.Status
	}{
		{one("static/cta", 10, estimate.Proven), 9, estimate.Met},
		{one("static/cta", 11, estimate.Proven), 9, estimate.NotShown}, // another one may be less
		{one("hybrid/waves", 10, estimate.Annotated), 9, estimate.NotShown},
		{one("hybrid/waves", 10, estimate.Observed), 9, estimate.NotShown},
		{one("hybrid/waves", 10, estimate.Observed), 11, estimate.Missed},
	} {
		a := &estimate.Analysis{Estimates: []estimate.Estimate{c.bound}, Observed: &estimate.Observation{Max: c.observed},
			Interrupted: &estimate.Interruption{Reason: estimate.ByTimeout}}
		got := Job(a, diag.Pos{}, Limits{Budget: parse(t, "10"), Requires: estimate.Observed})
		if got.Verdict.Status != c.want {
			t.Errorf("%+v, %d: got %+v, want %s", c.bound, c.observed, got.Verdict, c.want)
		}
		if got.Verdict.Status == estimate.NotShown && (len(got.Reasons) != 1 || !strings.Contains(got.Reasons[0].Text, "ended early (timeout)")) {
			t.Errorf("%+v: %v", c.bound, got.Reasons)
		}
	}
}

func TestFailure(t *testing.T) {
	pos := diag.Pos{File: "k.ptx", Line: 7, Col: 2}
	for _, c := range []struct {
		err      error
		pos, own string // of the job, of the reason
	}{
		{errors.New("broken"), "j.toml", ""},
		{fmt.Errorf("j: %w", diag.Errorf(pos, "broken")), "k.ptx:7:2", "k.ptx:7:2"},
		{&diag.UnboundedLoopError{Pos: pos, Err: errors.New("endless")}, "k.ptx:7:2", "k.ptx:7:2"},
	} {
		got := Failure("j.toml", c.err)
		if !got.Failed || got.Verdict.Status != estimate.NotShown || got.Verdict.Because != c.err.Error() || got.Job != "j.toml" || got.Pos != c.pos || len(got.Reasons) != 1 ||
			got.Reasons[0] != (estimate.Remark{Pos: c.own, Text: c.err.Error()}) {
			t.Errorf("%v: got %+v", c.err, got)
		}
	}
}

// of makes a job of which that is said, worse with a greater number.
func of(n severity, cycles int64) estimate.CheckedJob {
	c := estimate.CheckedJob{Failed: n == failed, Verdict: &estimate.Verdict{
		Status: []estimate.Status{estimate.Met, estimate.NotShown, estimate.NotShown, estimate.Missed}[n]}}
	if cycles > 0 {
		c.Bound = &estimate.Estimate{Cycles: cycles}
	}
	return c
}

// TestAll holds the verdict on several jobs against its definition, in any order.
func TestAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		verdicts := rapid.SliceOfN(rapid.SampledFrom([]severity{met, notShown, failed, missed}), 1, -1).Draw(t, "verdicts")
		count := make(map[severity]int)
		var jobs []estimate.CheckedJob
		for _, v := range verdicts {
			count[v]++
			jobs = append(jobs, of(v, 0))
		}
		c := All(jobs, "")
		if c.Verdict != jobs[slices.Index(verdicts, slices.Max(verdicts))].Verdict || c.Met != count[met] || c.Missed != count[missed] ||
			c.NotShown != count[notShown] || c.Failed != count[failed] || c.Requires != estimate.Proven || c.Tool.Name == "" {
			t.Errorf("%v: %+v", verdicts, c)
		}
	})
}

// TestWorst takes the worst of checks.
func TestWorst(t *testing.T) {
	for _, c := range []struct {
		name   string
		checks []estimate.CheckedJob
		worst  int
	}{
		{"greatest bound", []estimate.CheckedJob{of(met, 5), of(met, 7), of(met, 6)}, 20},
		{"first of the same", []estimate.CheckedJob{of(met, 5), of(met, 5), of(met, 5)}, 10},
		{"missed", []estimate.CheckedJob{of(missed, 5), of(failed, 7), of(notShown, 0)}, 10},
		{"failed", []estimate.CheckedJob{of(met, 9), of(failed, 7), of(notShown, 0)}, 20},
		{"not shown", []estimate.CheckedJob{of(met, 9), of(met, 7), of(notShown, 0)}, 30},
		{"greatest missed", []estimate.CheckedJob{of(met, 99), of(missed, 7), of(missed, 8)}, 30},
	} {
		got := Worst([]int{10, 20, 30}, c.checks)
		if got.Registers.Worst != c.worst || got.Verdict != c.checks[c.worst/10-1].Verdict || len(got.Registers.Tried) != 3 {
			t.Errorf("%s: got %+v with %+v, want %d", c.name, got.Verdict, got.Registers, c.worst)
		}
	}
}
