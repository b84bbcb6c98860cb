package alu

import (
	"math"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// transcendental returns the approximations, nil if there is none on the type.
//
// They are computed in double precision by correctly rounded operations in a
// fixed order, with an error below 2^-40 relative to the result, and rounded once
// more: that is closer than PTX demands, and the same on every host. For Sin and
// Cos the argument is reduced exactly, whatever its size. Of doubles those that flush see and give
// the upper words alone.
func transcendental(in *isa.Instr, f format) scalar {
	switch {
	case in.Type == isa.F32x2 || in.SrcType != isa.Invalid:
		return nil
	case in.Op == isa.Rsqrt && in.Type == isa.F64 && in.FTZ:
		return throughUpper(reciprocalRoot)
	case in.Op == isa.Rsqrt && in.Type == isa.F64:
		return func(x, _, _ uint64) uint64 { return bits64(reciprocalRoot(f64(x))) }
	case in.Op == isa.Ex2 && f != double64:
		return f.through(exp2)
	case in.Op == isa.Tanh && f != double64:
		return f.through(tanh)
	case in.Type != isa.F32:
		return nil
	}
	switch in.Op {
	case isa.Rsqrt:
		return f.through(reciprocalRoot)
	case isa.Lg2:
		return f.through(log2)
	case isa.Sin:
		return func(x, _, _ uint64) uint64 { return sine(uint32(x), 0) }
	case isa.Cos:
		return func(x, _, _ uint64) uint64 { return sine(uint32(x), 1) }
	}
	return nil
}

// through makes a function on a format of one that computes in double precision.
func (f format) through(g func(x float64) float64) scalar {
	return func(x, _, _ uint64) uint64 { return f.fromFloat64(g(f.float64(x))) }
}

// throughUpper makes a function on doubles that takes their upper words for numbers, rounds to such
// and leaves the lower words zero (PTX ISA, "rcp.approx.ftz.f64" and "rsqrt.approx.ftz.f64").
func throughUpper(g func(x float64) float64) scalar {
	f := upper32.through(g)
	return func(x, _, _ uint64) uint64 { return f(x>>32, 0, 0) << 32 }
}

// reciprocal returns 1/x.
func reciprocal(x float64) float64 { return 1 / x }

// reciprocalRoot returns 1/sqrt(x).
func reciprocalRoot(x float64) float64 { return 1 / math.Sqrt(x) }

// polynomial evaluates a polynomial whose coefficients are given from the
// lowest power up.
func polynomial(x float64, coefficients []float64) float64 {
	y := 0.0
	for i := len(coefficients) - 1; i >= 0; i-- {
		y = float64(y*x) + coefficients[i]
	}
	return y
}

// The coefficients of Taylor series: of (e^x-1)/x, of sin(x)/x and of cos(x) in
// x^2, and of artanh(x)/x in x^2.
var (
	expSeries = []float64{
		1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320, 1. / 362880,
		1. / 3628800, 1. / 39916800, 1. / 479001600, 1. / 6227020800, 1. / 87178291200,
	}
	sinSeries = []float64{
		1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880, -1. / 39916800, 1. / 6227020800,
		-1. / 1307674368000, 1. / 355687428096000,
	}
	cosSeries = []float64{
		1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320, -1. / 3628800, 1. / 479001600,
		-1. / 87178291200, 1. / 20922789888000, -1. / 6402373705728000,
	}
	artanhSeries = []float64{
		1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21, 1. / 23,
	}
)

// expMinus1 returns e^x - 1 for |x| up to ln(2)/2.
func expMinus1(x float64) float64 { return x * polynomial(x, expSeries) }

// exp2 returns 2^x: the whole part of x is the exponent, and the rest lies in
// [-1/2, 1/2].
func exp2(x float64) float64 {
	switch {
	case x > 200: // beyond single precision
		return math.Inf(1)
	case x < -200:
		return 0
	case x != x:
		return x
	}
	whole := math.RoundToEven(x)
	power := math.Float64frombits(uint64(int64(whole)+1023) << 52)
	return power + float64(power*expMinus1((x-whole)*math.Ln2))
}

// log2 returns the logarithm to base 2. With x = m*2^e and m in [sqrt(1/2),
// sqrt(2)] it is e + 2/ln(2) * artanh((m-1)/(m+1)).
func log2(x float64) float64 {
	switch {
	case x != x || x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	m, e := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m *= 2
		e--
	}
	t := (m - 1) / (m + 1)
	return float64(e) + float64(2/math.Ln2*t*polynomial(t*t, artanhSeries))
}

// tanh returns u/(u+2) for u = e^2x - 1.
func tanh(x float64) float64 {
	y := math.Abs(x)
	var u float64
	switch {
	case x != x:
		return x
	case y > 40:
		return math.Copysign(1, x)
	case y < 0.17:
		u = expMinus1(2 * y)
	default:
		u = exp2(float64(2/math.Ln2*y)) - 1
	}
	return math.Copysign(u/(u+2), x)
}

// sine returns sin(x + quarters*pi/2).
func sine(x uint32, quarters int) uint64 {
	q, r := vec.Reduce(x)
	quarters += q
	var y float64
	if quarters&1 == 0 {
		y = r * polynomial(r*r, sinSeries)
	} else {
		y = polynomial(r*r, cosSeries)
	}
	if quarters&2 != 0 {
		y = -y
	}
	return uint64(bits32(float32(y)))
}
