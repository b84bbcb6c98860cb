package published_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/method/split"
	"warpbound/internal/method/split/published"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
)

func TestExamples(t *testing.T) {
	all, err := published.Examples(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		if !e.OK {
			t.Errorf("%s: %s, the paper has %s", e.Name, e.Ours, e.Paper)
		}
	}
}

// TestFigure8 compares the form with the figure, whose nodes begin at 1.
func TestFigure8(t *testing.T) {
	f, err := published.Figure8()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Check(), published.Check(f)); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"1 branch > [2 12], parent 0, reconverges at 18", "2 branch > [3 4], parent 1, reconverges at 6", "3 block > [4], parent 2",
		"4 BSB > [5 6], parent 2, reconverges at 6", "5 block > [6], parent 4", "6 block > [7], parent 1",
		"7 branch > [8 9], parent 1, reconverges at 11", "8 block > [9], parent 7", "9 BSB > [10 11], parent 7, reconverges at 11",
		"10 block > [11], parent 9", "11 block > [12], parent 1", "12 BSB > [13 18], parent 1, reconverges at 18",
		"13 branch > [14 15], parent 12, reconverges at 17", "14 block > [15], parent 13", "15 BSB > [16 17], parent 13, reconverges at 17",
		"16 block > [17], parent 15", "17 block > [18], parent 12", "18 block > [19], parent 0", "19 end > [], parent 0",
	}
	var got []string
	for i, n := range f.Nodes {
		succ := make([]int, len(n.Succ))
		for k, s := range n.Succ {
			succ[k] = s + 1
		}
		line := fmt.Sprintf("%d %s > %v, parent %d", i+1, n.Kind, succ, n.Parent+1)
		if n.Reconv != bsb.None {
			line += fmt.Sprintf(", reconverges at %d", n.Reconv+1)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-figure +form):\n%s", diff)
	}
}

func TestSelect(t *testing.T) {
	f, err := published.Figure8()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]int{nil, {0}, {0, 1, 6}, {0, 1, 6, 12}, {0, 1, 6, 12}}
	for s, w := range want {
		if diff := cmp.Diff(w, published.Select(f, published.Marked8, s)); diff != "" {
			t.Errorf("S = %d (-want +got):\n%s", s, diff)
		}
	}
}

// TestTable2: the printed figures of the columns for no splitting and, at S = 1 and 2, for PWS
// follow from the equations. The others are what the equations give.
func TestTable2(t *testing.T) {
	rows, err := published.Table2(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range rows {
		if r.None != r.PrintedNone {
			t.Errorf("S = %d: no splitting %d, printed %d", r.S, r.None, r.PrintedNone)
		}
		if r.S < 3 && r.PWS != r.PrintedPWS {
			t.Errorf("S = %d: PWS %d, printed %d", r.S, r.PWS, r.PrintedPWS)
		}
		if want := []int64{123, 190, 261}[i]; r.DWS != want {
			t.Errorf("S = %d: DWS %d, want %d", r.S, r.DWS, want)
		}
	}
	if rows[2].PWS != 51 || (rows[1].PrintedDWS-1)%3 == 0 {
		t.Errorf("PWS at S = 3 is %d", rows[2].PWS)
	}
}

// TestTable2CannotFollow tries all times of the paths of branch 1: none gives 47 at S = 3 if as
// many splits are charged as SELECT selects, or as there are contexts, only if there are two.
func TestTable2CannotFollow(t *testing.T) {
	const sum, noSplit, oneSplit, twoSplits, threeSplits = 59, 60, 52, 49, 47
	fits := make(map[int]bool)  // by the splits that are charged at S = 3
	for a := 0; a <= sum; a++ { // the then path, with branches 2 and 7
		for b := 0; a+b <= sum; b++ { // the else path, with branch 13
			rest := sum - a - b
			if 1+rest+max(a, b)+2*1 != oneSplit {
				continue
			}
			for s := 0; s <= a/2; s++ { // that 2 and 7 save: the shorter of two paths each
				if 1+rest+max(a-s, b)+2*3 != twoSplits {
					continue
				}
				for u := 0; u <= b/2; u++ { // that 13 saves
					for n := range 5 {
						if 1+rest+max(a-s, b-u)+2*n == threeSplits {
							fits[n] = true
						}
					}
				}
			}
		}
	}
	if diff := cmp.Diff(map[int]bool{2: true}, fits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestLemma58: the published equations contradict the lemma.
func TestLemma58(t *testing.T) {
	all, err := published.Lemma58()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if c.PWS <= c.DWS || c.Selected <= c.S {
			t.Errorf("no counterexample: %+v", c)
		}
	}
}

func TestEquations(t *testing.T) {
	gpu := published.GPU{CUs: 4, SIMDs: 4, Contexts: 10, Lanes: 64, Splits: 3}
	for selected, want := range map[int64]int64{0: 16, 1: 8, 2: 5, 3: 4, 9: 4} {
		if got := gpu.Total(selected); got != want {
			t.Errorf("Eq. 2 with |SB| = %d: %d, want %d", selected, got, want)
		}
	}
	l := published.Launch{Groups: 25, Size: 1024, Delay: 3}
	if got := gpu.Parallel(l, gpu.SIMDs); got != 10 {
		t.Errorf("Eq. 4: %d, want 10", got)
	}
	// Eq. 4 rounds down: a workgroup for part of which there are contexts does not execute.
	for size, want := range map[int64]int64{1: 10240, 100: 102, 192: 53, 320: 32, 1000: 10, 1025: 9, 10240: 1, 10241: 0} {
		if got := gpu.Parallel(published.Launch{Size: size}, gpu.SIMDs); got != want {
			t.Errorf("Eq. 4 with workgroups of %d: %d, want %d", size, got, want)
		}
	}
	if got := gpu.Parallel(published.Launch{Size: 192}, gpu.Total(2)); got != 66 { // of 5 SIMDs
		t.Errorf("Eq. 4 on 5 SIMDs: %d, want 66", got)
	}
	if got := l.Dispatches(10); got != 3 {
		t.Errorf("Eq. 5: %d, want 3", got)
	}
	if got := l.PWS(3, 100); got != 309 {
		t.Errorf("Eq. 6: %d, want 309", got)
	}
	if got := l.DWS(3, 2, 100); got != 909 {
		t.Errorf("Eq. 8: %d, want 909", got)
	}
}

// tree is a program of sequences and branches.
type tree struct {
	then, other []*tree // of a branch; nil stands for a block
	branch      bool
}

func drawTree(t *rapid.T, depth int) []*tree {
	var list []*tree
	for range rapid.IntRange(0, 3).Draw(t, "statements") {
		s := &tree{}
		if depth > 0 && rapid.Bool().Draw(t, "branch") {
			s.branch = true
			s.then, s.other = drawTree(t, depth-1), drawTree(t, depth-1)
		}
		list = append(list, s)
	}
	return list
}

// builder makes the flow graph of a tree. Every branch begins with a block of its own and so
// does what is behind it.
type builder struct {
	edges []graph.Edge
	n     int
}

func (b *builder) block(from ...int) int {
	for _, f := range from {
		b.edges = append(b.edges, graph.Edge{From: f, To: b.n})
	}
	b.n++
	return b.n - 1
}

func (b *builder) sequence(at int, list []*tree) int {
	for _, s := range list {
		if !s.branch {
			at = b.block(at)
			continue
		}
		then := b.sequence(b.block(at), s.then)
		if len(s.other) == 0 {
			at = b.block(at, then)
			continue
		}
		at = b.block(then, b.sequence(b.block(at), s.other))
	}
	return at
}

func form(t *rapid.T, list []*tree) *bsb.Form {
	b := &builder{}
	last := b.sequence(b.block(), list)
	flow, err := cfg.NewFlow(b.n, append(b.edges, graph.Edge{From: last, To: b.n}), nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := bsb.NewFlow(flow, bsb.Options{Lanes: 64})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// longest is the time of the longest path from a node to another, found slowly: both paths of
// a branch one after the other, or the longer one if it is selected.
func longest(f *bsb.Form, e []int64, selected map[int]bool, from, to int) int64 {
	if from == to {
		return 0
	}
	n := &f.Nodes[from]
	if n.Kind != bsb.Branch {
		return e[from] + longest(f, e, selected, n.Succ[0], to)
	}
	then := longest(f, e, selected, n.Succ[0], n.BSB)
	other := int64(0)
	if s := f.Nodes[n.BSB].Succ[0]; s != n.Reconv {
		other = longest(f, e, selected, s, n.Reconv)
	}
	if selected[from] {
		then, other = max(then, other), 0
	}
	return e[from] + e[n.BSB] + then + other + longest(f, e, selected, n.Reconv, to)
}

// TestPrune: on random trees F[0] is the longest path found slowly, and that of implicit path
// enumeration on the pruned form, BSBs that take time included; and Form.Select and
// Form.Bound agree with both.
func TestPrune(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := form(t, drawTree(t, 4))
		if err := errors.Join(f.Check(), published.Check(f)); err != nil {
			t.Fatal(err)
		}
		e := make([]int64, len(f.Nodes))
		costs := split.Costs{}
		var marked, blocks []int
		for i := range f.Nodes[:len(f.Nodes)-1] {
			e[i] = rapid.Int64Range(0, 30).Draw(t, "time")
			if n := &f.Nodes[i]; n.Kind == bsb.Branch && rapid.Bool().Draw(t, "marked") {
				marked = append(marked, i)
				blocks = append(blocks, n.Block)
			}
		}
		s := rapid.IntRange(0, 4).Draw(t, "S")
		sb := published.Select(f, marked, s)
		selected, chosen := make(map[int]bool), []int(nil)
		for _, u := range sb {
			selected[u] = true
			chosen = append(chosen, f.Nodes[u].Block)
		}
		p := published.Prune(f, e, sb)
		want := longest(f, e, selected, 0, len(f.Nodes)-1)
		path, err := published.IPET(context.Background(), f, e, p.Removed)
		if err != nil {
			t.Fatal(err)
		}
		if p.F[0] != want || path != want {
			t.Fatalf("PRUNE %d, IPET %d, want %d", p.F[0], path, want)
		}
		if diff := cmp.Diff(chosen, f.Select(blocks, s)); diff != "" {
			t.Fatalf("Form.Select (-published +got):\n%s", diff)
		}

		costs.Blocks = make([]saturating.Int, len(f.Nodes)) // as many blocks as nodes of them
		n := 0
		for i := range f.Nodes {
			if b := f.Nodes[i].Block; b == bsb.None {
				e[i] = 0
			} else {
				costs.Blocks[b] = saturating.Of(e[i])
				n++
			}
		}
		costs.Blocks = costs.Blocks[:n]
		b, err := split.LongestPath(context.Background(), f, costs, nil, chosen)
		if err != nil {
			t.Fatal(err)
		}
		p = published.Prune(f, e, sb)
		if b.Cycles.Int64() != p.F[0] {
			t.Fatalf("Form.Bound %d, PRUNE %d", b.Cycles, p.F[0])
		}
		if diff := cmp.Diff(p.Removed, b.Removed); diff != "" {
			t.Fatalf("removed edges (-PRUNE +Form.Bound):\n%s", diff)
		}
	})
}

func TestCheck(t *testing.T) {
	flow, err := cfg.NewFlow(2, []graph.Edge{{From: 0, To: 0}, {From: 0, To: 1}, {From: 1, To: 2}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := bsb.NewFlow(flow, bsb.Options{Lanes: 64})
	if err != nil {
		t.Fatal(err)
	}
	if err := published.Check(f); !errors.Is(err, published.ErrShape) {
		t.Errorf("a form with a loop: %v", err)
	}
}
