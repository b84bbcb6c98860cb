// Package saturating has the numbers that bounds are made of: cycles, and how often something
// happens. Their arithmetic does not wrap around. A result that does not fit is Max, and stays it,
// so that no sum is less than what was added up.
//
// The operators of Go would wrap around, or make a number of Max that looks like any other. The
// analyzer in .ci/arithmetic refuses them, and conversions, wherever the operand is an Int.
package saturating

import (
	"fmt"
	"math"
	"math/bits"
)

// Int is a number from 0 to Max. The zero Int is 0. Ints are compared as all numbers are.
type Int int64

// Max stands for itself and for every greater number. It is an upper bound of nothing that has to
// be told: who reports a bound says that it is too large instead.
const Max Int = math.MaxInt64

// Of returns a number, which is not negative.
func Of[T int | int64 | uint64](x T) Int {
	if x < 0 {
		panic(fmt.Sprintf("internal error: %d is no count", x))
	}
	if uint64(x) > math.MaxInt64 {
		return Max
	}
	return Int(x)
}

// Int64 returns x, of Max 2^63-1.
func (x Int) Int64() int64 { return int64(x) }

// Float64 returns the nearest float64 of x.
func (x Int) Float64() float64 { return float64(x) }

// Add returns x + y.
func (x Int) Add(y Int) Int {
	if x > Max-y {
		return Max
	}
	return x + y
}

// Mul returns x * y.
func (x Int) Mul(y Int) Int {
	high, low := bits.Mul64(uint64(x), uint64(y))
	if high != 0 || low > math.MaxInt64 {
		return Max
	}
	return Int(low)
}

// AddMul returns x + y*n.
func (x Int) AddMul(y, n Int) Int { return x.Add(y.Mul(n)) }

// Sub returns x - y, where y is part of x. What is left of Max is Max, whatever is taken away. It
// panics if y is more than x.
func (x Int) Sub(y Int) Int {
	switch {
	case x == Max:
		return Max
	case y > x:
		panic(fmt.Sprintf("internal error: %d are taken away from %d", y, x))
	}
	return x - y
}

// Div returns x / y, rounded down; of Max that is Max. y is not 0.
func (x Int) Div(y Int) Int {
	if x == Max {
		return Max
	}
	return x / y
}

// DivUp returns x / y, rounded up; of Max that is Max. y is not 0.
func (x Int) DivUp(y Int) Int {
	if x == Max || x == 0 {
		return x
	}
	return (x-1)/y + 1
}

// MulDivUp returns x * y / n, rounded up; of Max that is Max. The product need not fit. n is not 0.
func (x Int) MulDivUp(y, n Int) Int {
	if x == Max || y == Max {
		return x.Mul(y)
	}
	high, low := bits.Mul64(uint64(x), uint64(y))
	low, carry := bits.Add64(low, uint64(n-1), 0)
	if high += carry; high >= uint64(n) {
		return Max
	}
	quotient, _ := bits.Div64(high, low, uint64(n))
	return Int(min(quotient, math.MaxInt64))
}

// Sum returns the sum of numbers.
func Sum(terms ...Int) Int {
	sum := Int(0)
	for _, t := range terms {
		sum = sum.Add(t)
	}
	return sum
}
