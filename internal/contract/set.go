package contract

import (
	"math/bits"
)

// Set is the numbers Low, Low+Step, ... High. Step is 0 exactly if there is one number.
type Set struct{ Low, High, Step int64 }

// Between is the set of all integers from low to high, which is not less.
func Between(low, high int64) Set {
	if low == high {
		return Set{low, high, 0}
	}
	return Set{low, high, 1}
}

// Only is the set of one number.
func Only(x int64) Set { return Set{x, x, 0} }

// limit is the largest magnitude of what relations compute. What is beyond bound is no limit.
const (
	limit = 1 << 60
	bound = 1 << 61
)

// everything is the set of all numbers.
var everything = Set{-bound, bound, 1}

// Count returns how many numbers there are.
func (s Set) Count() uint64 {
	if s.Step == 0 {
		return 1
	}
	return uint64(s.High-s.Low)/uint64(s.Step) + 1
}

// Nth returns one of the numbers, counting from 0.
func (s Set) Nth(i uint64) int64 { return s.Low + int64(i)*s.Step }

// Nearest returns the number that is nearest to x, the lesser one of two.
func (s Set) Nearest(x int64) int64 {
	if x <= s.Low || s.Step == 0 {
		return s.Low
	}
	if x >= s.High {
		return s.High
	}
	below := (x - s.Low) % s.Step
	if below > s.Step-below {
		return x - below + s.Step
	}
	return x - below
}

// Contains reports whether a number is in the set.
func (s Set) Contains(x int64) bool {
	return s.Low <= x && x <= s.High && (s.Step == 0 || (x-s.Low)%s.Step == 0)
}

// strided returns the numbers from low to high that are a modulo step; false if there are none.
func strided(low, high, a, step int64) (Set, bool) {
	low += modulo(a-low, step)
	high -= modulo(high-a, step)
	switch {
	case low > high:
		return Set{}, false
	case low == high:
		return Only(low), true
	}
	return Set{low, high, step}, true
}

// modulo returns the remainder from 0 on.
func modulo(x, m int64) int64 {
	if x %= m; x < 0 {
		x += m
	}
	return x
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// intersect returns a set that holds what is in both; false if there is nothing.
func (s Set) intersect(t Set) (Set, bool) {
	switch {
	case s.Step == 0:
		return s, t.Contains(s.Low)
	case t.Step == 0:
		return t, s.Contains(t.Low)
	}
	low, high := max(s.Low, t.Low), min(s.High, t.High)
	if low > high {
		return Set{}, false
	}
	if s.Step < t.Step {
		s, t = t, s
	}
	x, step, ok := common(s.Low, s.Step, t.Low, t.Step)
	if !ok {
		return Set{}, false
	}
	return strided(low, high, x, step)
}

// common solves x = a modulo s and x = b modulo t (the Chinese remainder theorem). Where their common multiple is too large it is
// the solutions of the first.
func common(a, s, b, t int64) (x, step int64, ok bool) {
	g := gcd(s, t)
	diff := b - a
	if diff%g != 0 {
		return 0, 0, false
	}
	over, product := bits.Mul64(uint64(s), uint64(t/g))
	if over != 0 || product > bound {
		return a, s, true
	}
	m := t / g
	k := multiply(modulo(diff/g, m), inverse(modulo(s/g, m), m), m)
	return a%int64(product) + s*k, int64(product), true
}

// multiply returns a*b modulo m, for a and b from 0 to m.
func multiply(a, b, m int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	return int64(bits.Rem64(hi, lo, uint64(m)))
}

// inverse returns x with a*x = 1 modulo m, which has no common divisor with a (the extended Euclidean algorithm).
func inverse(a, m int64) int64 {
	if m == 1 {
		return 0
	}
	x, y := int64(1), int64(0)
	for b := m; b != 0; {
		q := a / b
		a, b = b, a-q*b
		x, y = y, x-q*y
	}
	return modulo(x, m)
}

// between is Between within the bound; false if there is nothing.
func between(low, high int64) (Set, bool) {
	if low > high {
		return Set{}, false
	}
	return Between(max(low, -bound), min(high, bound)), true
}

func (s Set) plus(t Set) Set {
	sum := Set{s.Low + t.Low, s.High + t.High, gcd(s.Step, t.Step)}
	if sum.Low < -bound || sum.High > bound {
		return everything
	}
	return sum
}

func (s Set) negated() Set { return Set{-s.High, -s.Low, s.Step} }

func (s Set) minus(t Set) Set { return s.plus(t.negated()) }

func (s Set) times(t Set) Set {
	if t.Step == 0 {
		s, t = t, s
	}
	if s.Step == 0 { // times a number
		switch c := s.Low; {
		case c == 0:
			return Only(0)
		case c < 0:
			return Set{t.High * c, t.Low * c, -c * t.Step}
		default:
			return Set{t.Low * c, t.High * c, c * t.Step}
		}
	}
	a, b, c, d := s.Low*t.Low, s.Low*t.High, s.High*t.Low, s.High*t.High
	return Between(min(a, b, c, d), max(a, b, c, d))
}

// over returns the quotients by a positive number, rounded towards zero.
func (s Set) over(c int64) Set {
	if s.Step%c == 0 && s.Low%c == 0 {
		return Set{s.Low / c, s.High / c, s.Step / c}
	}
	return Between(s.Low/c, s.High/c)
}

// rem returns the remainders of over.
func (s Set) rem(c int64) Set {
	if s.Low/c == s.High/c && (s.Low >= 0 || s.High <= 0) {
		return Set{s.Low % c, s.High % c, s.Step}
	}
	low, high := int64(0), int64(0)
	if s.Low < 0 {
		low = 1 - c
	}
	if s.High > 0 {
		high = c - 1
	}
	if g := gcd(s.Step, c); g > 1 {
		if r, ok := strided(low, high, s.Low, g); ok {
			return r
		}
	}
	return Between(low, high)
}

// dividing returns the numbers x with c*x in the set, for c other than 0; false if there are none.
func (s Set) dividing(c int64) (Set, bool) {
	if c < 0 {
		s, c = s.negated(), -c
	}
	low, high := ceil(s.Low, c), floor(s.High, c)
	if s.Step == 0 {
		return Only(low), s.Low%c == 0
	}
	g := gcd(s.Step, c)
	m := s.Step / g
	if s.Low%g != 0 || low > high {
		return Set{}, false
	}
	if m == 1 {
		return between(low, high)
	}
	return strided(low, high, multiply(modulo(s.Low/g, m), inverse(modulo(c/g, m), m), m), m)
}

func floor(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceil(a, b int64) int64 { return -floor(-a, b) }
