package cfg_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
)

// slowReconverge finds the reconvergence points from the words of Reconverge, by removal
// of nodes.
func slowReconverge(f *cfg.Flow) []int {
	points, awaited := make([]int, f.Len()), awaited(f)
	for b := range points {
		points[b] = slowPoint(f, b, awaited)
	}
	return points
}

func slowPoint(f *cfg.Flow, b int, awaited []bool) int {
	open := func(s int) bool { return awaited[s] }
	nearest, here := slowIPdom(f.Graph(), f.Exit(), b), f.Graph().Reachable(b)
	switch {
	case !slices.ContainsFunc(f.Succ(b), open):
		return slowBeforeExit(f, b)
	case nearest == f.Exit():
		return slowBeforeBarrier(f, b)
	}
	for x := range f.Len() {
		ways := slices.DeleteFunc(slices.Clone(f.Succ(x)), func(s int) bool { return !awaited[s] })
		if len(ways) < 2 || awaited[slowIPdom(f.Graph(), f.Exit(), x)] {
			continue
		}
		for y, reached := range f.Graph().Reachable(x) {
			if reached && here[y] && awaited[y] {
				return slowBeforeBarrier(f, b)
			}
		}
	}
	return nearest
}

// awaited tells from which blocks a barrier can be reached.
func awaited(f *cfg.Flow) []bool {
	awaited := make([]bool, f.Len()+1)
	for b := range awaited {
		for c, reached := range f.Graph().Reachable(b) {
			awaited[b] = awaited[b] || reached && c != f.Exit() && f.Awaits(c)
		}
	}
	return awaited
}

// slowBeforeBarrier finds the first block without which no last barrier can be reached
// from the successors of b.
func slowBeforeBarrier(f *cfg.Flow, b int) int {
	var last []int
	for x := range f.Len() {
		back := true
		for y, reached := range f.Graph().Reachable(x) {
			back = back && !(reached && y != f.Exit() && f.Awaits(y) && !f.Graph().Reachable(y)[x])
		}
		if back && f.Awaits(x) {
			last = append(last, x)
		}
	}
	without := func(r int) []bool { // what can be reached
		g := graph.New(f.Exit() + 1)
		for _, e := range f.Graph().Edges() {
			if e.From != r && e.To != r {
				g.AddEdge(e.From, e.To)
			}
		}
		return g.Reachable(slices.DeleteFunc(slices.Clone(f.Succ(b)), func(s int) bool { return s == r })...)
	}
	var all []int // blocks on all paths
	for r := range f.Len() {
		reached := without(r)
		if !slices.ContainsFunc(last, func(x int) bool { return reached[x] }) {
			all = append(all, r)
		}
	}
	for _, r := range all {
		if !slices.ContainsFunc(all, func(other int) bool { return other != r && !without(other)[r] }) {
			return r
		}
	}
	return f.Exit()
}

// slowBeforeExit finds where lanes reconverge that leave b and go to the last end that b reaches.
func slowBeforeExit(f *cfg.Flow, b int) int {
	exit := f.Exit()
	last := -1
	for e, reached := range f.Graph().Reachable(b) {
		if reached && e != exit && slices.Contains(f.Succ(e), exit) && (last < 0 || slices.Compare(weight(f, e), weight(f, last)) > 0) {
			last = e
		}
	}
	if last < 0 {
		return slowIPdom(f.Graph(), exit, b)
	}
	to := graph.New(exit + 1)
	for _, e := range f.Graph().Edges() {
		if e.To != exit && f.Graph().Reachable(e.To)[last] {
			to.AddEdge(e.From, e.To)
		}
	}
	to.AddEdge(last, exit)
	return slowIPdom(to, exit, b)
}

// weight is what makes an end the last: barriers and joins on forward paths from the
// entry, the largest number of each, and its place.
func weight(f *cfg.Flow, end int) []int {
	back := f.Loops().BackEdges()
	known := map[int][]int{}
	var maximum func(b int) []int
	maximum = func(b int) []int {
		if known[b] != nil {
			return known[b]
		}
		best, into := []int{0, 0}, 0
		for _, p := range f.Pred(b) {
			if !f.Reachable(p) || slices.Contains(back, graph.Edge{From: p, To: b}) {
				continue
			}
			into++
			w := maximum(p)
			best[0], best[1] = max(best[0], w[0]), max(best[1], w[1])
		}
		if f.Awaits(b) {
			best[0]++
		}
		if into > 1 {
			best[1]++
		}
		known[b] = best
		return best
	}
	return append(slices.Clone(maximum(end)), end)
}

// slowIPdom finds the immediate post-dominator of b.
func slowIPdom(g *graph.Graph, exit, b int) int {
	full := g.Edges()
	for _, v := range graph.Endless(g, exit) {
		full = append(full, graph.Edge{From: v, To: exit})
	}
	pdom := func(a, b int) bool { // strictly
		if a == b || a == exit {
			return a != b
		}
		g := graph.New(exit + 1)
		for _, e := range full {
			if e.From != a && e.To != a {
				g.AddEdge(e.From, e.To)
			}
		}
		return !g.Reachable(b)[exit]
	}
	for a := range exit + 1 {
		nearest := pdom(a, b)
		for c := range exit {
			nearest = nearest && !(pdom(c, b) && pdom(a, c))
		}
		if nearest {
			return a
		}
	}
	return exit
}

func TestReconvergeProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawAny(9).Draw(t, "flow")
		for b, want := range slowReconverge(f) {
			if got := f.Reconverge(b); f.Reachable(b) && got != want {
				t.Errorf("%s: Reconverge(%d) = %d, want %d", describe(f), b, got, want)
			}
		}
	})
}

// TestReconvergeNests checks what the proof of DivergentEdges needs.
func TestReconvergeNests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawAny(9).Draw(t, "flow")
		exit := f.Exit()
		for b := range f.Len() {
			r := f.Reconverge(b)
			if r == exit {
				continue
			}
			g := graph.New(exit + 1) // without what leaves r
			for _, e := range f.Graph().Edges() {
				if e.From != r {
					g.AddEdge(e.From, e.To)
				}
			}
			for x, between := range g.Reachable(f.Succ(b)...) {
				if !between || x == exit || x == r || !g.Reachable(x)[r] {
					continue
				}
				at := x
				for at != r && at != exit {
					at = f.Reconverge(at)
				}
				if at != r {
					t.Fatalf("%s: lanes of %d that are at %d do not wait for others at %d", describe(f), b, x, r)
				}
			}
		}
	})
}

// TestReconverge shows where lanes reconverge of which others end.
func TestReconverge(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		flow string
		want []int
	}{
		{"an early end", 3, "0: 1 2\n1: x\n2!: x", []int{2, 3, 3}},
		{"the same the other way round", 3, "0: 1 2\n1!: x\n2: x", []int{1, 3, 3}},
		{"an early end in a branch", 5, "0: 1 2\n1: 3 4\n2: 3\n3!: x\n4: x", []int{3, 3, 3, 5, 5}},
		{"the same with the end shared", 6, "0: 1 2\n1: 3 4\n2: 3\n3!: 5\n4: 5\n5: x", []int{3, 3, 3, 5, 5, 6}},
		{"and without a barrier", 6, "0: 1 2\n1: 3 4\n2: 3\n3: 5\n4: 5\n5: x", []int{5, 5, 3, 5, 5, 6}},
		{"a branch to the only end around a barrier", 3, "0: 1 2\n1!: 2\n2: x", []int{2, 2, 3}},
		{"the same, with work shared before", 4, "0: 1 2\n1!: 2\n2: 3\n3: x", []int{2, 2, 3, 4}},
		{"from two conditions", 5, "0: 1 2\n1: 3 4\n2: 3 4\n3!: 4\n4: x", []int{3, 3, 3, 4, 5}},
		{"a loop with a barrier before the end", 3, "0: 1\n1!: 1 2\n2: x", []int{1, 2, 3}},
		{"the same with its test first", 4, "0: 1\n1: 2 3\n2!: 1\n3: x", []int{1, 3, 1, 4}},
		{"the same with an end inside", 4, "0: 1 3\n1!: 2 3\n2: 0\n3: x", []int{3, 3, 0, 4}},
		{"work behind the last barrier", 3, "0!: 1 2\n1: 2\n2: x", []int{2, 2, 3}},
		{"an endless loop that lanes may enter", 4, "0: 1 3\n1!: 2\n2: x\n3: 3", []int{1, 2, 4, 4}},
		{"guarded ends", 3, "0: 1 x\n1!: 2 x\n2: x", []int{1, 2, 3}},
		{"a loop that lanes leave to end", 4, "0: 1 2\n1!: 0 3\n2: x\n3: x", []int{1, 0, 4, 4}},
		{"without a barrier they wait behind the loop", 4, "0: 1 2\n1: 0 3\n2: x\n3: x", []int{1, 3, 4, 4}},
		{"an end that some lanes may come to in a loop with a barrier", 6, "0: 1 5\n1!: 2 3\n2: 3 4\n3: 0\n4: x\n5: x", []int{1, 3, 3, 0, 6, 6}},
		{"the same with a barrier behind the loop", 6, "0: 1 5\n1!: 2 3\n2: 3 4\n3: 0\n4: x\n5!: x", []int{5, 3, 3, 0, 6, 6}},
		{"around a loop to the barrier before", 2, "0!: 0 1\n1: x", []int{1, 2}},
		{"the same with an end of its own", 3, "0!: 0 1 2\n1: x\n2: x", []int{0, 3, 3}},
		{"to one of two last barriers", 4, "0: 1 2 3\n1!: x\n2!: x\n3: x", []int{4, 4, 4, 4}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := makeFlow(c.n, c.flow)
			var got []int
			for b := range f.Len() {
				got = append(got, f.Reconverge(b))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s: lanes reconverge at %v, want %v", describe(f), got, c.want)
			}
		})
	}
}

// describe renders a flow graph and its barriers.
func describe(f *cfg.Flow) string {
	text := ""
	for b := range f.Len() {
		mark := ""
		if f.Awaits(b) {
			mark = "!"
		}
		text += fmt.Sprintf("%d%s: %d; ", b, mark, f.Succ(b))
	}
	return text
}
