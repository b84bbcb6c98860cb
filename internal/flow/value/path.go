package value

import (
	"slices"

	"warpbound/internal/cfg"
	"warpbound/internal/graph"
	"warpbound/internal/isa"
)

// This file tells paths to a place from each other: what a register holds where paths join follows from what it holds on
// each, and from the conditions on constants of the thread that lead there. An unrolled loop, for example, is entered
// with an even number of iterations left, since one was made before if their number was odd.

// Limits of what is looked at for one form: registers that are taken apart one after the other, and paths of one of them.
const (
	maxJoins = 3
	maxPaths = 4
)

// paths finds what conditions tell. It is for one result, which does not change.
type paths struct {
	r    *Result
	dom  *graph.DomTree
	into [][]edgeRef // of each block the edges that control passes
}

func newPaths(r *Result, dom *graph.DomTree) *paths {
	p := &paths{r: r, dom: dom, into: make([][]edgeRef, len(r.Graph.Blocks))}
	for b := range r.Graph.Blocks {
		for i, e := range r.Graph.Blocks[b].Edges {
			if r.along[b][i] != nil && e.To < len(p.into) {
				p.into[e.To] = append(p.into[e.To], edgeRef{b, i})
			}
		}
	}
	return p
}

// to returns what branches tell of constants of the thread where control comes to a block, those of the first branches
// first.
func (p *paths) to(block int) []fact {
	var all []fact
	for b := block; b != p.r.Graph.Entry() && p.dom.Contains(b); b = p.dom.IDom(b) {
		if len(p.into[b]) == 1 {
			all = append(p.branch(p.into[b][0]), all...)
		}
	}
	return all
}

// along returns the same along an edge.
func (p *paths) along(e edgeRef) []fact { return append(p.to(e.block), p.branch(e)...) }

// enters returns the same where control enters a loop.
func (p *paths) enters(l *graph.Loop) []fact {
	var from []edgeRef
	for _, e := range p.into[l.Header] {
		if !l.Contains(e.block) {
			from = append(from, e)
		}
	}
	if len(from) == 1 {
		return p.along(from[0])
	}
	return p.to(l.Header)
}

// branch returns what the branch at the end of a block tells along an edge.
func (p *paths) branch(e edgeRef) []fact {
	last, edges := p.r.Graph.Last(e.block), p.r.Graph.Blocks[e.block].Edges
	if !last.Guard.Set || len(edges) < 2 {
		return nil
	}
	holds := (edges[e.index].Kind != cfg.FallThrough) != last.Guard.Not
	facts, _, _ := p.r.holds(p.r.machine.register(p.r.along[e.block][e.index], last.Guard.Reg), holds)
	return facts
}

// words returns the words of a set that a form can have where facts hold.
func (p *paths) words(f Form, set Strided, facts []fact) Strided {
	left, ok := p.left(f, set, facts, maxJoins)
	if !ok {
		return set // control does not come there
	}
	return left
}

// left is words, and false if there are none.
func (p *paths) left(f Form, set Strided, facts []fact, joins int) (Strided, bool) {
	m := &p.r.machine
	k, ok := m.knowing(facts)
	if !ok {
		return set, false
	}
	v, ok := m.restricted(&Value{Strided: set, form: f}, &k)
	if !ok || joins == 0 {
		return set, ok
	}
	set = v.Strided
	for _, t := range f.terms {
		all, known := p.joined(t.sym)
		if !known {
			continue
		}
		var sum Strided
		for _, path := range all {
			one := m.read(path.value, int(f.bits)).form
			one = f.add(Form{bits: f.bits, terms: []term{t}}, ^uint64(0)).add(one, t.coef)
			if !one.known() {
				return set, true
			}
			words, ok := p.left(one, set, slices.Concat(path.facts, facts), joins-1)
			switch {
			case !ok:
			case sum.bits == 0:
				sum = words
			default:
				sum = sum.Join(words)
			}
		}
		if sum.bits == 0 {
			return set, false
		}
		if both, ok := set.Meet(sum); ok {
			set = both
		}
	}
	return set, true
}

// path is what a register holds on a path to a block, and what conditions tell there.
type path struct {
	value *Value
	facts []fact
}

// joined returns the paths on which the register of a symbol comes to its block. It is false unless that is made of constants
// of the thread on all of them: then it still is what it was there.
func (p *paths) joined(s Symbol) ([]path, bool) {
	y := &p.r.machine.syms.all[s]
	if y.origin != merged || y.block == p.r.Graph.Entry() {
		return nil, false
	}
	var all []path
	for _, e := range p.into[y.block] {
		v := p.r.machine.register(p.r.along[e.block][e.index], y.reg)
		if len(all) == maxPaths || !v.form.known() || !p.r.machine.syms.isFixed(v.form) {
			return nil, false
		}
		all = append(all, path{v, p.along(e)})
	}
	return all, len(all) > 0
}

// residues returns what it says of an operand that the low bits of it are a word: what remainder it leaves.
func (m *machine) residues(f Form, set Strided) []fact {
	s, single := f.symbol()
	word, constant := set.IsConst()
	if !single || !constant {
		return nil
	}
	y := &m.syms.all[s]
	if y.origin != fixed || y.in == nil || y.in.Op != isa.And || len(y.args) != 2 {
		return nil
	}
	low := y.args[1]
	if len(low.terms) > 0 || low.c == 0 || low.c == mask(low.bits) || low.c&(low.c+1) != 0 || word > low.c || !y.args[0].known() {
		return nil
	}
	return []fact{{y.args[0], arc(low.bits, word, mask(low.bits)-low.c, low.c+1)}}
}
