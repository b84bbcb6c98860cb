package strided

import (
	"fmt"
	"math"
)

// Interval is a set of words of 1 to 64 bits: lo, lo+step, ... lo+n*step, modulo 2 to the
// power of the width. It is the reduced product of an interval, which may wrap around
// (Navas et al., "Signedness-agnostic program analysis", APLAS 2012), and a congruence:
// a strided interval (Balakrishnan and Reps, "Analyzing memory accesses in x86
// executables", CC 2004).
//
// An Interval is not known to be empty. n*step is less than 2 to the power of the width, and step is
// zero exactly if n is. One that goes all round the circle begins at its least word.
//
// Operations on bits leave words of which some bits are known, as a tristate number says it
// (Vishwanathan et al., "Sound, precise, and fast abstract interpretation with tristate numbers",
// CGO 2022). An Interval holds those of its words that agree with zeros and ones, which have no
// bits that all words from lo to lo+n*step have in common anyway (WithKnownBits).
type Interval struct {
	bits        int
	lo, step, n uint64
	zeros, ones uint64 // bits that are 0, and that are 1, in all words
}

// Const is the set of one word.
func Const(width int, x uint64) Interval {
	return Interval{bits: width, lo: x & Mask(width)}
}

// Any is the set of all words of a width.
func Any(width int) Interval { return ResidueClass(width, 1, 0) }

// Between is the set of the words from lo up to hi, around the circle if hi is less.
func Between(width int, lo, hi uint64) Interval { return FromSpan(width, lo, hi-lo, 1) }

// Steps is the set of the words from lo up to hi that are so many steps from lo, around the circle if hi is less.
func Steps(width int, lo, hi, step uint64) Interval { return FromSpan(width, lo, hi-lo, step) }

// Multiples is the set of the words of a width that are multiples of a power of two.
func Multiples(width int, of uint64) Interval { return ResidueClass(width, of, 0) }

// ResidueClass is the set of all words that leave the remainder of x modulo g, a power of
// two.
func ResidueClass(width int, g, x uint64) Interval {
	m := Mask(width)
	if g-1 >= m {
		return Interval{bits: width, lo: x & m}
	}
	return Interval{bits: width, lo: x & (g - 1), step: g, n: m / g}
}

// FromSpan is the set of the words from lo that are at most span away from it, in steps.
func FromSpan(width int, lo, span, step uint64) Interval {
	m := Mask(width)
	span &= m
	if step == 0 || span < step {
		return Interval{bits: width, lo: lo & m}
	}
	s := Interval{bits: width, lo: lo & m, step: step, n: span / step}
	if step&(step-1) == 0 && s.n == m/step {
		s.lo &= step - 1
	}
	return s
}

// Bits returns the width of the words.
func (s Interval) Bits() int { return s.bits }

// Base returns the first word of the interval: the least one, unless that wraps around. With the
// step, the count and what is known of bits it says which words are in the set: those of Base,
// Base+Step, ... Base+Count*Step, modulo 2 to the power of Bits, that have the known bits.
func (s Interval) Base() uint64 { return s.lo }

// Step returns the distance between the words of the set, 0 for one word.
func (s Interval) Step() uint64 { return s.step }

// Count returns the number of steps from the first to the last word of the set.
func (s Interval) Count() uint64 { return s.n }

// Span returns the distance from the first to the last word of the set.
func (s Interval) Span() uint64 { return s.n * s.step }

func (s Interval) last() uint64 { return (s.lo + s.Span()) & Mask(s.bits) }

// IsConst returns the only word of the set, if it has one.
func (s Interval) IsConst() (uint64, bool) { return s.lo, s.n == 0 }

// IsAny reports whether the set holds all words of its width.
func (s Interval) IsAny() bool { return s.step == 1 && s.n == Mask(s.bits) && s.zeros|s.ones == 0 }

// Contains reports whether a word is in the set.
func (s Interval) Contains(x uint64) bool {
	d := (x - s.lo) & Mask(s.bits)
	return x&^Mask(s.bits) == 0 && d <= s.Span() && (d == 0 || d%s.step == 0) && x&s.zeros == 0 && ^x&s.ones == 0
}

// Residue returns a power of two and the remainder that all words of the set leave modulo
// it. The power is at most 2 to the power of the width, and of 63.
func (s Interval) Residue() (power2, rem uint64) {
	g := PowerOf2Divisor(s.step)
	if s.bits < 64 && g > 1<<s.bits {
		g = 1 << s.bits
	}
	return g, s.lo & (g - 1)
}

// UnwrapUnsigned returns a set that holds the words of s and does not wrap around at zero.
func (s Interval) UnwrapUnsigned() Interval {
	if s.Span() <= Mask(s.bits)-s.lo {
		return s
	}
	return ResidueClass(s.bits, PowerOf2Divisor(s.step), s.lo).WithKnownBits(s.zeros, s.ones)
}

// Unsigned returns the least and the largest word, read as unsigned numbers.
func (s Interval) Unsigned() (lo, hi uint64) {
	u := s.UnwrapUnsigned()
	return u.lo, u.last()
}

// UnwrapSigned returns a set that holds the words of s and does not wrap around from the
// largest to the least signed number.
func (s Interval) UnwrapSigned() Interval {
	half := Mask(s.bits)/2 + 1
	first := (s.lo + half) & Mask(s.bits)
	if s.Span() <= Mask(s.bits)-first {
		return s
	}
	m := ResidueClass(s.bits, PowerOf2Divisor(s.step), s.lo)
	m.lo = (m.lo + half) & Mask(s.bits)
	return m.WithKnownBits(s.zeros, s.ones)
}

// Signed returns the least and the largest word, read as signed numbers.
func (s Interval) Signed() (lo, hi int64) {
	v := s.UnwrapSigned()
	return SignExtend(v.lo, s.bits), SignExtend(v.last(), s.bits)
}

// String renders the set as an interval with its congruence, signed if that is shorter.
func (s Interval) String() string {
	if s.n == 0 {
		return fmt.Sprint(SignExtend(s.lo, s.bits))
	}
	text := "any"
	if lo, hi := s.Unsigned(); hi-lo == s.Span() && s.Span() < Mask(s.bits)-(s.step-1) {
		text = fmt.Sprintf("[%d, %d]", lo, hi)
	} else if lo, hi := s.Signed(); uint64(hi)-uint64(lo) == s.Span() && s.Span() < Mask(s.bits)-(s.step-1) {
		text = fmt.Sprintf("[%d, %d]", lo, hi)
	}
	if s.step > 1 {
		text += fmt.Sprintf(", %d mod %d", s.lo%s.step, s.step)
	}
	return text
}

// IsPositive reports whether all words are positive as signed numbers.
func (s Interval) IsPositive() bool {
	lo, _ := s.Signed()
	return lo > 0
}

// Range returns the range of a set as numbers of a type.
func Range(s Interval, sign bool) (lo, hi int64, ok bool) {
	if sign {
		lo, hi = s.Signed()
		return lo, hi, true
	}
	a, b := s.Unsigned()
	return int64(a), int64(b), b <= math.MaxInt64
}

// FitsIn reports whether the words are numbers of so many bits.
func (s Interval) FitsIn(width int, sign bool) bool {
	if sign {
		lo, hi := s.Signed()
		half := int64(Mask(width) / 2)
		return lo >= -half-1 && hi <= half
	}
	_, hi := s.Unsigned()
	return hi <= Mask(width)
}

// Aliases reports whether a number from lo to hi of which the low bits are a word of the set may be
// another one than that word, read as a signed or an unsigned number.
func (s Interval) Aliases(lo, hi int64, sign bool) bool {
	if s.Bits() == 64 {
		return lo < 0 && !sign
	}
	round := int64(1) << s.Bits()
	var first, last int64
	if sign {
		first, last = s.Signed()
	} else {
		a, b := s.Unsigned()
		first, last = int64(a), int64(b)
	}
	return first <= hi-round || last >= lo+round
}
