package check

import (
	"errors"
	"fmt"
	"math"
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
	noBound := estimate.MethodRefusal{Method: "static/cta", Pos: "k.ptx:7:2", Reason: "annotate LOOP"}
	for _, c := range []struct {
		name      string
		estimates []estimate.Estimate
		observed  int64 // 0 for no runs
		budget    string
		requires  estimate.Evidence
		want      estimate.Verdict
		bound     int64    // cycles of the bound that counts; 0 for none
		reasons   []string // parts of them
	}{
		{"at a budget of cycles", []estimate.Estimate{one("static/cta", 1000, estimate.Proven)}, 0, "1000", "", estimate.Within, 1000, nil},
		{"one above", []estimate.Estimate{one("static/cta", 1001, estimate.Proven)}, 0, "1000", "", estimate.Over, 1001, nil},
		{"at a budget of time", []estimate.Estimate{one("static/cta", 1000, estimate.Proven)}, 0, "1us", "", estimate.Within, 1000, nil},
		{"one above a time", []estimate.Estimate{one("static/cta", 1001, estimate.Proven)}, 0, "1us", "", estimate.Over, 1001, nil},
		{"greatest", []estimate.Estimate{one("static/cta", math.MaxInt64, estimate.Proven)}, 0, "9223372036854775807", "", estimate.Within, math.MaxInt64, nil},
		{"strongest, not least", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed), one("static/cta", 1001, estimate.Proven)}, 9, "1000", "", estimate.Over, 1001, nil},
		{"observed counts", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed)}, 9, "10", "", estimate.Within, 10, nil},
		{"observed by name", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed)}, 9, "10", estimate.Observed, estimate.Within, 10, nil},
		{"least, not strongest", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed), one("static/cta", 1001, estimate.Proven)}, 9, "1000", estimate.Observed, estimate.Within, 10, nil},
		{"run above what is proven", []estimate.Estimate{one("static/cta", 10, estimate.Proven)}, 11, "1000", "", estimate.Failed, 0, []string{"a run takes 11 cycles, but static/cta claims to prove at most 10: this is a bug"}},
		{"run above what is proven and the budget", []estimate.Estimate{one("static/cta", 10, estimate.Proven)}, 11, "10", "", estimate.Over, 0, []string{"this is a bug"}},
		{"run above one of two that are proven", []estimate.Estimate{one("static/cta", 10, estimate.Proven), one("static/greedy", 20, estimate.Proven)}, 11, "1000", "", estimate.Failed, 0, []string{"this is a bug"}},
		{"run above what is annotated", []estimate.Estimate{one("static/cta", 10, estimate.Annotated)}, 11, "1000", "", estimate.Failed, 0, []string{"an annotated loop bound or flow fact is too small"}},
		{"run above what is annotated, but not above what is proven", []estimate.Estimate{one("static/cta", 10, estimate.Annotated), one("static/greedy", 20, estimate.Proven)}, 11, "1000", "", estimate.Failed, 20,
			[]string{"an annotated loop bound or flow fact is too small"}},
		{"observed is too weak", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed)}, 9, "10", estimate.Annotated, estimate.Unknown, 0,
			[]string{"the strongest bound is hybrid/waves, whose evidence is observed, and annotated is required", "static/cta has no bound: annotate LOOP"}},
		{"annotated is enough", []estimate.Estimate{one("hybrid/waves", 10, estimate.Annotated)}, 9, "10", estimate.Annotated, estimate.Within, 10, nil},
		{"proven is more than enough", []estimate.Estimate{one("hybrid/waves", 10, estimate.Proven)}, 9, "10", estimate.Annotated, estimate.Within, 10, nil},
		{"annotated is too weak", []estimate.Estimate{one("hybrid/waves", 10, estimate.Annotated)}, 9, "10", estimate.Proven, estimate.Unknown, 0, []string{"annotated, and proven is required", "annotate LOOP"}},
		{"of a warp", []estimate.Estimate{one("hybrid/warp", 10, estimate.Observed)}, 9, "10", "", estimate.Unknown, 0, []string{"none of the selected methods bounds the whole kernel", "annotate LOOP"}},
		{"nothing", nil, 0, "10", "", estimate.Unknown, 0, []string{"none of the selected methods", "annotate LOOP"}},
		{"selected by its runs", []estimate.Estimate{{Method: "hybrid/placements", Cycles: 10, Evidence: estimate.Observed, Selected: true}}, 9, "10", "", estimate.Unknown, 0,
			[]string{"no estimate of the whole kernel decides", "hybrid/placements decides nothing: it is the least of several", "annotate LOOP"}},
		{"refused by its runs", []estimate.Estimate{{Method: "hybrid/phases", Cycles: 10, Evidence: estimate.Observed, SelfPrediction: &estimate.SelfPrediction{Verdict: estimate.Exceeded}}}, 9, "10", "",
			estimate.Unknown, 0, []string{"no estimate of the whole kernel decides", "hybrid/phases decides nothing: the runs that it is made of do not predict each other", "annotate LOOP"}},
		{"run at the budget", nil, 10, "10", "", estimate.Unknown, 0, []string{"none of the selected methods", "annotate LOOP"}},
		{"run above the budget", nil, 11, "10", estimate.Proven, estimate.Over, 0, nil},
		{"run above, bound below", []estimate.Estimate{one("hybrid/waves", 10, estimate.Observed)}, 11, "10", "", estimate.Over, 10, nil},
	} {
		a := &estimate.Analysis{Estimates: c.estimates, Refused: []estimate.MethodRefusal{noBound}}
		if c.observed > 0 {
			a.Observed = &estimate.Observation{Max: c.observed}
		}
		got := Job(a, diag.Pos{File: "k.ptx", Line: 3}, Limits{parse(t, c.budget), ghz, c.requires})
		bound := int64(0)
		if got.Bound != nil {
			bound = got.Bound.Cycles
			if *got.Margin != got.Budget.Cycles-bound {
				t.Errorf("%s: the margin is %d", c.name, *got.Margin)
			}
		}
		if got.Verdict != c.want || bound != c.bound || len(got.Reasons) != len(c.reasons) || got.Pos != "k.ptx:3" {
			t.Errorf("%s: got %s by %d, %v at %s; want %s by %d, %d reasons", c.name, got.Verdict, bound, got.Reasons, got.Pos, c.want, c.bound, len(c.reasons))
			continue
		}
		for i, want := range c.reasons {
			if !strings.Contains(got.Reasons[i].Text, want) {
				t.Errorf("%s: reason %d is %q, want %q", c.name, i, got.Reasons[i].Text, want)
			}
		}
		if len(got.Reasons) == 2 && got.Reasons[1].Pos != noBound.Pos {
			t.Errorf("%s: the second reason is at %s", c.name, got.Reasons[1].Pos)
		}
	}
}

// TestEveryCombination holds verdicts against their definition, for all combinations of runs, estimates, refusals
// and requirements with a budget of 10 cycles.
func TestEveryCombination(t *testing.T) {
	strength := map[estimate.Evidence]int{"": 0, estimate.Observed: 1, estimate.Annotated: 2, estimate.Proven: 3}
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
							lowest, strongest := int64(0), 0
							for i, e := range []estimate.Estimate{one("a", observed, estimate.Observed), one("b", annotated, estimate.Annotated), one("c", proven, estimate.Proven)} {
								if e.Cycles == 0 {
									continue
								}
								a.Estimates = append(a.Estimates, e)
								if e.Evidence != estimate.Observed && e.Cycles < run { // void
									continue
								}
								if requires == "" || i+1 >= strength[requires] && (lowest == 0 || e.Cycles < lowest) {
									lowest, strongest = e.Cycles, i+1
								}
							}
							want, exit := estimate.Within, 0
							switch {
							case run > 10:
								want, exit = estimate.Over, 1
							case proven > 0 && run > proven, annotated > 0 && run > annotated:
								want, exit = estimate.Failed, 2
							case lowest > 10:
								want, exit = estimate.Over, 1
							case strongest == 0:
								want, exit = estimate.Unknown, 2
							}
							got := Job(a, diag.Pos{}, Limits{parse(t, "10 cycles"), 1e9, requires})
							all := All([]estimate.CheckedJob{got}, requires)
							code := map[estimate.Verdict]int{estimate.Within: 0, estimate.Over: 1, estimate.Unknown: 2}[all.Verdict]
							switch {
							case got.Verdict != want || code != exit:
								t.Fatalf("run %d, proven %d, annotated %d, observed %d, requires %q, refused %v: %s, exit code %d; want %s, %d", run, proven, annotated, observed, requires, refused, got.Verdict, code, want, exit)
							case (got.Answer == nil) != (lowest == 0) || got.Answer != nil && got.Answer.Cycles != lowest:
								t.Fatalf("run %d, proven %d, annotated %d, observed %d, requires %q: answer %v, want %d", run, proven, annotated, observed, requires, got.Answer, lowest)
							case want == estimate.Unknown && refused != nil && lowest+proven+annotated+observed == 0 && len(got.Reasons) != 2:
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
		want     estimate.Verdict
	}{
		{one("static/cta", 10, estimate.Proven), 9, estimate.Within},
		{one("static/cta", 11, estimate.Proven), 9, estimate.Unknown}, // another one may be less
		{one("hybrid/waves", 10, estimate.Annotated), 9, estimate.Unknown},
		{one("hybrid/waves", 10, estimate.Observed), 9, estimate.Unknown},
		{one("hybrid/waves", 10, estimate.Observed), 11, estimate.Over},
	} {
		a := &estimate.Analysis{Estimates: []estimate.Estimate{c.bound}, Observed: &estimate.Observation{Max: c.observed},
			Interrupted: &estimate.Interruption{Reason: estimate.ByTimeout}}
		got := Job(a, diag.Pos{}, Limits{Budget: parse(t, "10")})
		if got.Verdict != c.want {
			t.Errorf("%+v, %d: got %s, want %s", c.bound, c.observed, got.Verdict, c.want)
		}
		if got.Verdict == estimate.Unknown && (len(got.Reasons) != 1 || !strings.Contains(got.Reasons[0].Text, "ended early (timeout)")) {
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
		if got.Verdict != estimate.Failed || got.Job != "j.toml" || got.Pos != c.pos || len(got.Reasons) != 1 ||
			got.Reasons[0] != (estimate.Remark{Pos: c.own, Text: c.err.Error()}) {
			t.Errorf("%v: got %+v", c.err, got)
		}
	}
}

// TestAll holds the verdict on several jobs against its definition, in any order.
func TestAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		verdicts := rapid.SliceOf(rapid.SampledFrom([]estimate.Verdict{estimate.Within, estimate.Over, estimate.Unknown, estimate.Failed})).Draw(t, "verdicts")
		count := make(map[estimate.Verdict]int)
		var jobs []estimate.CheckedJob
		for _, v := range verdicts {
			count[v]++
			jobs = append(jobs, estimate.CheckedJob{Verdict: v})
		}
		want := estimate.Within
		if count[estimate.Unknown]+count[estimate.Failed] > 0 {
			want = estimate.Unknown
		}
		if count[estimate.Over] > 0 {
			want = estimate.Over
		}
		c := All(jobs, "")
		if c.Verdict != want || c.Within != count[estimate.Within] || c.Over != count[estimate.Over] ||
			c.Unknown != count[estimate.Unknown] || c.Failed != count[estimate.Failed] || c.Requires != estimate.Observed || c.Tool.Name == "" {
			t.Errorf("%v: %+v", verdicts, c)
		}
	})
}

// TestWorst takes the worst of checks.
func TestWorst(t *testing.T) {
	bound := func(v estimate.Verdict, cycles int64) estimate.CheckedJob {
		c := estimate.CheckedJob{Verdict: v}
		if cycles > 0 {
			c.Bound = &estimate.Estimate{Cycles: cycles}
		}
		return c
	}
	for _, c := range []struct {
		name   string
		checks []estimate.CheckedJob
		worst  int
	}{
		{"greatest bound", []estimate.CheckedJob{bound(estimate.Within, 5), bound(estimate.Within, 7), bound(estimate.Within, 6)}, 20},
		{"first of the same", []estimate.CheckedJob{bound(estimate.Within, 5), bound(estimate.Within, 5), bound(estimate.Within, 5)}, 10},
		{"over", []estimate.CheckedJob{bound(estimate.Over, 5), bound(estimate.Failed, 7), bound(estimate.Unknown, 0)}, 10},
		{"failed", []estimate.CheckedJob{bound(estimate.Within, 9), bound(estimate.Failed, 7), bound(estimate.Unknown, 0)}, 20},
		{"unknown", []estimate.CheckedJob{bound(estimate.Within, 9), bound(estimate.Within, 7), bound(estimate.Unknown, 0)}, 30},
		{"greatest over", []estimate.CheckedJob{bound(estimate.Within, 99), bound(estimate.Over, 7), bound(estimate.Over, 8)}, 30},
	} {
		got := Worst([]int{10, 20, 30}, c.checks)
		if got.Registers.Worst != c.worst || got.Verdict != c.checks[c.worst/10-1].Verdict || len(got.Registers.Tried) != 3 {
			t.Errorf("%s: got %s with %+v, want %d", c.name, got.Verdict, got.Registers, c.worst)
		}
	}
}
