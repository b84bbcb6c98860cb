package access

import (
	"fmt"
	"iter"
	"math"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/fixpoint"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/transfer"
	"warpbound/internal/isa"
)

// conditions are what holds whenever control is in a block.
type conditions struct {
	own    []transfer.Fact // what the branch says by which alone control comes to the block
	around *conditions     // of the next dominator that has some of its own; nil if there is none
	number int             // in common with others of the same facts

	// The indices of the threads for which the facts hold, and of their CTAs.
	thread, cta [3]affine.Range

	// branch is the block by whose branch alone control comes to this one, -1 if it is none, and exact
	// whether the facts are all that its condition says.
	branch int
	exact  bool
}

// eachFact calls for each fact.
func (c *conditions) eachFact() iter.Seq[transfer.Fact] {
	return func(yield func(transfer.Fact) bool) {
		for ; c != nil; c = c.around {
			for _, f := range c.own {
				if !yield(f) {
					return
				}
			}
		}
	}
}

// conditionsKey is what conditions with the same facts have in common.
type conditionsKey struct {
	own    string
	around int // its number
}

// formatFacts is a string that is another one for other facts.
func formatFacts(facts []transfer.Fact) string {
	var key []byte
	for _, f := range facts {
		key = fmt.Appendf(key, " %s in %+v", f.Form.Key(), f.Set)
	}
	return string(key)
}

// deriveFixedFacts returns what the truth of a predicate says of constants of the thread, and
// whether that is all that it says; false at last if it is impossible.
func deriveFixedFacts(
	r *fixpoint.Solution, predicate *transfer.Value, holds bool,
) (known []transfer.Fact, exact, ok bool) {
	if c, isConst := predicate.Set.IsConst(); isConst {
		return nil, true, (c != 0) == holds
	}
	facts, ok := r.Machine.DeriveFacts(predicate.Cond, holds)
	for _, f := range facts {
		if r.Machine.Syms.IsFixed(f.Form) && len(f.Form.Terms) > 0 {
			known = append(known, f)
		}
	}
	return known, isCommonCondition(r, predicate.Cond) || isExactCondition(r, predicate.Cond, holds), ok
}

// isExactCondition reports whether facts says all of a condition: that constants of the thread are in some
// sets.
func isExactCondition(r *fixpoint.Solution, c *transfer.Condition, holds bool) bool {
	switch {
	case c == nil:
		return false
	case c.Op == isa.Not:
		return isExactCondition(r, c.Left, !holds)
	case c.Op == isa.And && holds, c.Op == isa.Or && !holds:
		return isExactCondition(r, c.Left, holds) && isExactCondition(r, c.Right, holds)
	case c.Op != isa.Setp || c.Real != isa.Invalid:
		return false
	}
	_, constA := c.A.Set.IsConst()
	_, constB := c.B.Set.IsConst()
	different := (c.Cmp == isa.Ne) == holds && (c.Cmp == isa.Eq || c.Cmp == isa.Ne)
	return (constA || constB) && !different && r.Machine.Syms.IsFixed(c.A.Form) && r.Machine.Syms.IsFixed(c.B.Form)
}

func isCommonCondition(r *fixpoint.Solution, c *transfer.Condition) bool {
	if c == nil {
		return false
	}
	common := func(f affine.Form) bool {
		return f.IsKnown() && !f.Mentions(func(s affine.Symbol) bool { role, _ := roleOf(r, s); return role != Common })
	}
	if c.Op == isa.Setp {
		return common(c.A.Form) && common(c.B.Form)
	}
	complete := c.Op == isa.Not || c.Left != nil && c.Right != nil
	return complete && (c.Left == nil || isCommonCondition(r, c.Left)) && (c.Right == nil || isCommonCondition(r, c.Right))
}

// allIndices returns the indices of all threads, and of their CTAs.
func allIndices(r *fixpoint.Solution) (thread, cta [3]affine.Range) {
	for axis := range 3 {
		set, _, _ := r.Launch.SpecialRegister(isa.TidX+isa.Special(axis), r.Graph.Kernel.Bounds)
		thread[axis] = rangeOf(set)
		set, _, _ = r.Launch.SpecialRegister(isa.CtaidX+isa.Special(axis), r.Graph.Kernel.Bounds)
		cta[axis] = rangeOf(set)
	}
	return thread, cta
}

func rangeOf(s strided.Interval) affine.Range {
	lo, hi := s.Unsigned()
	return affine.Range{Min: int64(lo), Max: int64(hi)}
}

// narrowIndices uses a fact for the indices of threads that occur in it, as far as it counts in
// numbers that do not wrap around.
func narrowIndices(r *fixpoint.Solution, thread, cta *[3]affine.Range, f transfer.Fact) {
	syms := r.Machine.Syms
	var lo, hi int64 // of the form
	switch {
	case syms.Fits(f.Form, false):
		l, h := f.Set.Unsigned()
		if h > math.MaxInt64 {
			return
		}
		lo, hi = int64(l), int64(h)
	case syms.Fits(f.Form, true):
		lo, hi = f.Set.Signed()
	default:
		return
	}
	for _, t := range f.Form.Terms {
		k := strided.SignExtend(t.Coefficient, f.Form.Bits)
		rest := f.Form.AddMultiple(affine.Form{Bits: f.Form.Bits, Terms: []affine.Term{t}}, ^uint64(0))
		restLo, restHi, ok := syms.ExactRange(rest)
		if !ok || k < -1<<31 || k > 1<<31 || min(lo, restLo) < -1<<61 || max(hi, restHi) > 1<<61 {
			continue
		}
		var to *affine.Range
		switch role, axis := roleOf(r, t.Symbol); role {
		case ThreadIndex:
			to = &thread[axis]
		case CTAIndex:
			to = &cta[axis]
		default:
			continue
		}
		*to = to.Where(k, lo-restHi, hi-restLo)
	}
}
