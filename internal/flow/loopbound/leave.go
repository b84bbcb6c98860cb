package loopbound

import (
	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/transfer"
)

// passedBlocks limits the blocks that are passed to find where an edge leads.
var passedBlocks = budget.Limit{What: "blocks behind one of its edges", At: 8}

// leavesLoop reports whether control that passes an edge of a block of the loop leaves the loop
// before it comes to the header. Unoptimised code of a && b, for example, goes on to a common block
// where a is false, and leaves the loop there since the predicate that it tests is false too.
func (l *loopAnalysis) leavesLoop(b, way int) bool {
	e := l.solution.Graph.Blocks[b].Edges[way]
	if !l.loop.Contains(e.To) {
		return true
	}
	st := l.solution.Along[b][way]
	if st == nil || l.isSimpleEdge(b, way) {
		return false
	}
	m := l.machine().CopySettled()
	return l.leavesFrom(m, e, dropForms(st), 1)
}

// isSimpleEdge reports whether the edge leads to a block that does not decide anything, and no
// further: most do.
func (l *loopAnalysis) isSimpleEdge(b, way int) bool {
	g := l.solution.Graph
	to := g.Blocks[b].Edges[way].To
	return to == l.loop.Header || len(g.Flow.Graph().Pred(to)) < 2 && len(g.Blocks[to].Edges) > 1
}

// leavesFrom is leavesLoop for an edge and what is known along it. passed counts the blocks that are passed.
func (l *loopAnalysis) leavesFrom(m *transfer.Machine, e cfg.Edge, st *transfer.State, passed int64) bool {
	switch {
	case !l.loop.Contains(e.To):
		return true
	case e.To == l.loop.Header || !l.work.Allows(passedBlocks, passed):
		return false
	}
	block := &l.solution.Graph.Blocks[e.To]
	for pc := block.Start; pc < block.End; pc++ {
		m.Execute(st, pc)
	}
	var next *cfg.Edge
	var known *transfer.State
	for i := range block.Edges {
		if out, ok := m.FollowEdge(l.solution.Graph, st, e.To, block.Edges[i].Kind); ok {
			if next != nil {
				return false // both ways are open
			}
			next, known = &block.Edges[i], out
		}
	}
	return next == nil || l.leavesFrom(m, *next, dropForms(known), passed+1)
}

// dropForms returns a state in which only the sets of registers are known. Forms and conditions are
// about symbols that get new values on the way.
func dropForms(st *transfer.State) *transfer.State {
	out := st.Clone()
	for r, v := range st.All() {
		out.Set(r, &transfer.Value{Set: v.Set})
	}
	return out
}

// findStayingCondition returns a predicate by which a block of the loop decides whether control
// stays there, if the block is where ways join and it is decided on all of them but one that
// control leaves the loop: then it is what it is on that one. Code of while (a && b) tests in such
// a block what is b on one way, and false on the other.
func (l *loopAnalysis) findStayingCondition(b int, holds bool) *transfer.Condition {
	if len(l.paths.into[b]) < 2 {
		return nil
	}
	m := l.machine().CopySettled()
	block := &l.solution.Graph.Blocks[b]
	var found *transfer.Condition
	ways := 0
	for _, e := range l.paths.into[b] {
		if l.solution.Dom.Dominates(b, e.Block) {
			return nil // what is known there may be about symbols that get new values here
		}
		st := l.solution.Along[e.Block][e.Index].Clone()
		for pc := block.Start; pc < block.End; pc++ {
			m.Execute(st, pc)
		}
		p := m.ReadRegister(st, l.solution.Graph.Last(b).Guard.Reg)
		if bit, decided := p.Set.IsConst(); !decided || (bit != 0) == holds {
			found = p.Cond
			ways++
		}
	}
	if ways != 1 {
		return nil
	}
	return found
}
