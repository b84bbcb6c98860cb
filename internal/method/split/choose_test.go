package split_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/method/split"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
)

// TestChoose compares the choice with all sets of split points, bounded one by one.
func TestChoose(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flow := structured(3).Draw(t, "flow")
		verdict := rapid.SliceOfN(rapid.IntRange(0, 4), flow.Len(), flow.Len()).Draw(t, "uniform")
		f, err := bsb.NewFlow(flow, bsb.Options{Uniform: func(b int) bool { return verdict[b] == 0 }, Lanes: 4})
		if err != nil {
			t.Fatal(err)
		}
		var candidates []int
		for b := range flow.Len() {
			if f.Splittable(b) {
				candidates = append(candidates, b)
			}
		}
		if len(candidates) > 5 {
			candidates = candidates[:5]
		}
		loops := func(header int) (int64, string, bool) { return int64(header % 3), "annotated", true }
		var costs []split.Costs
		for range 4 {
			costs = append(costs, drawCosts(t, flow.Len()))
		}
		choices, err := split.Choose(context.Background(), f, costs, loops, candidates)
		if err != nil {
			t.Fatalf("%v\n%s", err, describe(flow, f))
		}
		for c, choice := range choices {
			bound := func(splits []int) saturating.Int {
				b, err := split.LongestPath(context.Background(), f, costs[c], loops, splits)
				if err != nil {
					t.Fatal(err)
				}
				return b.Cycles
			}
			best := bound(nil)
			for set := range 1 << len(candidates) {
				var splits []int
				for i, b := range candidates {
					if set>>i&1 == 1 {
						splits = append(splits, b)
					}
				}
				if f.Contexts(splits) <= c {
					best = min(best, bound(splits))
				}
			}
			if got := bound(choice.Splits); choice.Cycles != best || got != best || f.Contexts(choice.Splits) > c || choice.Contexts != c {
				t.Fatalf("%+v, which take %d, with %d contexts; the least is %d; %v\n%s", choice, got, c, best, costs[c], describe(flow, f))
			}
			for i, gain := range choice.Gains {
				others := slices.Delete(slices.Clone(choice.Splits), i, i+1)
				if want := bound(others); gain.Block != choice.Splits[i] || gain.Without != want || want <= best {
					t.Fatalf("%+v: %d without %d\n%s", choice, want, choice.Splits[i], describe(flow, f))
				}
			}
			if len(choice.Gains) != len(choice.Splits) {
				t.Fatalf("%+v", choice)
			}
		}
	})
}

// TestChooseSharesContexts: one context serves the branches on both paths of the first branch one
// after the other, two serve that and the one on its longer path. SELECT takes the first.
func TestChooseSharesContexts(t *testing.T) {
	// b0 { b1 { b2 } else { b3 } ; b4 } else { b5 { b6 } else { b7 } ; b8 } ; b9
	flow := flowOf(10, edges("0>1 0>5 1>2 1>3 2>4 3>4 4>9 5>6 5>7 6>8 7>8 8>9 9>10"), nil)
	f, err := bsb.NewFlow(flow, bsb.Options{Lanes: 64})
	if err != nil {
		t.Fatal(err)
	}
	c := split.Costs{Blocks: []saturating.Int{1, 1, 10, 10, 1, 1, 30, 30, 1, 1}, Split: 2}
	got, err := split.Choose(context.Background(), f, []split.Costs{c, c, c, c}, nil, []int{0, 1, 5})
	if err != nil {
		t.Fatal(err)
	}
	want := []split.Plan{
		{Contexts: 0, Cycles: 86},
		{Contexts: 1, Cycles: 50, Splits: []int{1, 5}, Gains: []split.Gain{{Block: 1, Without: 58}, {Block: 5, Without: 78}}},
		{Contexts: 2, Cycles: 38, Splits: []int{0, 5}, Gains: []split.Gain{{Block: 0, Without: 58}, {Block: 5, Without: 66}}},
		{Contexts: 3, Cycles: 38, Splits: []int{0, 5}, Gains: []split.Gain{{Block: 0, Without: 58}, {Block: 5, Without: 66}}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if selected := f.Select([]int{0, 1, 5}, 1); !slices.Equal(selected, []int{0}) {
		t.Errorf("SELECT takes %v", selected)
	}
}

// TestChooseAmongMany: branches that have one node each are all considered, however many they are.
func TestChooseAmongMany(t *testing.T) {
	const branches = 40
	var list strings.Builder
	blocks := []saturating.Int{}
	var candidates []int
	for i := range branches { // if (b0) b1 else b2; if (b3) ...
		fmt.Fprintf(&list, "%d>%d %d>%d %d>%d %d>%d ", 3*i, 3*i+1, 3*i, 3*i+2, 3*i+1, 3*i+3, 3*i+2, 3*i+3)
		blocks = append(blocks, 1, 10, 10)
		candidates = append(candidates, 3*i)
	}
	flow := flowOf(3*branches+1, edges(list.String()+fmt.Sprintf("%d>%d", 3*branches, 3*branches+1)), nil)
	f, err := bsb.NewFlow(flow, bsb.Options{Lanes: 64})
	if err != nil {
		t.Fatal(err)
	}
	c := split.Costs{Blocks: append(blocks, 1), Split: 2}
	got, err := split.Choose(context.Background(), f, []split.Costs{c, c}, nil, candidates)
	if err != nil {
		t.Fatal(err)
	}
	if best := got[1]; !slices.Equal(best.Splits, candidates) || len(best.Passed) > 0 || best.Cycles != branches*(1+2+10)+1 {
		t.Errorf("%+v", best)
	}
}
