package graph

// PostDominators returns the post-dominator tree of g: the dominator tree of
// the reversed graph from a virtual exit, the node g.Len(), to which an edge
// leads from each of the exits. Dominates(a, b) then reports whether every path
// from b to the virtual exit visits a.
//
// A node from which no exit can be reached has no such path. For it to have a
// post-dominator nevertheless, the nodes of Endless are joined to the virtual
// exit too.
func PostDominators(g *Graph, exits []int) *DomTree {
	exit := g.Len()
	rev := New(exit + 1)
	for v := range exit {
		for _, w := range g.Succ(v) {
			rev.AddEdge(w, v)
		}
	}
	for _, v := range exits {
		rev.AddEdge(exit, v)
	}
	for _, v := range Endless(g, exits) {
		rev.AddEdge(exit, v)
	}
	return Dominators(rev, exit)
}

// Endless returns one node, the smallest, of each strongly connected component
// that no edge leaves and that holds none of the exits: an endless loop, or a
// dead end. They are ascending. From every node of g, an exit or one of them can
// be reached.
func Endless(g *Graph, exits []int) []int {
	comps := SCC(g)
	comp := make([]int, g.Len())
	open := make([]bool, len(comps)) // has an exit or an edge that leaves it
	for i, nodes := range comps {
		for _, v := range nodes {
			comp[v] = i
		}
	}
	for v := range g.Len() {
		for _, w := range g.Succ(v) {
			if comp[w] != comp[v] {
				open[comp[v]] = true
			}
		}
	}
	for _, v := range exits {
		open[comp[v]] = true
	}
	var endless []int
	for v := range g.Len() {
		if i := comp[v]; !open[i] && comps[i][0] == v {
			endless = append(endless, v)
		}
	}
	return endless
}
