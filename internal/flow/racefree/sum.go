package racefree

import (
	"math/bits"

	"warpbound/internal/budget"
	"warpbound/internal/flow/affine"
)

// sum is a sum of terms as a number that does not wrap around, between lo and hi.
type sum struct {
	bits     int
	lo, hi   int64
	terms    []part
	overflow bool
}

// part is a coefficient times what lies in a range.
type part struct {
	k  int64
	in affine.Range
	of index
}

// index says of which difference of indices of two threads a part is a multiple: the axis of their indices in the CTA, or
// 3 plus that of the indices of their CTAs.
type index int

const none index = -1

// limit is what no number of a sum exceeds, far from overflow.
const limit = 1 << 60

// product returns k times x, limited.
func product(k, x int64) (int64, bool) {
	abs := func(n int64) uint64 {
		if n < 0 {
			return -uint64(n)
		}
		return uint64(n)
	}
	high, low := bits.Mul64(abs(k), abs(x))
	if high != 0 || low > limit {
		return 0, false
	}
	return k * x, true
}

// span returns the range of a part.
func (t part) span() (lo, hi int64, ok bool) {
	lo, okLo := product(t.k, t.in.Min)
	hi, okHi := product(t.k, t.in.Max)
	return min(lo, hi), max(lo, hi), okLo && okHi
}

// add adds a part.
func (s *sum) add(k int64, in affine.Range, of index) {
	if k == 0 {
		return
	}
	t := part{k, in, of}
	lo, hi, ok := t.span()
	if !ok || s.overflow || s.lo+lo < -limit || s.hi+hi > limit {
		s.overflow = true
		return
	}
	s.lo, s.hi = s.lo+lo, s.hi+hi
	s.terms = append(s.terms, t)
}

// fits reports whether the sum is less than half of what addresses wrap around at.
func (s *sum) fits() bool {
	half := int64(1) << min(s.bits-1, 60)
	return !s.overflow && -half <= s.lo && s.hi < half
}

// narrowings limits how often ranges are narrowed.
var narrowings = budget.Limit{What: "rounds over the terms of two addresses", At: 64}

// within narrows the ranges of the parts to what the sum needs to be from lo to hi; false if it is
// never so.
func (s *sum) within(work *budget.Work, lo, hi int64) bool {
	changed := true
	for round := int64(1); changed && work.Allows(narrowings, round); round++ {
		changed = false
		if s.hi < lo || s.lo > hi {
			return false
		}
		for i := range s.terms {
			t := &s.terms[i]
			if t.in.Min == t.in.Max {
				continue
			}
			spanLo, spanHi, _ := t.span()
			restLo, restHi := s.lo-spanLo, s.hi-spanHi
			narrow := t.in.Where(t.k, lo-restHi, hi-restLo)
			if narrow.Min > narrow.Max {
				return false
			}
			if narrow != t.in {
				t.in, changed = narrow, true
				spanLo, spanHi, _ = t.span()
				s.lo, s.hi = restLo+spanLo, restHi+spanHi
			}
		}
	}
	return true
}

// zero returns for every index whether its difference can only be zero.
func (s *sum) zero() (is [6]bool) {
	for _, t := range s.terms {
		if t.of != none && t.in == (affine.Range{}) {
			is[t.of] = true
		}
	}
	return is
}
