package affine

import (
	"math"
	"math/bits"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
)

// rangeByRelations returns the range of a form as a number, if it is from lo to hi without regard
// to relations between parameters.
func (t *Table) rangeByRelations(f Form, lo, hi int64) (int64, int64) {
	for i := range t.Relations {
		s := &t.Relations[i]
		for term := range s.Terms {
			if k, ok := t.multipleOfTerm(f, &s.Terms[term]); ok {
				lo, hi = t.rangeBySum(f, s, k, lo, hi)
			}
		}
	}
	if t.HasAscending {
		lo, hi = t.rangeByAscent(f, lo, hi)
	}
	return lo, max(lo, hi)
}

// rangeByAscent narrows the range of a form in which one word of a buffer is taken from another one.
func (t *Table) rangeByAscent(f Form, lo, hi int64) (int64, int64) {
	for i, e := range f.Terms {
		for _, other := range f.Terms[i+1:] {
			k := strided.SignExtend(e.Coefficient, f.Bits)
			if k != -strided.SignExtend(other.Coefficient, f.Bits) {
				continue
			}
			from, to, ok := t.differenceOfElements(&t.Symbols[e.Symbol], &t.Symbols[other.Symbol], k)
			if !ok {
				continue
			}
			rest := f.AddMultiple(Form{Bits: f.Bits, Terms: []Term{e, other}}, ^uint64(0))
			a, b, ok := t.ExactRange(rest)
			if !ok || a < -1<<61 || b > 1<<61 || from < -1<<61 || to > 1<<61 {
				continue
			}
			lo, hi = max(lo, from+a), min(hi, to+b)
		}
	}
	return lo, hi
}

// rangeBySum narrows the range of a form, which is k times a sum plus a rest.
func (t *Table) rangeBySum(f Form, s *launchfacts.Sum, k, lo, hi int64) (int64, int64) {
	limit, ok := strided.SignedProduct(k, s.Max, 64)
	from, to, okRest := t.restRange(f, s, k)
	if !ok || !okRest {
		return lo, hi
	}
	if end, ok := addProduct(limit, 1, to); ok && k > 0 {
		hi = min(hi, end)
	}
	if end, ok := addProduct(limit, 1, from); ok && k < 0 {
		lo = max(lo, end)
	}
	return lo, hi
}

// multipleOfTerm returns how often a term is in a form.
func (t *Table) multipleOfTerm(f Form, of *launchfacts.SumTerm) (int64, bool) {
	for _, e := range f.Terms {
		if t.Symbols[e.Symbol].isParameter(of) {
			k := strided.SignExtend(e.Coefficient, f.Bits)
			return k / of.Coef, k%of.Coef == 0
		}
	}
	return 0, false
}

func (y *SymbolFacts) isParameter(of *launchfacts.SumTerm) bool {
	return y.Word == of.Offset+1 && y.Set.Bits() == of.Bits
}

// restRange returns the range of a form without k times a sum. It is false if a parameter of that is not in the form.
func (t *Table) restRange(f Form, s *launchfacts.Sum, k int64) (lo, hi int64, ok bool) {
	lo = strided.SignExtend(f.Constant, f.Bits)
	hi = lo
	found := 0
	for _, e := range f.Terms {
		y := &t.Symbols[e.Symbol]
		coef := strided.SignExtend(e.Coefficient, f.Bits)
		for i := range s.Terms {
			if of := &s.Terms[i]; y.isParameter(of) {
				part, ok := strided.SignedProduct(k, of.Coef, 64)
				if !ok || bits.Len64(strided.Magnitude(coef)) > 62 {
					return 0, 0, false
				}
				coef -= part
				found++
			}
		}
		if lo, hi, ok = addToRange(lo, hi, coef, y.Set); !ok {
			return 0, 0, false
		}
	}
	return lo, hi, found == len(s.Terms)
}

// differenceOfElements returns the range of k times the difference of two words of a buffer, as far
// as it tells how much its elements ascend.
func (t *Table) differenceOfElements(a, b *SymbolFacts, k int64) (lo, hi int64, ok bool) {
	if a.Element == nil || b.Element == nil || a.Element.Buffer != b.Element.Buffer {
		return 0, 0, false
	}
	c := &t.Buffers[a.Element.Buffer].Contents // of elements, since accesses are aligned
	between := a.Element.Address.AddMultiple(b.Element.Address, ^uint64(0))
	distance := strided.SignExtend(between.Constant, between.Bits)
	if c.Ascends == nil || a.Element.Bytes != c.Each || b.Element.Bytes != c.Each {
		return 0, 0, false
	}
	if !between.IsKnown() || len(between.Terms) > 0 || distance%int64(c.Each) != 0 {
		return 0, 0, false
	}
	steps := distance / int64(c.Each)
	if steps < 0 {
		steps, k = -steps, -k
	}
	if steps > 1<<30 || c.Ascends.Min > 1<<30 || k == math.MinInt64 {
		return 0, 0, false
	}
	lo, okLo := strided.SignedProduct(k, steps*int64(c.Ascends.Min), 64)
	hi, okHi := strided.SignedProduct(k, steps*int64(min(c.Ascends.Max, 1<<32)), 64)
	if k < 0 {
		lo, hi = hi, lo
	}
	return lo, hi, okLo && okHi
}
