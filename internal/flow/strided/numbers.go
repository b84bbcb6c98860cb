package strided

import "math/bits"

// PowerOf2Divisor returns the largest power of two that divides x; 2^63 for zero.
func PowerOf2Divisor(x uint64) uint64 {
	if x == 0 {
		return 1 << 63
	}
	return x & -x
}

// GCD returns the greatest common divisor; the other number if one is zero.
func GCD(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// productWithin returns a*b and whether it fits a width.
func productWithin(a, b, limit uint64) (uint64, bool) {
	hi, lo := bits.Mul64(a, b)
	return lo, hi == 0 && lo <= limit
}

// SignExtend reads the low bits of x as a signed number.
func SignExtend(x uint64, width int) int64 { return int64(x<<uint(64-width)) >> uint(64-width) }

// Mask returns the largest word of a width.
func Mask(width int) uint64 { return ^uint64(0) >> uint(64-width) }

// Magnitude returns the absolute value, which an int64 may not hold.
func Magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// SignedProduct returns a*b and whether it is a signed number of the width.
func SignedProduct(a, b int64, width int) (int64, bool) {
	p, ok := productWithin(Magnitude(a), Magnitude(b), Mask(width)/2)
	if (a < 0) != (b < 0) {
		return -int64(p), ok
	}
	return int64(p), ok
}

// FillBits returns the largest number with as many bits.
func FillBits(x uint64) uint64 { return 1<<bits.Len64(x) - 1 }

// signedHigh returns the high half of a signed product.
func signedHigh(x, y int64) int64 {
	hi, _ := bits.Mul64(uint64(x), uint64(y))
	return int64(hi) - x>>63&y - y>>63&x
}

// FloorDiv returns the greatest integer that is not above a/b, for positive b.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
