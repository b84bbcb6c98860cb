package ipet

import (
	"cmp"
	"math"
	"slices"

	"warpbound/internal/graph"
)

// restrict sets the bounds of the edges to the program's, narrowed by b.
func (s *simplex) restrict(b *bounds) {
	for c, col := range s.program.columns[:len(s.low)] {
		s.low[c], s.high[c] = col.low, col.high
	}
	for ; b != nil; b = b.around {
		c := s.program.columnOf[b.edge]
		if !b.upper {
			s.low[c] = max(s.low[c], b.at+1)
		} else if s.high[c] == unlimited || b.at < s.high[c] {
			s.high[c] = b.at
		}
	}
}

// count returns the value of an edge's column.
func (s *simplex) count(edge int) Rational {
	c := s.program.columnOf[edge]
	switch {
	case c < 0:
		return Rational{}
	case s.rowOf[c] >= 0:
		return s.x[s.rowOf[c]]
	}
	return integer(s.bound(c))
}

// objective returns the cost of the current solution.
func (s *simplex) objective() Rational {
	var sum Rational
	for _, e := range s.program.edges {
		if x := s.count(e); !x.isZero() {
			sum = sum.add(integer(s.program.m.Edges[e].Cost).mul(x))
		}
	}
	return sum
}

// fractional returns the edge whose count is farthest from an integer, with the
// floor of it, or -1. Among equals it is the costliest.
func (s *simplex) fractional() (edge int, at int64, err error) {
	edge = -1
	var far Rational
	for _, e := range s.program.edges {
		x := s.count(e)
		if x.isInteger() {
			continue
		}
		low, ok := x.floor()
		if !ok || low == math.MaxInt64 {
			return -1, 0, ErrOverflow
		}
		d := x.sub(integer(low))
		if rest := integer(1).sub(d); rest.cmp(d) < 0 {
			d = rest
		}
		costlier := func() bool {
			return s.program.m.Edges[e].Cost > s.program.m.Edges[edge].Cost
		}
		if c := d.cmp(far); edge < 0 || c > 0 || c == 0 && costlier() {
			edge, at, far = e, low, d
		}
	}
	return edge, at, nil
}

// counts returns the current solution, which is integer.
func (s *simplex) counts() ([]int64, error) {
	counts := make([]int64, len(s.program.m.Edges))
	for _, e := range s.program.edges {
		x, ok := s.count(e).floor()
		if !ok {
			return nil, ErrOverflow
		}
		counts[e] = x
	}
	return counts, nil
}

// detached returns the node sets of the components of the current solution that
// are not reached from the source. As flow is conserved, each is strongly
// connected by edges with flow.
func (s *simplex) detached() [][]int {
	m := s.program.m
	support := subgraph(m, func(e int) bool { return !s.count(e).isZero() })
	reached := support.Reachable(m.Source)
	var sets [][]int
	for _, nodes := range graph.SCC(support) {
		if v := nodes[0]; !reached[v] && len(support.Succ(v)) > 0 {
			sets = append(sets, nodes)
		}
	}
	return sets
}

// tightest returns the edge with flow between the given nodes whose count is
// nearest to its limit, in proportion; -1 where none has a limit.
func (s *simplex) tightest(nodes []int) int {
	inside := make([]bool, len(s.program.m.Nodes))
	for _, v := range nodes {
		inside[v] = true
	}
	edge := -1
	var best Rational
	for i, e := range s.program.m.Edges {
		if !inside[e.From] || !inside[e.To] || e.Limit == nil || e.Limit.Max == 0 {
			continue
		}
		if part := s.count(i).div(integer(e.Limit.Max)); part.cmp(best) > 0 {
			edge, best = i, part
		}
	}
	return edge
}

// unboundedError names a cycle among the edges that grow with a column. Edges
// that iterate a bounded loop are avoided where that is possible: they grow
// because something around them does.
func (s *simplex) unboundedError(column int) error {
	m := s.program.m
	grows := make([]bool, len(m.Edges))
	for k, e := range s.program.edges {
		row := s.rowOf[k]
		grows[e] = k == column || row >= 0 && s.alpha.at[row].sign() < 0
	}
	inner := slices.Clone(grows)
	for _, l := range m.Loops {
		for _, e := range l.Iter {
			inner[e] = false
		}
	}
	if cycle := costliestCycle(m, inner); cycle != nil {
		return newUnboundedError(m, cycle)
	}
	return newUnboundedError(m, costliestCycle(m, grows))
}

// costliestCycle returns a shortest cycle through the costliest of the edges
// that are on cycles of edges in use, or nil.
func costliestCycle(m *Model, in []bool) []int {
	var edges []int
	for e, ok := range in {
		if ok {
			edges = append(edges, e)
		}
	}
	byCost := slices.Clone(edges)
	slices.SortStableFunc(byCost, func(a, b int) int { return cmp.Compare(m.Edges[b].Cost, m.Edges[a].Cost) })
	outgoing := make([][]int, len(m.Nodes))
	for _, e := range edges {
		outgoing[m.Edges[e].From] = append(outgoing[m.Edges[e].From], e)
	}
	for _, first := range byCost {
		if path, ok := shortestPath(m, outgoing, m.Edges[first].To, m.Edges[first].From); ok {
			return append([]int{first}, path...)
		}
	}
	return nil
}

// shortestPath returns the edges of a path with fewest edges.
func shortestPath(m *Model, outgoing [][]int, from, to int) ([]int, bool) {
	last := filled(len(m.Nodes), -1)
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		if queue[0] == to {
			var path []int
			for v := to; v != from; v = m.Edges[last[v]].From {
				path = append(path, last[v])
			}
			slices.Reverse(path)
			return path, true
		}
		for _, e := range outgoing[queue[0]] {
			if w := m.Edges[e].To; w != from && last[w] < 0 {
				last[w] = e
				queue = append(queue, w)
			}
		}
	}
	return nil, false
}
