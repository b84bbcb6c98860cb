package cfg_test

import (
	"slices"

	"pgregory.net/rapid"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
)

// structured builds the flow graph of a random structured program.
type structured struct {
	t     *rapid.T
	edges []graph.Edge
	n     int // blocks so far
}

const exitMark = -1 // destination of edges to the exit while n is not known

// target is where break and continue of a loop lead.
type target struct{ brk, cont int }

func (s *structured) block() int {
	s.n++
	return s.n - 1
}

func (s *structured) edge(u, v int) { s.edges = append(s.edges, graph.Edge{From: u, To: v}) }

// statement adds one statement that starts at block at, and returns the block
// where control goes on, or -1 if it does not.
func (s *structured) statement(at, depth int, loops []target) int {
	kind := rapid.IntRange(0, 9).Draw(s.t, "statement")
	if depth == 0 {
		kind += 5
	}
	switch kind {
	case 0, 1: // if, if else
		then, join := s.block(), s.block()
		s.edge(at, then)
		s.join(s.sequence(then, depth-1, loops), join)
		other := join
		if kind == 1 {
			other = s.block()
			s.join(s.sequence(other, depth-1, loops), join)
		}
		s.edge(at, other)
		return join
	case 2: // while
		head, body, after := s.block(), s.block(), s.block()
		s.edge(at, head)
		s.edge(head, body)
		s.edge(head, after)
		s.join(s.sequence(body, depth-1, append(slices.Clone(loops), target{after, head})), head)
		return after
	case 3: // do while
		body, latch, after := s.block(), s.block(), s.block()
		s.edge(at, body)
		s.join(s.sequence(body, depth-1, append(slices.Clone(loops), target{after, latch})), latch)
		s.edge(latch, body)
		s.edge(latch, after)
		return after
	case 4: // switch with fall-through
		join := s.block()
		prev := -1
		for range rapid.IntRange(2, 4).Draw(s.t, "cases") {
			c := s.block()
			s.edge(at, c)
			s.join(prev, c)
			prev = s.sequence(c, depth-1, loops)
			if rapid.Bool().Draw(s.t, "break out") {
				s.join(prev, join)
				prev = -1
			}
		}
		s.join(prev, join)
		s.edge(at, join)
		return join
	case 5, 6: // conditional break or continue, of any loop around
		if len(loops) == 0 {
			return at
		}
		to := loops[rapid.IntRange(0, len(loops)-1).Draw(s.t, "loop")]
		next := s.block()
		s.edge(at, next)
		if kind == 5 {
			s.edge(at, to.brk)
		} else {
			s.edge(at, to.cont)
		}
		return next
	case 7: // guarded return
		next := s.block()
		s.edge(at, next)
		s.edge(at, exitMark)
		return next
	case 8: // leave for good
		if len(loops) == 0 {
			return at
		}
		to := loops[len(loops)-1]
		s.edge(at, rapid.SampledFrom([]int{to.brk, to.cont, exitMark}).Draw(s.t, "leave"))
		return -1
	}
	next := s.block()
	s.edge(at, next)
	return next
}

func (s *structured) sequence(at, depth int, loops []target) int {
	for range rapid.IntRange(0, 3).Draw(s.t, "statements") {
		if at < 0 {
			return at
		}
		at = s.statement(at, depth, loops)
	}
	return at
}

func (s *structured) join(from, to int) {
	if from >= 0 {
		s.edge(from, to)
	}
}

// drawStructured draws a program with if, while, do, switch, break, continue
// and return, nested.
func drawStructured(depth int) *rapid.Generator[*cfg.Flow] {
	return rapid.Custom(func(t *rapid.T) *cfg.Flow {
		s := &structured{t: t}
		s.join(s.sequence(s.block(), depth, nil), exitMark)
		for i := range s.edges {
			if s.edges[i].To == exitMark {
				s.edges[i].To = s.n
			}
		}
		return mustFlow(s.n, s.edges, drawBarriers(t, s.n))
	})
}

// drawReducible draws a graph of forward edges and of edges back to dominators,
// self edges and multiway branches among them, structured or not.
func drawReducible(maxBlocks int) *rapid.Generator[*cfg.Flow] {
	return rapid.Custom(func(t *rapid.T) *cfg.Flow {
		n := rapid.IntRange(1, maxBlocks).Draw(t, "blocks")
		var edges []graph.Edge
		forward := graph.New(n)
		for b := range n {
			for range rapid.IntRange(1, 3).Draw(t, "out") {
				e := graph.Edge{From: b, To: rapid.IntRange(b+1, min(n, b+4)).Draw(t, "to")}
				edges = append(edges, e)
				if e.To < n {
					forward.AddEdge(e.From, e.To)
				}
			}
		}
		dom := graph.Dominators(forward, 0)
		for range rapid.IntRange(0, 4).Draw(t, "back edges") {
			u := rapid.IntRange(0, n-1).Draw(t, "latch")
			v := rapid.IntRange(0, u).Draw(t, "header")
			if dom.Dominates(v, u) {
				edges = append(edges, graph.Edge{From: u, To: v})
			}
		}
		return mustFlow(n, edges, drawBarriers(t, n))
	})
}

// drawAny draws any graph, irreducible ones and endless loops included.
func drawAny(maxBlocks int) *rapid.Generator[*cfg.Flow] {
	return rapid.Custom(func(t *rapid.T) *cfg.Flow {
		n := rapid.IntRange(1, maxBlocks).Draw(t, "blocks")
		var edges []graph.Edge
		for b := range n {
			for range rapid.IntRange(1, 3).Draw(t, "out") {
				edges = append(edges, graph.Edge{From: b, To: rapid.IntRange(0, n).Draw(t, "to")})
			}
		}
		return mustFlow(n, edges, drawBarriers(t, n))
	})
}

func mustFlow(n int, edges []graph.Edge, awaits []bool) *cfg.Flow {
	f, err := cfg.NewFlow(n, edges, awaits)
	if err != nil {
		panic(err)
	}
	return f
}

// drawBarriers makes some blocks await.
func drawBarriers(t *rapid.T, n int) []bool {
	awaits := make([]bool, n)
	for b := range awaits {
		awaits[b] = rapid.IntRange(0, 3).Draw(t, "awaits") == 0
	}
	return awaits
}

// forEachBarriers calls f with a flow graph with barriers in every set of its blocks.
func forEachBarriers(f *cfg.Flow, visit func(*cfg.Flow)) {
	awaits := make([]bool, f.Len())
	for set := range 1 << f.Len() {
		for b := range awaits {
			awaits[b] = set>>b&1 == 1
		}
		visit(mustFlow(f.Len(), f.Graph().Edges(), awaits))
	}
}

// forEachFlow calls f with every flow graph of n blocks, all reachable, of which
// each has at most out successors. Of graphs that differ by the numbering of
// their blocks alone, it takes those whose blocks are numbered in the order of a
// breadth-first search.
func forEachFlow(n, out int, f func(*cfg.Flow)) {
	var sets [][]int // of successors
	for set := 1; set < 1<<(n+1); set++ {
		var to []int
		for v := range n + 1 {
			if set>>v&1 == 1 {
				to = append(to, v)
			}
		}
		if len(to) <= out {
			sets = append(sets, to)
		}
	}
	var edges []graph.Edge
	// extend chooses the successors of block b, with blocks below seen found.
	var extend func(b, seen int)
	extend = func(b, seen int) {
		if b == n {
			if seen == n {
				f(mustFlow(n, edges, nil))
			}
			return
		}
		if b >= seen {
			return
		}
		for _, to := range sets {
			next := seen
			inOrder := true
			for _, v := range to {
				if v < n && v >= next {
					inOrder = inOrder && v == next
					next++
				}
				edges = append(edges, graph.Edge{From: b, To: v})
			}
			if inOrder {
				extend(b+1, next)
			}
			edges = edges[:len(edges)-len(to)]
		}
	}
	extend(0, 1)
}
