package published_test

import (
	"testing"

	"warpbound/internal/method/split/published"
	"warpbound/internal/splitting/bsb"
	"warpbound/internal/test/effort"
)

// nested appends a balanced tree of branches with n nodes, on a path, which goes on at the
// node after the last one it appends.
func nested(nodes []bsb.Node, n, parent int) []bsb.Node {
	plain := bsb.Node{Kind: bsb.Plain, Parent: parent, BSB: bsb.None, Reconv: bsb.None}
	if n < 5 {
		for range n {
			plain.Succ = []int{len(nodes) + 1}
			nodes = append(nodes, plain)
		}
		return nodes
	}
	u := len(nodes)
	nodes = append(nodes, bsb.Node{Kind: bsb.Branch, Parent: parent})
	nodes = nested(nodes, (n-3)/2, u)
	serial := len(nodes)
	nodes = append(nodes, bsb.Node{Kind: bsb.BSB, Block: bsb.None, Parent: u, BSB: bsb.None})
	nodes = nested(nodes, n-3-(n-3)/2, serial)
	reconv := len(nodes)
	nodes[u].Succ, nodes[u].BSB, nodes[u].Reconv = []int{u + 1, serial}, serial, reconv
	nodes[serial].Succ, nodes[serial].Reconv = []int{serial + 1, reconv}, reconv
	plain.Succ = []int{reconv + 1}
	return append(nodes, plain)
}

// TestMillionNodes: SELECT and PRUNE are linear.
func TestMillionNodes(t *testing.T) {
	const few, many = 1 << 14, 1 << 20
	effort.Grows(t, 4*many/few, selectAndPrune(t, few), selectAndPrune(t, many))
}

// selectAndPrune returns work on a form of n nodes.
func selectAndPrune(t *testing.T, n int) func() {
	t.Helper()
	f := &bsb.Form{Nodes: nested(make([]bsb.Node, 0, n), n-1, bsb.None)}
	f.Nodes = append(f.Nodes, bsb.Node{Kind: bsb.End, Block: bsb.None, Parent: bsb.None, BSB: bsb.None, Reconv: bsb.None})
	if err := published.Check(f); err != nil || len(f.Nodes) != n {
		t.Fatalf("%d nodes: %v", len(f.Nodes), err)
	}
	e := make([]int64, n)
	var marked []int
	for i := range e {
		e[i] = 1
		if f.Nodes[i].Kind == bsb.Branch {
			marked = append(marked, i)
		}
	}
	return func() {
		for _, s := range []int{0, 7, n} {
			published.Prune(f, e, published.Select(f, marked, s))
		}
	}
}
