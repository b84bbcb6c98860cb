package graph

import "slices"

// SCC returns the strongly connected components of g, each with its nodes
// ascending. A component stands before every component from which it can be
// reached. The algorithm is Tarjan's (SIAM J. Comput. 1(2), 1972).
func SCC(g *Graph) [][]int {
	nodes := make([]int, g.Len())
	for v := range nodes {
		nodes[v] = v
	}
	all := func(int) bool { return true }
	return newTarjan(g).components(nodes, all)
}

// tarjan is the working memory of components, for any number of calls.
type tarjan struct {
	g       *Graph
	index   []int // order of discovery from 1, 0 for not yet discovered
	low     []int // least index known to be reachable and still pending
	pending []int // discovered nodes whose component is not complete
	waiting []bool
}

func newTarjan(g *Graph) *tarjan {
	n := g.Len()
	return &tarjan{g: g, index: make([]int, n), low: make([]int, n), waiting: make([]bool, n)}
}

// components returns the strongly connected components of the subgraph that
// holds the given nodes and the edges of the graph to those nodes that in
// accepts. in must refuse all nodes outside.
func (t *tarjan) components(nodes []int, in func(v int) bool) [][]int {
	type frame struct{ node, next int }
	var (
		comps [][]int
		calls []frame
		count int
	)
	enter := func(v int) {
		count++
		t.index[v], t.low[v] = count, count
		t.waiting[v] = true
		t.pending = append(t.pending, v)
		calls = append(calls, frame{node: v})
	}
	for _, v := range nodes {
		t.index[v] = 0
	}
	for _, root := range nodes {
		if t.index[root] != 0 {
			continue
		}
		enter(root)
		for len(calls) > 0 {
			top := &calls[len(calls)-1]
			v := top.node
			if succ := t.g.Succ(v); top.next < len(succ) {
				w := succ[top.next]
				top.next++
				switch {
				case !in(w):
				case t.index[w] == 0:
					enter(w)
				case t.waiting[w]:
					t.low[v] = min(t.low[v], t.index[w])
				}
				continue
			}
			calls = calls[:len(calls)-1]
			if len(calls) > 0 {
				caller := calls[len(calls)-1].node
				t.low[caller] = min(t.low[caller], t.low[v])
			}
			if t.low[v] == t.index[v] {
				comps = append(comps, t.complete(v))
			}
		}
	}
	return comps
}

// complete takes the component whose first discovered node is v off the pending
// nodes.
func (t *tarjan) complete(v int) []int {
	start := len(t.pending) - 1
	for t.pending[start] != v {
		start--
	}
	comp := slices.Clone(t.pending[start:])
	t.pending = t.pending[:start]
	for _, w := range comp {
		t.waiting[w] = false
	}
	slices.Sort(comp)
	return comp
}
