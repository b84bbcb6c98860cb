package alu

import (
	"math"
	"math/big"
	"testing"

	"warpbound/internal/isa"
)

const precision = 160 // bits of the reference values

func number160(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

func zero160() *big.Float { return new(big.Float).SetPrec(precision) }

// series sums x^k * c(k) until the terms vanish, where each term follows from the
// one before by a factor.
func series(first *big.Float, next func(k int64, term *big.Float)) *big.Float {
	sum, term := zero160().Set(first), zero160().Set(first)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-precision; k++ {
		next(k, term)
		sum.Add(sum, term)
	}
	return sum
}

// bigExp is e^x, from a Taylor series of x/2^k squared k times.
func bigExp(x *big.Float) *big.Float {
	k := max(x.MantExp(nil)+4, 0)
	r := zero160().SetMantExp(x, -k)
	y := series(number160(1), func(k int64, term *big.Float) {
		term.Mul(term, r)
		term.Quo(term, number160(float64(k)))
	})
	for range k {
		y.Mul(y, y)
	}
	return y
}

// bigLn is the logarithm: 2 artanh((m-1)/(m+1)) + e ln 2 for x = m * 2^e.
func bigLn(x *big.Float) *big.Float {
	artanh := func(t *big.Float) *big.Float {
		square := zero160().Mul(t, t)
		power := zero160().Set(t)
		return series(t, func(k int64, term *big.Float) {
			power.Mul(power, square)
			term.Quo(power, number160(float64(2*k+1)))
		})
	}
	m := zero160()
	e := x.MantExp(m)
	t := zero160().Quo(zero160().Sub(m, number160(1)), zero160().Add(m, number160(1)))
	ln2 := artanh(zero160().Quo(number160(1), number160(3)))
	y := artanh(t)
	y.Add(y, ln2.Mul(ln2, number160(float64(e))))
	return y.Mul(y, number160(2))
}

func ln2() *big.Float { return bigLn(number160(2)) }

// bigSine is the Taylor series of sin, or of cos, for arguments that are not so
// large that its terms swallow the result.
func bigSine(x *big.Float, cos bool) *big.Float {
	const extra = 1200 // bits that cancel
	wide := func() *big.Float { return new(big.Float).SetPrec(precision + extra) }
	square := wide().Mul(wide().Set(x), x)
	square.Neg(square)
	term, odd := wide().Set(x), int64(1)
	if cos {
		term, odd = wide().SetInt64(1), 0
	}
	sum := wide().Set(term)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > -2*precision; k++ {
		term.Mul(term, square)
		n := 2*k + odd
		term.Quo(term, wide().SetInt64(n*(n-1)))
		sum.Add(sum, term)
	}
	return sum
}

// TestDocumentedErrors measures the largest error of every approximation over
// dense samples, against references of many bits, and compares it with the bound
// that the PTX manual states.
func TestDocumentedErrors(t *testing.T) {
	inverse := func(x *big.Float) *big.Float { return zero160().Quo(number160(1), x) }
	sqrt := func(x *big.Float) *big.Float { return zero160().Sqrt(x) }
	two := ln2()
	exp2 := func(x *big.Float) *big.Float { return bigExp(zero160().Mul(x, two)) }
	tanh := func(x *big.Float) *big.Float {
		u := bigExp(zero160().Mul(x, number160(2)))
		return zero160().Quo(zero160().Sub(u, number160(1)), zero160().Add(u, number160(1)))
	}
	sin := func(x *big.Float) *big.Float { return bigSine(x, false) }
	cos := func(x *big.Float) *big.Float { return bigSine(x, true) }
	log2 := func(x *big.Float) *big.Float { return zero160().Quo(bigLn(x), two) }
	const (
		absolute = iota
		relative
		inUlps
	)
	for _, c := range []struct {
		op       isa.Op
		typ      isa.Type
		low, top float64 // of the arguments
		measure  int
		bound    float64
		want     func(x *big.Float) *big.Float
	}{
		{isa.Rcp, isa.F32, 0x1p-125, 0x1p125, inUlps, 1, inverse},
		{isa.Sqrt, isa.F32, 0x1p-125, 0x1p125, relative, 0x1p-23, sqrt},
		{isa.Rsqrt, isa.F32, 0x1p-125, 0x1p125, relative, math.Pow(2, -22.9), func(x *big.Float) *big.Float { return inverse(sqrt(x)) }},
		{isa.Sin, isa.F32, 0x1p-20, 2 * math.Pi, absolute, math.Pow(2, -20.5), sin},
		{isa.Cos, isa.F32, 0x1p-20, 2 * math.Pi, absolute, math.Pow(2, -20.5), cos},
		{isa.Sin, isa.F32, 2 * math.Pi, 100 * math.Pi, absolute, math.Pow(2, -14.7), sin},
		{isa.Cos, isa.F32, 2 * math.Pi, 100 * math.Pi, absolute, math.Pow(2, -14.7), cos},
		{isa.Lg2, isa.F32, 0.5, 2, absolute, 0x1p-22, log2},
		{isa.Lg2, isa.F32, 2, 0x1p125, relative, 0x1p-22, log2},
		{isa.Lg2, isa.F32, 0x1p-125, 0.5, relative, 0x1p-22, log2},
		{isa.Ex2, isa.F32, 0x1p-20, 120, inUlps, 2, exp2},
		{isa.Ex2, isa.F32, -120, -0x1p-20, inUlps, 2, exp2},
		{isa.Tanh, isa.F32, 0x1p-20, 20, relative, 0x1p-11, tanh},
		{isa.Ex2, isa.F16, 0x1p-10, 15, relative, math.Pow(2, -9.9), exp2},
		{isa.Ex2, isa.F16, -13, -0x1p-10, relative, math.Pow(2, -9.9), exp2},
		{isa.Tanh, isa.F16, 0x1p-10, 8, absolute, math.Pow(2, -10.987), tanh},
		{isa.Ex2, isa.BF16, 0x1p-10, 120, relative, 0x1p-7, exp2},
		{isa.Tanh, isa.BF16, 0x1p-10, 8, absolute, 0x1p-8, tanh},
	} {
		in := isa.Instr{Op: c.op, Type: c.typ, Approx: true, FTZ: c.typ == isa.BF16 && c.op == isa.Ex2}
		b, err := (&instance{in: in, dst: words(c.typ)[0], sources: words(c.typ)}).prepare()
		if err != nil {
			t.Fatal(err)
		}
		f := specOf(c.typ)
		largest := 0.0
		const samples = 1024
		rows := make([][4]uint64, lanes)
		for i := 0; i < samples; i += lanes {
			for lane := range rows {
				rows[lane][0] = f.between(c.low, c.top, float64(i+lane)/samples)
			}
			got, err := b.run(rows, 1<<lanes-1)
			if err != nil {
				t.Fatal(err)
			}
			for lane, y := range got {
				want := c.want(zero160().SetRat(f.exact(rows[lane][0])))
				off := zero160().Sub(zero160().SetRat(f.exact(y)), want)
				e, _ := off.Abs(off).Float64()
				size, _ := want.Float64()
				switch size = math.Abs(size); c.measure {
				case relative:
					e /= size
				case inUlps:
					e /= math.Ldexp(1, max(math.Ilogb(size), 1-f.bias())-f.frac)
				}
				largest = max(largest, e)
			}
		}
		if !(largest <= c.bound) || largest == 0 {
			t.Errorf("%s on [%g, %g]: error %g, the manual allows %g", &in, c.low, c.top, largest, c.bound)
		}
	}
}

// between gives a number of the format between two of the same sign, spread over
// all exponents.
func (f spec) between(low, top, at float64) uint64 {
	bits := func(x float64) float64 {
		return float64(f.round(new(big.Rat).SetFloat64(math.Abs(x)), isa.RoundRZ))
	}
	x := uint64(bits(low) + at*(bits(top)-bits(low)))
	return f.signed(x, low < 0)
}
