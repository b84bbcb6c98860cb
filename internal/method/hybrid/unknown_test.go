package hybrid_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/estimate"
	"warpbound/internal/method"
	"warpbound/internal/method/hybrid"
	"warpbound/internal/trace"
)

// bothClocks draws a program and runs of it, and observes them with a common clock and without.
func bothClocks(rt *rapid.T, t *testing.T) (common, perSM *hybrid.Result, g *hybrid.IPG, runs []trace.Run) {
	p := drawProgram(rt, t, true)
	g, err := hybrid.NewIPG(p, drawPlacement(rt, p))
	if err != nil {
		rt.Fatal(err)
	}
	w := newWalker(rt, p.Flow, true)
	for number := range rapid.IntRange(1, 3).Draw(rt, "runs") {
		runs = append(runs, drawRun(rt, w, g, number))
	}
	return analyzeRuns(rt, g, hybrid.Options{}, runs), analyzeRuns(rt, g, hybrid.Options{Clocks: trace.PerSM}, runs), g, runs
}

func analyzeRuns(rt *rapid.T, g *hybrid.IPG, o hybrid.Options, runs []trace.Run) *hybrid.Result {
	p := hybrid.NewProfileOf(g, o)
	for _, run := range runs {
		if err := run.Replay(p); err != nil {
			rt.Fatal(err)
		}
	}
	r, err := hybrid.Analyze(context.Background(), p, nil)
	if err != nil {
		rt.Fatal(err)
	}
	return r
}

// extents returns, of a run, the longest time of a multiprocessor from its first start to its last
// exit, and the latest first start of any.
func extents(run trace.Run) (longest, latest int64) {
	first := map[int32]int64{}
	for _, r := range run.Records {
		if _, met := first[r.SM]; !met {
			first[r.SM] = r.Cycle
			latest = max(latest, r.Cycle)
		}
		longest = max(longest, r.Cycle-first[r.SM])
	}
	return longest, latest
}

// TestPerSM: without a common clock the estimates cover what a run takes on every
// multiprocessor from its first start; with the latest of these they cover the whole run, and
// exceed the estimates with a common clock by no more than that.
func TestPerSM(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		common, perSM, _, runs := bothClocks(rt, t)
		var latest, longest int64
		for _, run := range runs {
			on, first := extents(run)
			latest, longest = max(latest, first), max(longest, on)
			if perSM.Dynamic.Cycles+first < run.End || perSM.Waves.Cycles+first < run.End {
				rt.Errorf("%d and %d behind a start in %d, but a run took %d", perSM.Dynamic.Cycles, perSM.Waves.Cycles, first, run.End)
			}
		}
		if perSM.Observed.Max != longest {
			rt.Errorf("observed %d, want %d", perSM.Observed.Max, longest)
		}
		if perSM.Dynamic.Cycles < longest || perSM.Waves.Cycles < longest {
			rt.Errorf("%d and %d, but a multiprocessor took %d", perSM.Dynamic.Cycles, perSM.Waves.Cycles, longest)
		}
		if perSM.Warp.Cycles != common.Warp.Cycles {
			rt.Errorf("a warp takes %d, with a common clock %d", perSM.Warp.Cycles, common.Warp.Cycles)
		}
		for _, c := range [][2]estimate.Estimate{{perSM.Dynamic, common.Dynamic}, {perSM.Waves, common.Waves}} {
			if c[0].Cycles > c[1].Cycles || c[0].Cycles+latest < c[1].Cycles {
				rt.Errorf("%s: %d, with a common clock %d and first starts up to %d", c[0].Method, c[0].Cycles, c[1].Cycles, latest)
			}
		}
	})
}

// TestShiftedClocks: without a common clock, the origins of clocks make no difference.
func TestShiftedClocks(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		_, want, g, runs := bothClocks(rt, t)
		for i := range runs {
			shift := rapid.SliceOfN(rapid.Int64Range(0, 1<<40), 3, 3).Draw(rt, "shift")
			runs[i].Records = slices.Clone(runs[i].Records)
			runs[i].End = 0
			for j := range runs[i].Records {
				r := &runs[i].Records[j]
				r.Cycle += shift[r.SM]
				if r.Ipoint == trace.Exit {
					runs[i].End = max(runs[i].End, r.Cycle)
				}
			}
		}
		got := analyzeRuns(rt, g, hybrid.Options{Clocks: trace.PerSM}, runs)
		if diff := cmp.Diff(want.Estimates(), got.Estimates()); diff != "" {
			rt.Error(diff)
		}
		if diff := cmp.Diff(want.Observed, got.Observed); diff != "" {
			rt.Error(diff)
		}
	})
}

// TestUnknownTransitions: where the graph lacks what divergence makes, unknown transitions are
// counted, the bounds hold nevertheless, and parts merge in any order.
func TestUnknownTransitions(t *testing.T) {
	met := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := drawProgram(rt, t, true)
		w := newWalker(rt, p.Flow, true)
		p.Extended = p.Flow.WithEdges(nil)
		g, err := hybrid.NewIPG(p, method.EveryBlock())
		if err != nil {
			rt.Fatal(err)
		}
		options := hybrid.Options{Unknown: true}
		whole := hybrid.NewProfileOf(g, options)
		var runs []trace.Run
		var parts []*hybrid.Profile
		unknown := 0
		for number := range 3 {
			run, part := drawRun(rt, w, g, number), hybrid.NewProfileOf(g, options)
			if err := errors.Join(run.Replay(whole), run.Replay(part)); err != nil {
				rt.Fatal(err)
			}
			runs, parts = append(runs, run), append(parts, part)
			unknown += countUnknown(g, run)
		}
		want, err := hybrid.Analyze(context.Background(), whole, nil)
		if err != nil {
			rt.Fatal(err)
		}
		checkBounds(rt, want, runs)
		seen := int64(0)
		for _, e := range want.Warp.Detail.(*estimate.HybridWarp).Edges {
			if e.Unknown {
				seen += e.Observed
			}
		}
		if int(seen) != unknown || strings.Contains(strings.Join(want.Warp.Assumptions, "\n"), "not in the CFG") != (unknown > 0) {
			rt.Errorf("%d unknown transitions reported, want %d: %v", seen, unknown, want.Warp.Assumptions)
		}
		if unknown > 0 {
			met++
		}
		merged := hybrid.NewProfileOf(g, options)
		for _, part := range rapid.Permutation(parts).Draw(rt, "order") {
			if err := merged.Merge(part); err != nil {
				rt.Fatal(err)
			}
		}
		got, err := hybrid.Analyze(context.Background(), merged, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(want.Estimates(), got.Estimates()); diff != "" {
			rt.Error(diff)
		}
	})
	if met == 0 {
		t.Error("no program made an unknown transition")
	}
}

// countUnknown counts the transitions of a run that the graph does not have.
func countUnknown(g *hybrid.IPG, run trace.Run) int {
	unknown, at := 0, map[[2]int32]trace.Ipoint{}
	for _, r := range run.Records {
		id := [2]int32{r.CTA, r.Warp}
		if from, met := at[id]; met && !g.Follows(from, r.Ipoint) {
			unknown++
		}
		at[id] = r.Ipoint
	}
	return unknown
}

// TestRefutedBound: with unknown transitions a bound that a warp contradicts is replaced and
// named.
func TestRefutedBound(t *testing.T) {
	p := hybrid.NewProfileOf(whileIPG(t), hybrid.Options{Unknown: true})
	run := loopRun(0, 5)
	if err := run.Replay(p); err != nil {
		t.Fatal(err)
	}
	r, err := hybrid.Analyze(context.Background(), p, hybrid.Bounds{1: {Max: 3, Evidence: estimate.Annotated}})
	if err != nil {
		t.Fatal(err)
	}
	if all := strings.Join(r.Warp.Assumptions, "\n"); !strings.Contains(all, "at most 5 back edges per entry (observed)") ||
		!strings.Contains(all, "the bound 3 (annotated) of loop b1 does not hold for warps") {
		t.Error(all)
	}
}

func TestMergeOfDifferentOptions(t *testing.T) {
	g := whileIPG(t)
	err := hybrid.NewProfile(g).Merge(hybrid.NewProfileOf(g, hybrid.Options{Clocks: trace.PerSM}))
	if !contains(err, "different options") {
		t.Error(err)
	}
}

// TestPerSMAssumptions: the estimates say what differs from a simulated run.
func TestPerSMAssumptions(t *testing.T) {
	for clocks, want := range map[trace.Clocks][2]string{
		trace.Common: {"executes the SASS that ptxas generates", "first instruction"},
		trace.PerSM:  {"first instruction", "executes the SASS that ptxas generates"},
	} {
		p := hybrid.NewProfileOf(whileIPG(t), hybrid.Options{Clocks: clocks})
		run := loopRun(0, 2)
		if err := run.Replay(p); err != nil {
			t.Fatal(err)
		}
		r, err := hybrid.Analyze(context.Background(), p, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range r.Estimates() {
			all := strings.Join(e.Assumptions, "\n")
			if !strings.Contains(all, want[0]) || strings.Contains(all, want[1]) {
				t.Errorf("%s: %s", e.Method, all)
			}
		}
	}
}
