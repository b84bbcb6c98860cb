package vec

import (
	"math"
	"math/bits"
)

// windows are 128 bits of 2/pi for each biased exponent of single precision, high and low, without those
// that make multiples of 4.
var windows = func() (table [256][2]uint64) {
	digits := [...]uint64{0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561} // after the point
	for exp := range infinite {
		skip := max(exp-bias-2, 0)
		word, shift := skip/64, skip%64
		for i := range 2 {
			table[exp][i] = digits[word+i]<<shift | digits[word+i+1]>>(64-shift)
		}
	}
	return table
}()

// A number of single precision is m*2^(exp-bias) for the biased exponent exp, which is infinite for those that are not finite.
const (
	bias     = 150
	infinite = 255
)

// Reduce returns q and r in [-pi/4, pi/4] with x = q*pi/2 + r but for multiples
// of 2 pi; r is NaN if x is not finite. It multiplies the 24 bits of the mantissa by 128 bits
// of 2/pi, of which it skips those that make multiples of 4.
func Reduce(x uint32) (q int, r float64) {
	const quarter = 0x3f490fda // the greatest number of single precision up to pi/4
	switch size := x & (1<<31 - 1); {
	case size >= infinite<<23:
		return 0, math.NaN()
	case size <= quarter:
		return 0, float64(math.Float32frombits(x))
	}
	m := uint64(x&(1<<23-1) | 1<<23)
	exp := x >> 23 & 0xff
	high, low := windows[exp][0], windows[exp][1]
	c0, p0 := bits.Mul64(m, low)
	p2, p1 := bits.Mul64(m, high)
	p1, carry := bits.Add64(p1, c0, 0)
	p2 += carry
	down := uint(max(bias+2-int(exp), 0)) % 64
	p0 = p0>>down | p1<<1<<(63-down)
	p1 = p1>>down | p2<<1<<(63-down)
	// The product is (p1, p0) * 2^-126: two bits of whole quarters and 126 of
	// fraction, which is taken from the nearest quarter. Its sign is that of x too, and there is no branch on it.
	q = int((p1>>61 + 1) >> 1)
	p1, p0 = p1<<2|p0>>62, p0<<2
	neg := uint64(int64(p1) >> 63)
	p0, borrow := bits.Sub64(p0^neg, neg, 0)
	p1, _ = bits.Sub64(p1^neg, neg, borrow)
	r = (float64(float64(int64(p1))*(1<<64)) + unsignedFloat(p0)) * (math.Pi / 2 / (1 << 64) / (1 << 64))
	sign := uint64(x>>31) << 63
	q = (q ^ -int(x>>31)) + int(x>>31)
	return q, math.Float64frombits(math.Float64bits(r) ^ neg&(1<<63) ^ sign)
}

// unsignedFloat rounds an integer once, without a branch.
func unsignedFloat(x uint64) float64 {
	return float64(float64(int64(x>>32))*(1<<32)) + float64(int64(x&(1<<32-1)))
}
