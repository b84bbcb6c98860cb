package strided

import "slices"

// Leq reports whether a set is known to hold all words of another one.
func (s Interval) Leq(t Interval) bool {
	if t.zeros&^s.knownZeros() != 0 || t.ones&^s.knownOnes() != 0 {
		return false
	}
	if s.n == 0 {
		return t.Contains(s.lo)
	}
	away := (s.lo - t.lo) & Mask(s.bits) // where s begins, seen from the beginning of t
	switch {
	case t.n == 0 || away%t.step != 0 || s.step%t.step != 0:
		return t.isResidueClass() && away&(t.step-1) == 0 && s.step&(t.step-1) == 0
	case t.isResidueClass():
		return true
	}
	return away <= t.Span() && s.Span() <= t.Span()-away
}

// Join returns a set that holds the words of both.
func (s Interval) Join(t Interval) Interval {
	if !s.hasKnownBits() && !t.hasKnownBits() {
		return s.joinIntervals(t)
	}
	return s.joinIntervals(t).WithKnownBits(s.knownZeros()&t.knownZeros(), s.knownOnes()&t.knownOnes())
}

// joinIntervals is Join without regard to what is known of bits.
func (s Interval) joinIntervals(t Interval) Interval {
	m := Mask(s.bits)
	a, okA := s.coverFrom(t)
	b, okB := t.coverFrom(s)
	switch {
	case okA && (!okB || a.Span() <= b.Span()):
		return a
	case okB:
		return b
	}
	return ResidueClass(s.bits, PowerOf2Divisor(GCD(GCD(s.step, t.step), (t.lo-s.lo)&m)), s.lo)
}

// coverFrom returns the arc from the beginning of s that holds t too, if it does not go round.
func (s Interval) coverFrom(t Interval) (Interval, bool) {
	m := Mask(s.bits)
	d := (t.lo - s.lo) & m
	if t.Span() > m-d {
		return Interval{}, false
	}
	return FromSpan(s.bits, s.lo, max(s.Span(), d+t.Span()), GCD(GCD(s.step, t.step), d)), true
}

// Meet returns a set that holds what is in both; false if there is nothing.
func (s Interval) Meet(t Interval) (Interval, bool) {
	if !s.hasKnownBits() && !t.hasKnownBits() {
		return s.meetIntervals(t)
	}
	zeros, ones := s.knownZeros()|t.knownZeros(), s.knownOnes()|t.knownOnes()
	both, ok := s.WithKnownBits(0, 0).meetIntervals(t.WithKnownBits(0, 0))
	value, unknown := both.KnownBits()
	ok = ok && zeros&(ones|value) == 0 && ones&^(value|unknown) == 0
	return both.WithKnownBits(zeros, ones), ok
}

// meetIntervals is Meet without regard to what is known of bits.
func (s Interval) meetIntervals(t Interval) (Interval, bool) {
	m := Mask(s.bits)
	if t.step > s.step || t.step == s.step && t.n < s.n {
		s, t = t, s // the words come from s
	}
	if s.n == 0 {
		return s, t.Contains(s.lo)
	}
	if t.n == 0 {
		return t, s.Contains(t.lo)
	}
	if s.isResidueClass() {
		if t.isResidueClass() {
			return s, (s.lo-t.lo)&(t.step-1) == 0
		}
		s.lo = (t.lo + (s.lo-t.lo)&(s.step-1)) & m // any of its words may be the first
	}
	at := (s.lo - t.lo) & m // where s begins, seen from the beginning of t
	if at > t.Span() {
		to := (t.lo - s.lo) & m // where t begins, seen from the beginning of s
		if to > s.Span() {
			return s, false
		}
		return s.clip(to, min(s.Span(), to+min(t.Span(), m-to)), t)
	}
	if s.Span() > m-at {
		return s.fewerWords(t) // s goes round and may enter t once more
	}
	return s.clip(0, min(s.Span(), t.Span()-at), t)
}

// isResidueClass reports whether the set holds all words that leave one remainder.
func (s Interval) isResidueClass() bool {
	return s.step > 0 && s.step&(s.step-1) == 0 && s.n == Mask(s.bits)/s.step
}

// fewerWords returns the set with fewer words.
func (s Interval) fewerWords(t Interval) (Interval, bool) {
	if t.n < s.n {
		return t, true
	}
	return s, true
}

// clip returns the words of s that are from to to away from its beginning, if the
// remainders of t allow it.
func (s Interval) clip(from, to uint64, t Interval) (Interval, bool) {
	first := (from + s.step - 1) / s.step
	if from > ^uint64(0)-s.step {
		first = from / s.step
	}
	last := to / s.step
	if first > last {
		return s, false
	}
	g := min(PowerOf2Divisor(s.step), PowerOf2Divisor(t.step))
	if (s.lo-t.lo)&(g-1) != 0 {
		return s, false
	}
	return FromSpan(s.bits, s.lo+first*s.step, (last-first)*s.step, s.step), true
}

// Widen returns a set that holds s and t and is one of few: its ends are those of s, or
// thresholds, which ascend, or it holds everything that the remainders allow. Of bits it knows all that s does, or nothing.
func (s Interval) Widen(t Interval, thresholds []uint64) Interval {
	j := s.Join(t)
	if j == s {
		return s
	}
	m := Mask(s.bits)
	up, down := (j.last()-s.last())&m != 0, s.lo != j.lo
	above, below := uint64(0), uint64(0)
	if up {
		above = distanceToNext(thresholds, m, j.last())
	}
	if down {
		below = distanceToPrevious(thresholds, m, j.lo)
	}
	if above > m-j.Span() || below > m-j.Span()-above {
		return ResidueClass(s.bits, PowerOf2Divisor(j.step), j.lo)
	}
	if j.step > 0 {
		below -= below % j.step
	}
	return FromSpan(s.bits, j.lo-below, below+j.Span()+above, j.step)
}

// distanceToNext returns how far it is from a word up to the next of some ascending thresholds, m if
// there are none.
func distanceToNext(thresholds []uint64, m, from uint64) uint64 {
	if len(thresholds) == 0 {
		return m
	}
	at, _ := slices.BinarySearch(thresholds, from)
	return (thresholds[at%len(thresholds)] - from) & m
}

// distanceToPrevious returns how far it is down to the one before, likewise.
func distanceToPrevious(thresholds []uint64, m, from uint64) uint64 {
	if len(thresholds) == 0 {
		return m
	}
	at, found := slices.BinarySearch(thresholds, from)
	if !found {
		at += len(thresholds) - 1
	}
	return (from - thresholds[at%len(thresholds)]) & m
}

// RemoveEnd takes a word off the ends of the set.
func (s Interval) RemoveEnd(t Interval) (Interval, bool) {
	x, ok := t.IsConst()
	switch {
	case !ok:
		return s, true
	case s.n == 0:
		return s, s.lo != x
	case s.IsAny(): // open the circle
		return FromSpan(s.bits, x+1, Mask(s.bits)-1, 1), true
	case s.lo == x:
		return FromSpan(s.bits, s.lo+s.step, s.Span()-s.step, s.step).WithKnownBits(s.knownZeros(), s.knownOnes()), true
	case s.last() == x:
		return FromSpan(s.bits, s.lo, s.Span()-s.step, s.step).WithKnownBits(s.knownZeros(), s.knownOnes()), true
	}
	return s, true
}

// Narrow returns what is in both of two sets that hold the same words.
func (s Interval) Narrow(t Interval) Interval {
	if both, ok := s.Meet(t); ok {
		return both
	}
	return s
}
