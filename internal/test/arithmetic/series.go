package arithmetic

import (
	"math/big"
	"sync"
)

// precision is that of approximated results, in bits. Their relative error is far below 2^-100: of
// series all terms above 2^-precision are added up, and no result loses more bits to cancellation
// than that leaves.
const precision = 320

func integer(n int64) *big.Float { return float().SetInt64(n) }

func float() *big.Float { return new(big.Float).SetPrec(precision) }

// float is a finite number, without what there is more of it.
func (v number) float() *big.Float {
	x := float().SetInt(v.size)
	x.SetMantExp(x, v.exponent)
	if v.negative {
		x.Neg(x)
	}
	return x
}

// ofFloat is the number of a value that lies on no boundary of rounding but by being exact.
func ofFloat(x *big.Float) number {
	n, accuracy := new(big.Float).SetMantExp(x, precision-x.MantExp(nil)).Int(nil)
	exponent := x.MantExp(nil) - precision
	return number{negative: x.Signbit(), size: n.Abs(n), exponent: exponent, more: accuracy != big.Exact}
}

// sumSeries adds up terms, of which each follows from the one before, until they vanish.
func sumSeries(term *big.Float, next func(k int64)) *big.Float {
	sum := float().Set(term)
	for k := int64(1); term.Sign() != 0 && term.MantExp(nil) > sum.MantExp(nil)-precision; k++ {
		next(k)
		sum.Add(sum, term)
	}
	return sum
}

// arctangents returns the sum of x^(2k+1)/(2k+1), with signs that alternate if that is asked for.
func arctangents(x *big.Float, alternate bool) *big.Float {
	square, odd, term := float().Mul(x, x), float().Set(x), float().Set(x)
	if alternate {
		square.Neg(square)
	}
	return sumSeries(term, func(k int64) {
		odd.Mul(odd, square)
		term.Quo(odd, integer(2*k+1))
	})
}

// ln2 is 2 artanh(1/3).
var ln2 = sync.OnceValue(func() *big.Float {
	return float().Mul(integer(2), arctangents(float().Quo(integer(1), integer(3)), false))
})

// pi is 16 arctan(1/5) - 4 arctan(1/239) (J. Machin, 1706).
var pi = sync.OnceValue(func() *big.Float {
	of := func(n int64) *big.Float { return arctangents(float().Quo(integer(1), integer(n)), true) }
	return float().Sub(float().Mul(integer(16), of(5)), float().Mul(integer(4), of(239)))
})

// exponential is e^x for small x.
func exponential(x *big.Float) *big.Float {
	term := integer(1)
	return sumSeries(term, func(k int64) {
		term.Mul(term, x)
		term.Quo(term, integer(k))
	})
}

// powerOfTwo is 2^v; whole numbers give powers exactly. What is far beyond a format is its infinity
// or zero.
func powerOfTwo(f format, v number) (number, *big.Float) {
	limit := power(f.exponent + 1) // far beyond all exponents
	switch {
	case v.infinite && v.negative:
		return number{size: new(big.Int)}, nil
	case v.infinite:
		return v, nil
	case v.zero():
		return power(0), nil
	case v.compare(limit) > 0:
		return infinity(false), nil
	case v.magnitude().compare(limit) > 0:
		return number{size: new(big.Int)}, nil
	}
	x := v.float()
	whole, _ := x.Int64()
	rest := float().Sub(x, integer(whole))
	y := exponential(rest.Mul(rest, ln2()))
	return number{}, y.SetMantExp(y, int(whole))
}

// logarithm is that of x to base 2: with x = m*2^e it is e + 2/ln(2) * artanh((m-1)/(m+1)), where m
// is near one so that nothing cancels.
func logarithm(x *big.Float) *big.Float {
	m := float()
	e := x.MantExp(m)
	if m.Cmp(big.NewFloat(0.75)) < 0 {
		m.Mul(m, integer(2))
		e--
	}
	y := arctangents(float().Quo(float().Sub(m, integer(1)), float().Add(m, integer(1))), false)
	y.Mul(y, integer(2))
	y.Quo(y, ln2())
	return y.Add(y, integer(int64(e)))
}

// hyperbolicTangent is (1-u)/(1+u) for u = e^(-2|x|). Where a small x leaves few bits of 1-u, the
// first terms of its series say more.
func hyperbolicTangent(x *big.Float) *big.Float {
	y := float().Abs(x)
	if y.MantExp(nil) < -60 { // x - x^3/3 + ..., of which the rest is below 2^-200 of x
		cube := float().Mul(y, float().Mul(y, y))
		y.Sub(y, cube.Quo(cube, integer(3)))
	} else {
		u := exponentialOf(float().Mul(y, integer(-2)))
		y = float().Quo(float().Sub(integer(1), u), float().Add(integer(1), u))
	}
	if x.Signbit() {
		y.Neg(y)
	}
	return y
}

// exponentialOf is e^x for any x that is not positive; what is tiny is zero.
func exponentialOf(x *big.Float) *big.Float {
	if x.Cmp(integer(-2000)) < 0 {
		return float()
	}
	n, _ := float().Quo(x, ln2()).Int64()
	rest := float().Sub(x, float().Mul(integer(n), ln2()))
	y := exponential(rest)
	return y.SetMantExp(y, int(n))
}

// sine is the sine of x, or its cosine, from the series about the nearest multiple of pi/2. Single
// precision ends at 2^128, and no number in it is nearer to a multiple than 2^-40 of its size.
func sine(x *big.Float, cosine bool) *big.Float {
	quarter := float().Quo(pi(), integer(2))
	turns := float().Quo(x, quarter)
	turns.Add(turns, big.NewFloat(0.5))
	n, _ := turns.Int(nil)
	if turns.Signbit() && !turns.IsInt() { // down, not towards zero
		n.Sub(n, big.NewInt(1))
	}
	r := float().Sub(x, float().Mul(float().SetInt(n), quarter))
	quadrant := new(big.Int).And(n, big.NewInt(3)).Int64()
	if cosine {
		quadrant = (quadrant + 1) % 4
	}
	square := float().Mul(r, r)
	square.Neg(square)
	term, odd := float().Set(r), int64(1)
	if quadrant%2 == 1 {
		term, odd = integer(1), 0
	}
	y := sumSeries(term, func(k int64) {
		term.Mul(term, square)
		term.Quo(term, integer((2*k+odd)*(2*k+odd-1)))
	})
	if quadrant >= 2 {
		y.Neg(y)
	}
	return y
}
