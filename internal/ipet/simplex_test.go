package ipet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// started returns the simplex method on a model, priced at its first basis.
func started(t rapid.TB, m *Model) *simplex {
	t.Helper()
	net, err := newNetwork(m)
	if err != nil {
		t.Skip(err)
	}
	s := newSimplex(context.Background(), newProgram(m, net))
	if err := s.start(position{basis: s.program.treeBasis()}); err != nil {
		t.Fatal(err)
	}
	s.price()
	return s
}

// checkState compares what the simplex method keeps up to date with what follows from
// the basis: values that satisfy every row, reduced costs by multipliers that are computed
// anew, and the column that gains most by looking at all.
func checkState(t rapid.TB, s *simplex) {
	t.Helper()
	p := s.program
	sums := make([]Rational, len(p.rhs))
	for c, col := range p.columns {
		var x Rational
		if row := s.rowOf[c]; row >= 0 {
			if x = s.x[row]; s.basis[row] != c {
				t.Fatalf("column %d is not that of row %d", c, row)
			}
		} else {
			x = integer(s.bound(c))
		}
		for _, e := range col.entries {
			sums[e.row] = sums[e.row].add(x.mul(integer(e.coef)))
		}
	}
	for row, sum := range sums {
		if sum.cmp(integer(p.rhs[row])) != 0 {
			t.Fatalf("row %d adds up to %v, not to %d", row, sum, p.rhs[row])
		}
	}
	s.multipliers()
	best, at := Rational{}, -1
	for c, col := range p.columns {
		d := integer(col.cost).sub(s.dot(s.dual, c))
		if s.rowOf[c] >= 0 {
			if !d.isZero() {
				t.Fatalf("column %d of the basis has reduced cost %v", c, d)
			}
			continue
		}
		if s.low[c] == s.high[c] {
			continue
		}
		if d.cmp(s.reduced[c]) != 0 {
			t.Fatalf("column %d has reduced cost %v, kept as %v", c, d, s.reduced[c])
		}
		if s.atHigh[c] {
			d = d.neg()
		}
		if d.sign() > 0 && (at < 0 || d.cmp(best) > 0) {
			best, at = d, c
		}
	}
	if got := s.entering(false); got != at {
		t.Fatalf("column %d enters, not %d", got, at)
	}
}

// TestSimplexKeepsItsState checks the state after every pivot, where these are few enough to
// go without a factorisation and where each is followed by one.
func TestSimplexKeepsItsState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m *Model
		if rapid.Bool().Draw(t, "structured") {
			m = structuredModel(t, 20)
		} else {
			m = anyModel(t, 10, 20, 9, false)
		}
		again := rapid.Bool().Draw(t, "factor anew")
		s := started(t, m)
		for range 50 {
			checkState(t, s)
			c := s.entering(false)
			if c < 0 || !s.feasible() {
				return
			}
			s.column(c)
			step, row := s.ratioTest(c)
			if row < 0 && s.high[c] == unlimited {
				return
			}
			if row >= 0 {
				s.inverseRow(row)
				s.reprice(c, row)
				s.clear(s.ray)
			}
			if err := s.move(c, row, step); err != nil {
				t.Fatal(err)
			}
			if again {
				if err := s.refactor(); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestFractional compares the edge on which branch and bound branches with what looking at all of them finds: its count is farthest from an
// integer, and of several such it is the costliest, and then the first.
func TestFractional(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := started(t, anyModel(t, 10, 20, 9, false))
		for row := range s.x {
			s.x[row] = integer(rapid.Int64Range(0, 50).Draw(t, "above")).div(integer(rapid.Int64Range(1, 7).Draw(t, "below")))
		}
		want, at := -1, int64(0)
		var far Rational
		for _, e := range s.program.edges {
			x := s.count(e)
			low, ok := x.floor()
			if x.isInteger() || !ok {
				continue
			}
			above, below := x.sub(integer(low)), integer(low+1).sub(x)
			if below.cmp(above) < 0 {
				above = below
			}
			cost := func(e int) int64 { return s.program.m.Edges[e].Cost }
			if c := above.cmp(far); want < 0 || c > 0 || c == 0 && cost(e) > cost(want) {
				want, at, far = e, low, above
			}
		}
		if edge, floor, err := s.fractional(); err != nil || edge != want || floor != at {
			t.Fatalf("edge %d above %d, want %d above %d, %v", edge, floor, want, at, err)
		}
	})
}

// dualPivot does one pivot of the dual method with costs, and returns whether there was
// one to do and what it touched.
func dualPivot(t rapid.TB, s *simplex) (entries int, ok bool) {
	t.Helper()
	row := s.leaving(false)
	if row < 0 {
		return 0, false
	}
	violation := s.violation(row)
	s.inverseRow(row)
	c, _ := s.dualRatioTest(violation.sign() < 0, true)
	if c < 0 {
		s.clear(s.ray)
		return 0, false // infeasible
	}
	s.column(c)
	entries = nonzero(s.ray) + len(s.across) + nonzero(s.alpha)
	s.reprice(c, row)
	s.clear(s.ray)
	step := violation.div(s.alpha.at[row])
	if s.atHigh[c] {
		step = step.neg()
	}
	if err := s.move(c, row, step); err != nil {
		t.Fatal(err)
	}
	s.watchPivot()
	return entries, true
}

// checkLeaving compares the row that leaves with the one found by looking at all.
func checkLeaving(t rapid.TB, s *simplex) {
	t.Helper()
	best, at := Rational{}, -1
	for row, c := range s.basis {
		v := s.violation(row).abs()
		if v.isZero() {
			continue
		}
		order := v.cmp(best)
		if at < 0 || order > 0 || order == 0 && c < s.basis[at] {
			best, at = v, row
		}
	}
	if got := s.leaving(false); got != at {
		t.Fatalf("row %d leaves, not %d", got, at)
	}
}

// TestDualKeepsItsState checks the state after every pivot of the dual method, where all
// edges have limits, so that it can start from the slacks.
func TestDualKeepsItsState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := anyModel(t, 10, 20, 9, true)
		again := rapid.Bool().Draw(t, "factor anew")
		s := started(t, m)
		if err := s.start(s.program.start()); err != nil {
			t.Fatal(err)
		}
		s.price()
		if !s.dualFeasible() {
			t.Fatal("a column gains at the start")
		}
		s.watch()
		for range 100 {
			checkState(t, s)
			checkLeaving(t, s)
			if _, ok := dualPivot(t, s); !ok {
				return
			}
			if again {
				if err := s.refactor(); err != nil {
					t.Fatal(err)
				}
				s.watchPivot()
			}
		}
	})
}

// TestWorkOfDualPivots counts what is computed for the pivots of the dual method from the
// slacks, which keep bases small until the end.
func TestWorkOfDualPivots(t *testing.T) {
	for _, blocks := range []int{1000, 5000} {
		m := divergentModel(rand.New(rand.NewPCG(1, 2)), blocks, 2*blocks, 50)
		s := started(t, m)
		if err := s.start(s.program.start()); err != nil {
			t.Fatal(err)
		}
		s.price()
		s.watch()
		pivots, entries := 0, 0
		for n, ok := dualPivot(t, s); ok; n, ok = dualPivot(t, s) {
			entries += n
			pivots++
		}
		if !s.feasible() || !s.dualFeasible() {
			t.Errorf("%d blocks: the end is no optimum", blocks)
		}
		if each := entries / pivots; pivots > len(m.Edges) || each > 150 {
			t.Errorf("%d blocks: %d pivots for %d edges, %d entries for each", blocks, pivots, len(m.Edges), each)
		}
	}
}

// TestStart takes the slacks only where all edges that cost something have a limit.
func TestStart(t *testing.T) {
	for edges, slacks := range map[string]bool{
		"0>1:1<=1 1>1:0 1>2:1<=1":    true,
		"0>1:1<=1 1>1:1 1>2:1<=1":    false,
		"0>1:1<=1 1>1:0<=3 1>2:1":    false,
		"0>1:0 1>1:7<=2 1>2:0":       true,
		"0>1:0<=1 1>1:7<=2 1>2:0":    true,
		"0>1:0<=1 1>1:0<=2 1>2:3":    false,
		"0>1:9<=1 1>1:9<=2 1>2:9<=1": true,
	} {
		p := started(t, parseModel(t, edges)).program
		if at := p.start(); (at.basis[0] == p.slackOf(0)) != slacks {
			t.Errorf("%s: starts from %v", edges, at)
		}
	}
}

// TestWorkOfPivots counts what is computed for the pivots of models of 1000 and of 5000
// blocks: most of a basis has nothing to do with a pivot, however large the model is.
func TestWorkOfPivots(t *testing.T) {
	for _, sh := range shapes {
		if strings.HasPrefix(sh.name, "facts") {
			continue // whose first basis is not feasible
		}
		t.Run(sh.name, func(t *testing.T) {
			for _, blocks := range []int{1000, 5000} {
				m := sh.generate(rand.New(rand.NewPCG(1, 2)), blocks)
				s := started(t, m)
				pivots, entries := 0, 0
				for c := s.entering(false); c >= 0; c = s.entering(false) {
					s.column(c)
					step, row := s.ratioTest(c)
					entries += nonzero(s.alpha)
					if row >= 0 {
						s.inverseRow(row)
						s.reprice(c, row)
						entries += nonzero(s.ray) + len(s.across)
						s.clear(s.ray)
					}
					if err := s.move(c, row, step); err != nil {
						t.Fatal(err)
					}
					pivots++
				}
				if pivots > len(m.Edges) {
					t.Errorf("%d blocks: %d pivots for %d edges", blocks, pivots, len(m.Edges))
				}
				original, factored := 0, len(s.lower.entries)+len(s.upper.entries)
				for _, c := range s.basis {
					original += len(s.program.columns[c].entries)
				}
				if factored > 3*original {
					t.Errorf("%d blocks: a basis of %d entries is factored into %d", blocks, original, factored)
				}
				if each := entries / pivots; each > blocks/2 {
					t.Errorf("%d blocks: %d entries for each pivot", blocks, each)
				}
			}
		})
	}
}

// TestDeepNests has counts beyond what cbc's numbers hold.
func TestDeepNests(t *testing.T) {
	solversAgree(t, nestModel(rand.New(rand.NewPCG(1, 2)), 1000, 30, false))
}

// nonzero counts the rows that are not zero.
func nonzero(v *vector) int {
	n := 0
	for _, x := range v.at {
		if !x.isZero() {
			n++
		}
	}
	return n
}

// TestShapesAgreeWithCBC compares models of some hundred blocks of every kind.
func TestShapesAgreeWithCBC(t *testing.T) {
	c := cbc(t)
	for _, sh := range shapes {
		for seed := range uint64(3) {
			m := sh.generate(rand.New(rand.NewPCG(seed, 5)), 300)
			t.Run(fmt.Sprint(sh.name, " ", seed), func(t *testing.T) { compareWithCBC(t, c, m) })
		}
	}
}

// TestSteps compares sets of steps with sorted lists of their members.
func TestSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const size = 200
		members := rapid.SliceOfDistinct(rapid.IntRange(0, size-1), rapid.ID).Draw(t, "members")
		slices.Sort(members)
		s := make(steps, (size+63)/64)
		for _, i := range members {
			s.add(i)
		}
		for i := range size {
			next, previous := -1, -1
			at, found := slices.BinarySearch(members, i)
			if at < len(members) {
				next = members[at]
			}
			if found {
				previous = i
			} else if at > 0 {
				previous = members[at-1]
			}
			if s.next(i) != next || s.previous(i) != previous {
				t.Fatalf("from %d in %v: %d and %d, want %d and %d", i, members, s.next(i), s.previous(i), next, previous)
			}
		}
		if s.next(256) != -1 || s.previous(-1) != -1 {
			t.Fatal("members outside of the set")
		}
	})
}

// TestTournament compares a tournament with looking at all.
func TestTournament(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-3, 9), 1, 20).Draw(t, "values")
		positive := func(c int) bool { return values[c] > 0 }
		better := func(c, than int) bool { return values[c] > values[than] }
		var n tournament
		n.reset(len(values), positive, better)
		for range 20 {
			best, first := -1, slices.IndexFunc(values, func(v int) bool { return v > 0 })
			for c, v := range values {
				if v > 0 && (best < 0 || v > values[best]) {
					best = c
				}
			}
			if n.best() != best || n.first() != first {
				t.Fatalf("of %v %d is best and %d first, want %d and %d", values, n.best(), n.first(), best, first)
			}
			c := rapid.IntRange(0, len(values)-1).Draw(t, "column")
			values[c] = rapid.IntRange(-3, 9).Draw(t, "value")
			n.change(c, positive(c), better)
		}
	})
}
