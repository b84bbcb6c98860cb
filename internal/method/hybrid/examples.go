package hybrid

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/method"
	"warpbound/internal/trace"
)

// Examples works the examples of Betts and Donaldson's Figs. 1, 2, 4 and 6, and of section VI-D. The traces
// of Figs. 1 and 4 are printed in the paper only as pictures; those used here have every
// figure that its text states, so that some of them are fitted.
func Examples(ctx context.Context) ([]estimate.Example, error) {
	var all []estimate.Example
	for _, work := range []func(context.Context) ([]estimate.Example, error){figure1, figure2, figure4, figure6, transpose} {
		examples, err := work(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, examples...)
	}
	return all, nil
}

func example(name, paper string, ours any) estimate.Example {
	got := fmt.Sprint(ours)
	return estimate.Example{Name: name, Paper: paper, Ours: got, OK: got == paper, Label: estimate.LabelEqual}
}

// fitted is an example of which the traces were made.
func fitted(name, paper string, ours any) estimate.Example {
	e := example(name, paper, ours)
	e.Label = estimate.LabelFitted
	return e
}

// fig1 is the program of Fig. 1. Its Ipoints i1 and i4 are the start and the exit; i2
// heads a loop.
func fig1() (*IPG, error) {
	const blocks = 4 // number 4 is the exit
	flow, err := cfg.NewFlow(blocks, []graph.Edge{
		{From: 0, To: 1}, {From: 0, To: 3}, {From: 1, To: 2}, {From: 2, To: 1}, {From: 1, To: blocks}, {From: 3, To: blocks},
	}, nil)
	if err != nil {
		return nil, err
	}
	p := &Program{
		Extended: flow.WithEdges(nil), // the paper has no warp diverge here
		Blocks:   []trace.IpointInfo{{Name: "branch"}, {Name: "i2"}, {Name: "body"}, {Name: "i3"}},
	}
	return NewIPG(p, method.Named("i2", "i3"))
}

// path is what one warp does: the cycles in which it reaches Ipoints.
type path []visit

type visit struct {
	ipoint trace.Ipoint
	cycle  int64
}

// The Ipoints of fig1.
const (
	i1 = trace.Start
	i2 = trace.Ipoint(0)
	i3 = trace.Ipoint(1)
	i4 = trace.Exit
)

// observe profiles runs on one multiprocessor, each of one CTA with the given warps.
func observe(g *IPG, runs ...[]path) (*Profile, error) {
	p := NewProfile(g)
	for number, warps := range runs {
		run := trace.Run{Number: number}
		for w, visits := range warps {
			for _, v := range visits {
				run.Records = append(run.Records, trace.Record{Warp: int32(w), Ipoint: v.ipoint, Cycle: v.cycle})
				run.End = max(run.End, v.cycle)
			}
		}
		slices.SortStableFunc(run.Records, func(a, b trace.Record) int { return cmp.Compare(a.Cycle, b.Cycle) })
		if err := run.Replay(p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func figure1(ctx context.Context) ([]estimate.Example, error) {
	g, err := fig1()
	if err != nil {
		return nil, err
	}
	p, err := observe(g,
		[]path{{{i1, 0}, {i2, 10}, {i2, 17}, {i2, 23}, {i4, 30}}},
		[]path{{{i1, 0}, {i3, 3}, {i4, 8}}})
	if err != nil {
		return nil, err
	}
	r, err := Analyze(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	tree, err := NewTree(p, nil)
	if err != nil {
		return nil, err
	}
	return []estimate.Example{
		example("Fig. 1: WCET by the tree", "31", tree.Cycles),
		example("Fig. 1: the tree", "alt(seq(10, 2*7, 7), seq(3, 5))", tree),
		example("Fig. 1: WCET by implicit path enumeration", "31", r.Warp.Cycles),
	}, nil
}

// figure2 adds branch-divergent edges with the algorithm of Fig. 3. Blocks 0 to 9 are b6
// to b15.
func figure2(context.Context) ([]estimate.Example, error) {
	const first, blocks = 6, 10
	var edges []graph.Edge
	for _, e := range [][2]int{
		{6, 7}, {6, 12}, {7, 8}, {7, 10}, {8, 9}, {9, 15}, {10, 11},
		{11, 14}, {12, 10}, {12, 13}, {13, 14}, {14, 15}, {15, first + blocks},
	} {
		edges = append(edges, graph.Edge{From: e[0] - first, To: e[1] - first})
	}
	flow, err := cfg.NewFlow(blocks, edges, nil)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range cfg.PublishedDivergentEdges(flow) {
		names = append(names, fmt.Sprintf("b%d>b%d", e.From+first, e.To+first))
	}
	return []estimate.Example{example("Fig. 2: branch-divergent edges",
		"b9>b10 b9>b12 b11>b13 b13>b10 b14>b7 b14>b8 b14>b12", strings.Join(names, " "))}, nil
}

func figure4(ctx context.Context) ([]estimate.Example, error) {
	g, err := fig1()
	if err != nil {
		return nil, err
	}
	p, err := observe(g,
		[]path{
			{{i1, 1}, {i2, 11}, {i4, 23}},
			{{i1, 5}, {i3, 15}, {i4, 29}},
			{{i1, 8}, {i2, 16}, {i4, 34}},
		},
		[]path{
			{{i1, 1}, {i2, 10}, {i4, 26}},
			{{i1, 3}, {i2, 15}, {i4, 30}},
			{{i1, 5}, {i3, 18}, {i4, 30}},
		})
	if err != nil {
		return nil, err
	}
	r, err := Analyze(ctx, p, nil)
	if err != nil {
		return nil, err
	}
	var times []string
	for _, e := range r.Warp.Detail.(*estimate.HybridWarp).Edges {
		times = append(times, fmt.Sprintf("%s>%s %d", e.From, e.To, e.Worst))
	}
	dynamic, waves := r.Dynamic.Detail.(*estimate.HybridDynamic), r.Waves.Detail.(*estimate.HybridWaves)
	return []estimate.Example{
		fitted("Fig. 4: largest times (i1 is start, i4 exit)", "i2>exit 18 i3>exit 14 start>i2 12 start>i3 13", strings.Join(times, " ")),
		fitted("Fig. 4: high-water mark", "34", r.Observed.Max),
		example("Fig. 4: Z_warp", "30", r.Warp.Cycles),
		fitted("Fig. 4: release jitter as published", "7", dynamic.Published.Jitter),
		example("Fig. 4: Z_dynamic as published", "37", dynamic.Published.Cycles),
		fitted("Fig. 4: waves", "1", waves.Waves),
		fitted("Fig. 4: warps per wave", "3", waves.WarpsPerWave),
		fitted("Fig. 4: delta", "4", waves.Delta),
		example("Fig. 4: Z_hybrid as published", "38", waves.Published),
	}, nil
}

// figure6 follows the starts and exits of one multiprocessor.
func figure6(context.Context) ([]estimate.Example, error) {
	var sm smRun
	for _, start := range []int64{1, 4, 12} {
		sm.start(start)
	}
	sm.exit(20)
	for _, start := range []int64{31, 36} {
		sm.start(start)
	}
	for _, exit := range []int64{40, 41, 45, 50} {
		sm.exit(exit)
	}
	return []estimate.Example{
		example("Fig. 6: waves", "2", sm.waves),
		example("Fig. 6: warps per wave", "3", sm.maxWarps),
		example("Fig. 6: delta", "8", sm.largestDelta),
	}, nil
}

// transpose counts the waves of MatrixTranspose-1 from its launch (section VI-D): 1024 CTAs, of which each of 14
// multiprocessors holds 8.
func transpose(context.Context) ([]estimate.Example, error) {
	l := Launch{CTAs: 1024, SMs: 14, Resident: 8}
	return []estimate.Example{example("Section VI-D: waves of MatrixTranspose-1, from its launch", "10", l.rounds().Int64())}, nil
}
