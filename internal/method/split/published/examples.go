package published

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warpbound/estimate"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/splitting/bsb"
)

// Examples works the examples of Sections 3 to 5: Fig. 8 and that of Eq. 2, whose inputs the paper states, and Fig. 2.
func Examples(ctx context.Context) ([]estimate.Example, error) {
	f, err := Figure8()
	if err != nil {
		return nil, err
	}
	parent := func(node int) string { return fmt.Sprint(f.Nodes[node-1].Parent + 1) }
	reconv := func(node int) string { return fmt.Sprint(f.Nodes[node-1].Reconv + 1) }
	all := []estimate.Example{
		example("Fig. 8: RECONV of 1, 12, 2 and 4", "18 18 6 6", strings.Join([]string{reconv(1), reconv(12), reconv(2), reconv(4)}, " ")),
		example("Fig. 8: PARENT of 1, 2, 7 and 13", "0 1 1 12", strings.Join([]string{parent(1), parent(2), parent(7), parent(13)}, " ")),
		example("Fig. 8: SELECT of 1, 2, 7 and 13 with S = 2", "[1 2 7]", numbers(Select(f, Marked8, 2))),
	}
	two, err := figure2()
	if err != nil {
		return nil, err
	}
	all = append(all, two...)
	m, err := Table2(ctx)
	if err != nil {
		return nil, err
	}
	gpu := GPU{SIMDs: 4, Splits: 3}
	return append(all,
		fitted("Fig. 8: PRUNE removes edges with S = 2", "3", len(m[1].Removed)),
		fitted("Section 5.1: E_WF with S = 2", "48", m[1].Wavefront),
		example("Eq. 2: 4 SIMDs, S = 3, |SB| = 1", "8", gpu.Total(1)),
	), nil
}

func example(name, paper string, ours any) estimate.Example {
	got := fmt.Sprint(ours)
	return estimate.Example{Name: name, Paper: paper, Ours: got, OK: got == paper, Label: estimate.LabelEqual}
}

// fitted is an example that rests on times8.
func fitted(name, paper string, ours any) estimate.Example {
	e := example(name, paper, ours)
	e.Label = estimate.LabelFitted
	return e
}

// times2 are times of BB1 to BB10 of Fig. 2a. The paper's are lost. These have what its text states: BB1 ends at time 1, BB6 takes less
// than BB3 and than BB4, the sum is 20, and what the three branches save is 7.
var times2 = []int64{1, 1, 3, 3, 2, 2, 1, 2, 3, 2}

// figure2 works the example of Fig. 2, in which splits and merges cost nothing: all blocks in turn (Fig. 2c), each branch split
// (Fig. 2d), and all in turn again, which is what DWS may do (Fig. 2e).
func figure2() ([]estimate.Example, error) {
	edges := [][2]int{{1, 2}, {1, 6}, {2, 3}, {2, 4}, {3, 5}, {4, 5}, {5, 7}, {6, 7}, {7, 8}, {7, 9}, {8, 10}, {9, 10}, {10, 11}}
	var flow []graph.Edge
	for _, e := range edges {
		flow = append(flow, graph.Edge{From: e[0] - 1, To: e[1] - 1})
	}
	g, err := cfg.NewFlow(len(times2), flow, nil)
	if err != nil {
		return nil, err
	}
	f, err := bsb.NewFlow(g, bsb.Options{Lanes: 64})
	if err != nil {
		return nil, err
	}
	e := make([]int64, len(f.Nodes))
	var branches []int
	for i, n := range f.Nodes {
		if n.Block != bsb.None && n.Block < len(times2) {
			e[i] = times2[n.Block]
		}
		if n.Kind == bsb.Branch {
			branches = append(branches, i)
		}
	}
	turn, split := Prune(f, e, nil).F[0], Prune(f, e, branches).F[0]
	return []estimate.Example{
		fitted("Fig. 2: no splitting; a run of DWS on idle SIMDs; the WCET of DWS, whose parts may execute in turn", "20 13 20", fmt.Sprint(turn, split, turn)),
	}, nil
}

// numbers shows nodes with the paper's numbers, which begin at 1.
func numbers(nodes []int) string {
	shown := slices.Clone(nodes)
	for i := range shown {
		shown[i]++
	}
	return fmt.Sprint(shown)
}

// Marked8 are the nodes of Fig. 8 that are marked for splitting. Node i here is node i+1 there.
var Marked8 = []int{0, 1, 6, 12}

// Figure8 is the form of Fig. 8, which this package makes of its flow graph without BSBs. One node
// for the end follows.
func Figure8() (*bsb.Form, error) {
	edges := [][2]int{ // blocks, with the paper's numbers
		{1, 2}, {1, 13}, {2, 3}, {2, 5}, {3, 6}, {5, 6}, {6, 7}, {7, 8}, {7, 10}, {8, 11}, {10, 11}, {11, 18},
		{13, 14}, {13, 16}, {14, 17}, {16, 17}, {17, 18}, {18, 19},
	}
	blocks := []int{1, 2, 3, 5, 6, 7, 8, 10, 11, 13, 14, 16, 17, 18, 19} // the last is the exit
	var flow []graph.Edge
	for _, e := range edges {
		flow = append(flow, graph.Edge{From: slices.Index(blocks, e[0]), To: slices.Index(blocks, e[1])})
	}
	g, err := cfg.NewFlow(len(blocks)-1, flow, nil)
	if err != nil {
		return nil, err
	}
	return bsb.NewFlow(g, bsb.Options{Lanes: 64})
}

// times8 are times of the nodes of Fig. 8 in cycles. The paper's are lost. These have what
// follows from its No-splitting column of Table 2, and from its PWS column at S = 1 and 2: their
// sum is 59, the shorter path of branch 1 takes 10, and what splitting saves at branches 2
// and 7 together is 7.
var times8 = []int64{8, 2, 3, 0, 6, 1, 2, 4, 0, 9, 2, 0, 1, 3, 0, 4, 2, 12, 0}

// Row2 is a row of Table 2 by the paper's equations, and the figures that it prints.
type Row2 struct {
	S         int
	Selected  []int        // SB
	Removed   []graph.Edge // E_r
	Path      int64        // IPET(C_out)
	Wavefront int64        // E_WF of PWS

	None, DWS, PWS                      int64
	PrintedNone, PrintedDWS, PrintedPWS int64
}

// printed2 is Table 2: no splitting, DWS and PWS for S = 1, 2 and 3.
var printed2 = [][3]int64{{60, 127, 52}, {60, 192, 49}, {60, 245, 47}}

// Table2 works Table 2 with the times times8; d, e_s, e_m and DS are 1.
//
// No splitting and PWS at S = 1 and 2 follow. PWS at S = 3 cannot, with any times: from S = 2 on
// the paths of branch 1 differ by what SELECT's fourth branch, 13 on the shorter path, saves
// at most, but the shorter path does not count. (If instead the longer path
// shrank below 10 at S = 2, it would be 17 and shrink by 11 to reach 47: two branches
// save at most half of it.) It would follow if two splits were charged and not |SB|.
//
// The DWS column cannot follow either: by Eq. 8, (192-1)/3 should be a whole number of
// cycles. For E_WF the equations give the sum of all times and S splits.
func Table2(ctx context.Context) ([]Row2, error) {
	f, err := Figure8()
	if err != nil {
		return nil, err
	}
	l := Launch{Delay: 1, Split: 2}
	const dispatches = 1
	all := Prune(f, times8, nil)
	var rows []Row2
	for i, printed := range printed2 {
		r := Row2{S: i + 1, PrintedNone: printed[0], PrintedDWS: printed[1], PrintedPWS: printed[2]}
		r.Selected = Select(f, Marked8, r.S)
		r.Removed = Prune(f, times8, r.Selected).Removed
		if r.Path, err = IPET(ctx, f, times8, r.Removed); err != nil {
			return nil, err
		}
		r.Wavefront = l.Wavefront(r.Path, len(r.Selected))
		r.None = l.PWS(dispatches, all.F[0])
		r.PWS = l.PWS(dispatches, r.Wavefront)
		r.DWS = l.DWS(dispatches, int64(r.S), l.Wavefront(all.F[0], r.S))
		rows = append(rows, r)
	}
	return rows, nil
}

// Counterexample is a form for which Lemma 5.8, that predictable wavefront splitting is
// never slower than dynamic, does not follow from Eqs. 3, 6 and 8: branches in sequence share one
// context, so SELECT takes all of them and Eq. 3 pays for all, while Eq. 8 pays for S.
type Counterexample struct {
	Branches, S    int // branches that are marked, in sequence
	Sum            int64
	Selected       int
	PWS, DWS       int64 // cycles
	SplitPerBranch int64 // e_s + e_m
}

// Lemma58 works such forms: sequences of ifs without else whose blocks take one cycle each.
func Lemma58() ([]Counterexample, error) {
	var all []Counterexample
	for _, c := range []Counterexample{{Branches: 8, S: 1, SplitPerBranch: 10}, {Branches: 20, S: 2, SplitPerBranch: 10}, {Branches: 40, S: 1, SplitPerBranch: 4}} {
		f, err := ifs(c.Branches)
		if err != nil {
			return nil, err
		}
		e := make([]int64, len(f.Nodes))
		var marked []int
		for i := range f.Nodes {
			if f.Nodes[i].Block != bsb.None {
				e[i] = 1
			}
			if f.Nodes[i].Kind == bsb.Branch {
				marked = append(marked, i)
			}
		}
		l := Launch{Delay: 1, Split: c.SplitPerBranch}
		sb := Select(f, marked, c.S)
		c.Selected = len(sb)
		c.Sum = Prune(f, e, nil).F[0]
		c.PWS = l.PWS(1, l.Wavefront(Prune(f, e, sb).F[0], len(sb)))
		c.DWS = l.DWS(1, int64(c.S), l.Wavefront(c.Sum, c.S))
		all = append(all, c)
	}
	return all, nil
}

// ifs is the form of n ifs without else in sequence.
func ifs(n int) (*bsb.Form, error) {
	var edges []graph.Edge
	for i := range n {
		b := 2 * i
		edges = append(edges, graph.Edge{From: b, To: b + 1}, graph.Edge{From: b, To: b + 2}, graph.Edge{From: b + 1, To: b + 2})
	}
	g, err := cfg.NewFlow(2*n+1, append(edges, graph.Edge{From: 2 * n, To: 2*n + 1}), nil)
	if err != nil {
		return nil, err
	}
	return bsb.NewFlow(g, bsb.Options{Lanes: 64})
}
