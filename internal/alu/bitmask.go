package alu

import "math/bits"

// Amounts of 32 and more count as 32, or modulo 32 if wrap is set.

// bitMask returns the function that sets b bits from bit a up.
func bitMask(wrap bool) WordFunc {
	return func(d, a, b, _ *Words) {
		for i := range d {
			from, n := amount(a[i], wrap), amount(b[i], wrap)
			d[i] = uint32((uint64(1)<<n - 1) << from)
		}
	}
}

// extendBits returns the function that extends the low b bits of a by zeros, or
// by the highest of them.
func extendBits(wrap, signed bool) WordFunc {
	return func(d, a, b, _ *Words) {
		for i := range d {
			n := amount(b[i], wrap)
			x := uint64(a[i]) & (1<<n - 1)
			if signed && n > 0 && x>>(n-1) != 0 {
				x |= ^uint64(0) << n
			}
			d[i] = uint32(x)
		}
	}
}

func amount(x uint32, wrap bool) uint32 {
	if wrap {
		return x & 31
	}
	return min(x, 32)
}

// findNthSet finds the bit of a that is set and c-th from bit b, which is the
// first: upward, or downward if c is negative; bit b itself if c is zero. There
// is none beyond the word, and the result then is all ones.
func findNthSet(d, a, b, c *Words) {
	for i := range d {
		x, at, n := a[i], b[i], int64(int32(c[i]))
		backwards := n < 0
		if backwards {
			x, at, n = bits.Reverse32(x), 31-at, -n
		}
		if n == 0 {
			n, x = 1, x&(1<<at)
		}
		x = x >> at << at
		for ; n > 1 && x != 0; n-- {
			x &= x - 1
		}
		switch {
		case x == 0:
			d[i] = 1<<32 - 1
		case backwards:
			d[i] = 31 - uint32(bits.TrailingZeros32(x))
		default:
			d[i] = uint32(bits.TrailingZeros32(x))
		}
	}
}
