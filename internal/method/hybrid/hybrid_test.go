package hybrid_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/estimate"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
)

// longest returns the longest time of a warp of a run, from its start to its exit.
func longest(run trace.Run) int64 {
	start := map[[2]int32]int64{}
	var maximum int64
	for _, r := range run.Records {
		switch id := [2]int32{r.CTA, r.Warp}; r.Ipoint {
		case trace.Start:
			start[id] = r.Cycle
		case trace.Exit:
			maximum = max(maximum, r.Cycle-start[id])
		}
	}
	return maximum
}

// drawProfile draws a program, places Ipoints and observes a few runs.
func drawProfile(rt *rapid.T, t *testing.T, diverges bool) (*hybrid.Program, *hybrid.Profile, *walker, []trace.Run) {
	p := drawProgram(rt, t, diverges)
	g, err := hybrid.NewIPG(p, drawPlacement(rt, p))
	if err != nil {
		rt.Fatal(err)
	}
	w := newWalker(rt, p.Flow, diverges)
	profile := hybrid.NewProfile(g)
	var runs []trace.Run
	for number := range rapid.IntRange(1, 3).Draw(rt, "runs") {
		run := drawRun(rt, w, g, number)
		if err := run.Replay(profile); err != nil {
			rt.Fatal(err)
		}
		runs = append(runs, run)
	}
	return p, profile, w, runs
}

// TestBounds: on any control flow, with any divergence, placement and interleaving, no
// warp exceeds hybrid/warp and no run another estimate.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, profile, _, runs := drawProfile(rt, t, true)
		r, err := hybrid.Analyze(context.Background(), profile, nil)
		if err != nil {
			rt.Fatal(err)
		}
		checkBounds(rt, r, runs)
	})
}

func checkBounds(t *rapid.T, r *hybrid.Result, runs []trace.Run) {
	for _, run := range runs {
		if maximum := longest(run); r.Warp.Cycles < maximum {
			t.Errorf("hybrid/warp is %d, but a warp took %d", r.Warp.Cycles, maximum)
		}
		for _, e := range r.Estimates()[1:] {
			if e.Cycles < run.End {
				t.Errorf("%s is %d, but a run took %d", e.Method, e.Cycles, run.End)
			}
		}
		if r.Observed.Max < run.End || r.Observed.Min > run.End {
			t.Errorf("observed %+v, but a run took %d", r.Observed, run.End)
		}
	}
	for _, e := range r.Estimates() {
		var sum int64
		for _, s := range e.Breakdown {
			sum += s.Cycles
			if d, ok := e.Detail.(*estimate.HybridWaves); ok && s.Name == "gaps between waves" && s.Count != d.Waves-1 {
				t.Errorf("%d gaps between %d waves", s.Count, d.Waves)
			}
		}
		if r.Solution.Exact && sum != e.Cycles {
			t.Errorf("the breakdown of %s adds up to %d of %d", e.Method, sum, e.Cycles)
		}
		if e.Evidence != estimate.Observed {
			t.Errorf("evidence of %s is %s", e.Method, e.Evidence)
		}
	}
}

// TestThreadBounds: a loop bound that holds for every thread is never contradicted by a
// warp, however its threads diverge, and gives a bound for all runs.
func TestThreadBounds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p, profile, w, runs := drawProfile(rt, t, true)
		bounds := hybrid.Bounds{}
		for i, l := range p.Flow.Loops().Loops {
			bounds[l.Header] = hybrid.LoopBound{Max: w.maximum[i], Evidence: estimate.Proven}
		}
		r, err := hybrid.Analyze(context.Background(), profile, bounds)
		if err != nil {
			rt.Fatalf("%v in a flow graph of edges %v", err, p.Flow.Graph().Edges())
		}
		checkBounds(rt, r, runs)
	})
}

// TestTreeEqualsIPET: where nothing diverges and bounds of loops let edges be taken more often than in runs, the two
// calculations agree; else the integer problem, which knows how often edges were taken, may be less.
func TestTreeEqualsIPET(t *testing.T) {
	trees := 0
	rapid.Check(t, func(rt *rapid.T) {
		_, profile, _, _ := drawProfile(rt, t, false)
		tree, err := hybrid.NewTree(profile, nil)
		if errors.Is(err, hybrid.ErrNotTree) {
			return
		}
		if err != nil {
			rt.Fatal(err)
		}
		trees++
		r, err := hybrid.Analyze(context.Background(), profile, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if r.Warp.Cycles > tree.Cycles.Int64() {
			rt.Errorf("IPET gives %d, the tree %d: %v", r.Warp.Cycles, tree.Cycles, tree)
		}
		bounds := hybrid.Bounds{}
		for _, l := range r.Warp.Detail.(*estimate.HybridWarp).Loops {
			var header int
			if _, err := fmt.Sscanf(l.Header, "b%d", &header); err != nil {
				rt.Fatal(err)
			}
			bounds[header] = hybrid.LoopBound{Max: l.Bound + 1, Evidence: estimate.Annotated}
		}
		tree, err = hybrid.NewTree(profile, bounds)
		if err != nil {
			rt.Fatal(err)
		}
		r, err = hybrid.Analyze(context.Background(), profile, bounds)
		if err != nil {
			rt.Fatal(err)
		}
		if r.Warp.Cycles != tree.Cycles.Int64() {
			rt.Errorf("IPET gives %d, the tree %d: %v", r.Warp.Cycles, tree.Cycles, tree)
		}
	})
	if trees < 20 {
		t.Errorf("only %d programs had a tree", trees)
	}
}

// TestMerge: profiles of single runs, merged in any order, say what one profile of all
// runs says.
func TestMerge(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawProgram(rt, t, true)
		g, err := hybrid.NewIPG(p, method.EveryBlock())
		if err != nil {
			rt.Fatal(err)
		}
		w := newWalker(rt, p.Flow, true)
		whole := hybrid.NewProfile(g)
		var parts []*hybrid.Profile
		for number := range 4 {
			run := drawRun(rt, w, g, number)
			part := hybrid.NewProfile(g)
			if err := errors.Join(run.Replay(whole), run.Replay(part)); err != nil {
				rt.Fatal(err)
			}
			parts = append(parts, part)
		}
		merged := hybrid.NewProfile(g)
		for _, part := range rapid.Permutation(parts).Draw(rt, "order") {
			if err := merged.Merge(part); err != nil {
				rt.Fatal(err)
			}
		}
		want, err := hybrid.Analyze(context.Background(), whole, nil)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := hybrid.Analyze(context.Background(), merged, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want.Observed, got.Observed); diff != "" || merged.Runs() != 4 {
			rt.Error(merged.Runs(), diff)
		}
		if diff := cmp.Diff(want.Estimates(), got.Estimates()); diff != "" {
			rt.Error(diff)
		}
	})
}

func contains(err error, text string) bool { return err != nil && strings.Contains(err.Error(), text) }
