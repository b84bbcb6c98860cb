package ipet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/test/effort"
)

// verdict is a solver's answer as text, for comparison with another's.
func verdict(s *Solution, err error) string {
	var infeasible *InfeasibleError
	var unbounded *UnboundedError
	switch {
	case err == nil:
		return fmt.Sprint(s.Cycles)
	case errors.As(err, &infeasible):
		return "infeasible"
	case errors.As(err, &unbounded):
		return "unbounded"
	}
	return err.Error()
}

// checkSolution fails the test unless the certificate proves the bound and the
// counts reach it as the solution claims.
func checkSolution(t rapid.TB, m *Model, s *Solution) {
	t.Helper()
	if err := s.Certificate.Check(); err != nil {
		t.Fatalf("certificate: %v", err)
	}
	if s.Certificate.Cycles != s.Cycles {
		t.Fatalf("the certificate proves %d, not %d", s.Certificate.Cycles, s.Cycles)
	}
	if s.Counts == nil {
		if s.Exact || s.Walk {
			t.Fatal("exact without counts")
		}
		return
	}
	cost, err := checkCounts(m, s.Counts)
	if err != nil {
		t.Fatalf("counts: %v", err)
	}
	if s.Exact != (cost.Int64() == s.Cycles) {
		t.Fatalf("exact is %v, but counts cost %v of %d", s.Exact, cost, s.Cycles)
	}
	if s.Walk != connected(m, s.Counts) {
		t.Fatalf("walk is %v", s.Walk)
	}
	var sum int64
	for _, c := range s.Contributions(m) {
		sum += c
	}
	if sum != cost.Int64() {
		t.Fatalf("contributions add up to %d of %v", sum, cost)
	}
}

// checkUnbounded fails the test unless err names a cycle of the model.
func checkUnbounded(t rapid.TB, m *Model, err error) {
	t.Helper()
	var u *UnboundedError
	if !errors.As(err, &u) {
		return
	}
	if len(u.Edges) == 0 || len(u.Nodes) != len(u.Edges) {
		t.Fatalf("unbounded without a cycle: %#v", u)
	}
	for i, e := range u.Edges {
		if next := u.Edges[(i+1)%len(u.Edges)]; m.Edges[e].To != m.Edges[next].From {
			t.Fatalf("edges %v are not a cycle", u.Edges)
		}
		if m.Edges[e].Limit != nil || m.Nodes[m.Edges[e].From] != u.Nodes[i] {
			t.Fatalf("unbounded: %#v", u)
		}
	}
}

// solversAgree fails the test unless both solvers give one verdict on a model
// that is structured.
func solversAgree(t rapid.TB, m *Model) {
	t.Helper()
	fast, err := SolveStructured(m)
	if err == nil {
		checkSolution(t, m, fast)
		if !fast.Exact || !fast.Walk {
			t.Fatal("a structured solution that is no walk")
		}
	}
	checkUnbounded(t, m, err)
	slow, err2 := SolveGeneral(context.Background(), m, Options{AllowDetached: true})
	if err2 == nil {
		checkSolution(t, m, slow)
	}
	checkUnbounded(t, m, err2)
	if a, b := verdict(fast, err), verdict(slow, err2); a != b {
		t.Fatalf("structured: %s, general: %s", a, b)
	}
}

func TestStructuredAgreesWithGeneral(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { solversAgree(t, structuredModel(t, 14)) })
}

// TestThousandsOfModels draws the same models every time.
func TestThousandsOfModels(t *testing.T) {
	models := rapid.Custom(func(t *rapid.T) *Model { return structuredModel(t, 20) })
	for _, seed := range effort.Draw(t, 30_000) {
		m := models.Example(int(seed))
		t.Run(fmt.Sprint(seed), func(t *testing.T) { solversAgree(t, m) })
	}
}

// bruteForce tries all counts up to the limits, which every edge has.
func bruteForce(m *Model, detached bool) (best int64, found bool) {
	counts := make([]int64, len(m.Edges))
	for {
		if cost, err := checkCounts(m, counts); err == nil && (detached || connected(m, counts)) {
			best, found = max(best, cost.Int64()), true
		}
		i := 0
		for ; i < len(counts) && counts[i] == m.Edges[i].Limit.Max; i++ {
			counts[i] = 0
		}
		if i == len(counts) {
			return best, found
		}
		counts[i]++
	}
}

func TestGeneralAgreesWithBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel(t, 4, 5, 2, true)
		detached := rapid.Bool().Draw(t, "detached")
		s, err := SolveGeneral(context.Background(), m, Options{AllowDetached: detached})
		want := "infeasible"
		if best, found := bruteForce(m, detached); found {
			want = fmt.Sprint(best)
		}
		if got := verdict(s, err); got != want {
			t.Fatalf("got %s, want %s", got, want)
		}
		if err == nil {
			checkSolution(t, m, s)
			if !s.Exact || !detached && !s.Walk {
				t.Fatalf("exact %v, walk %v", s.Exact, s.Walk)
			}
		}
	})
}

func TestNodeLimitStillBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel(t, 10, 30, 9, false)
		full, err := SolveGeneral(context.Background(), m, Options{MaxNodes: math.MaxInt})
		if err != nil {
			t.Skip(err)
		}
		checkSolution(t, m, full)
		cut, err := SolveGeneral(context.Background(), m, Options{MaxNodes: rapid.IntRange(1, 9).Draw(t, "max")})
		if err != nil {
			t.Fatal(err)
		}
		checkSolution(t, m, cut)
		if cut.Cycles < full.Cycles || cut.Exact && cut.Cycles > full.Cycles {
			t.Fatalf("cut off at %d (exact %v), full %d", cut.Cycles, cut.Exact, full.Cycles)
		}
	})
}

// TestNodeLimitLeavesOpen stops branch and bound of knapsacks while there are open nodes: the greatest of their values bounds the cost.
func TestNodeLimitLeavesOpen(t *testing.T) {
	open := 0
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 4))
		var edges strings.Builder
		room := Fact{Name: "room", Rel: AtMost}
		for i := range 9 { // each node but the source may be entered once more from itself
			weight := 5 + r.Int64N(40)
			fmt.Fprintf(&edges, "%d>%d:0 %d>%d:%d<=1 ", i, i+1, i+1, i+1, weight+r.Int64N(7))
			room.Terms = append(room.Terms, Term{2*i + 1, weight})
			room.RHS += weight / 2
		}
		m := parseModel(t, edges.String()+"9>10:0")
		m.Facts = []Fact{room}
		full, err := SolveGeneral(context.Background(), m, Options{MaxNodes: math.MaxInt})
		if err != nil {
			t.Fatal(err)
		}
		checkSolution(t, m, full)
		for _, nodes := range []int{1, 3, 7} {
			cut, err := SolveGeneral(context.Background(), m, Options{MaxNodes: nodes})
			if err != nil {
				t.Fatal(err)
			}
			checkSolution(t, m, cut)
			if cut.Cycles < full.Cycles || cut.Exact && cut.Cycles > full.Cycles {
				t.Errorf("seed %d: %d with %d nodes (exact %v), %d with all", seed, cut.Cycles, nodes, cut.Exact, full.Cycles)
			}
			if !cut.Exact {
				open++
			}
			if nodes == 1 && len(cut.Certificate.Roundings) > 0 {
				t.Errorf("seed %d: more than one linear program is solved", seed)
			}
		}
	}
	if open < 10 {
		t.Errorf("%d searches end with open nodes", open)
	}
}
