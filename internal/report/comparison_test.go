package report

import (
	"bytes"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"warpbound/estimate"
)

// TestComparisonOfLaunches renders what changed of the launches of a run, and what is only on one side.
func TestComparisonOfLaunches(t *testing.T) {
	figures := func(grid int, bound int64) *estimate.LaunchFigures {
		return &estimate.LaunchFigures{Pos: "j.toml:9:1", Launch: estimate.Launch{Grid: [3]int{grid, 1, 1}, Block: [3]int{32, 1, 1}}, Executions: estimate.Executions{Bound: &bound}}
	}
	of := func(cycles int64) *estimate.Figured {
		return &estimate.Figured{Method: "static/cta", Cycles: cycles, Evidence: estimate.Proven}
	}
	c := &estimate.Comparison{
		A: estimate.ComparedResult{File: "a.json", Kernel: "init", Machine: "m"}, B: estimate.ComparedResult{File: "b.json", Kernel: "init", Machine: "m"}, Threshold: "5%",
		Observed:    &estimate.ComparedTimes{B: &estimate.Observation{Min: 1, Mean: 2.5, Max: 1234}},
		Differences: []estimate.Difference{{What: "seed", A: "1", B: "2"}, {What: "split mode", B: "dws"}},
		Launches: []estimate.ComparedLaunch{
			{Kernel: "init", A: figures(1, 1), B: figures(1, 1)},
			{Kernel: "step", A: figures(1, 10), B: figures(2, 20), Estimates: []estimate.ComparedEstimate{{
				Method: "static/cta", A: of(10), B: of(20),
				Blocks: []estimate.ComparedShare{{Name: "entry", Pos: "k.ptx:7:1", A: new(int64(10)), B: new(int64(5)), Growth: -5}, {Name: "$L1", B: new(int64(15)), Growth: 15}},
				Loops:  []estimate.ComparedLoop{{Name: "$L1", B: &estimate.LoopBound{Bound: 3000, Evidence: estimate.Proven}}},
			}}},
			{Kernel: "last", B: figures(1, 1)},
			{Kernel: "gone", A: figures(1, 1)},
		},
		GoneWarnings: []estimate.Warning{{Pos: "k.ptx:3:1", ID: "id", Text: "text"}},
	}
	var out bytes.Buffer
	if err := Comparison(&out, c); err != nil {
		t.Fatal(err)
	}
	const want = `no regression
  threshold: 5%

A: a.json, kernel init on m
B: b.json, kernel init on m

    cycles           A      B  change  evidence
    minimum          -      1       -
    mean             -      3       -
    high-water mark  -  1,234       -

Launch 2, step: grid 1 x 1 x 1, block 32 x 1 x 1, executed at most 10 -> grid 2 x 1 x 1, block 32 x 1 x 1, executed at most 20

Where static/cta of launch 2, step, changed, in cycles:
    change   A   B  block
        -5  10   5  entry at k.ptx:7:1
       +15   -  15  $L1
  loop $L1: none -> 3,000 back edges per entry (proven)

Launch 3, last, is new.

A launch of gone is gone (j.toml:9:1).

Different:
  seed: 1 -> 2
  split mode: none -> dws

Warnings (- of A alone, + of B alone):
  - k.ptx:3:1: text [id]

`
	if diff := gocmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
