package report

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/estimate"
)

// searched is a search with something of everything.
func searched() (*estimate.Analysis, *estimate.Search) {
	d := &estimate.Search{
		Settings: estimate.SearchSettings{Seed: 7, Runs: 100, Novelty: 1, NoveltyCounters: []string{"a", "b"}},
		Explored: &estimate.Exploration{
			Steps: []estimate.ExplorationStep{
				{Threads: 1, AnyOne: true, Paths: 3, Faults: 1, Queries: 5, Covered: 2, Complete: true},
				{Threads: 2, Paths: 1, CutOff: 4, Unknown: 6, Queries: 7, Covered: 2},
			},
			Paths: []estimate.SearchPath{{Instructions: 5, Threads: []int{4}}, {Instructions: 1234, Threads: []int{0, 1}, Divergence: 10}},
			Pairs: []estimate.SearchPair{{Paths: [2]int{0, 1}, Divergence: 50}},
			Outcomes: []estimate.SearchOutcome{
				{Pos: "k.ptx:1:2", Text: "bra a", Taken: true, Verdict: estimate.OutcomeCovered},
				{Pos: "k.ptx:1:2", Text: "bra a", Verdict: estimate.OutcomeCovered},
				{Pos: "k.ptx:3:2", Text: "bra b", Taken: true, Target: "k.ptx:9:1", Verdict: estimate.OutcomeInfeasible},
				{Pos: "k.ptx:3:2", Text: "bra b", Target: "k.ptx:4:2", Verdict: estimate.OutcomeUnknown},
			},
			Notes: []string{"a note"},
		},
		Strategies: []estimate.SearchStrategy{
			{Strategy: "gdivan", Runs: 100, Cycles: 2000, Found: 3, Stop: "runs", Faults: 1, Fault: "it fails", History: []estimate.BestAfter{{Runs: 1, Cycles: 1500}, {Runs: 3, Cycles: 2000}}},
			{Strategy: "random", Runs: 40, Cycles: 900, Found: 40, Stop: "settled", History: []estimate.BestAfter{{Runs: 40, Cycles: 900}}},
		},
		File: "out/worst.toml", FaultFile: "out/fault/worst.toml",
		Below: []estimate.SearchBelow{
			{Method: "hybrid/waves", Cycles: 4000, Evidence: estimate.Observed, Percent: 50},
			{Method: "static/cta", Cycles: 1000, Evidence: estimate.Proven, Percent: -100},
		},
		Gap: &estimate.SearchGap{Bound: 3000, Method: "static/llc-simple", Cycles: 1000, Share: 1.0 / 3, Parts: []estimate.GapPart{
			{Name: "b", Pos: "k.cu:7:3", Bound: new(int64(2500)), Run: new(int64(900))},
			{Name: "dispatch", Bound: new(int64(500))},
			{Name: "entry", Pos: "k.cu:1:1", Run: new(int64(450))},
		}},
		Violated: []string{"static/cta"},
	}
	for range gapRows {
		d.Gap.Parts = append(d.Gap.Parts, estimate.GapPart{Name: "small", Bound: new(int64(1))})
	}
	a := &estimate.Analysis{
		Job: "j.toml", Kernel: "k", Machine: "m", Launch: estimate.Launch{Grid: [3]int{2, 1, 1}, Block: [3]int{32, 1, 1}},
		Estimates: []estimate.Estimate{
			{Method: "static/cta", Cycles: 1000, Assumptions: []string{"not this one"}},
			{Method: estimate.SearchMethod, Cycles: 2000, Assumptions: []string{"this one"}, Detail: d},
		},
		Warnings: []estimate.Warning{{Pos: "j.toml:1:1", ID: "w", Text: "take care"}},
		Void:     []estimate.VoidBound{{Method: "static/cta", Text: "a run takes 2000 cycles, but static/cta claims 1000"}},
	}
	return a, d
}

func TestSearch(t *testing.T) {
	a, d := searched()
	var out strings.Builder
	if err := Search(&out, a, d, 1e9); err != nil {
		t.Fatal(err)
	}
	want := `kernel k on m (1000 MHz), job j.toml
grid 2 x 1 x 1, block 32 x 1 x 1

Symbolic execution:
    threads  paths  fail  cut off  unknown  queries  outcomes covered  complete
    any one      3     1        0        0        5                 2       yes
          2      1     0        4        6        7                 2        no
Of 4 branch outcomes 2 are covered (50.00 %), 1 infeasible and 1 unknown.
  k.ptx:3:2: bra b, taken to k.ptx:9:1: infeasible
  k.ptx:3:2: bra b, not taken, to k.ptx:4:2: unknown
Path 1, of 2 threads, has most instructions: 1,234. Two threads on paths 0 and 1 diverge most: their brdiv is 50.0 %.
  a note

Longest execution times found, seed 7:
    strategy  cycles         time  in run   of           ended
    gdivan     2,000  0.002000 ms       3  100   all runs made
    random       900  0.000900 ms      40   40  ceased to grow
  gdivan: 1 run failed, the first with: it fails
  kept for novelty: the last 1 input that had most of one of a, b
  inputs of the first run that failed: out/fault/worst.toml

The inputs that take longest are in out/worst.toml.

Bounds of the same kernel, with these inputs among the runs:
    method        cycles         time  evidence  longest time found
    hybrid/waves   4,000  0.004000 ms  observed        50.0 % below
    static/cta     1,000  0.001000 ms    proven       100.0 % above

The worst case lies between the longest time found and the bound by static/llc-simple, a gap of 1,000 cycles (0.001000 ms), 33.3 % of the bound.
    what holds the gap  in the bound  in the run  difference
    b at k.cu:7:3              2,500         900       1,600
    dispatch                     500           -           -
    entry at k.cu:1:1              -         450           -
    small                          1           -           -
    small                          1           -           -
    small                          1           -           -
    small                          1           -           -
    small                          1           -           -
  and 3 more

VIOLATION: a run takes 2000 cycles, but static/cta claims 1000

Assumptions:
  - this one

warning: j.toml:1:1: take care [w]
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}

	d.Interrupted, d.File, d.Below, d.Violated, d.Explored.Pairs = true, "", nil, nil, nil
	out.Reset()
	if err := Search(&out, a, d, 1e9); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		"Path 1 diverges most: its brdiv is 10.0 %.", "were not saved (--out DIR)", "Interrupted: no bounds computed.",
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, &out)
		}
	}
}

func TestBestPlot(t *testing.T) {
	a, d := searched()
	want := &estimate.Plot{
		File: "best", Title: "k on m: longest time found", X: "runs", Y: "cycles",
		Series: []estimate.Series{
			{Name: "gdivan", At: []float64{1, 3, 100}, Values: []float64{1500, 2000, 2000}},
			{Name: "random", At: []float64{40, 40}, Values: []float64{900, 900}},
		},
	}
	if diff := cmp.Diff(want, BestPlot(a, d)); diff != "" {
		t.Error(diff)
	}
}

// The page of a search tells what it found, what holds the gap, and where in the result each figure is.
func TestSearchPage(t *testing.T) {
	a, _ := searched()
	var out strings.Builder
	if err := HTML(&out, a, nil, 1e9); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{
		`<a href="#search">`, `<td class="left">all runs made</td>`, `a gap of 1,000 cycles`, `<svg class="plot"`,
		`<td class="left">b</td><td class="left">k.cu:7:3</td><td><span data-path="analysis.estimates.1.detail.gap.parts.0.bound">2,500</span></td>` +
			`<td><span data-path="analysis.estimates.1.detail.gap.parts.0.run">900</span></td><td>1,600</td>`,
		`<td class="left">dispatch</td><td class="left"></td><td><span data-path="analysis.estimates.1.detail.gap.parts.1.bound">500</span></td><td>-</td><td>-</td>`,
	} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %s", part)
		}
	}
	a.Estimates = a.Estimates[:1]
	out.Reset()
	if err := HTML(&out, a, nil, 1e9); err != nil || strings.Contains(out.String(), `id="search"`) {
		t.Errorf("an analysis without a search has its section: %v", err)
	}
}
