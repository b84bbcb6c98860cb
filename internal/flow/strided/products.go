package strided

import (
	"math"
	"math/bits"
)

// MulHigh returns the high halves of the products.
func (s Interval) MulHigh(t Interval, sign bool) Interval {
	w := s.bits
	if w <= 32 {
		return s.Extend(2*w, sign).Mul(t.Extend(2*w, sign)).Shr(Const(32, uint64(w)), sign).Cut(w)
	}
	if !sign {
		a, b := s.Unsigned()
		c, d := t.Unsigned()
		lo, _ := bits.Mul64(a, c)
		hi, _ := bits.Mul64(b, d)
		return Between(w, lo, hi)
	}
	a, b := s.Signed()
	c, d := t.Signed()
	lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
	for _, x := range []int64{a, b} {
		for _, y := range []int64{c, d} {
			p := signedHigh(x, y)
			lo, hi = min(lo, p), max(hi, p)
		}
	}
	return Between(w, uint64(lo), uint64(hi))
}

// Distance returns the distances between the words.
func (s Interval) Distance(t Interval, sign bool) Interval {
	if sign {
		half := Const(s.bits, Mask(s.bits)/2+1)
		return s.Add(half).Distance(t.Add(half), false)
	}
	s, t = s.UnwrapUnsigned(), t.UnwrapUnsigned()
	step := GCD(s.step, t.step)
	switch {
	case s.lo >= t.last():
		return FromSpan(s.bits, s.lo-t.last(), s.last()-t.lo-(s.lo-t.last()), step)
	case t.lo >= s.last():
		return FromSpan(s.bits, t.lo-s.last(), t.last()-s.lo-(t.lo-s.last()), step)
	}
	hi := max(s.last()-t.lo, t.last()-s.lo) // the sets overlap: neither is negative
	if step == 0 || (max(s.lo, t.lo)-min(s.lo, t.lo))%step != 0 {
		step = 1
	}
	return FromSpan(s.bits, 0, hi, step)
}

// ClampSigned limits the words of 64 bits, as signed numbers, to a range.
func (s Interval) ClampSigned(lo, hi int64) Interval {
	return s.Max(Const(64, uint64(lo)), true).Min(Const(64, uint64(hi)), true)
}

// SaturateTo32 limits signed numbers of 64 bits to 32 bits, and returns them in these.
func (s Interval) SaturateTo32() Interval { return s.ClampSigned(math.MinInt32, math.MaxInt32).Cut(32) }
