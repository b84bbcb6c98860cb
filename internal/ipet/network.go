package ipet

import "warpbound/internal/graph"

// network is the part of a model that flow can reach.
type network struct {
	graph *graph.Graph // over the model's nodes, with the live edges
	live  []bool       // for every edge: it lies on a walk from source to sink
	nodes []bool       // for every node: a live edge touches it
}

// newNetwork finds the live edges. It fails with an *InfeasibleError where no
// walk leads from source to sink.
func newNetwork(m *Model) (*network, error) {
	closed := closedEdges(m)
	n := &network{
		graph: subgraph(m, func(e int) bool { return !closed[e] }),
		live:  make([]bool, len(m.Edges)),
		nodes: make([]bool, len(m.Nodes)),
	}
	fromSource, toSink := n.graph.Reachable(m.Source), n.graph.Reverse().Reachable(m.Sink)
	if !fromSource[m.Sink] {
		return nil, &InfeasibleError{}
	}
	for v := range n.nodes {
		n.nodes[v] = fromSource[v] && toSink[v]
	}
	dead := false
	for i, e := range m.Edges {
		n.live[i] = n.nodes[e.From] && n.nodes[e.To] && !closed[i]
		dead = dead || !n.live[i] && !closed[i]
	}
	if dead {
		n.graph = subgraph(m, func(e int) bool { return n.live[e] })
	}
	return n, nil
}

// closedEdges reports for every edge whether its limit or the bound of a loop
// that it iterates is zero.
func closedEdges(m *Model) []bool {
	closed := make([]bool, len(m.Edges))
	for i, e := range m.Edges {
		closed[i] = e.Limit != nil && e.Limit.Max == 0
	}
	for _, l := range m.Loops {
		if l.Bound == 0 {
			for _, e := range l.Iter {
				closed[e] = true
			}
		}
	}
	return closed
}

// subgraph returns the graph over all nodes of m with the edges that keep wants.
func subgraph(m *Model, keep func(edge int) bool) *graph.Graph {
	g := graph.New(len(m.Nodes))
	for i, e := range m.Edges {
		if keep(i) {
			g.AddEdge(e.From, e.To)
		}
	}
	return g
}

// incoming lists the live edges by the node that they enter.
func (n *network) incoming(m *Model) [][]int {
	degree, total := make([]int, len(m.Nodes)), 0
	for i, e := range m.Edges {
		if n.live[i] {
			degree[e.To]++
			total++
		}
	}
	all := make([]int, 0, total)
	in := make([][]int, len(m.Nodes))
	for v, d := range degree {
		in[v] = all[len(all) : len(all) : len(all)+d]
		all = all[:len(all)+d]
	}
	for i, e := range m.Edges {
		if n.live[i] {
			in[e.To] = append(in[e.To], i)
		}
	}
	return in
}

// connected reports whether every edge with a positive count can be reached
// from the source over such edges.
func connected(m *Model, counts []int64) bool {
	used := func(e int) bool { return counts[e] > 0 }
	reached := subgraph(m, used).Reachable(m.Source)
	for i, e := range m.Edges {
		if used(i) && !reached[e.From] {
			return false
		}
	}
	return true
}
