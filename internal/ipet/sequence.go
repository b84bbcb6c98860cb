package ipet

import "warpbound/internal/graph"

// sequence is the order of the live nodes of a model, and where in it all flow goes on
// from one node.
type sequence struct {
	order []int  // the live nodes in reverse post-order
	rank  []int  // by node: its place in it
	last  []bool // by node: all flow goes on from it to the nodes behind it
}

// newSequence finds, of the nodes before the sink, those from which alone edges lead to
// nodes behind them, and none leads back.
func newSequence(m *Model, net *network) *sequence {
	s := &sequence{
		order: graph.ReversePostOrder(net.graph, m.Source),
		rank:  make([]int, len(m.Nodes)),
		last:  make([]bool, len(m.Nodes)),
	}
	for i, v := range s.order {
		s.rank[v] = i
	}
	changes := make([]int, len(s.order)+1) // in the number of other edges, by rank
	for i, e := range m.Edges {
		if !net.live[i] {
			continue
		}
		from, to := s.rank[e.From]+1, s.rank[e.To]
		if from > to {
			from, to = to, from-1
		}
		changes[from]++
		changes[to]--
	}
	others := 0
	for i, v := range s.order[:s.rank[m.Sink]] {
		others += changes[i]
		s.last[v] = others == 0
	}
	return s
}

// stretches numbers the stretches of the order that end with a node that all flow goes
// on from, and returns those of the edges, -1 for edges that are not live, and how many
// there are.
func (s *sequence) stretches(m *Model, net *network) (of []int, count int) {
	behind := make([]int, len(m.Nodes)) // the stretch of the forward edges out of a node
	for _, v := range s.order {
		if s.last[v] {
			count++
		}
		behind[v] = count
	}
	of = filled(len(m.Edges), -1)
	for i, e := range m.Edges {
		if !net.live[i] {
			continue
		}
		first := e.From
		if s.rank[e.To] < s.rank[e.From] {
			first = e.To
		}
		of[i] = behind[first]
	}
	return of, count + 1
}
