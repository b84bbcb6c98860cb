package value

import (
	"math/bits"

	"warpbound/internal/flow/strided"
)

// Sum is a relation between parameters: the sum of coefficients times what they are, read as unsigned numbers, is at
// most Max.
type Sum struct {
	Terms []SumTerm
	Max   int64
}

// SumTerm is a coefficient times a parameter.
type SumTerm struct {
	Offset, Bits int // of the parameter, in the parameter block: in bytes, and its width
	Coef         int64
}

// related returns the range of a form as a number, if it is from lo to hi without regard to relations between parameters.
func (t *symbols) related(f Form, lo, hi int64) (int64, int64) {
	for i := range t.sums {
		s := &t.sums[i]
		for term := range s.Terms {
			if k, ok := t.share(f, &s.Terms[term]); ok {
				lo, hi = t.within(f, s, k, lo, hi)
			}
		}
	}
	if t.ordered {
		lo, hi = t.ascend(f, lo, hi)
	}
	return lo, max(lo, hi)
}

// ascend narrows the range of a form in which one word of a buffer is taken from another one.
func (t *symbols) ascend(f Form, lo, hi int64) (int64, int64) {
	for i, e := range f.terms {
		for _, other := range f.terms[i+1:] {
			k := strided.SignExtend(e.coef, f.bits)
			if k != -strided.SignExtend(other.coef, f.bits) {
				continue
			}
			from, to, ok := t.ascending(&t.all[e.sym], &t.all[other.sym], k)
			if !ok {
				continue
			}
			rest := f.add(Form{bits: f.bits, terms: []term{e}}, ^uint64(0)).add(Form{bits: f.bits, terms: []term{other}}, ^uint64(0))
			a, b, ok := t.exact(rest)
			if !ok || a < -1<<61 || b > 1<<61 || from < -1<<61 || to > 1<<61 {
				continue
			}
			lo, hi = max(lo, from+a), min(hi, to+b)
		}
	}
	return lo, hi
}

// within narrows the range of a form, which is k times a sum plus a rest.
func (t *symbols) within(f Form, s *Sum, k, lo, hi int64) (int64, int64) {
	limit, ok := strided.SignedProduct(k, s.Max, 64)
	from, to, okRest := t.rest(f, s, k)
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

// share returns how often a term is in a form.
func (t *symbols) share(f Form, of *SumTerm) (int64, bool) {
	for _, e := range f.terms {
		if t.all[e.sym].is(of) {
			k := strided.SignExtend(e.coef, f.bits)
			return k / of.Coef, k%of.Coef == 0
		}
	}
	return 0, false
}

func (y *symbol) is(of *SumTerm) bool { return y.word == of.Offset+1 && y.set.Bits() == of.Bits }

// rest returns the range of a form without k times a sum. It is false if a parameter of that is not in the form.
func (t *symbols) rest(f Form, s *Sum, k int64) (lo, hi int64, ok bool) {
	lo = strided.SignExtend(f.c, f.bits)
	hi = lo
	found := 0
	for _, e := range f.terms {
		y := &t.all[e.sym]
		coef := strided.SignExtend(e.coef, f.bits)
		for i := range s.Terms {
			if of := &s.Terms[i]; y.is(of) {
				part, ok := strided.SignedProduct(k, of.Coef, 64)
				if !ok || bits.Len64(strided.Magnitude(coef)) > 62 {
					return 0, 0, false
				}
				coef -= part
				found++
			}
		}
		a, b := y.set.Unsigned()
		if b > 1<<62 {
			return 0, 0, false
		}
		if coef < 0 {
			a, b = b, a
		}
		var okA, okB bool
		if lo, okA = addProduct(lo, coef, int64(a)); !okA {
			return 0, 0, false
		}
		if hi, okB = addProduct(hi, coef, int64(b)); !okB {
			return 0, 0, false
		}
	}
	return lo, hi, found == len(s.Terms)
}
