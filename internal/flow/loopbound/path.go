package loopbound

import (
	"slices"

	"warpbound/internal/budget"
	"warpbound/internal/cfg"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/graph"
)

// This file tells paths to a place from each other: what a register holds where paths join follows
// from what it holds on each, and from the conditions that lead there. An unrolled loop, for
// example, is entered with an even number of iterations left, since one was made before if their
// number was odd.
//
// What holds where control comes to a block is about symbols that are assigned at places which all
// paths to the block pass before it. It still holds at the places that all paths come to by the
// block: if such a symbol was assigned anew, control has come to the block anew as well.

// Limits of what is looked at for one form: registers that are taken apart one after the other,
// paths of one of them, and branches that lead to one place.
var (
	joins        = budget.Limit{What: "joins of paths on the way to a counter", At: 3, Levels: 4}
	joinedPaths  = budget.Limit{What: "paths to a join", At: 4}
	branchesUpTo = budget.Limit{What: "branches that lead to a place", At: 32}
)

// paths finds what conditions tell. It is for one result, which does not change.
type paths struct {
	solution *fixpoint.Solution
	into     [][]fixpoint.Edge // of each block the edges that control passes
	branches map[fixpoint.Edge][]transfer.Fact
}

func newPaths(r *fixpoint.Solution) *paths {
	p := &paths{
		solution: r, into: make([][]fixpoint.Edge, len(r.Graph.Blocks)), branches: make(map[fixpoint.Edge][]transfer.Fact),
	}
	for b := range r.Graph.Blocks {
		for i, e := range r.Graph.Blocks[b].Edges {
			if r.Along[b][i] != nil && e.To < len(p.into) {
				p.into[e.To] = append(p.into[e.To], fixpoint.Edge{Block: b, Index: i})
			}
		}
	}
	return p
}

// factsAt returns what branches tell where control comes to a block, those of the first branches
// first.
func (p *paths) factsAt(block int) []transfer.Fact {
	var all []transfer.Fact
	branches := int64(0)
	entry, dom := p.solution.Graph.Entry(), p.solution.Dom
	for b := block; b != entry && dom.Contains(b); b = dom.IDom(b) {
		if len(p.into[b]) != 1 {
			continue
		}
		if branches++; !p.solution.Machine.Work.Allows(branchesUpTo, branches) {
			break
		}
		all = append(p.factsOfBranch(p.into[b][0], b), all...)
	}
	return all
}

// factsAlong returns the same along an edge.
func (p *paths) factsAlong(e fixpoint.Edge) []transfer.Fact {
	to := p.solution.Graph.Blocks[e.Block].Edges[e.Index].To
	return append(p.keepBefore(p.factsAt(e.Block), to), p.factsOfBranch(e, to)...)
}

// factsAtEntry returns the same where control enters a loop.
func (p *paths) factsAtEntry(l *graph.Loop) []transfer.Fact {
	var from []fixpoint.Edge
	for _, e := range p.into[l.Header] {
		if !l.Contains(e.Block) {
			from = append(from, e)
		}
	}
	if len(from) == 1 {
		return p.factsAlong(from[0])
	}
	return p.factsAt(l.Header)
}

// factsOfBranch returns what the branch at the end of a block tells along an edge, which leads to a
// block.
func (p *paths) factsOfBranch(e fixpoint.Edge, to int) []transfer.Fact {
	facts, known := p.branches[e]
	if !known {
		facts = slices.Clip(p.deriveFactsOfBranch(e, to)) // others append to it
		p.branches[e] = facts
	}
	return facts
}

func (p *paths) deriveFactsOfBranch(e fixpoint.Edge, to int) []transfer.Fact {
	last, edges := p.solution.Graph.Last(e.Block), p.solution.Graph.Blocks[e.Block].Edges
	if !last.Guard.Set || len(edges) < 2 {
		return nil
	}
	holds := (edges[e.Index].Kind != cfg.FallThrough) != last.Guard.Not
	predicate := p.solution.Machine.ReadRegister(p.solution.Along[e.Block][e.Index], last.Guard.Reg)
	if _, decided := predicate.Set.IsConst(); decided {
		return nil
	}
	facts, _ := p.solution.Machine.DeriveFacts(predicate.Cond, holds)
	return p.keepBefore(facts, to)
}

// keepBefore returns the facts about symbols that are assigned before a block.
func (p *paths) keepBefore(facts []transfer.Fact, block int) []transfer.Fact {
	var all []transfer.Fact
	for _, f := range facts {
		if len(f.Form.Terms) > 0 && p.isBefore(f.Form, block) {
			all = append(all, f)
		}
	}
	return all
}

// isBefore reports whether all symbols of a form are assigned at places that all paths to a block
// pass before it.
func (p *paths) isBefore(f affine.Form, block int) bool {
	return f.IsKnown() && !f.Mentions(func(s affine.Symbol) bool {
		y := &p.solution.Machine.Syms.Symbols[s]
		at := y.Block
		switch y.Origin {
		case affine.Fixed:
			return false
		case affine.Defined:
			at = p.solution.Graph.BlockOf(y.PC % len(p.solution.Graph.Kernel.Instrs))
		}
		return at == block || !p.solution.Dom.Dominates(at, block)
	})
}

// wordsWhere returns the words of a set that a form can have where facts hold.
func (p *paths) wordsWhere(f affine.Form, set strided.Interval, facts []transfer.Fact) strided.Interval {
	left, ok := p.wordsLeft(f, set, facts, 1)
	if !ok {
		return set // control does not come there
	}
	return left
}

// wordsLeft is wordsWhere, and false if there are none. level counts the joins that are taken apart one
// after the other, this one included.
func (p *paths) wordsLeft(
	f affine.Form, set strided.Interval, facts []transfer.Fact, level int64,
) (strided.Interval, bool) {
	m := p.solution.Machine
	k, ok := m.DeriveKnowledge(facts)
	if !ok {
		return set, false
	}
	if len(f.Terms) == 0 {
		word := strided.Const(f.Bits, f.Constant)
		return word, set.Contains(f.Constant)
	}
	k.Anew = true
	v, ok := m.RestrictValue(&transfer.Value{Set: set, Form: f}, &k)
	if !ok {
		return set, false
	}
	set = v.Set
	for _, t := range f.Terms {
		all, known := p.findPaths(t.Symbol)
		if !known {
			continue
		}
		if !m.Work.Allows(joins, level) {
			return set, true
		}
		var sum strided.Interval
		for _, path := range all {
			one := m.ResizeValue(path.value, f.Bits).Form
			one = f.Replace(t, one)
			if !one.IsKnown() {
				return set, true
			}
			words, ok := p.wordsLeft(one, set, slices.Concat(path.facts, p.factsOnPath(path, t.Symbol, facts)), level+1)
			switch {
			case !ok:
			case sum.Bits() == 0:
				sum = words
			default:
				sum = sum.Join(words)
			}
		}
		if sum.Bits() == 0 {
			return set, false
		}
		if both, ok := set.Meet(sum); ok {
			set = both
		}
	}
	return set, true
}

// factsOnPath returns what facts say on a path, on which a symbol is what its register holds there.
func (p *paths) factsOnPath(path path, s affine.Symbol, facts []transfer.Fact) []transfer.Fact {
	all := make([]transfer.Fact, 0, len(facts))
	for _, f := range facts {
		form := f.Form
		for _, t := range f.Form.Terms {
			if t.Symbol == s {
				form = form.Replace(t, p.solution.Machine.ResizeValue(path.value, form.Bits).Form)
			}
		}
		if form.IsKnown() && len(form.Terms) > 0 {
			all = append(all, transfer.Fact{Form: form, Set: f.Set})
		}
	}
	return all
}

// path is what a register holds on a path to a block, and what conditions tell there.
type path struct {
	value *transfer.Value
	facts []transfer.Fact
}

// findPaths returns the paths on which the register of a symbol comes to its block. It is false
// unless what it holds on each of them is known and, wherever the symbol is known, is still what it
// was there.
func (p *paths) findPaths(s affine.Symbol) ([]path, bool) {
	y := &p.solution.Machine.Syms.Symbols[s]
	if y.Origin != affine.Merged || y.Block == p.solution.Graph.Entry() {
		return nil, false
	}
	var all []path
	for _, e := range p.into[y.Block] {
		v := p.solution.Machine.ReadRegister(p.solution.Along[e.Block][e.Index], y.Reg)
		if !p.isBefore(v.Form, y.Block) || !p.solution.Machine.Work.Allows(joinedPaths, int64(len(all))+1) {
			return nil, false
		}
		all = append(all, path{v, p.factsAlong(e)})
	}
	return all, len(all) > 0
}

// findFixedPaths returns the same if that is made of constants of the thread on all paths, with
// what conditions tell of such.
func (p *paths) findFixedPaths(s affine.Symbol) ([]path, bool) {
	all, ok := p.findPaths(s)
	for i := range all {
		if !p.solution.Machine.Syms.IsFixed(all[i].value.Form) {
			return nil, false
		}
		varies := func(f transfer.Fact) bool { return !p.solution.Machine.Syms.IsFixed(f.Form) }
		all[i].facts = slices.DeleteFunc(all[i].facts, varies)
	}
	return all, ok
}
