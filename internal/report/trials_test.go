package report

import (
	"strings"
	"testing"

	"warpbound/estimate"
)

// TestPredicted: every status is said in words, and whether the estimate decides.
func TestPredicted(t *testing.T) {
	for _, c := range []struct {
		of   estimate.Prediction
		want string
	}{
		{estimate.Prediction{Status: estimate.NotRefuted, Random: 67, Adversarial: 33, Window: 2}, "not refuted by 67 random and 33 adversarial inputs, with windows of 2."},
		{estimate.Prediction{Status: estimate.NotRefuted, Random: 1, Fixed: true}, "not refuted. No input that is sampled reaches what time depends on, so that all runs are alike."},
		{estimate.Prediction{Status: estimate.Refuted, Exceeded: 2, Because: []string{"why"}}, "refuted. Other runs exceed estimates from a part of them, 2 times: the estimate decides nothing.\n  why"},
		{estimate.Prediction{Status: estimate.Untested, Because: []string{"1", "2", "3", "4", "5", "6", "7"}},
			"untested. Runs do not exercise all that inputs reach: the estimate decides nothing.\n  1\n  2\n  3\n  4\n  5\n  and 2 more"},
	} {
		e := &estimate.Estimate{Method: "m", Prediction: &c.of}
		if got := Predicted(e); got != "Prediction of m: "+c.want {
			t.Errorf("%s: %s", c.of.Status, got)
		}
		if e.Relied() != (c.of.Status == estimate.NotRefuted) {
			t.Errorf("%s: decides %v", c.of.Status, e.Relied())
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
		{Method: "c", Prediction: &estimate.Prediction{Confirmed: &estimate.Confirmation{Runs: 100, Chance: 0.029514, Confidence: 0.95}}},
	}}
	want := "Held out: 50 vectors of seed 7, of which the longest takes 1,100 cycles.\n  a is exceeded by 2, by 10.0 % at most."
	if got := HeldOut(a); got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := Confirmed(&a.Estimates[2]); !strings.HasPrefix(got, "A further random input takes longer than c with probability 0.03 at most, with 95 % confidence:\n0 of 100 runs") {
		t.Error(got)
	}
	if got := Confirmed(&a.Estimates[0]); got != "" {
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
