package published_test

import (
	"testing"
	"time"

	"warpbound/internal/method/split"
	"warpbound/internal/method/split/published"
)

// nested appends a balanced tree of branches with n nodes, on a side, which goes on at the
// node after the last one it appends.
func nested(nodes []split.Node, n, parent int) []split.Node {
	plain := split.Node{Kind: split.Plain, Parent: parent, BSB: split.None, Reconv: split.None}
	if n < 5 {
		for range n {
			plain.Succ = []int{len(nodes) + 1}
			nodes = append(nodes, plain)
		}
		return nodes
	}
	u := len(nodes)
	nodes = append(nodes, split.Node{Kind: split.Branch, Parent: parent})
	nodes = nested(nodes, (n-3)/2, u)
	bsb := len(nodes)
	nodes = append(nodes, split.Node{Kind: split.BSB, Block: split.None, Parent: u, BSB: split.None})
	nodes = nested(nodes, n-3-(n-3)/2, bsb)
	meet := len(nodes)
	nodes[u].Succ, nodes[u].BSB, nodes[u].Reconv = []int{u + 1, bsb}, bsb, meet
	nodes[bsb].Succ, nodes[bsb].Reconv = []int{bsb + 1, meet}, meet
	plain.Succ = []int{meet + 1}
	return append(nodes, plain)
}

// TestMillionNodes: SELECT and PRUNE are linear.
func TestMillionNodes(t *testing.T) {
	const n = 1 << 20
	f := &split.Form{Nodes: nested(make([]split.Node, 0, n), n-1, split.None)}
	f.Nodes = append(f.Nodes, split.Node{Kind: split.End, Block: split.None, Parent: split.None, BSB: split.None, Reconv: split.None})
	if err := published.Check(f); err != nil || len(f.Nodes) != n {
		t.Fatalf("%d nodes: %v", len(f.Nodes), err)
	}
	e := make([]int64, n)
	var marked []int
	for i := range e {
		e[i] = 1
		if f.Nodes[i].Kind == split.Branch {
			marked = append(marked, i)
		}
	}
	start := time.Now()
	for _, s := range []int{0, 7, n} {
		sb := published.Select(f, marked, s)
		p := published.Prune(f, e, sb)
		t.Logf("S = %d: |SB| = %d, F[1] = %d", s, len(sb), p.F[0])
	}
	if took := time.Since(start); took > 15*time.Second {
		t.Errorf("three times SELECT and PRUNE took %v", took)
	} else {
		t.Logf("three times SELECT and PRUNE took %v", took)
	}
}
