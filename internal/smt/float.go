package smt

import "math/big"

// What the operations of a format give, with one rounding and the canonical NaN.

// order is how two floating-point numbers compare.
type order uint8

const (
	unordered order = iota
	less
	equal
	greater
)

func (f Format) isNaN(x uint64) bool  { return x&f.NaN() > f.Inf() }
func (f Format) isInf(x uint64) bool  { return x&f.NaN() == f.Inf() }
func (f Format) isZero(x uint64) bool { return x&f.NaN() == 0 }
func (f Format) neg(x uint64) bool    { return x&f.Sign() != 0 }

// signOf returns the bit of the sign of a number that is negative or not.
func (f Format) signOf(neg bool) uint64 {
	if neg {
		return f.Sign()
	}
	return 0
}

// exact is the precision in bits in which sums and products of numbers of up to 64 bits
// are exact: from the largest product of double precision to the smallest.
const exact = 4400

// power returns 2^n.
func power(n int) *big.Float { return new(big.Float).SetMantExp(big.NewFloat(1), n) }

// number returns the value of a finite number.
func (f Format) number(x uint64) *big.Float {
	exp, m := int(x&f.Inf()>>f.Frac), x&(1<<f.Frac-1)
	if exp == 0 {
		exp = 1
	} else {
		m |= 1 << f.Frac
	}
	v := new(big.Float).SetPrec(exact).SetUint64(m)
	v.SetMantExp(v, exp-f.bias()-f.Frac)
	if f.neg(x) {
		v.Neg(v)
	}
	return v
}

// rounded returns v as an integer; sticky says that v is a little too small in magnitude.
func rounded(v *big.Float, sticky bool, mode Mode) *big.Int {
	n, _ := v.Int(nil)
	rest := new(big.Float).SetPrec(exact).SetInt(n)
	rest.Sub(v, rest).Abs(rest)
	half := rest.Cmp(big.NewFloat(0.5))
	if half == 0 && sticky {
		half = 1
	}
	inexact := rest.Sign() != 0 || sticky
	up := false
	switch mode {
	case NearestEven:
		up = half > 0 || half == 0 && n.Bit(0) == 1
	case NearestAway:
		up = half >= 0
	case TowardNegative:
		up = inexact && v.Signbit()
	case TowardPositive:
		up = inexact && !v.Signbit()
	}
	if up {
		if v.Signbit() {
			return n.Sub(n, big.NewInt(1))
		}
		n.Add(n, big.NewInt(1))
	}
	return n
}

// round returns the number of the format for v, which is not zero.
func (f Format) round(v *big.Float, sticky bool, mode Mode) uint64 {
	sign := f.signOf(v.Signbit())
	exp := max(v.MantExp(nil)-1+f.bias(), 1) // biased
	scaled := new(big.Float).SetPrec(exact).SetMantExp(v, f.bias()+f.Frac-exp)
	if exp > 2*f.bias() {
		return sign | f.overflow(v.Signbit(), mode)
	}
	n := rounded(scaled, sticky, mode)
	x := uint64(exp-1)<<f.Frac + n.Abs(n).Uint64()
	if x >= f.Inf() {
		return sign | f.overflow(v.Signbit(), mode)
	}
	return sign | x
}

// overflow returns the magnitude of what is beyond the range.
func (f Format) overflow(neg bool, mode Mode) uint64 {
	if mode == TowardZero || mode == TowardNegative && !neg || mode == TowardPositive && neg {
		return f.Inf() - 1
	}
	return f.Inf()
}

func (f Format) add(x, y uint64, mode Mode) uint64 {
	switch {
	case f.isNaN(x) || f.isNaN(y) || f.isInf(x) && f.isInf(y) && x != y:
		return f.NaN()
	case f.isInf(x):
		return x
	case f.isInf(y):
		return y
	}
	return f.sum(f.number(x), f.number(y), mode)
}

// sum returns x+y of finite numbers; zeros have signs.
func (f Format) sum(x, y *big.Float, mode Mode) uint64 {
	s := new(big.Float).SetPrec(exact).Add(x, y)
	if s.Sign() != 0 {
		return f.round(s, false, mode)
	}
	return f.signOf(x.Signbit() && y.Signbit() || x.Signbit() != y.Signbit() && mode == TowardNegative)
}

func (f Format) sub(x, y uint64, mode Mode) uint64 { return f.add(x, y^f.Sign(), mode) }

func (f Format) mul(x, y uint64, mode Mode) uint64 {
	sign := (x ^ y) & f.Sign()
	switch {
	case f.isNaN(x) || f.isNaN(y) || f.isInf(x) && f.isZero(y) || f.isZero(x) && f.isInf(y):
		return f.NaN()
	case f.isInf(x) || f.isInf(y):
		return sign | f.Inf()
	case f.isZero(x) || f.isZero(y):
		return sign
	}
	return f.round(new(big.Float).SetPrec(exact).Mul(f.number(x), f.number(y)), false, mode)
}

func (f Format) fma(x, y, z uint64, mode Mode) uint64 {
	infinite := f.isInf(x) || f.isInf(y)
	sign := (x ^ y) & f.Sign()
	switch {
	case f.isNaN(x) || f.isNaN(y) || f.isNaN(z) || infinite && (f.isZero(x) || f.isZero(y)):
		return f.NaN()
	case infinite && f.isInf(z) && sign != z&f.Sign():
		return f.NaN()
	case infinite:
		return sign | f.Inf()
	case f.isInf(z):
		return z
	}
	return f.sum(new(big.Float).SetPrec(exact).Mul(f.number(x), f.number(y)), f.number(z), mode)
}

func (f Format) div(x, y uint64, mode Mode) uint64 {
	sign := (x ^ y) & f.Sign()
	switch {
	case f.isNaN(x) || f.isNaN(y) || f.isInf(x) && f.isInf(y) || f.isZero(x) && f.isZero(y):
		return f.NaN()
	case f.isInf(x) || f.isZero(y):
		return sign | f.Inf()
	case f.isZero(x) || f.isInf(y):
		return sign
	}
	q := new(big.Float).SetPrec(2 * MaxWidth).SetMode(big.ToZero)
	q.Quo(f.number(x), f.number(y))
	return f.round(q, q.Acc() != big.Exact, mode)
}

func (f Format) sqrt(x uint64, mode Mode) uint64 {
	switch {
	case f.isNaN(x) || f.neg(x) && !f.isZero(x):
		return f.NaN()
	case f.isInf(x) || f.isZero(x):
		return x
	}
	v := f.number(x)
	exp := v.MantExp(v)
	if exp%2 != 0 {
		exp--
		v.SetMantExp(v, 1)
	}
	const digits = 2 * MaxWidth
	n, _ := v.SetMantExp(v, 2*digits).Int(nil)
	root := new(big.Int).Sqrt(n)
	sticky := new(big.Int).Mul(root, root).Cmp(n) != 0
	r := new(big.Float).SetPrec(exact).SetInt(root)
	return f.round(r.SetMantExp(r, exp/2-digits), sticky, mode)
}

// integral rounds a number to an integral one.
func (f Format) integral(x uint64, mode Mode) uint64 {
	switch {
	case f.isNaN(x):
		return f.NaN()
	case f.isInf(x) || f.isZero(x):
		return x
	}
	n := rounded(f.number(x), false, mode)
	if n.Sign() == 0 {
		return x & f.Sign()
	}
	return f.round(new(big.Float).SetPrec(exact).SetInt(n), false, mode)
}

func (f Format) compare(x, y uint64) order {
	switch {
	case f.isNaN(x) || f.isNaN(y):
		return unordered
	case f.isZero(x) && f.isZero(y) || x == y:
		return equal
	case f.neg(x) != f.neg(y):
		if f.neg(x) {
			return less
		}
		return greater
	case (x < y) != f.neg(x):
		return less
	}
	return greater
}

// convert returns a number of another format in this one.
func (f Format) convert(from Format, x uint64, mode Mode) uint64 {
	switch {
	case from.isNaN(x):
		return f.NaN()
	case from.isInf(x):
		return f.signOf(from.neg(x)) | f.Inf()
	case from.isZero(x):
		return f.signOf(from.neg(x))
	}
	return f.round(from.number(x), false, mode)
}

// toInteger rounds a number to the nearest integer of width bits; NaN gives 0.
func (f Format) toInteger(x uint64, width int, isSigned bool, mode Mode) uint64 {
	low, high := uint64(0), ones(width)
	if isSigned {
		low, high = 1<<(width-1), ones(width)>>1
	}
	switch {
	case f.isNaN(x):
		return 0
	case f.isInf(x) && f.neg(x):
		return low
	case f.isInf(x):
		return high
	}
	n := rounded(f.number(x), false, mode)
	minimum := new(big.Int)
	if isSigned {
		minimum.Neg(new(big.Int).SetUint64(low))
	}
	switch {
	case n.Cmp(minimum) < 0:
		return low
	case n.Cmp(new(big.Int).SetUint64(high)) > 0:
		return high
	case n.Sign() < 0:
		return -n.Neg(n).Uint64() & ones(width)
	}
	return n.Uint64()
}

// fromInteger returns the number of a sign and a magnitude.
func (f Format) fromInteger(neg bool, x uint64, mode Mode) uint64 {
	if x == 0 {
		return 0
	}
	v := new(big.Float).SetPrec(exact).SetUint64(x)
	if neg {
		v.Neg(v)
	}
	return f.round(v, false, mode)
}
