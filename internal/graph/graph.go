// Package graph holds directed graphs over the nodes 0..n-1 and what program
// analyses ask of them: depth-first orders, strongly connected components,
// dominators and post-dominators, loop forests and reducibility.
//
// The functions are plain: they take a graph and return a new value, and none
// of them recurses, so that graphs of hundreds of thousands of nodes are safe.
//
// graph imports nothing of this project and knows no instruction set.
package graph

import (
	"fmt"
	"slices"
)

// Edge is a directed edge.
type Edge struct{ From, To int }

// String renders the edge as "u>v".
func (e Edge) String() string { return fmt.Sprintf("%d>%d", e.From, e.To) }

// Compare orders edges by source, then by destination.
func (e Edge) Compare(f Edge) int {
	if e.From != f.From {
		return e.From - f.From
	}
	return e.To - f.To
}

// Graph is a directed graph over the nodes 0..Len()-1. It may have self edges
// and parallel edges; the analyses treat parallel edges as one.
type Graph struct {
	succ, pred [][]int
}

// New returns a graph of n nodes without edges.
func New(n int) *Graph {
	return &Graph{succ: make([][]int, n), pred: make([][]int, n)}
}

// Len returns the number of nodes.
func (g *Graph) Len() int { return len(g.succ) }

// AddEdge adds an edge from u to v, also if there is one already.
func (g *Graph) AddEdge(u, v int) {
	g.succ[u] = append(g.succ[u], v)
	g.pred[v] = append(g.pred[v], u)
}

// Succ returns the destinations of v's outgoing edges in the order in which the
// edges were added. The caller must not change the slice.
func (g *Graph) Succ(v int) []int { return g.succ[v] }

// Pred returns the sources of v's incoming edges in the order in which the
// edges were added. The caller must not change the slice.
func (g *Graph) Pred(v int) []int { return g.pred[v] }

// HasEdge reports whether there is an edge from u to v.
func (g *Graph) HasEdge(u, v int) bool { return slices.Contains(g.succ[u], v) }

// Edges returns the distinct edges in ascending order.
func (g *Graph) Edges() []Edge {
	var edges []Edge
	for u, succ := range g.succ {
		for _, v := range succ {
			edges = append(edges, Edge{u, v})
		}
	}
	slices.SortFunc(edges, Edge.Compare)
	return slices.Compact(edges)
}

// Reverse returns the graph with every edge turned round.
func (g *Graph) Reverse() *Graph {
	rev := New(g.Len())
	for u, succ := range g.succ {
		for _, v := range succ {
			rev.AddEdge(v, u)
		}
	}
	return rev
}

// Reachable reports for every node whether a path of zero or more edges leads
// from one of the roots to it.
func (g *Graph) Reachable(roots ...int) []bool {
	seen := make([]bool, g.Len())
	var work []int
	visit := func(v int) {
		if !seen[v] {
			seen[v] = true
			work = append(work, v)
		}
	}
	for _, r := range roots {
		visit(r)
	}
	for len(work) > 0 {
		v := work[len(work)-1]
		work = work[:len(work)-1]
		for _, w := range g.succ[v] {
			visit(w)
		}
	}
	return seen
}
