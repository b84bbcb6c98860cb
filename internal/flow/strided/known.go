package strided

// KnownBits returns the bits that all words of a set have in common, and which bits they do not
// have in common.
func (s Interval) KnownBits() (value, unknown uint64) {
	lo, last := s.lo, s.last()
	if s.Span() > Mask(s.bits)-s.lo { // it goes round
		lo, last = s.lo&(PowerOf2Divisor(s.step)-1), Mask(s.bits)
	}
	unknown = FillBits(lo^last) &^ (PowerOf2Divisor(s.step) - 1)
	return lo&^unknown | s.ones, unknown &^ s.zeros &^ s.ones
}

// knownZeros and knownOnes return the bits that are 0, or 1, in all words of a set.
func (s Interval) knownZeros() uint64 {
	value, unknown := s.KnownBits()
	return Mask(s.bits) &^ value &^ unknown
}

func (s Interval) knownOnes() uint64 {
	value, _ := s.KnownBits()
	return value
}

// hasKnownBits reports whether more is known of bits than the interval and its steps say.
func (s Interval) hasKnownBits() bool { return s.zeros|s.ones != 0 }

// WithKnownBits returns the set without what it knew of bits, but with given bits that are 0 and 1 in all
// words that count. It has the same ends.
func (s Interval) WithKnownBits(zeros, ones uint64) Interval {
	s.zeros, s.ones = 0, 0
	if zeros|ones == 0 {
		return s
	}
	_, unknown := s.KnownBits()
	s.zeros, s.ones = zeros&unknown, ones&unknown
	return s
}

// FromKnownBits is the set of the words that have the bits of value, and any where unknown has
// ones.
func FromKnownBits(width int, value, unknown uint64) Interval {
	unknown &= Mask(width)
	s := FromSpan(width, value&^unknown, unknown, PowerOf2Divisor(unknown))
	return s.WithKnownBits(^value&^unknown, value&^unknown)
}
