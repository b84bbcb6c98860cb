package bsb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/diag"
	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
	"warpbound/internal/splitting/bsb"
)

// text shows a form, one node after the other.
func text(f *bsb.Form) string {
	var nodes []string
	for i, n := range f.Nodes {
		s := fmt.Sprintf("%d:%s", i, n.Kind)
		if n.Block != bsb.None {
			s += fmt.Sprintf(" b%d", n.Block)
		}
		if n.Parent != bsb.None {
			s += fmt.Sprintf(" in %d", n.Parent)
		}
		nodes = append(nodes, s+fmt.Sprintf(" > %v", n.Succ))
	}
	return strings.Join(nodes, "\n")
}

var forms = []struct {
	name           string
	blocks         int
	edges          string
	uniform        []int
	want           string
	divergingLoops []bsb.DivergingLoop
}{
	{
		name: "if else", blocks: 4, edges: "0>1 0>2 1>3 2>3 3>4",
		want: `
0:branch b0 > [1 2]
1:block b1 in 0 > [2]
2:BSB in 0 > [3 4]
3:block b2 in 2 > [4]
4:block b3 > [5]
5:end > []`,
	}, {
		name: "if without else", blocks: 3, edges: "0>1 0>2 1>2 2>3",
		want: `
0:branch b0 > [1 2]
1:block b1 in 0 > [2]
2:BSB in 0 > [3]
3:block b2 > [4]
4:end > []`,
	}, {
		name: "lanes agree", blocks: 4, edges: "0>1 0>2 1>3 2>3 3>4", uniform: []int{0},
		want: `
0:choice b0 > [2 1]
1:block b2 > [3]
2:block b1 > [3]
3:block b3 > [4]
4:end > []`,
	}, {
		name: "if (a || b): the then part is on two paths", blocks: 5, edges: "0>2 0>1 1>2 1>3 2>4 3>4 4>5",
		want: `
0:branch b0 > [1 2]
1:block b2 in 0 > [2]
2:BSB in 0 > [3 7]
3:branch b1 in 2 > [4 5]
4:block b2 in 3 > [5]
5:BSB in 3 > [6 7]
6:block b3 in 5 > [7]
7:block b4 > [8]
8:end > []`,
	}, {
		name: "indexed branch of three successors, one falling through to the next", blocks: 5, edges: "0>1 0>2 0>3 1>2 2>4 3>4 4>5",
		want: `
0:branch b0 > [1 3]
1:block b1 in 0 > [2]
2:block b2 in 0 > [3]
3:BSB in 0 > [4 5]
4:block b2 in 3 > [5]
5:BSB in 3 > [6 7]
6:block b3 in 5 > [7]
7:block b4 > [8]
8:end > []`,
	}, {
		name: "while", blocks: 4, edges: "0>1 1>2 1>3 2>1 3>4",
		want: `
0:block b0 > [1]
1:choice b1 > [2 4]
2:block b2 > [3]
3:latch > [1]
4:block b3 > [5]
5:end > []`,
	}, {
		name: "work before break", blocks: 6, edges: "0>1 1>2 1>5 2>3 2>4 3>5 4>1 5>6",
		want: `
0:block b0 > [1]
1:choice b1 > [2 7]
2:leave b2 > [3 4]
3:block b3 in 2 > [4]
4:BSB in 2 > [5 7]
5:block b4 > [6]
6:latch > [1]
7:block b5 > [8]
8:end > []`,
	}, {
		name: "lanes agree on work and break", blocks: 6, edges: "0>1 1>2 1>5 2>3 2>4 3>5 4>1 5>6", uniform: []int{2},
		want: `
0:block b0 > [1]
1:choice b1 > [2 6]
2:choice b2 > [5 3]
3:block b4 > [4]
4:latch > [1]
5:block b3 > [6]
6:block b5 > [7]
7:end > []`,
	}, {
		name: "break on one path of a branch", blocks: 7, edges: "0>1 1>2 1>6 2>3 2>4 3>6 3>4 4>5 5>1 6>7",
		want: `
0:block b0 > [1]
1:lanes > [2]
2:choice b1 > [3 8]
3:choice b2 > [4 5]
4:choice b3 > [8 5]
5:block b4 > [6]
6:block b5 > [7]
7:latch > [2]
8:latch > [1 9]
9:block b6 > [10]
10:end > []`,
		divergingLoops: []bsb.DivergingLoop{{Header: 1, Branch: 2}},
	}, {
		name: "return on one path", blocks: 4, edges: "0>1 0>2 1>4 2>3 3>4",
		want: `
0:branch b0 > [1 2]
1:block b1 in 0 > [2]
2:BSB in 0 > [3]
3:block b2 > [4]
4:block b3 > [5]
5:end > []`,
	},
}

func TestForms(t *testing.T) {
	for _, c := range forms {
		t.Run(c.name, func(t *testing.T) {
			flow := flowOf(c.blocks, edges(c.edges))
			f, err := bsb.NewFlow(flow, bsb.Options{Lanes: 64, Uniform: func(b int) bool { return slices.Contains(c.uniform, b) }})
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Check(); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff(strings.TrimSpace(c.want), text(f)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.divergingLoops, f.DivergingLoops); diff != "" {
				t.Errorf("diverging loops (-want +got):\n%s", diff)
			}
		})
	}
}

// TestSplittable: branches that leave loops, in diverging loops or with shared paths cannot be split.
func TestSplittable(t *testing.T) {
	want := map[string][]int{
		"if else":         {0},
		"if without else": {0},
		"if (a || b): the then part is on two paths":                          {0},
		"indexed branch of three successors, one falling through to the next": nil,
		"work before break":             nil,
		"break on one path of a branch": nil,
		"return on one path":            {0},
	}
	for _, c := range forms {
		f, err := bsb.NewFlow(flowOf(c.blocks, edges(c.edges)), bsb.Options{Lanes: 64, Uniform: func(b int) bool { return slices.Contains(c.uniform, b) }})
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for b := range c.blocks {
			if f.Splittable(b) {
				got = append(got, b)
			}
		}
		if diff := cmp.Diff(want[c.name], got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// ladder is a graph every path of which every branch doubles.
func ladder(n int) *cfg.Flow {
	var list []graph.Edge
	for i := range n {
		for _, from := range []int{2 * i, 2*i + 1} {
			list = append(list, graph.Edge{From: from, To: 2*i + 2}, graph.Edge{From: from, To: 2*i + 3})
		}
	}
	exit := graph.Edge{From: 2 * n, To: 2*n + 2}
	return flowOf(2*n+2, append(list, exit, graph.Edge{From: 2*n + 1, To: exit.To}))
}

// nest is n ifs inside each other.
func nest(n int) *cfg.Flow {
	var list []graph.Edge
	for i := range n {
		list = append(list, graph.Edge{From: i, To: i + 1}, graph.Edge{From: i, To: 2*n - i}, graph.Edge{From: 2*n - i - 1, To: 2*n - i})
	}
	return flowOf(2*n+1, append(list, graph.Edge{From: 2 * n, To: 2*n + 1}))
}

func TestErrors(t *testing.T) {
	cases := []struct {
		name  string
		flow  *cfg.Flow
		lanes int
		want  string
	}{
		{"no lanes", flowOf(1, edges("0>1")), 0, "a wavefront of 0 work-items"},
		{"irreducible", flowOf(4, edges("0>1 0>2 1>2 2>1 1>3 3>4")), 64, "the loop at block 1 is also entered by 0>2"},
		{"shared paths", ladder(40), 64, "executes them in more than 66848 places"},
		{"deep", nest(bsb.MaxDepth + 1), 64, "nest more than 10000 deep"},
	}
	for _, c := range cases {
		if f, err := bsb.NewFlow(c.flow, bsb.Options{Lanes: c.lanes}); f != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestPositions: errors of kernels say where.
func TestPositions(t *testing.T) {
	at := func(line int32) diag.Pos { return diag.Pos{File: "k.ptx", Line: line, Col: 1} }
	branch := func(line int32, target int) isa.Instr {
		return isa.Instr{Op: isa.Bra, Pos: at(line), Target: target, Guard: isa.Guard{Set: true}}
	}
	k := &isa.Kernel{Name: "k", Instrs: []isa.Instr{
		branch(1, 2), {Op: isa.Bra, Pos: at(2), Target: 2}, branch(3, 1), {Op: isa.Exit, Pos: at(4)},
	}}
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bsb.New(g, bsb.Options{Lanes: 64}); err == nil || !strings.HasPrefix(err.Error(), "k.ptx:1:1: kernel k has irreducible control flow") {
		t.Error(err)
	}
	k = &isa.Kernel{Name: "k", Reconvergence: isa.AtSyncs, Instrs: []isa.Instr{branch(1, 2), {Op: isa.Nop, Pos: at(2)}, {Op: isa.Exit, Pos: at(3)}}}
	if g, err = cfg.Build(k); err != nil {
		t.Fatal(err)
	}
	if _, err := bsb.New(g, bsb.Options{Lanes: 64}); err == nil || err.Error() != g.CheckSyncs().Error() {
		t.Errorf("a branch without sync: %v", err)
	}
}

// flowOf makes a flow graph of some edges between n blocks.
func flowOf(n int, edges []graph.Edge) *cfg.Flow {
	f, err := cfg.NewFlow(n, edges, nil)
	if err != nil {
		panic(err)
	}
	return f
}

// edges reads edges such as "0>1 0>2".
func edges(text string) []graph.Edge {
	var list []graph.Edge
	for _, field := range strings.Fields(text) {
		var e graph.Edge
		if _, err := fmt.Sscanf(field, "%d>%d", &e.From, &e.To); err != nil {
			panic(err)
		}
		list = append(list, e)
	}
	return list
}
