package graph

import "slices"

// PostOrder returns the nodes reachable from root in the order in which a
// depth-first search that follows the edges in their order leaves them.
func PostOrder(g *Graph, root int) []int {
	type frame struct{ node, next int }
	var order []int
	seen := make([]bool, g.Len())
	seen[root] = true
	stack := []frame{{node: root}}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		succ := g.Succ(top.node)
		if top.next == len(succ) {
			order = append(order, top.node)
			stack = stack[:len(stack)-1]
			continue
		}
		w := succ[top.next]
		top.next++
		if !seen[w] {
			seen[w] = true
			stack = append(stack, frame{node: w})
		}
	}
	return order
}

// ReversePostOrder returns PostOrder from its end. In an acyclic graph it is a
// topological order of the nodes reachable from root.
func ReversePostOrder(g *Graph, root int) []int {
	order := PostOrder(g, root)
	slices.Reverse(order)
	return order
}
