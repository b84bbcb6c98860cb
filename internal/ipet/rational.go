package ipet

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strings"
)

// Rational is an exact rational number of any size. The zero Rational is 0.
// Numbers that fit into two int64 are held without allocation.
type Rational struct {
	// num and den are in lowest terms. den is 0 for an integer, -1 where wide
	// holds the number instead, and otherwise the denominator, at least 2.
	// Every number has one representation only.
	num, den int64
	wide     *big.Rat
}

const isWide = -1

func integer(n int64) Rational { return Rational{num: n} }

func fromBig(r *big.Rat) Rational {
	if r.Num().IsInt64() && r.Denom().IsInt64() {
		if d := r.Denom().Int64(); d != 1 {
			return Rational{num: r.Num().Int64(), den: d}
		}
		return Rational{num: r.Num().Int64()}
	}
	return Rational{den: isWide, wide: r}
}

// Big returns the number as a new big.Rat.
func (a Rational) Big() *big.Rat {
	switch a.den {
	case 0:
		return new(big.Rat).SetInt64(a.num)
	case isWide:
		return new(big.Rat).Set(a.wide)
	}
	return big.NewRat(a.num, a.den)
}

func (a Rational) isZero() bool { return a.num == 0 && a.den == 0 }

func (a Rational) isInteger() bool {
	return a.den == 0 || a.den == isWide && a.wide.IsInt()
}

func (a Rational) sign() int {
	switch {
	case a.den == isWide:
		return a.wide.Sign()
	case a.num > 0:
		return 1
	case a.num < 0:
		return -1
	}
	return 0
}

// ratio returns num/den in lowest terms; den is positive.
func ratio(num, den int64) Rational {
	if num == math.MinInt64 {
		return fromBig(big.NewRat(num, den))
	}
	g := gcd(num, den)
	if num, den = num/g, den/g; den != 1 {
		return Rational{num: num, den: den}
	}
	return Rational{num: num}
}

func gcd(a, b int64) int64 {
	if a < 0 {
		a = -a
	}
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// narrow returns numerator and denominator where neither number is wide.
func narrow(a, b Rational) (an, ad, bn, bd int64, ok bool) {
	if a.den == isWide || b.den == isWide {
		return 0, 0, 0, 0, false
	}
	return a.num, max(a.den, 1), b.num, max(b.den, 1), true
}

func (a Rational) add(b Rational) Rational {
	if a.den|b.den == 0 {
		if s, ok := addInt(a.num, b.num); ok {
			return Rational{num: s}
		}
	} else if an, ad, bn, bd, ok := narrow(a, b); ok {
		x, ok1 := mulInt(an, bd)
		y, ok2 := mulInt(bn, ad)
		n, ok3 := addInt(x, y)
		d, ok4 := mulInt(ad, bd)
		if ok1 && ok2 && ok3 && ok4 {
			return ratio(n, d)
		}
	}
	return fromBig(new(big.Rat).Add(a.Big(), b.Big()))
}

// addProduct returns a+x*y.
func (a Rational) addProduct(x, y Rational) Rational {
	const half = 1 << 31
	if a.den|x.den|y.den == 0 && uint64(x.num+half)|uint64(y.num+half) < 2*half {
		if s, ok := addInt(a.num, x.num*y.num); ok {
			return Rational{num: s}
		}
	}
	return a.add(x.mul(y))
}

func (a Rational) neg() Rational {
	if a.den == isWide || a.num == math.MinInt64 {
		return fromBig(new(big.Rat).Neg(a.Big()))
	}
	a.num = -a.num
	return a
}

func (a Rational) abs() Rational {
	if a.sign() < 0 {
		return a.neg()
	}
	return a
}

func (a Rational) sub(b Rational) Rational { return a.add(b.neg()) }

func (a Rational) mul(b Rational) Rational {
	if a.den|b.den == 0 {
		if p, ok := mulInt(a.num, b.num); ok {
			return Rational{num: p}
		}
	} else if an, ad, bn, bd, ok := narrow(a, b); ok {
		n, ok1 := mulInt(an, bn)
		d, ok2 := mulInt(ad, bd)
		if ok1 && ok2 {
			return ratio(n, d)
		}
	}
	return fromBig(new(big.Rat).Mul(a.Big(), b.Big()))
}

// div divides by b, which is not zero.
func (a Rational) div(b Rational) Rational {
	if b.den == 0 && b.num == 1 {
		return a
	}
	if b.den == isWide || b.num == math.MinInt64 {
		return fromBig(new(big.Rat).Quo(a.Big(), b.Big()))
	}
	inverse := Rational{num: max(b.den, 1), den: b.num}
	if inverse.den < 0 {
		inverse.num, inverse.den = -inverse.num, -inverse.den
	}
	if inverse.den == 1 {
		inverse.den = 0
	}
	return a.mul(inverse)
}

func (a Rational) cmp(b Rational) int {
	if a.den == b.den && a.den != isWide {
		switch {
		case a.num < b.num:
			return -1
		case a.num > b.num:
			return 1
		}
		return 0
	}
	return a.sub(b).sign()
}

// floor returns the largest integer not above the number, and whether it fits.
func (a Rational) floor() (int64, bool) {
	switch {
	case a.den == 0:
		return a.num, true
	case a.den == isWide:
		q := new(big.Int)
		q.Div(a.wide.Num(), a.wide.Denom()) // rounds down, as denominators are positive
		return q.Int64(), q.IsInt64()
	}
	q := a.num / a.den
	if a.num < 0 {
		q--
	}
	return q, true
}

// String renders the number as "7" or "-3/2".
func (a Rational) String() string {
	if a.den == 0 {
		return fmt.Sprint(a.num)
	}
	return a.Big().RatString()
}

// MarshalText renders the number as String does.
func (a Rational) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// maxDigits bounds the text of a number, so that a hostile file cannot ask for
// unbounded memory or time.
const maxDigits = 10000

// UnmarshalText parses what MarshalText writes.
func (a *Rational) UnmarshalText(text []byte) error {
	s := string(text)
	if len(s) > maxDigits {
		return fmt.Errorf("number of %d characters is too long", len(s))
	}
	num, den, isFraction := strings.Cut(strings.TrimPrefix(s, "-"), "/")
	if !isDigits(num) || isFraction && !isDigits(den) {
		return fmt.Errorf("%q is not a rational number", s)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return fmt.Errorf("%q is not a rational number", s)
	}
	*a = fromBig(r)
	return nil
}

func isDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// addInt returns a+b and whether it fits.
func addInt(a, b int64) (int64, bool) {
	s := a + b
	return s, (s > a) == (b > 0)
}

// mulInt returns a*b and whether it fits. It gives up on the smallest int64.
func mulInt(a, b int64) (int64, bool) {
	const half = 1 << 31
	if uint64(a+half)|uint64(b+half) < 2*half {
		return a * b, true
	}
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	if hi != 0 || lo > math.MaxInt64 {
		return 0, false
	}
	if (a < 0) != (b < 0) {
		return -int64(lo), true
	}
	return int64(lo), true
}

func magnitude(a int64) uint64 {
	if a < 0 {
		return -uint64(a)
	}
	return uint64(a)
}
