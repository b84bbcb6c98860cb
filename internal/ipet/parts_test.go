package ipet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// seriesModel draws models and joins them, the sink of each with the source of the next,
// and draws facts that concern edges of any of them.
func seriesModel(t *rapid.T) *Model {
	m := newModel(1)
	for range rapid.IntRange(2, 5).Draw(t, "models") {
		next := anyModel(t, 4, 5, 3, true)
		if rapid.Bool().Draw(t, "structured") {
			next = structuredModel(t, 6)
		}
		node, edge := len(m.Nodes)-1, len(m.Edges)
		for range len(next.Nodes) - 1 {
			m.AddNode(fmt.Sprintf("b%d", len(m.Nodes)))
		}
		for _, e := range next.Edges {
			e.From, e.To = e.From+node, e.To+node
			m.Edges = append(m.Edges, e)
		}
		shifted := func(edges []int) []int {
			var to []int
			for _, e := range edges {
				to = append(to, e+edge)
			}
			return to
		}
		for _, l := range next.Loops {
			l.Iter, l.Entries = shifted(l.Iter), shifted(l.Entries)
			m.Loops = append(m.Loops, l)
		}
		for _, f := range next.Facts {
			for i := range f.Terms {
				f.Terms[i].Edge += edge
			}
			m.Facts = append(m.Facts, f)
		}
	}
	m.Sink = len(m.Nodes) - 1
	for i := range rapid.IntRange(0, 2).Draw(t, "facts") {
		f := Fact{Name: fmt.Sprint("across ", i), Rel: AtMost, RHS: rapid.Int64Range(0, 6).Draw(t, "rhs")}
		for range 2 {
			e := rapid.IntRange(0, len(m.Edges)-1).Draw(t, "edge")
			f.Terms = append(f.Terms, Term{e, rapid.Int64Range(1, 2).Draw(t, "coef")})
		}
		m.Facts = append(m.Facts, f)
	}
	return m
}

// The slow twin of solving part by part is one branch and bound over the whole.
func TestPartsAgreeWithWhole(t *testing.T) {
	several := 0
	rapid.Check(t, func(t *rapid.T) {
		m := seriesModel(t)
		o := Options{AllowDetached: rapid.Bool().Draw(t, "detached")}
		for name, solve := range map[string]func(context.Context, *Model, Options) (*Solution, error){"parts": SolveGeneral, "mixed": Solve} {
			s, err := solve(context.Background(), m, o)
			whole, err2 := solveWhole(context.Background(), m, o)
			if err2 == nil && !whole.Exact {
				t.Skip("too much to branch for")
			}
			got, want := verdict(s, err), verdict(whole, err2)
			if neither := []string{"unbounded", "infeasible"}; slices.Contains(neither, got) && slices.Contains(neither, want) {
				return // one part may be the one, another part the other
			}
			if got != want {
				t.Fatalf("%s: %s, whole: %s", name, got, want)
			}
			checkUnbounded(t, m, err)
			if err != nil {
				return
			}
			checkSolution(t, m, s)
			if len(s.Certificate.Parts) > 1 {
				several++
			}
		}
	})
	if several == 0 {
		t.Error("no model has several parts")
	}
}

// However the edges are divided into parts, the sum of the bounds of the parts is a
// bound of the whole, and the certificate proves it.
func TestAnyPartsBound(t *testing.T) {
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		m := seriesModel(t)
		if rapid.Bool().Draw(t, "other") {
			m = anyModel(t, 8, 15, 9, true)
		}
		ctx, o := context.Background(), Options{}
		whole, err := solveWhole(ctx, m, o)
		if err != nil {
			t.Skip(err)
		}
		net, err := newNetwork(m)
		if err != nil {
			t.Fatal(err)
		}
		parts := make([][]int, rapid.IntRange(1, 4).Draw(t, "parts"))
		for e, live := range net.live {
			if p := rapid.IntRange(0, len(parts)-1); live {
				i := p.Draw(t, "part")
				parts[i] = append(parts[i], e)
			}
		}
		s, err := solveParts(m, net, parts, func(part *Model) (*Solution, error) { return solveWhole(ctx, part, o) })
		if err != nil {
			t.Skip(err) // a loop may be bounded by another part
		}
		c := *s.Certificate
		c.Counts = nil // which the parts need not agree on
		if err := c.Check(); err != nil {
			t.Fatal(err)
		}
		if s.Cycles < whole.Cycles {
			t.Fatalf("parts prove %d, the whole costs %d", s.Cycles, whole.Cycles)
		}
		proved++
	})
	if proved == 0 {
		t.Error("no proof")
	}
}

// TestPartModel looks at the model of a part between two others, with a back edge from
// the node at its end.
func TestPartModel(t *testing.T) {
	m := parseModel(t, "0>1:1 1>1:5<=7 1>2:2 2>3:3<=4 3>2:4 2>5:9<=0 3>4:5 4>4:6 4>5:7")
	m.Loops = []Loop{loop("pair", 3, []int{4}, []int{2, 5}), loop("all", 9, []int{1}, []int{2})}
	net, err := newNetwork(m)
	if err != nil {
		t.Fatal(err)
	}
	models, err := divide(m, net, [][]int{{0, 1}, {2, 3, 4}, {6, 7, 8}})
	if err != nil {
		t.Fatal(err)
	}
	p := models[1]
	if got := fmt.Sprint(p.Nodes, p.Source, p.Sink, len(p.Edges)); got != "[b0 b5 b2 begin end] 3 4 5" {
		t.Error(got)
	}
	for i, want := range []string{"b0 -> b2", "b2 -> b5", "b5 -> b2", "begin -> b0", "b5 -> end"} {
		if got := p.EdgeName(i); got != want {
			t.Errorf("edge %d is %s, want %s", i, got, want)
		}
	}
	if got := fmt.Sprint(p.Loops, p.loops, p.Facts); got != "[{pair [2] [0] 3 annotated}] [0] []" {
		t.Error(got)
	}
	if p.Edges[1].Limit.Max != 4 || p.Edges[2].Cost != 4 || p.Edges[4].Cost != 0 {
		t.Error(p.Edges)
	}
}

func TestIndependent(t *testing.T) {
	m := parseModel(t, "0>1:1 1>2:1 2>1:1 2>3:1 3>4:1 4>3:1 4>5:1 5>6:1 6>5:1 6>7:1 7>7:1 7>8:1")
	m.Loops = []Loop{
		loop("a", 1, []int{2}, []int{0}), loop("b", 1, []int{5}, []int{3}), loop("c", 1, []int{8}, []int{6}),
	}
	m.Facts = []Fact{{Name: "across", Terms: []Term{{2, 1}, {8, 1}}, Rel: AtMost, RHS: 1}}
	net, err := newNetwork(m)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(independent(m, net)); got != "[[0 1 2 6 7 8] [3 4 5 9 10 11]]" {
		t.Error(got)
	}
	m.Loops = slices.Delete(m.Loops, 1, 2) // what is left beside the fact has no loops
	if got := fmt.Sprint(independent(m, net)); got != "[[0 1 2 3 4 5 6 7 8 9 10 11]]" {
		t.Error(got)
	}
}

func TestErrorsNameTheWholeModel(t *testing.T) {
	m := parseModel(t, "0>1:1 1>2:1 2>1:1 2>3:1 3>4:1 4>3:1<=5 4>5:1")
	m.Loops = []Loop{loop("a", 1, []int{2}, []int{0}), loop("b", 1, []int{5}, []int{3})}
	m.Facts = []Fact{{Name: "many", Terms: []Term{{5, 1}}, Rel: AtLeast, RHS: 9}}
	m.Loops[1].Bound = 99
	var infeasible *InfeasibleError
	if _, err := solveGeneral(m); !errors.As(err, &infeasible) ||
		!slices.Equal(infeasible.Conflict, []string{`fact "many"`, "limit of b4 -> b3"}) {
		t.Errorf("got %v", err)
	}
	m.Facts, m.Edges[5].Limit = nil, nil
	m.Loops[1] = loop("c", 2, []int{6}, []int{3})
	var unbounded *UnboundedError
	if _, err := solveGeneral(m); !errors.As(err, &unbounded) || err.Error() != "nothing bounds the loop b3 -> b4 -> b3" {
		t.Errorf("got %v", err)
	}
	checkUnbounded(t, m, unbounded)
}

// inParts returns a certificate with two parts, of which one has a rounding.
func inParts(t *testing.T) *Certificate {
	t.Helper()
	m := parseModel(t, "0>1:1 1>1:10 1>2:1 2>3:1 2>3:5 3>3:7 3>4:1 2>5:1<=0")
	m.Sink = 4
	m.Loops = []Loop{loop("b3", 2, []int{5}, []int{3, 4})}
	m.Facts = []Fact{{Name: "odd", Terms: []Term{{1, 2}}, Rel: AtMost, RHS: 5}}
	s, err := solveGeneral(m)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(s.Certificate.Parts)
	if c := s.Certificate; len(c.Parts) != 2 || s.Cycles != 42 || len(c.Parts[0].Roundings) != 1 {
		t.Fatalf("%d parts, %d cycles: %v", len(c.Parts), s.Cycles, c.Parts)
	}
	if got := fmt.Sprint(s.Certificate.Uses()); got != `[{loop "b3" annotated} {fact "odd" } {limit of b2 -> b5 observed}]` {
		t.Error(got)
	}
	return s.Certificate
}

func TestCheckRefusesParts(t *testing.T) {
	for _, c := range []struct {
		want string
		harm func(*Certificate)
	}{
		{"its parts add up to 42, more than 41", func(c *Certificate) { c.Cycles-- }},
		{"both parts and steps", func(c *Certificate) { c.Steps = c.Parts[0].Steps }},
		{"part 1: no edge 8", func(c *Certificate) { c.Parts[1].Edges[0] = 8 }},
		{"part 1: no edge -1", func(c *Certificate) { c.Parts[1].Edges[0] = -1 }},
		{"part 1: edge 7 (b2 -> b5) is on no walk", func(c *Certificate) { c.Parts[1].Edges[0] = 7 }},
		{"edge 1 (b1 -> b1) is in the parts 0 and 1", func(c *Certificate) { c.Parts[1].Edges[0] = 1 }},
		{"(b0 -> b1) is in no part", func(c *Certificate) { c.Parts[1].Edges = c.Parts[1].Edges[1:] }},
		{"is in no part", func(c *Certificate) { c.Parts = c.Parts[:1] }},
		{"part 0: step", func(c *Certificate) { c.Parts[0].Cycles-- }},
		{"part 1: step", func(c *Certificate) { c.Parts[1].Cycles-- }},
		{"part 1: certificate without steps", func(c *Certificate) { c.Parts[1].Steps = nil }},
		{"part 0: rounding 0", func(c *Certificate) { c.Parts[0].Roundings[0].RHS-- }},
		{"part 0: cut 0", func(c *Certificate) { c.Parts[0].Cuts = []Cut{{}} }},
	} {
		bad := inParts(t)
		bad.Counts = nil
		if err := bad.Check(); err != nil {
			t.Fatal(err)
		}
		c.harm(bad)
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestFactsAcrossManyLoops solves models with many facts, each of which needs to branch.
func TestFactsAcrossManyLoops(t *testing.T) {
	m := factModel(rand.New(rand.NewPCG(1, 2)), 15_000)
	s, err := Solve(context.Background(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkSolution(t, m, s)
	if !s.Exact || s.Cycles != 4_531_256 { // as cbc finds
		t.Errorf("got %d, exact %v", s.Cycles, s.Exact)
	}
	m = factModel(rand.New(rand.NewPCG(1, 2)), 3000)
	whole, err := solveRounding(context.Background(), m, Options{}, 0) // which branches a lot
	if err != nil {
		t.Fatal(err)
	}
	checkSolution(t, m, whole)
	if s, err = solveGeneral(m); err != nil || s.Cycles != whole.Cycles {
		t.Errorf("got %v, %v, want %d", s, err, whole.Cycles)
	}
}
