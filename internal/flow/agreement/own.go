package agreement

import (
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/strided"
)

// FindOwnPart returns the part of a counter in which lanes differ as their thread indices do, if
// they agree on the rest of it in a block. That is so for a counter with which the lanes enter a
// loop as a sum of such a part and one on which they agree, and to which they add what they agree
// on as long as they go through the loop together: the rest is then a value that begins, goes on
// and merges like one that all lanes agree on. It also returns the low bits of the rest.
func (a *Result) FindOwnPart(counter affine.Symbol, block int) (affine.Form, Residue, bool) {
	syms := a.solution.Machine.Syms
	y := &syms.Symbols[counter]
	if y.Origin != affine.Merged {
		return affine.Form{}, Residue{}, false
	}
	loop := a.solution.Graph.Loops().Innermost(y.Block)
	if loop < 0 || a.isOutdated(counter, block) {
		return affine.Form{}, Residue{}, false
	}
	l := &a.solution.Graph.Loops().Loops[loop]
	if l.Header != y.Block || y.Block == a.solution.Graph.Entry() || !a.solution.IsRegular(l) {
		return affine.Form{}, Residue{}, false
	}
	own := affine.Form{}
	var low Residue
	remainders := make([]fixpoint.Incoming, 0, 4)
	for _, e := range a.solution.FindIncoming(y.Block, y.Reg) {
		if l.Contains(e.From) {
			// What it changes by; the rest of the counter itself is agreed on by induction.
			rest := e.Form.AddMultiple(affine.OfSymbol(y.Set.Bits(), counter), ^uint64(0))
			mentioned := rest.Mentions(func(s affine.Symbol) bool { return s == counter })
			if mentioned || a.FormVaries(rest, e.From) || a.isOutdated(counter, e.From) {
				return affine.Form{}, Residue{}, false
			}
			low.addChanges(syms.Words(rest))
			same := rest.AddMultiple(affine.OfSymbol(y.Set.Bits(), counter), 1)
			remainders = append(remainders, fixpoint.Incoming{From: e.From, Form: same})
			continue
		}
		if !e.Form.IsKnown() {
			return affine.Form{}, Residue{}, false
		}
		part := affine.Constant(e.Form.Bits, 0)
		for _, t := range e.Form.Terms {
			if z := &syms.Symbols[t.Symbol]; z.Origin == affine.Fixed && z.Varies {
				part = part.AddMultiple(affine.Form{Bits: e.Form.Bits, Terms: []affine.Term{t}}, 1)
			}
		}
		rest := e.Form.AddMultiple(part, ^uint64(0))
		if own.IsKnown() && !own.Equal(part) || a.FormVaries(rest, e.From) {
			return affine.Form{}, Residue{}, false
		}
		own = part
		low.addWords(syms.Words(rest))
		remainders = append(remainders, fixpoint.Incoming{From: e.From, Form: rest})
	}
	return own, low, own.IsKnown() && !a.mixesForms(y.Block, remainders)
}

// Residue tells how the low bits of words are: those below the lowest bit of open are those of
// word.
type Residue struct {
	begun      bool
	word, open uint64
}

// addWords adds the words of a set.
func (r *Residue) addWords(s strided.Interval) {
	if !r.begun {
		r.begun, r.word = true, s.Base()
	}
	r.addChanges(s.Sub(strided.Const(s.Bits(), r.word)))
}

// addChanges adds the sums of any of the words and of those of a set.
func (r *Residue) addChanges(s strided.Interval) {
	r.open |= s.Base()
	if s.Count() > 0 {
		r.open |= s.Step()
	}
}

// Words returns the words of some width that are so.
func (r *Residue) Words(width int) strided.Interval {
	return strided.ResidueClass(width, strided.PowerOf2Divisor(r.open), r.word)
}
