package ipet

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
)

// loop returns a loop with the given edges.
func loop(name string, bound int64, iter, entries []int) Loop {
	return Loop{Name: name, Iter: iter, Entries: entries, Bound: bound, Evidence: "annotated"}
}

func TestStructured(t *testing.T) {
	for _, c := range []struct {
		name, edges string
		loops       []Loop
		cycles      int64
		counts      string
	}{
		{"line", "0>1:3 1>2:4", nil, 7, "[1 1]"},
		{"alternative", "0>1:3 0>2:5 1>3:4 2>3:1", nil, 7, "[1 0 1 0]"},
		{"parallel edges", "0>1:3 0>1:8 0>1:5", nil, 8, "[0 1 0]"},
		{"dead ends are not taken", "0>1:3 0>2:90 1>4:4 3>1:90", nil, 7, "[1 0 1 0]"},
		{
			// Betts and Donaldson, Fig. 1.
			"published example", "0>1:10 1>1:7 1>3:7 0>2:3 2>3:5",
			[]Loop{loop("i2", 2, []int{1}, []int{0})}, 31, "[1 2 1 0 0]",
		},
		{
			"nested", "0>1:1 1>2:1 2>2:5 2>1:2 1>3:1",
			[]Loop{loop("outer", 3, []int{3}, []int{0}), loop("inner", 4, []int{2}, []int{1})},
			71, "[1 3 12 3 1]", // 1 + 3*(1+4*5+2) + 1
		},
		{
			"several back edges", "0>1:0 1>1:3 1>2:1 2>1:1 1>3:0",
			[]Loop{loop("b1", 10, []int{1, 3}, []int{0})}, 30, "[1 10 0 0 1]",
		},
		{
			"exit from the middle", "0>1:0 1>2:1 2>3:1 3>1:1 2>4:100 1>4:0",
			[]Loop{loop("b1", 2, []int{3}, []int{0})}, 107, "[1 3 2 2 1 0]",
		},
		{
			"out of two loops at once", "0>1:1 1>2:1 2>2:1 2>1:1 2>3:50 1>3:0",
			[]Loop{loop("outer", 2, []int{3}, []int{0}), loop("inner", 5, []int{2}, []int{1})},
			// 1 + 2*(1+5+1) + 1+5+50
			71, "[1 3 15 2 1 0]",
		},
		{
			"bound zero", "0>1:1 1>1:5 1>2:1",
			[]Loop{loop("b1", 0, []int{1}, []int{0})}, 2, "[1 0 1]",
		},
		{
			"least of two bounds", "0>1:1 1>1:5 1>2:1",
			[]Loop{loop("b1", 7, []int{1}, []int{0}), loop("b1", 3, []int{1}, []int{0})}, 17, "[1 3 1]",
		},
		{"free loop without bound", "0>1:1 1>1:0 1>2:1", nil, 2, "[1 0 1]"},
		{
			"unbounded only behind bound zero", "0>1:1 1>2:1 2>2:5 2>1:1 1>3:1",
			[]Loop{loop("outer", 0, []int{3}, []int{0})}, 2, "[1 0 0 0 1]",
		},
		{
			"limit zero", "0>1:3 0>2:5<=0 1>3:4 2>3:9", nil, 7, "[1 0 1 0]",
		},
		{
			"largest cost", fmt.Sprintf("0>1:%d 1>2:1", math.MaxInt64-1), nil, math.MaxInt64, "[1 1]",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parseModel(t, c.edges)
			m.Loops = c.loops
			s, err := SolveStructured(m)
			if err != nil {
				t.Fatal(err)
			}
			checkSolution(t, m, s)
			if s.Cycles != c.cycles || fmt.Sprint(s.Counts) != c.counts || !s.Exact || !s.Walk {
				t.Errorf("got %d by %v, want %d by %s", s.Cycles, s.Counts, c.cycles, c.counts)
			}
		})
	}
}

func TestStructuredRefuses(t *testing.T) {
	const nested = "0>1:1 1>2:1 2>2:5 2>1:1 1>3:1"
	for _, c := range []struct {
		name, edges, want string
		loops             []Loop
		facts             []Fact
	}{
		{name: "limit", edges: "0>1:1 1>2:1<=3", want: "model is not structured: edge b1 -> b2 has a limit"},
		{name: "fact", edges: "0>1:1", facts: []Fact{{Rel: AtMost}}, want: "model is not structured: it has linear facts"},
		{
			name: "irreducible", edges: "0>1:1 0>2:1 1>2:1 2>1:1 2>3:1",
			want: "model is not structured: the loop at b1 is also entered by b0 -> b2",
		},
		{
			name: "not all back edges", edges: "0>1:1 1>1:1 1>1:2 1>2:1",
			loops: []Loop{loop("half", 1, []int{1}, []int{0})},
			want:  "model is not structured: loop 0 (half) does not consist of the back edges and the entries of one header",
		},
		{
			name: "not all entries", edges: "0>1:1 0>1:1 1>1:2 1>2:1",
			loops: []Loop{loop("half", 1, []int{2}, []int{0})},
			want:  "model is not structured: loop 0 (half) does not consist of the back edges and the entries of one header",
		},
		{
			name: "forward edges", edges: nested,
			loops: []Loop{loop("none", 1, []int{1}, []int{0})},
			want:  "model is not structured: loop 0 (none) does not consist of the back edges and the entries of one header",
		},
		{
			name: "entry of another loop", edges: nested,
			loops: []Loop{loop("mixed", 1, []int{3}, []int{1})},
			want:  "model is not structured: loop 0 (mixed) does not consist of the back edges and the entries of one header",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := parseModel(t, c.edges)
			m.Loops, m.Facts = c.loops, c.facts
			s, err := SolveStructured(m)
			if s != nil || !errors.Is(err, ErrNotStructured) || err.Error() != c.want {
				t.Errorf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestUnboundedNamesTheLoop(t *testing.T) {
	const nested = "0>1:1 1>2:1 2>2:5 2>1:1 1>3:1"
	outer, inner := loop("outer", 3, []int{3}, []int{0}), loop("inner", 3, []int{2}, []int{1})
	for _, c := range []struct {
		loops []Loop
		want  string
	}{
		{[]Loop{inner}, "nothing bounds the loop b1 -> b2 -> b1"},
		{[]Loop{outer}, "nothing bounds the loop b2 -> b2"},
		{nil, "nothing bounds the loop b2 -> b2"},
	} {
		m := parseModel(t, nested)
		m.Loops = c.loops
		for name, solve := range solvers {
			_, err := solve(m)
			checkUnbounded(t, m, err)
			if err == nil || err.Error() != c.want {
				t.Errorf("%s: got %v, want %s", name, err, c.want)
			}
		}
	}
}

func TestOverflowIsAnError(t *testing.T) {
	const half = math.MaxInt64/2 + 1
	for _, c := range []struct {
		edges string
		bound int64
	}{
		{fmt.Sprintf("0>1:%d 1>1:0 1>2:%d", half, half), 1},
		{"0>1:0 1>1:2 1>2:0", half},
		{fmt.Sprintf("0>1:%d 1>1:1 1>2:0", half), half},
		{fmt.Sprintf("0>1:0 1>1:%d 1>2:0", math.MaxInt64), math.MaxInt64},
	} {
		m := parseModel(t, c.edges)
		m.Loops = []Loop{loop("b1", c.bound, []int{1}, []int{0})}
		for name, solve := range solvers {
			if s, err := solve(m); s != nil || !errors.Is(err, ErrOverflow) {
				t.Errorf("%s on %s: got %v", name, c.edges, err)
			}
		}
	}
}

// TestCountsOverflow has an edge that costs nothing and is taken more often than a count can tell.
func TestCountsOverflow(t *testing.T) {
	m := parseModel(t, fmt.Sprintf("0>1:0 1>2:0<=%d 1>2:0<=%d 2>1:0 2>3:0", math.MaxInt64, math.MaxInt64))
	m.Facts = []Fact{
		{Name: "first", Terms: []Term{{1, 1}}, Rel: AtLeast, RHS: math.MaxInt64},
		{Name: "second", Terms: []Term{{2, 1}}, Rel: AtLeast, RHS: math.MaxInt64},
	}
	if s, err := SolveGeneral(context.Background(), m, Options{}); s != nil || !errors.Is(err, ErrOverflow) {
		t.Errorf("%v, %v", s, err)
	}
}

func TestNoWalkToTheSink(t *testing.T) {
	for _, edges := range []string{"0>1:1 2>3:1", "0>1:1 1>2:1<=0"} {
		for name, solve := range solvers {
			var infeasible *InfeasibleError
			if _, err := solve(parseModel(t, edges)); !errors.As(err, &infeasible) || len(infeasible.Conflict) > 0 {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
}
