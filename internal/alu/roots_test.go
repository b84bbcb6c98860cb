package alu

import (
	"math"
	"math/bits"
	"testing"

	"warpbound/internal/isa"
)

// findSquares returns the words r of 53 bits, the highest of which is set, whose square is a multiple
// of 2^53 less d, which is 7 modulo 8: -d is a square modulo all powers of two then (Hensel).
func findSquares(d uint64) []uint64 {
	const digits = 53
	r := uint64(1)
	for k := 3; k < digits; k++ { // r*r = -d modulo 2^k
		if (r*r+d)&(1<<(k+1)-1) != 0 {
			r += 1 << (k - 1)
		}
	}
	var all []uint64
	for _, r := range []uint64{r, -r, r + 1<<(digits-1), -r + 1<<(digits-1)} {
		if r &= 1<<digits - 1; r>>(digits-1) == 1 {
			all = append(all, r)
		}
	}
	return all
}

// TestHardRoots takes roots of numbers that are greater than the square of a number by one part in
// 2^93 to 2^103: they are inexact by digits that are far beyond those of the result.
func TestHardRoots(t *testing.T) {
	for d := uint64(7); d < 2000; d += 8 {
		for _, r := range findSquares(d) {
			hi, lo := bits.Mul64(r, r)
			lo, carry := bits.Add64(lo, d, 0)
			hi += carry
			if lo&(1<<53-1) != 0 {
				t.Fatalf("the square of %d is no multiple of 2^53 less %d", r, d)
			}
			x := hi<<11 | lo>>53
			number := math.Float64bits(math.Ldexp(float64(x), 53))
			below, above := math.Float64bits(float64(r)), math.Float64bits(float64(r+1))
			for mode, want := range map[isa.Round]uint64{isa.RoundRN: below, isa.RoundRZ: below, isa.RoundRM: below, isa.RoundRP: above} {
				if got := double64.sqrt(number, mode); got != want {
					t.Errorf("root of %d * 2^53, in mode %v: %x, want %x", x, mode, got, want)
				}
			}
		}
	}
}
