package split

import (
	"math"
	"math/bits"
)

// checked adds and multiplies numbers that are not negative, and notes if a result does not
// fit.
type checked struct{ overflow bool }

func (c *checked) add(terms ...int64) int64 {
	sum := int64(0)
	for _, t := range terms {
		if t > math.MaxInt64-sum {
			c.overflow = true
			return math.MaxInt64
		}
		sum += t
	}
	return sum
}

func (c *checked) mul(factors ...int64) int64 {
	product := int64(1)
	for _, f := range factors {
		hi, lo := bits.Mul64(uint64(product), uint64(f))
		if hi != 0 || lo > math.MaxInt64 {
			c.overflow = true
			return math.MaxInt64
		}
		product = int64(lo)
	}
	return product
}

func (c *checked) err() error {
	if c.overflow {
		return ErrOverflow
	}
	return nil
}
