package report

import (
	"strings"
	"testing"

	"warpbound/estimate"
)

// TestPredicted: every verdict is said in words, and whether the estimate decides.
func TestPredicted(t *testing.T) {
	for verdict, want := range map[estimate.Prediction]string{
		estimate.Held:       "held. 5 estimates from a tenth of the sampled runs each hold for all others, with windows of 2.",
		estimate.Exceeded:   "exceeded. 3 of 5 estimates from a tenth of the sampled runs do not hold for all others: the estimate decides nothing.",
		estimate.Fixed:      "not needed.",
		estimate.TooFewRuns: "not tried. It needs 20 runs",
	} {
		e := &estimate.Estimate{Method: "m", SelfPrediction: &estimate.SelfPrediction{Verdict: verdict, Window: 2, Splits: 5, Exceeded: 3}}
		if got := Predicted(e); !strings.HasPrefix(got, "Self-prediction of m: "+want) {
			t.Errorf("%s: %s", verdict, got)
		}
		if decides := verdict == estimate.Held || verdict == estimate.Fixed; e.Relied() != decides {
			t.Errorf("%s: decides %v", verdict, e.Relied())
		}
	}
	if got := Predicted(&estimate.Estimate{}); got != "" {
		t.Error(got)
	}
}

// TestTrials: what is said of an estimate that was exceeded, of one that was not, and of what comes by chance.
func TestTrials(t *testing.T) {
	a := &estimate.Analysis{Estimates: []estimate.Estimate{
		{Method: "a", Cycles: 1000, Holdout: &estimate.Holdout{Vectors: 50, Exceeded: 2, Max: 1100, Seed: 7}},
		{Method: "b", Cycles: 2000, Holdout: &estimate.Holdout{Vectors: 50, Max: 1100, Seed: 7}},
		{Method: "c", Detail: &estimate.HybridPhases{Chance: &estimate.Chance{Runs: 99, HighWater: 1234, Gumbel: 5678, Rare: 1e-6}}},
	}}
	want := "Held out: 50 vectors of seed 7, of which the longest takes 1,100 cycles.\n  a is exceeded by 2, by 10.0 % at most."
	if got := HeldOut(a); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := Chances(&a.Estimates[2]); !strings.Contains(got, "more than 1,234 cycles with probability 1/100 at most") || !strings.Contains(got, "5,678 cycles") {
		t.Error(got)
	}
	if got := Chances(&a.Estimates[0]); got != "" {
		t.Error(got)
	}
}

// TestCovers: what runs have not exercised is named with its position.
func TestCovers(t *testing.T) {
	possible := int64(9)
	c := &estimate.Coverage{
		Blocks: estimate.Covered{Covered: 3, Possible: 4}, Edges: estimate.Covered{Covered: 5, Possible: 7}, Outcomes: estimate.Covered{Covered: 1, Possible: 2},
		Never: []estimate.Uncovered{{Block: "B", Pos: "k.cu:1:2"}, {Block: "C", Pos: "k.cu:3:4", To: "D", ToPos: "k.cu:5:6"}, {Block: "E", Pos: "k.cu:7:8", To: "exit"}},
		Loops: []estimate.LoopCoverage{{Header: "L", Pos: "k.cu:9:1", Entered: true, Observed: 2, Possible: &possible, Evidence: estimate.Proven}, {Header: "M", Observed: 9, Possible: &possible}},
	}
	var text strings.Builder
	p := &printer{w: &text}
	coverage(p, c)
	want := `Coverage: runs exercised 3 of 4 blocks, 5 of 7 edges and 1 of 2 branch outcomes.
  k.cu:1:2: block B was never executed
  k.cu:3:4: the branch of block C was never taken to D at k.cu:5:6
  k.cu:7:8: the branch of block E was never taken to the exit
  k.cu:9:1: loop L took at most 2 back edges per entry, and may take 9 (proven)

`
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text.String(), want)
	}
}
