package published_test

import (
	"testing"
	"time"

	"warpbound/internal/method/split/published"
	"warpbound/internal/splitting/bsb"
)

// nested appends a balanced tree of branches with n nodes, on a side, which goes on at the
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
	meet := len(nodes)
	nodes[u].Succ, nodes[u].BSB, nodes[u].Reconv = []int{u + 1, serial}, serial, meet
	nodes[serial].Succ, nodes[serial].Reconv = []int{serial + 1, meet}, meet
	plain.Succ = []int{meet + 1}
	return append(nodes, plain)
}

// TestMillionNodes: SELECT and PRUNE are linear.
func TestMillionNodes(t *testing.T) {
	const n = 1 << 20
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
