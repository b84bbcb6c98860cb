// Package published holds Klashtorny and others' analysis of predictable wavefront
// splitting (ACM TECS 22(5s), 2023) as it was published: SELECT and PRUNE, the wavefront's time and the
// kernel's. What is wrong with it as a bound is said beside each equation; docs/methods/split.md
// has the rules that the package split and its estimates use.
//
// It must not import the simulator or front ends.
package published

import (
	"context"
	"errors"
	"slices"

	"warpbound/internal/graph"
	"warpbound/internal/ipet"
	"warpbound/internal/splitting/bsb"
)

// ErrShape is the error of a form that the paper's algorithms are not made for: they know
// branches of two successors, and neither loops nor alternatives.
var ErrShape = errors.New("the published algorithms need a form without loops, alternatives and branches of more than two successors")

// Check returns nil if a form has the paper's shape, else ErrShape.
func Check(f *bsb.Form) error {
	for i := range f.Nodes {
		switch n := &f.Nodes[i]; n.Kind {
		case bsb.Plain, bsb.End:
			if len(n.Succ) > 1 {
				return ErrShape
			}
		case bsb.Branch:
		case bsb.BSB:
			if f.Nodes[n.Parent].BSB != i || n.Succ[len(n.Succ)-1] != n.Reconv {
				return ErrShape
			}
		default:
			return ErrShape
		}
	}
	return nil
}

// Select is SELECT (Algorithm 1) with the marked nodes, ascending, and S split contexts. The
// set of nodes that it returns, ascending, may have more than S: branches with the same PARENT
// share a context.
func Select(f *bsb.Form, marked []int, s int) []int {
	var sb []int
	count := 0
	sharing := make(map[int]bool) // the parents of the nodes in sb
	for _, u := range marked {
		p := f.Nodes[u].Parent
		switch {
		case sharing[p]:
		case count < s:
			count++
			sharing[p] = true
		default:
			continue
		}
		sb = append(sb, u)
	}
	return sb
}

// Pruned is what PRUNE makes of a form.
type Pruned struct {
	// F[0] is the time of the longest path in cycles. The other elements are those that
	// the algorithm leaves: where a branch has gone by, the time of its then path alone.
	F       []int64
	Removed []graph.Edge // E_r, ascending
}

// Prune is PRUNE (Algorithm 2) with the times e of the nodes in cycles and the selected nodes
// sb. The form must pass Check. Beside the printed algorithm, an if without else has no
// SUCC(BSB(u)), and there is no edge to remove when its then path is the longer one.
func Prune(f *bsb.Form, e []int64, sb []int) *Pruned {
	p := &Pruned{F: make([]int64, len(f.Nodes)+1)}
	selected := make([]bool, len(f.Nodes))
	for _, u := range sb {
		selected[u] = true
	}
	F := p.F
	for u := len(f.Nodes) - 1; u >= 0; u-- {
		n := &f.Nodes[u]
		if n.Kind != bsb.Branch {
			next := len(f.Nodes) // whose F is 0
			if len(n.Succ) > 0 {
				next = n.Succ[0] // of a BSB, its second path or, without one, where the branch reconverges
			}
			F[u] = F[next]
			if n.Kind != bsb.BSB {
				F[u] += e[u]
			}
			continue
		}
		then, serial := n.Succ[0], n.BSB
		F[then] += F[n.Reconv] - F[serial]
		switch {
		case !selected[u]:
			F[u] = F[then] + F[serial] - F[n.Reconv]
		case F[then] < F[serial]:
			F[u] = F[serial]
			p.Removed = append(p.Removed, graph.Edge{From: u, To: then})
		default:
			F[u] = F[then]
			if other := f.Nodes[serial].Succ[0]; other != n.Reconv {
				p.Removed = append(p.Removed, graph.Edge{From: serial, To: other})
			}
		}
		F[u] += e[u] + e[serial]
	}
	slices.SortFunc(p.Removed, graph.Edge.Compare)
	return p
}

// IPET is the time in cycles of the longest path through a form without the removed edges, by
// implicit path enumeration. The form must pass Check.
func IPET(ctx context.Context, f *bsb.Form, e []int64, removed []graph.Edge) (int64, error) {
	gone := make(map[graph.Edge]bool)
	for _, r := range removed {
		gone[r] = true
	}
	m := &ipet.Model{Name: "C_out", Sink: len(f.Nodes) - 1}
	for i := range f.Nodes {
		m.AddNode(f.Nodes[i].Kind.String())
	}
	m.Source = m.AddNode("start")
	m.AddEdge(m.Source, 0, e[0])
	for i := range f.Nodes {
		for _, to := range f.Nodes[i].Succ {
			if !gone[graph.Edge{From: i, To: to}] {
				m.AddEdge(i, to, e[to])
			}
		}
	}
	s, err := ipet.Solve(ctx, m, ipet.Options{})
	if err != nil {
		return 0, err
	}
	return s.Cycles, nil
}
