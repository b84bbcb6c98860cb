package value

import (
	"fmt"
	"math/bits"
)

// Strided is a set of words of 1 to 64 bits: lo, lo+step, ... lo+n*step, modulo 2 to the
// power of the width. It is the reduced product of an interval, which may wrap around
// (Navas et al., "Signedness-agnostic program analysis", APLAS 2012), and a congruence:
// a strided interval (Balakrishnan and Reps, "Analyzing memory accesses in x86
// executables", CC 2004).
//
// A Set is never empty. n*step is less than 2 to the power of the width, and step is
// zero exactly if n is. A set that goes all round the circle begins at its least word.
type Strided struct {
	bits        uint8
	lo, step, n uint64
}

// mask returns the largest word of a width.
func mask(width uint8) uint64 { return ^uint64(0) >> (64 - width) }

// Const is the set of one word.
func Const(width int, x uint64) Strided {
	return Strided{bits: uint8(width), lo: x & mask(uint8(width))}
}

// Any is the set of all words of a width.
func Any(width int) Strided { return multiples(uint8(width), 1, 0) }

// Between is the set of the words from lo up to hi, around the circle if hi is less.
func Between(width int, lo, hi uint64) Strided { return arc(uint8(width), lo, hi-lo, 1) }

// Steps is the set of the words from lo up to hi that are so many steps from lo, around the circle if hi is less.
func Steps(width int, lo, hi, step uint64) Strided { return arc(uint8(width), lo, hi-lo, step) }

// Multiples is the set of the words of a width that are multiples of a power of two.
func Multiples(width int, of uint64) Strided { return multiples(uint8(width), of, 0) }

// multiples is the set of all words that leave the remainder of x modulo g, a power of
// two.
func multiples(width uint8, g, x uint64) Strided {
	m := mask(width)
	if g-1 >= m {
		return Strided{bits: width, lo: x & m}
	}
	return Strided{bits: width, lo: x & (g - 1), step: g, n: m / g}
}

// arc is the set of the words from lo that are at most span away from it, in steps.
func arc(width uint8, lo, span, step uint64) Strided {
	m := mask(width)
	span &= m
	if step == 0 || span < step {
		return Strided{bits: width, lo: lo & m}
	}
	s := Strided{bits: width, lo: lo & m, step: step, n: span / step}
	if step&(step-1) == 0 && s.n == m/step {
		s.lo &= step - 1
	}
	return s
}

// power returns the largest power of two that divides x; 2^63 for zero.
func power(x uint64) uint64 {
	if x == 0 {
		return 1 << 63
	}
	return x & -x
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (s Strided) span() uint64 { return s.n * s.step }

func (s Strided) last() uint64 { return (s.lo + s.span()) & mask(s.bits) }

// Bits returns the width of the words.
func (s Strided) Bits() int { return int(s.bits) }

// IsConst returns the only word of the set, if it has one.
func (s Strided) IsConst() (uint64, bool) { return s.lo, s.n == 0 }

// IsAny reports whether the set holds all words of its width.
func (s Strided) IsAny() bool { return s.step == 1 && s.n == mask(s.bits) }

// Contains reports whether a word is in the set.
func (s Strided) Contains(x uint64) bool {
	d := (x - s.lo) & mask(s.bits)
	return x&^mask(s.bits) == 0 && d <= s.span() && (d == 0 || d%s.step == 0)
}

// Residue returns a power of two and the remainder that all words of the set leave modulo
// it. The power is at most 2 to the power of the width, and of 63.
func (s Strided) Residue() (power2, rem uint64) {
	g := power(s.step)
	if s.bits < 64 && g > 1<<s.bits {
		g = 1 << s.bits
	}
	return g, s.lo & (g - 1)
}

// unsigned returns a set that holds the words of s and does not wrap around at zero.
func (s Strided) unsigned() Strided {
	if s.span() <= mask(s.bits)-s.lo {
		return s
	}
	return multiples(s.bits, power(s.step), s.lo)
}

// Unsigned returns the least and the largest word, read as unsigned numbers.
func (s Strided) Unsigned() (lo, hi uint64) {
	u := s.unsigned()
	return u.lo, u.last()
}

// signed returns a set that holds the words of s and does not wrap around from the
// largest to the least signed number.
func (s Strided) signed() Strided {
	half := mask(s.bits)/2 + 1
	first := (s.lo + half) & mask(s.bits)
	if s.span() <= mask(s.bits)-first {
		return s
	}
	m := multiples(s.bits, power(s.step), s.lo)
	m.lo = (m.lo + half) & mask(s.bits)
	return m
}

// Signed returns the least and the largest word, read as signed numbers.
func (s Strided) Signed() (lo, hi int64) {
	v := s.signed()
	return extend(v.lo, s.bits), extend(v.last(), s.bits)
}

// extend reads the low bits of x as a signed number.
func extend(x uint64, width uint8) int64 { return int64(x<<(64-width)) >> (64 - width) }

// Join returns a set that holds the words of both.
func (s Strided) Join(t Strided) Strided {
	m := mask(s.bits)
	a, okA := s.cover(t)
	b, okB := t.cover(s)
	switch {
	case okA && (!okB || a.span() <= b.span()):
		return a
	case okB:
		return b
	}
	return multiples(s.bits, power(gcd(gcd(s.step, t.step), (t.lo-s.lo)&m)), s.lo)
}

// cover returns the arc from the beginning of s that holds t too, if it does not go round.
func (s Strided) cover(t Strided) (Strided, bool) {
	m := mask(s.bits)
	d := (t.lo - s.lo) & m
	if t.span() > m-d {
		return Strided{}, false
	}
	return arc(s.bits, s.lo, max(s.span(), d+t.span()), gcd(gcd(s.step, t.step), d)), true
}

// Meet returns a set that holds what is in both; false if there is nothing.
func (s Strided) Meet(t Strided) (Strided, bool) {
	m := mask(s.bits)
	if t.step > s.step || t.step == s.step && t.n < s.n {
		s, t = t, s // the words come from s
	}
	if s.n == 0 {
		return s, t.Contains(s.lo)
	}
	if t.n == 0 {
		return t, s.Contains(t.lo)
	}
	if s.all() {
		if t.all() {
			return s, (s.lo-t.lo)&(t.step-1) == 0
		}
		s.lo = (t.lo + (s.lo-t.lo)&(s.step-1)) & m // any of its words may be the first
	}
	at := (s.lo - t.lo) & m // where s begins, seen from the beginning of t
	if at > t.span() {
		to := (t.lo - s.lo) & m // where t begins, seen from the beginning of s
		if to > s.span() {
			return s, false
		}
		return s.cut(to, min(s.span(), to+min(t.span(), m-to)), t)
	}
	if s.span() > m-at {
		return s.smaller(t) // s goes round and may enter t once more
	}
	return s.cut(0, min(s.span(), t.span()-at), t)
}

// all reports whether the set holds all words that leave one remainder.
func (s Strided) all() bool {
	return s.step > 0 && s.step&(s.step-1) == 0 && s.n == mask(s.bits)/s.step
}

// smaller returns the set with fewer words.
func (s Strided) smaller(t Strided) (Strided, bool) {
	if t.n < s.n {
		return t, true
	}
	return s, true
}

// cut returns the words of s that are from to to away from its beginning, if the
// remainders of t allow it.
func (s Strided) cut(from, to uint64, t Strided) (Strided, bool) {
	first := (from + s.step - 1) / s.step
	if from > ^uint64(0)-s.step {
		first = from / s.step
	}
	last := to / s.step
	if first > last {
		return s, false
	}
	g := min(power(s.step), power(t.step))
	if (s.lo-t.lo)&(g-1) != 0 {
		return s, false
	}
	return arc(s.bits, s.lo+first*s.step, (last-first)*s.step, s.step), true
}

// Widen returns a set that holds s and t and is one of few: its ends are those of s, or
// thresholds, or it holds everything that the remainders allow.
func (s Strided) Widen(t Strided, thresholds []uint64) Strided {
	j := s.Join(t)
	if j == s {
		return s
	}
	m := mask(s.bits)
	up, down := (j.last()-s.last())&m != 0, s.lo != j.lo
	above, below := uint64(0), uint64(0)
	if up {
		above = nearest(thresholds, m, func(x uint64) uint64 { return x - j.last() })
	}
	if down {
		below = nearest(thresholds, m, func(x uint64) uint64 { return j.lo - x })
	}
	if above > m-j.span() || below > m-j.span()-above {
		return multiples(s.bits, power(j.step), j.lo)
	}
	if j.step > 0 {
		below -= below % j.step
	}
	return arc(s.bits, j.lo-below, below+j.span()+above, j.step)
}

// nearest returns the least distance to a threshold.
func nearest(thresholds []uint64, m uint64, distance func(uint64) uint64) uint64 {
	minimum := m
	for _, x := range thresholds {
		minimum = min(minimum, distance(x)&m)
	}
	return minimum
}

// String renders the set as an interval with its congruence, signed if that is shorter.
func (s Strided) String() string {
	if s.n == 0 {
		return fmt.Sprint(extend(s.lo, s.bits))
	}
	text := "any"
	if lo, hi := s.Unsigned(); hi-lo == s.span() && s.span() < mask(s.bits)-(s.step-1) {
		text = fmt.Sprintf("[%d, %d]", lo, hi)
	} else if lo, hi := s.Signed(); uint64(hi)-uint64(lo) == s.span() && s.span() < mask(s.bits)-(s.step-1) {
		text = fmt.Sprintf("[%d, %d]", lo, hi)
	}
	if s.step > 1 {
		text += fmt.Sprintf(", %d mod %d", s.lo%s.step, s.step)
	}
	return text
}

// product returns a*b and whether it fits a width.
func product(a, b, limit uint64) (uint64, bool) {
	hi, lo := bits.Mul64(a, b)
	return lo, hi == 0 && lo <= limit
}
