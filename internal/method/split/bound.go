package split

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warpbound/internal/graph"
	"warpbound/internal/ipet"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
)

// Path is the longest path of a wavefront, from its first instruction to its last, with the
// proof of it.
type Path struct {
	Cycles     saturating.Int
	Executions []saturating.Int // by block, in the execution that takes so long
	// Removed are the edges that PRUNE removes, of the form.
	Removed  []graph.Edge
	Model    *ipet.Model
	Solution *ipet.Solution // with its certificate
}

// LongestPath bounds the time of a wavefront that splits at the given branches (blocks) and
// executes the paths of all others one after the other: PRUNE (Algorithm 2), implicit path
// enumeration, and the costs of splitting for every split that is executed. At a branch that is
// split the longer path counts, because the other one is executed at the same time by another
// split wavefront; so the times of blocks must hold whatever others execute.
//
// Where Lemma 5.1 adds |SB| times the cost of a split, those of branches in loops count for
// every iteration here, and those that the longest path does not execute not at all.
//
// It is an error if a branch is not Splittable; an *UnboundedError if a loop has no bound;
// ErrOverflow, ErrEndless or an error of ipet.Solve.
func LongestPath(ctx context.Context, f *bsb.Form, c Costs, loops Loops, splits []int) (*Path, error) {
	isSplit := make([]bool, f.Flow().Len())
	for _, b := range splits {
		if !f.Splittable(b) {
			return nil, fmt.Errorf("the branch of block %s cannot be split", f.BlockName(b))
		}
		isSplit[b] = true
	}
	_, removed, err := prune(ctx, f, c, loops, isSplit)
	if err != nil {
		return nil, err
	}
	m, err := model(f, c, loops, isSplit, removed)
	if err != nil {
		return nil, err
	}
	s, err := ipet.Solve(ctx, m, ipet.Options{})
	if errors.Is(err, ipet.ErrOverflow) {
		return nil, ErrOverflow
	}
	if err != nil {
		return nil, err
	}
	b := &Path{
		Cycles: saturating.Of(s.Cycles), Executions: make([]saturating.Int, f.Flow().Len()), Removed: removed, Model: m, Solution: s,
	}
	for i, n := range s.Counts {
		if to := m.Edges[i].To; to < len(f.Nodes) && f.Nodes[to].Block != bsb.None {
			executions := &b.Executions[f.Nodes[to].Block]
			*executions = executions.Add(saturating.Of(n))
		}
	}
	return b, nil
}

// time returns the time of a wavefront that splits at the given branches (blocks).
func timeOf(ctx context.Context, f *bsb.Form, c Costs, loops Loops, splits []int) (saturating.Int, error) {
	isSplit := make([]bool, f.Flow().Len())
	for _, b := range splits {
		isSplit[b] = true
	}
	cycles, _, err := prune(ctx, f, c, loops, isSplit)
	return cycles, err
}

// prune returns the time of the longest path, and the edges to the shorter paths of the branches
// that are split.
func prune(ctx context.Context, f *bsb.Form, c Costs, loops Loops, isSplit []bool) (saturating.Int, []graph.Edge, error) {
	var removed []graph.Edge
	e := &evaluation{form: f, costs: c, loops: loops, budgets: 1}
	e.serial = func(it *bsb.Item, successors []vector) vector {
		if !isSplit[it.Block] {
			return inTurn(successors)
		}
		longest := successors[0][0]
		if len(successors) > 1 {
			shorter := it.BSBs[0]
			if successors[0][0] < successors[1][0] {
				shorter = it.Node
			}
			removed = append(removed, graph.Edge{From: shorter, To: f.Nodes[shorter].Succ[0]})
			longest = max(longest, successors[1][0])
		}
		return vector{longest.Add(c.Split)}
	}
	all, err := e.kernel(ctx)
	if err != nil {
		return 0, nil, err
	}
	if all[0] == saturating.Max {
		return 0, nil, ErrOverflow
	}
	slices.SortFunc(removed, graph.Edge.Compare)
	return all[0], removed, nil
}

// model returns the path problem of a form without some edges.
func model(f *bsb.Form, c Costs, loops Loops, isSplit []bool, removed []graph.Edge) (*ipet.Model, error) {
	gone := make(map[graph.Edge]bool)
	for _, e := range removed {
		gone[e] = true
	}
	m := &ipet.Model{Name: "wavefront", Nodes: make([]string, 0, len(f.Nodes)+1), Sink: len(f.Nodes) - 1}
	for i := range f.Nodes {
		m.AddNode(f.NodeName(i))
	}
	m.Source = m.AddNode("start")
	cost := func(node int) int64 {
		n := &f.Nodes[node]
		switch {
		case n.Block == bsb.None:
			return 0
		case isSplit[n.Block]:
			return c.Blocks[n.Block].Add(c.Split).Int64()
		}
		return c.Blocks[n.Block].Int64()
	}
	m.AddEdge(m.Source, 0, cost(0))
	into := make(map[int][]int) // by header, the edges there
	for _, l := range f.Loops {
		into[l.Header] = nil
	}
	into[0] = append(into[0], 0)
	for i := range f.Nodes {
		for _, to := range f.Nodes[i].Succ {
			if gone[graph.Edge{From: i, To: to}] {
				continue
			}
			e := m.AddEdge(i, to, cost(to))
			if edges, heads := into[to]; heads {
				into[to] = append(edges, e)
			}
		}
	}
	for _, l := range f.Loops {
		loop := ipet.Loop{Name: f.NodeName(l.Header), Bound: int64(f.Lanes - 1), Evidence: "proven"}
		if l.Block != bsb.None {
			bound, evidence, ok := loops(l.Block)
			if !ok {
				continue // it takes no time
			}
			loop.Bound, loop.Evidence = bound, evidence
		}
		for _, e := range into[l.Header] {
			if m.Edges[e].From == l.Latch {
				loop.Iter = append(loop.Iter, e)
			} else {
				loop.Entries = append(loop.Entries, e)
			}
		}
		m.Loops = append(m.Loops, loop)
	}
	return m, nil
}
