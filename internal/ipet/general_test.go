package ipet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// solvers are both, for models that both take.
var solvers = map[string]func(*Model) (*Solution, error){
	MethodStructured: SolveStructured,
	MethodGeneral:    solveGeneral,
}

func solveGeneral(m *Model) (*Solution, error) {
	return SolveGeneral(context.Background(), m, Options{})
}

func TestGeneral(t *testing.T) {
	for _, c := range []struct {
		name, edges string
		loops       []Loop
		facts       []Fact
		cycles      int64
		uses        string
	}{
		{
			// Two arms of a divergent branch, each entered from the other.
			name: "irreducible", edges: "0>1:1 0>2:1 1>2:4<=9 2>1:5<=2 1>3:1 2>3:1",
			cycles: 24, // 0>1, then 1>2 and 2>1 alternate
			uses:   "[{limit of b2 -> b1 observed}]",
		},
		{
			name: "relative bound counts every entry", edges: "0>1:0 0>2:0 1>2:1 2>1:10 1>3:0 2>3:0",
			loops:  []Loop{loop("pair", 2, []int{3}, []int{0, 1})},
			cycles: 23,
			uses:   `[{loop "pair" annotated}]`,
		},
		{
			name: "exclusive blocks", edges: "0>1:1 1>2:9 1>3:8 2>4:0 3>4:0 4>1:1 4>5:0",
			loops:  []Loop{loop("b1", 9, []int{5}, []int{0})},
			facts:  []Fact{{Name: "once", Terms: []Term{{1, 1}}, Rel: AtMost, RHS: 1, Evidence: "annotated"}},
			cycles: 1 + 9 + 9*8 + 9,
			uses:   `[{loop "b1" annotated} {fact "once" annotated}]`,
		},
		{
			name: "at least", edges: "0>1:9 0>2:1 1>3:1 2>3:1",
			facts:  []Fact{{Name: "low", Terms: []Term{{1, 2}}, Rel: AtLeast, RHS: 1}},
			cycles: 2,
			uses:   `[{fact "low" }]`,
		},
		{
			// The relaxation takes 1>1 2.5 times.
			name: "integer", edges: "0>1:0 1>1:10 1>2:0",
			facts:  []Fact{{Name: "odd", Terms: []Term{{1, 2}}, Rel: AtMost, RHS: 5}},
			cycles: 20,
			uses:   `[{fact "odd" }]`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parseModel(t, c.edges)
			m.Loops, m.Facts = c.loops, c.facts
			s, err := Solve(context.Background(), m, Options{})
			if err != nil {
				t.Fatal(err)
			}
			checkSolution(t, m, s)
			if s.Cycles != c.cycles || !s.Exact || !s.Walk || s.Method != MethodGeneral {
				t.Errorf("got %d by %v, want %d", s.Cycles, s.Counts, c.cycles)
			}
			if uses := fmt.Sprint(s.Certificate.Uses()); uses != c.uses {
				t.Errorf("rests on %s, want %s", uses, c.uses)
			}
		})
	}
}

func TestSolveTakesTheStructuredSolver(t *testing.T) {
	s, err := Solve(context.Background(), parseModel(t, "0>1:3"), Options{})
	if err != nil || s.Method != MethodStructured {
		t.Errorf("got %v, %v", s, err)
	}
}

// A loop beside the path can fill with flow that never comes from the source,
// as long as its limits allow it.
func TestDetachedFlow(t *testing.T) {
	m := parseModel(t, "0>1:100 1>4:0 0>2:1 2>3:7<=5 3>2:7<=5 3>4:1")
	detached, err := SolveGeneral(context.Background(), m, Options{AllowDetached: true})
	if err != nil {
		t.Fatal(err)
	}
	checkSolution(t, m, detached)
	if detached.Cycles != 170 || !detached.Exact || detached.Walk {
		t.Errorf("with detached flow: %d, exact %v, walk %v", detached.Cycles, detached.Exact, detached.Walk)
	}
	twice := parseModel(t, "0>1:100 1>4:0 0>2:1 2>3:7<=5 3>2:7<=5 3>4:1 4>5:100 5>8:0 4>6:1 6>7:7<=5 7>6:7<=5 7>8:1")
	twice.Facts = []Fact{{Name: "first", Terms: []Term{{3, 1}}, Rel: AtMost, RHS: 5}, {Name: "second", Terms: []Term{{9, 1}}, Rel: AtMost, RHS: 5}} // two parts
	both, err := SolveGeneral(context.Background(), twice, Options{AllowDetached: true})
	if err != nil {
		t.Fatal(err)
	}
	if both.Cycles != 340 || both.Walk || len(both.Certificate.Parts) != 2 {
		t.Errorf("twice: %d in %d parts, walk %v", both.Cycles, len(both.Certificate.Parts), both.Walk)
	}
	walk, err := solveGeneral(m)
	if err != nil {
		t.Fatal(err)
	}
	checkSolution(t, m, walk)
	if walk.Cycles != 100 || !walk.Exact || !walk.Walk || len(walk.Certificate.Cuts) == 0 {
		t.Errorf("without: %d, exact %v, walk %v", walk.Cycles, walk.Exact, walk.Walk)
	}
}

// TestDetachedFlowWithoutLimit has flow that a fact asks for beside the path, in a loop without a limit: no cut can exclude it, and what
// it costs is part of the bound.
func TestDetachedFlowWithoutLimit(t *testing.T) {
	m := parseModel(t, "0>1:100 1>4:0 0>2:1 2>3:0 3>2:0 3>4:1")
	m.Facts = []Fact{{Name: "again", Terms: []Term{{4, 1}}, Rel: AtLeast, RHS: 1}}
	s, err := solveGeneral(m)
	if err != nil {
		t.Fatal(err)
	}
	checkSolution(t, m, s)
	if s.Cycles != 100 || s.Walk || len(s.Certificate.Cuts) > 0 {
		t.Errorf("%d, walk %t, %d cuts", s.Cycles, s.Walk, len(s.Certificate.Cuts))
	}
}

func TestInfeasibleNamesTheConflict(t *testing.T) {
	atMost := Fact{Name: "few", Terms: []Term{{0, 1}, {1, 1}}, Rel: AtMost, RHS: 2}
	atLeast := Fact{Name: "many", Terms: []Term{{1, 1}}, Rel: AtLeast, RHS: 3}
	other := Fact{Name: "other", Terms: []Term{{1, 1}}, Rel: AtMost, RHS: 50}
	odd := Fact{Name: "odd", Terms: []Term{{1, 2}}, Rel: Equal, RHS: 5}
	for _, c := range []struct {
		edges string
		facts []Fact
		want  []string
	}{
		{"0>1:1 1>1:1 1>2:1", []Fact{other, atMost, atLeast}, []string{`fact "few"`, `fact "many"`}},
		{"0>1:1 1>1:1<=2 1>2:1", []Fact{other, atLeast}, []string{`fact "many"`, "limit of b1 -> b1"}},
		{"0>1:1 1>1:1 1>2:1", []Fact{odd}, []string{`fact "odd"`}},
	} {
		m := parseModel(t, c.edges)
		m.Facts = c.facts
		var infeasible *InfeasibleError
		if _, err := solveGeneral(m); !errors.As(err, &infeasible) || !slices.Equal(infeasible.Conflict, c.want) {
			t.Errorf("got %v, want %v", err, c.want)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	m := divergentModel(rand.New(rand.NewPCG(1, 1)), 30, 100, 20)
	if s, err := Solve(ctx, m, Options{}); s != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestKernelSized solves models of the size and kind of a large kernel's.
func TestKernelSized(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 4))
		m := divergentModel(r, 100, 400, 50)
		s, err := solveGeneral(m)
		if err != nil {
			t.Fatal(err)
		}
		checkSolution(t, m, s)
		if !s.Exact || !s.Walk {
			t.Errorf("seed %d: exact %v, walk %v", seed, s.Exact, s.Walk)
		}
		m = kernelModel(r, 400)
		fast, err := SolveStructured(m)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := solveGeneral(m)
		if err != nil {
			t.Fatal(err)
		}
		checkSolution(t, m, fast)
		checkSolution(t, m, slow)
		if fast.Cycles != slow.Cycles {
			t.Errorf("seed %d: structured %d, general %d", seed, fast.Cycles, slow.Cycles)
		}
	}
}
