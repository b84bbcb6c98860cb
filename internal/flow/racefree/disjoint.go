package racefree

import (
	"math"
	"slices"

	"warpbound/internal/flow/access"
	"warpbound/internal/flow/affine"
)

// everything is the range of a term of which less is not known.
var everything = affine.Range{Min: 0, Max: math.MaxInt64}

// rangeOf returns the numbers that a term of an address is a multiple of.
func rangeOf(x *access.Address, t *access.Term) affine.Range {
	switch {
	case t.Role == access.ThreadIndex:
		return x.Thread[t.Axis]
	case t.Role == access.CTAIndex:
		return x.CTA[t.Axis]
	case t.Max > math.MaxInt64:
		return everything
	}
	return affine.Range{Min: int64(t.Min), Max: int64(t.Max)}
}

func minus(a, b affine.Range) affine.Range {
	return affine.Range{Min: a.Min - b.Max, Max: a.Max - b.Min}
}

// difference returns the address of the first access minus that of the second, for two threads of one CTA or of any two
// CTAs. Terms for which own holds are left out.
func (p *pair) difference(sameCTA bool, own func(*access.Term) bool) *sum {
	s := &sum{bits: p.a.Bits}
	if s.lo = p.a.Constant - p.b.Constant; s.lo > limit || s.lo < -limit || p.a.Constant > limit || p.a.Constant < -limit {
		s.overflow = true
	}
	s.hi = s.lo
	taken := make([]bool, len(p.b.Terms))
	for i := range p.a.Terms {
		t := &p.a.Terms[i]
		if own(t) {
			continue
		}
		at := p.partner(t, taken)
		if at < 0 {
			s.add(t.Coef, rangeOf(p.a, t), none)
			continue
		}
		u := &p.b.Terms[at]
		taken[at] = true
		one := t.Role == access.Common || sameCTA && t.Role == access.CTAIndex // number in both
		switch {
		case one && t.Coef != u.Coef:
			s.add(t.Coef-u.Coef, rangeOf(p.a, t), none)
		case one:
		case t.Coef == u.Coef:
			s.add(t.Coef, minus(rangeOf(p.a, t), rangeOf(p.b, u)), indexOf(t))
		default:
			s.add(t.Coef, rangeOf(p.a, t), none)
			s.add(-u.Coef, rangeOf(p.b, u), none)
		}
	}
	for i := range p.b.Terms {
		if u := &p.b.Terms[i]; !taken[i] && !own(u) {
			s.add(-u.Coef, rangeOf(p.b, u), none)
		}
	}
	return s
}

// partner returns the term of the second address that a term of the first is compared with: that of the same
// name, or for one of any value another with the same coefficient; -1 if there is none.
func (p *pair) partner(t *access.Term, taken []bool) int {
	matches := func(test func(u *access.Term) bool) int {
		for i := range p.b.Terms {
			if u := &p.b.Terms[i]; !taken[i] && u.Role == t.Role && test(u) {
				return i
			}
		}
		return -1
	}
	if t.Role != access.Free {
		return matches(func(u *access.Term) bool { return u.Same(t) })
	}
	return matches(func(u *access.Term) bool { return u.Coef == t.Coef })
}

func indexOf(t *access.Term) index {
	switch t.Role {
	case access.ThreadIndex:
		return index(t.Axis)
	case access.CTAIndex:
		return index(3 + t.Axis)
	}
	return none
}

// disjoint reports whether two threads of different CTAs, or two different ones of one CTA, cannot access the same bytes.
func (p *pair) disjoint(sameCTA bool) bool {
	s := p.difference(sameCTA, func(*access.Term) bool { return false })
	if !s.fits() {
		return false
	}
	if !s.within(p.values.Work(), 1-int64(p.a.Width), int64(p.b.Width)-1) {
		return true
	}
	zero := s.zero()
	from, rangeA, rangeB := 3, p.a.CTA, p.b.CTA
	if sameCTA {
		from, rangeA, rangeB = 0, p.a.Thread, p.b.Thread
	}
	equal := true
	for axis := range 3 {
		single := rangeA[axis] == rangeB[axis] && rangeA[axis].Min == rangeA[axis].Max
		equal = equal && (zero[from+axis] || single)
	}
	return equal || sameCTA && p.disjointByThread()
}

// at is what of an address a thread determines.
type at struct {
	thread int
	own    int64
}

// isOwn reports whether the thread's index in its CTA determines a term.
func isOwn(t *access.Term) bool { return t.Role == access.ThreadIndex || t.Role == access.OfThread }

// byThread returns what of an address each thread of a CTA determines that comes to the access, ascending; false if it is not known.
func (p *pair) byThread(x *access.Address) ([]at, bool) {
	l := &p.values.Launch
	if !l.Known() {
		return nil, false
	}
	var all []at
	for thread := range l.Block[0] * l.Block[1] * l.Block[2] {
		place := [3]int{thread % l.Block[0], thread / l.Block[0] % l.Block[1], thread / l.Block[0] / l.Block[1]}
		comes := true
		for axis, i := range place {
			comes = comes && x.Thread[axis].Min <= int64(i) && int64(i) <= x.Thread[axis].Max
		}
		if !comes {
			continue
		}
		s := sum{bits: x.Bits}
		for i := range x.Terms {
			t := &x.Terms[i]
			if !isOwn(t) {
				continue
			}
			n, ok := x.OfThread(*t, thread)
			if !ok || n > math.MaxInt64 {
				return nil, false
			}
			s.add(t.Coef, affine.Range{Min: int64(n), Max: int64(n)}, none)
		}
		if !s.fits() {
			return nil, false
		}
		all = append(all, at{thread, s.lo})
	}
	slices.SortStableFunc(all, func(a, b at) int {
		switch {
		case a.own < b.own:
			return -1
		case a.own > b.own:
			return 1
		}
		return 0
	})
	return all, true
}

// disjointByThread reports whether no two threads of a CTA access the same bytes, by what each of them determines.
func (p *pair) disjointByThread() bool {
	a, okA := p.byThread(p.a)
	b, okB := p.byThread(p.b)
	rest := p.difference(true, isOwn)
	if !okA || !okB || !rest.fits() {
		return false
	}
	if len(a) == 0 || len(b) == 0 {
		return true
	}
	// The terms that are left out count as one, so that what they cannot make up for is left out, too.
	lo, hi := 1-int64(p.a.Width), int64(p.b.Width)-1
	if !rest.within(p.values.Work(), lo-(a[len(a)-1].own-b[0].own), hi-(a[0].own-b[len(b)-1].own)) {
		return true
	}
	return !anyWithin(a, b, lo-rest.hi, hi-rest.lo, func(x, y at) bool { return x.thread != y.thread })
}

// anyWithin reports whether the difference of what some two threads determine is from lo to hi, among those for which a
// test holds.
func anyWithin(a, b []at, lo, hi int64, test func(x, y at) bool) bool {
	from := 0
	for _, x := range a { // x.own - y.own <= hi where y begins
		for from < len(b) && x.own-b[from].own > hi {
			from++
		}
		for _, y := range b[from:] {
			if x.own-y.own < lo {
				break
			}
			if test(x, y) {
				return true
			}
		}
	}
	return false
}
