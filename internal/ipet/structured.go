package ipet

import (
	"fmt"
	"slices"

	"warpbound/internal/graph"
)

// SolveStructured solves a model whose live edges (those on walks from source
// to sink) form a reducible graph and are constrained by nothing but loops that
// are the graph's own: Iter holds the back edges of a header and Entries the
// other edges into it. Several such loops may share a header. For any other
// model the error wraps ErrNotStructured. The time is linear but for path
// compression, plus the depth of the loops for every edge that leaves them.
//
// The result is the optimum of the integer problem, also where a loop has
// several back edges or exits, or bound 0. Let every loop L, innermost first,
// have
//
//	y[L] = cost of the costliest path once around L,
//
// from the header to the header again, where entering a loop K inside L costs
// bound[K]*y[K] beyond the edge itself; let p[v] be the cost of the costliest
// path from source to v with the same surcharges and without back edges.
//
// No flow costs more than p[sink]: the y and p are multipliers of a Certificate
// with no positive r. Along a forward edge p grows at least by cost and
// surcharge. For a back edge u -> h of L, every path to u visits h, the graph
// being reducible, so p[u]-p[h] is the cost of the costliest path from h to u,
// which with the back edge is at most y[L].
//
// Some flow costs p[sink]: take the costliest path, and for each unit that
// enters a loop L send bound[L] units once around L on its costliest way. Costs
// are not negative, so all iterations are always worth taking, whichever exit
// is left by.
func SolveStructured(m *Model) (*Solution, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	net, err := newNetwork(m)
	if err != nil {
		return nil, err
	}
	s := &structure{m: m, net: net, in: net.incoming(m)}
	if err := s.findLoops(); err != nil {
		return nil, err
	}
	s.longestPaths()
	if s.sum.overflow {
		return nil, ErrOverflow
	}
	if s.unbounded >= 0 {
		return nil, s.unboundedError()
	}
	return s.solution()
}

// structure is the working state of SolveStructured. Loop numbers are those of
// forest.Loops; -1 stands for the whole graph, whose header is the source.
type structure struct {
	m      *Model
	net    *network
	in     [][]int // live edges by destination
	forest *graph.LoopForest
	rank   []int // place in reverse post-order, -1 where not live

	loopAt     []int     // the loop that a node heads, or -1
	constraint []int     // for every loop, the index of its least bound in m.Loops, or -1
	around     []int64   // y: cycles once around each loop
	latch      []int     // the last edge of that way
	surcharge  []int64   // bound*y for each loop
	direct     [][]int32 // nodes of a loop that are in no loop inside it, the
	// headers of those included and its own not, by rank; the last for loop -1

	pred []int // last edge of the costliest path to each node
	// Each node's cost is kept relative to a node on every path to it: the
	// header of the largest loop around it that has been closed, with path
	// compression. A node that is its own anchor belongs to no closed loop.
	anchor []int32
	dist   []int64
	path   []int32 // working memory of distance

	sum       checked
	unbounded int // a loop without bound that costs time, or -1
}

// checked adds and multiplies, and remembers whether a result did not fit.
type checked struct{ overflow bool }

func (c *checked) add(a, b int64) int64 {
	s, ok := addInt(a, b)
	c.overflow = c.overflow || !ok
	return s
}

func (c *checked) mul(a, b int64) int64 {
	p, ok := mulInt(a, b)
	c.overflow = c.overflow || !ok
	return p
}

// findLoops checks that the model is structured and relates its loops to those
// of the graph.
func (s *structure) findLoops() error {
	m := s.m
	if len(m.Facts) > 0 {
		return fmt.Errorf("%w: it has linear facts", ErrNotStructured)
	}
	for i, e := range m.Edges {
		if s.net.live[i] && e.Limit != nil {
			return fmt.Errorf("%w: edge %s has a limit", ErrNotStructured, m.EdgeName(i))
		}
	}
	s.forest = graph.Loops(s.net.graph, m.Source)
	if w := s.forest.Irreducible(); w != nil {
		return fmt.Errorf("%w: the loop at %s is also entered by %s -> %s", ErrNotStructured,
			m.Nodes[w.Loop.Header], m.Nodes[w.Edge.From], m.Nodes[w.Edge.To])
	}
	order := graph.ReversePostOrder(s.net.graph, m.Source)
	s.rank = filled(len(m.Nodes), -1)
	for i, v := range order {
		s.rank[v] = i
	}
	loops := len(s.forest.Loops)
	s.loopAt = filled(len(m.Nodes), -1)
	for i, l := range s.forest.Loops {
		s.loopAt[l.Header] = i
	}
	s.direct = make([][]int32, loops+1)
	for _, v := range order[1:] {
		l := s.parentLoop(v)
		if l < 0 {
			l = loops
		}
		s.direct[l] = append(s.direct[l], int32(v))
	}
	s.constraint = filled(loops, -1)
	for i := range m.Loops {
		if err := s.matchLoop(i); err != nil {
			return err
		}
	}
	return nil
}

// matchLoop relates loop i of the model to one of the graph.
func (s *structure) matchLoop(i int) error {
	l := &s.m.Loops[i]
	dead := func(e int) bool { return !s.net.live[e] }
	iter := slices.DeleteFunc(slices.Clone(l.Iter), dead)
	entries := slices.DeleteFunc(slices.Clone(l.Entries), dead)
	if len(iter) == 0 {
		return nil // it bounds nothing that can happen
	}
	header := s.m.Edges[iter[0]].To
	k := s.loopAt[header]
	isIter := func(e int) bool { return s.m.Edges[e].To == header && s.isBack(e) }
	isEntry := func(e int) bool { return s.m.Edges[e].To == header && !s.isBack(e) }
	if k < 0 || !all(iter, isIter) || !all(entries, isEntry) ||
		len(iter)+len(entries) != len(s.in[header]) {
		return fmt.Errorf("%w: loop %d (%s) does not consist of the back edges and the entries of one header",
			ErrNotStructured, i, l.Name)
	}
	if c := s.constraint[k]; c < 0 || l.Bound < s.m.Loops[c].Bound {
		s.constraint[k] = i
	}
	return nil
}

// isBack reports whether a live edge leads back to the header of its loop.
func (s *structure) isBack(edge int) bool {
	e := s.m.Edges[edge]
	return s.rank[e.From] >= s.rank[e.To]
}

// parentLoop returns the smallest loop that v is in without heading it.
func (s *structure) parentLoop(v int) int {
	if l := s.loopAt[v]; l >= 0 {
		return s.forest.Loops[l].Parent
	}
	return s.forest.Innermost(v)
}

// longestPaths computes around, surcharge and pred, and leaves every node's p
// where distance finds it.
func (s *structure) longestPaths() {
	nodes, loops := len(s.m.Nodes), len(s.forest.Loops)
	s.pred = filled(nodes, -1)
	s.anchor = make([]int32, nodes)
	for v := range s.anchor {
		s.anchor[v] = int32(v)
	}
	s.dist = make([]int64, nodes)
	s.around = make([]int64, loops)
	s.latch = filled(loops, -1)
	s.surcharge = make([]int64, loops)
	s.unbounded = -1
	for l := loops - 1; l >= 0; l-- { // inner loops stand after outer ones
		header := s.forest.Loops[l].Header
		s.fillDistances(l, header)
		for _, e := range s.in[header] {
			if !s.isBack(e) {
				continue
			}
			if d := s.sum.add(s.distance(s.m.Edges[e].From), s.m.Edges[e].Cost); s.latch[l] < 0 || d > s.around[l] {
				s.around[l], s.latch[l] = d, e
			}
		}
		if c := s.constraint[l]; c >= 0 {
			s.surcharge[l] = s.sum.mul(s.m.Loops[c].Bound, s.around[l])
		} else if s.around[l] > 0 {
			s.unbounded = l
			return
		}
	}
	s.fillDistances(loops, s.m.Source)
}

// fillDistances gives the direct nodes of a loop their distance from its header.
func (s *structure) fillDistances(loop, header int) {
	for _, v := range s.direct[loop] {
		var extra int64
		if l := s.loopAt[v]; l >= 0 {
			extra = s.surcharge[l]
		}
		best := int64(-1)
		for _, e := range s.in[v] {
			if s.isBack(e) {
				continue
			}
			if d := s.sum.add(s.distance(s.m.Edges[e].From), s.m.Edges[e].Cost); d > best {
				best, s.pred[v] = d, e
			}
		}
		s.dist[v] = s.sum.add(best, extra)
		s.anchor[v] = int32(header)
	}
}

// distance returns the cost of the costliest path to v from the node that its
// anchors lead to.
func (s *structure) distance(v int) int64 {
	s.path = s.path[:0]
	at := int32(v)
	for s.anchor[at] != s.anchor[s.anchor[at]] {
		s.path = append(s.path, at)
		at = s.anchor[at]
	}
	root, d := s.anchor[at], s.dist[at]
	for _, w := range slices.Backward(s.path) {
		d = s.sum.add(d, s.dist[w])
		s.dist[w], s.anchor[w] = d, root
	}
	return d
}

// unboundedError names the costliest way once around the loop without bound.
func (s *structure) unboundedError() error {
	header := s.forest.Loops[s.unbounded].Header
	cycle := []int{s.latch[s.unbounded]}
	for v := s.m.Edges[cycle[0]].From; v != header; v = s.m.Edges[s.pred[v]].From {
		cycle = append(cycle, s.pred[v])
	}
	slices.Reverse(cycle)
	return newUnboundedError(s.m, cycle)
}

// solution reads counts and certificate off the longest paths.
func (s *structure) solution() (*Solution, error) {
	m := s.m
	y := &Multipliers{
		Nodes: make([]Rational, len(m.Nodes)),
		Loops: make([]Rational, len(m.Loops)),
	}
	for v := range m.Nodes {
		if s.net.nodes[v] {
			y.Nodes[v] = integer(s.distance(v))
		}
	}
	for l, c := range s.constraint {
		if c >= 0 {
			y.Loops[c] = integer(s.around[l])
		}
	}
	counts, cycles := s.counts(), s.distance(m.Sink)
	if s.sum.overflow {
		return nil, ErrOverflow
	}
	return &Solution{
		Cycles: cycles,
		Counts: counts,
		Exact:  true,
		Walk:   true,
		Method: MethodStructured,
		Certificate: &Certificate{
			Model: m, Cycles: cycles, Counts: counts,
			Steps: []Step{{Multipliers: y}},
		},
	}, nil
}

// counts sends one unit back from the sink along pred, and bound units around
// each loop for every unit that enters it.
func (s *structure) counts() []int64 {
	counts := make([]int64, len(s.m.Edges))
	need := make([]int64, len(s.m.Nodes))           // units that must reach a node
	entered := make([]int64, len(s.forest.Loops)+1) // units that must enter a loop
	pull := func(edge int, units int64, within int) {
		counts[edge] = s.sum.add(counts[edge], units)
		u := s.m.Edges[edge].From
		need[u] = s.sum.add(need[u], units)
		for l := s.forest.Innermost(u); l != within; l = s.forest.Loops[l].Parent {
			entered[l] = s.sum.add(entered[l], units)
		}
	}
	pullDirect := func(loop, within int) {
		for _, v := range slices.Backward(s.direct[loop]) {
			units := need[v]
			if l := s.loopAt[v]; l >= 0 {
				units = entered[l]
			}
			if units > 0 {
				pull(s.pred[v], units, within)
			}
		}
	}
	need[s.m.Sink] = 1
	pullDirect(len(s.forest.Loops), -1)
	for l := range s.forest.Loops { // outer loops stand before inner ones
		if s.around[l] > 0 && entered[l] > 0 {
			bound := s.m.Loops[s.constraint[l]].Bound
			pull(s.latch[l], s.sum.mul(bound, entered[l]), l)
		}
		pullDirect(l, l)
	}
	return counts
}

func filled(n, value int) []int {
	s := make([]int, n)
	fill(s, value)
	return s
}

func fill(s []int, value int) {
	for i := range s {
		s[i] = value
	}
}

func all(numbers []int, ok func(i int) bool) bool {
	return !slices.ContainsFunc(numbers, func(i int) bool { return !ok(i) })
}
