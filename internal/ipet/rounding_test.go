package ipet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// around returns a model with a loop around all of it, so that it is one part.
func around(m *Model) *Model {
	source, sink := m.AddNode("begin"), m.AddNode("end")
	in, back := m.AddEdge(source, m.Source, 0), m.AddEdge(m.Sink, m.Source, 0)
	m.AddEdge(m.Sink, sink, 0)
	m.Source, m.Sink = source, sink
	m.Loops = append(m.Loops, Loop{Name: "around", Iter: []int{back}, Entries: []int{in}, Bound: 2})
	return m
}

// The slow twin of rounding is to branch only.
func TestRoundingAgreesWithBranching(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel(t, 8, 15, 9, rapid.Bool().Draw(t, "limited"))
		if rapid.Bool().Draw(t, "series") {
			m = around(seriesModel(t))
		}
		ctx, o := context.Background(), Options{AllowDetached: rapid.Bool().Draw(t, "detached")}
		s, err := solveWhole(ctx, m, o)
		branched, err2 := solveRounding(ctx, m, o, 0)
		if err2 == nil && !branched.Exact {
			t.Skip("too much to branch for")
		}
		if got, want := verdict(s, err), verdict(branched, err2); got != want {
			t.Fatalf("with roundings %s, without %s", got, want)
		}
		for _, err := range []error{err, err2} {
			var none *InfeasibleError
			if errors.As(err, &none) && none.proof != nil {
				if err := none.proof.Check(); err != nil {
					t.Fatalf("the proof that no counts are feasible: %v", err)
				}
			}
		}
		if err != nil {
			return
		}
		checkSolution(t, m, s)
		checkSolution(t, m, branched)
		if !s.Exact {
			t.Fatal("not exact")
		}
	})
	models, rounded := rapid.Custom(func(t *rapid.T) *Model { return anyModel(t, 8, 15, 9, true) }), 0
	for i := range 300 {
		if s, err := solveWhole(context.Background(), models.Example(i), Options{}); err == nil {
			rounded += len(s.Certificate.Roundings)
		}
	}
	if rounded == 0 {
		t.Error("no roundings")
	}
}

// TestEarlierSteps has a proof whose first steps were made before a cut was known.
func TestEarlierSteps(t *testing.T) {
	m := parseModel(t, "0>1:0<=1 1>2:0<=1 0>1:0<=0 0>1:0<=0 1>1:1<=1 0>1:0<=1 0>2:0<=1")
	m.Facts = []Fact{{Name: "half", Terms: []Term{{0, 0}, {6, -2}}, Rel: AtMost, RHS: -1}}
	s, err := solveRounding(context.Background(), m, Options{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	checkSolution(t, m, s)
	if c := s.Certificate; s.Cycles != 0 || len(c.Steps) < 3 || len(c.Cuts) == 0 {
		t.Errorf("%d cycles, %d steps, %d cuts", s.Cycles, len(c.Steps), len(c.Cuts))
	}
}

// TestRoundingsCutOff checks that every rounding of the root excludes the solution that
// it was made for, and no flow of counts that are integers.
func TestRoundingsCutOff(t *testing.T) {
	made := 0
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel(t, 4, 4, 2, true)
		s := started(t, m)
		if err := s.start(s.program.start()); err != nil {
			t.Fatal(err)
		}
		if st, _, err := s.solve(); st != optimal || err != nil {
			t.Skip(st, err)
		}
		r := newRounder(s)
		var roundings []Rounding
		for row, c := range s.basis {
			if c >= len(s.program.edges) || s.x[row].isInteger() {
				continue
			}
			rounding, ok := r.round(row)
			if !ok {
				continue
			}
			var sum Rational
			for _, term := range rounding.Terms {
				sum = sum.add(s.count(term.Edge).mul(integer(term.Coef)))
			}
			if sum.cmp(integer(rounding.RHS)) <= 0 {
				t.Fatalf("%v does not exclude a sum of %v", rounding, sum)
			}
			roundings = append(roundings, rounding)
			made++
		}
		k := checker{c: &Certificate{Model: m, Roundings: roundings}, live: s.program.net.live}
		if err := k.roundings(); err != nil {
			t.Fatal(err)
		}
		if len(roundings) == 0 {
			return
		}
		more := *m
		for _, r := range roundings {
			more.Facts = append(more.Facts[:len(more.Facts):len(more.Facts)], Fact{Name: "rounding", Terms: r.Terms, Rel: AtMost, RHS: r.RHS})
		}
		best, found := bruteForce(m, true)
		if again, foundAgain := bruteForce(&more, true); again != best || found != foundAgain {
			t.Fatalf("%v exclude a flow of cost %d", roundings, best)
		}
	})
	if made == 0 {
		t.Error("no roundings")
	}
}

// TestFactsInOneLoop solves a model with many facts that is one part: roundings leave
// nothing to branch for.
func TestFactsInOneLoop(t *testing.T) {
	m := around(factModel(rand.New(rand.NewPCG(1, 2)), 5000))
	s, err := solveGeneral(m)
	if err != nil {
		t.Fatal(err)
	}
	checkSolution(t, m, s)
	c := s.Certificate
	if !s.Exact || s.Cycles != 4_336_679 || len(c.Parts) > 0 || len(c.Roundings) == 0 || len(c.Steps) > 1 { // as cbc finds
		t.Errorf("got %d, exact %v, %d roundings, %d steps", s.Cycles, s.Exact, len(c.Roundings), len(c.Steps))
	}
}

// withRoundings returns a certificate with two roundings, the second one of the first.
func withRoundings(t *testing.T) *Certificate {
	t.Helper()
	m := parseModel(t, "0>1:0 1>1:10 1>2:0<=1 2>2:1<=7")
	m.AddNode("b3")
	m.AddEdge(2, 3, 0)
	m.Sink = 3
	m.Loops = []Loop{loop("b1", 5, []int{1}, []int{0})}
	m.Facts = []Fact{
		{Name: "odd", Terms: []Term{{1, 2}}, Rel: AtMost, RHS: 5},
		{Name: "even", Terms: []Term{{3, 4}}, Rel: AtLeast, RHS: 1},
	}
	half := ratio(1, 2)
	c := &Certificate{Model: m, Cycles: 27,
		Roundings: []Rounding{
			{Terms: []Term{{1, 1}}, RHS: 2, Weights: Weights{Facts: []Weight{{0, half}}}},
			{Terms: []Term{{1, 1}, {3, 1}}, RHS: 9, Weights: Weights{Roundings: []Weight{{0, integer(1)}}}},
		},
		Steps: []Step{{Multipliers: &Multipliers{
			Nodes: make([]Rational, 4), Loops: make([]Rational, 1), Facts: make([]Rational, 2),
			Roundings: []Rational{integer(9), integer(1)},
		}}},
	}
	if err := c.Check(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(c.Uses()); got != `[{fact "odd" } {limit of b2 -> b2 observed}]` {
		t.Error(got)
	}
	return c
}

func TestCheckRefusesRoundings(t *testing.T) {
	half := ratio(1, 2)
	for _, c := range []struct {
		want string
		harm func(*Certificate)
	}{
		{"rounding 0: no edge 9", func(c *Certificate) { c.Roundings[0].Terms[0].Edge = 9 }},
		{"rounding 0: no edge -1", func(c *Certificate) { c.Roundings[0].Terms[0].Edge = -1 }},
		{"stands in it twice", func(c *Certificate) { c.Roundings[1].Terms[1].Edge = 1 }},
		{"rounding 0: its bound 5/2 exceeds 1", func(c *Certificate) { c.Roundings[0].RHS = 1 }},
		{"has no limit but lacks 1", func(c *Certificate) { c.Roundings[0].Terms[0].Coef = 2 }},
		{"rounding 1: its bound 16 exceeds 9", func(c *Certificate) { c.Roundings[1].Terms[1].Coef = 2 }},
		{"weight of node 4, which is none of 4", func(c *Certificate) { c.Roundings[0].Weights.Nodes = []Weight{{4, half}} }},
		{"weight of loop 1", func(c *Certificate) { c.Roundings[0].Weights.Loops = []Weight{{1, half}} }},
		{"weight of fact -1", func(c *Certificate) { c.Roundings[0].Weights.Facts[0].At = -1 }},
		{"weight of cut 0", func(c *Certificate) { c.Roundings[0].Weights.Cuts = []Weight{{0, half}} }},
		{"weight of rounding 0, which is none of 0", func(c *Certificate) { c.Roundings[0].Weights.Roundings = []Weight{{0, half}} }},
		{"weight of rounding 1, which is none of 1", func(c *Certificate) { c.Roundings[1].Weights.Roundings[0].At = 1 }},
		{`fact "odd" has multiplier -1/2 of the wrong sign`, func(c *Certificate) { c.Roundings[0].Weights.Facts[0].Weight = half.neg() }},
		{`fact "even" has multiplier 1/2 of the wrong sign`, func(c *Certificate) { c.Roundings[0].Weights.Facts[0].At = 1 }},
		{"rounding has multiplier -9 of the wrong sign", func(c *Certificate) { c.Steps[0].Multipliers.Roundings[0] = integer(-9) }},
		{"0 cuts and 2 roundings", func(c *Certificate) { c.Steps[0].Multipliers.Roundings = nil }},
		{"step 0: its bound 27 exceeds 26", func(c *Certificate) { c.Cycles-- }},
		{"rounding 0: its bound 7/2 exceeds 2", func(c *Certificate) { // of the sink
			c.Roundings[0].Weights.Nodes = []Weight{{3, integer(1)}}
		}},
	} {
		bad := withRoundings(t)
		c.harm(bad)
		if err := bad.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}
