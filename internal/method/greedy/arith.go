package greedy

import (
	"math"
	"math/bits"
)

// over is what sums are that do not fit into 63 bits.
const over = math.MaxInt64

// plus returns x + y, at most over. Neither is negative.
func plus(x, y int64) int64 {
	if x > over-y {
		return over
	}
	return x + y
}

// times returns x * y, at most over. Neither is negative.
func times(x, y int64) int64 { return share(x, y, 1) }

// share returns x * y / n rounded up, at most over. None is negative, and n is not 0.
func share(x, y, n int64) int64 {
	hi, lo := bits.Mul64(uint64(x), uint64(y))
	lo, carry := bits.Add64(lo, uint64(n-1), 0)
	if hi += carry; hi >= uint64(n) {
		return over
	}
	if q, _ := bits.Div64(hi, lo, uint64(n)); q < over {
		return int64(q)
	}
	return over
}
