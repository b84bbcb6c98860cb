package graph

// PostDominators returns the post-dominator tree of g: the dominator tree of
// the reversed graph from the node exit. Dominates(a, b) then reports whether
// every path from b to exit visits a.
//
// A node from which exit cannot be reached has no such path. For it to have a
// post-dominator nevertheless, the tree is that of a graph in which an edge
// leads from each of the nodes of Endless to exit.
func PostDominators(g *Graph, exit int) *DomTree {
	rev := g.Reverse()
	for _, v := range Endless(g, exit) {
		rev.AddEdge(exit, v)
	}
	return Dominators(rev, exit)
}

// Endless returns one node, the smallest, of each strongly connected component
// that no edge leaves and that does not hold exit: an endless loop, or a dead
// end. They are ascending. From every node of g, exit or one of them can be
// reached.
func Endless(g *Graph, exit int) []int {
	comps := SCC(g)
	comp := make([]int, g.Len())
	for i, nodes := range comps {
		for _, v := range nodes {
			comp[v] = i
		}
	}
	open := make([]bool, len(comps)) // has the exit or an edge that leaves it
	open[comp[exit]] = true
	for v := range g.Len() {
		for _, w := range g.Succ(v) {
			if comp[w] != comp[v] {
				open[comp[v]] = true
			}
		}
	}
	var endless []int
	for v := range g.Len() {
		if i := comp[v]; !open[i] && comps[i][0] == v {
			endless = append(endless, v)
		}
	}
	return endless
}
