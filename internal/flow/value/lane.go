package value

import (
	"slices"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/strided"
)

// ownPart returns the part of a counter in which lanes differ as their thread indices do,
// if they agree on the rest of it in a block. That is so for a counter with which the lanes
// enter a loop as a sum of such a part and one on which they agree, and to which they add
// what they agree on as long as they go through the loop together: the rest is then a
// value that begins, goes on and merges like one that all lanes agree on. It also returns the low bits of the rest.
func (a *agreement) ownPart(counter affine.Symbol, block int) (affine.Form, residue, bool) {
	syms := a.r.Machine.Syms
	y := &syms.Symbols[counter]
	if y.Origin != affine.Merged {
		return affine.Form{}, residue{}, false
	}
	loop := a.r.Graph.Loops().Innermost(y.Block)
	if loop < 0 || a.outdated(counter, block) {
		return affine.Form{}, residue{}, false
	}
	l := &a.r.Graph.Loops().Loops[loop]
	if l.Header != y.Block || y.Block == a.r.Graph.Entry() || !a.r.IsRegular(l) {
		return affine.Form{}, residue{}, false
	}
	own := affine.Form{}
	var low residue
	remainders := make([]fixpoint.Incoming, 0, 4)
	for _, e := range a.r.FindIncoming(y.Block, y.Reg) {
		if l.Contains(e.From) {
			// What it changes by; the rest of the counter itself is agreed on by induction.
			rest := e.Form.AddMultiple(affine.OfSymbol(y.Set.Bits(), counter), ^uint64(0))
			mentioned := rest.Mentions(func(s affine.Symbol) bool { return s == counter })
			if mentioned || a.formVaries(rest, e.From) || a.outdated(counter, e.From) {
				return affine.Form{}, residue{}, false
			}
			low.changes(syms.Words(rest))
			remainders = append(remainders, fixpoint.Incoming{From: e.From, Form: rest.AddMultiple(affine.OfSymbol(y.Set.Bits(), counter), 1)})
			continue
		}
		if !e.Form.IsKnown() {
			return affine.Form{}, residue{}, false
		}
		part := affine.Constant(e.Form.Bits, 0)
		for _, t := range e.Form.Terms {
			if z := &syms.Symbols[t.Symbol]; z.Origin == affine.Fixed && z.Varies {
				part = part.AddMultiple(affine.Form{Bits: e.Form.Bits, Terms: []affine.Term{t}}, 1)
			}
		}
		rest := e.Form.AddMultiple(part, ^uint64(0))
		if own.IsKnown() && !own.Equal(part) || a.formVaries(rest, e.From) {
			return affine.Form{}, residue{}, false
		}
		own = part
		low.begins(syms.Words(rest))
		remainders = append(remainders, fixpoint.Incoming{From: e.From, Form: rest})
	}
	return own, low, own.IsKnown() && !a.mixes(y.Block, remainders)
}

// residue tells how the low bits of words are: those below the lowest bit of open are those of word.
type residue struct {
	begun      bool
	word, open uint64
}

// begins adds the words of a set.
func (r *residue) begins(s strided.Interval) {
	if !r.begun {
		r.begun, r.word = true, s.Base()
	}
	r.changes(s.Sub(strided.Const(s.Bits(), r.word)))
}

// changes adds the sums of any of the words and of those of a set.
func (r *residue) changes(s strided.Interval) {
	r.open |= s.Base()
	if s.Count() > 0 {
		r.open |= s.Step()
	}
}

// set returns the words of some width that are so.
func (r *residue) set(width int) strided.Interval {
	return strided.ResidueClass(width, strided.PowerOf2Divisor(r.open), r.word)
}

// mixes reports whether lanes come to a block together with different ones of some forms.
func (a *agreement) mixes(block int, in []fixpoint.Incoming) bool {
	mixed := func(x *branch) bool { return x.joins(block) && a.mixesBehind(x, block, in) }
	return slices.ContainsFunc(a.around[block], mixed) || slices.ContainsFunc(a.joining[block], mixed)
}

// mixesBehind is mixes for lanes that diverged at a branch.
func (a *agreement) mixesBehind(x *branch, block int, in []fixpoint.Incoming) bool {
	first := affine.Form{}
	for _, f := range in {
		if f.From != x.block && !x.region.contains(f.From) {
			continue
		}
		if first.IsKnown() && !first.Equal(f.Form) || a.outdatedIn(f.Form, block) {
			return true
		}
		first = f.Form
	}
	return false
}

// outdatedIn reports whether lanes in a block may have values of a form's symbols that
// were assigned at different times.
func (a *agreement) outdatedIn(f affine.Form, block int) bool {
	return f.Mentions(func(s affine.Symbol) bool { return a.outdated(s, block) })
}

// keepsDistances reports whether lanes that differ in a symbol by their own part, modulo
// 2 to the power of its width, do so as numbers.
func keepsDistances(r *fixpoint.Solution, s affine.Symbol, own affine.Form) bool {
	lo, hi := r.Machine.Syms.Symbols[s].Set.Unsigned()
	minimum, maximum, ok := r.Machine.Syms.ExactRange(own)
	half := strided.Mask(own.Bits) / 2
	return ok && hi-lo < half && uint64(maximum-minimum) < half && minimum >= 0 && uint64(maximum) <= half
}
