package strided

import "math/bits"

// The operations on sets return a set that holds the result for all words of their
// operands, which have one width.

// Add returns the sums.
func (s Interval) Add(t Interval) Interval {
	step := GCD(s.step, t.step)
	if t.Span() > Mask(s.bits)-s.Span() {
		return ResidueClass(s.bits, PowerOf2Divisor(step), s.lo+t.lo)
	}
	return FromSpan(s.bits, s.lo+t.lo, s.Span()+t.Span(), step)
}

// Neg returns the negated words.
func (s Interval) Neg() Interval { return FromSpan(s.bits, -s.last(), s.Span(), s.step) }

// Not returns the complements.
func (s Interval) Not() Interval {
	return s.Neg().Add(Const(s.bits, ^uint64(0))).WithKnownBits(s.ones, s.zeros)
}

// Sub returns the differences.
func (s Interval) Sub(t Interval) Interval { return s.Add(t.Neg()) }

// Times returns the products with a number.
func (s Interval) Times(c uint64) Interval {
	m := Mask(s.bits)
	c &= m
	if c > m/2+1 {
		return s.Times(-c).Neg()
	}
	if span, ok := productWithin(s.Span(), c, m); ok {
		return FromSpan(s.bits, s.lo*c, span, s.step*c)
	}
	return ResidueClass(s.bits, PowerOf2Divisor(s.step*c), s.lo*c)
}

// Mul returns the products.
func (s Interval) Mul(t Interval) Interval {
	if s.n == 0 {
		return t.Times(s.lo)
	}
	if t.n == 0 {
		return s.Times(t.lo)
	}
	if r, ok := s.UnwrapUnsigned().products(t.UnwrapUnsigned()); ok {
		return r
	}
	if r, ok := s.UnwrapSigned().signedProducts(t.UnwrapSigned()); ok {
		return r
	}
	g := min(PowerOf2Divisor(s.lo*t.step), PowerOf2Divisor(t.lo*s.step), PowerOf2Divisor(s.step*t.step))
	return ResidueClass(s.bits, g, s.lo*t.lo)
}

// products multiplies sets that do not wrap around, if the products do not either.
func (s Interval) products(t Interval) (Interval, bool) {
	m := Mask(s.bits)
	hi, ok := productWithin(s.last(), t.last(), m)
	if !ok {
		return Interval{}, false
	}
	lo := s.lo * t.lo
	return FromSpan(s.bits, lo, hi-lo, GCD(GCD(s.lo*t.step, t.lo*s.step), s.step*t.step)), true
}

// signedProducts is the same for signed numbers.
func (s Interval) signedProducts(t Interval) (Interval, bool) {
	minimum, largest := int64(0), int64(0)
	for i, x := range []uint64{s.lo, s.last()} {
		for j, y := range []uint64{t.lo, t.last()} {
			a, b := SignExtend(x, s.bits), SignExtend(y, s.bits)
			p, ok := SignedProduct(a, b, s.bits)
			if !ok {
				return Interval{}, false
			}
			if i+j == 0 {
				minimum, largest = p, p
			}
			minimum, largest = min(minimum, p), max(largest, p)
		}
	}
	step := uint64(0)
	a, b := Magnitude(SignExtend(s.lo, s.bits)), Magnitude(SignExtend(t.lo, s.bits))
	for _, f := range [][2]uint64{{a, t.step}, {b, s.step}, {s.step, t.step}} {
		p, ok := productWithin(f[0], f[1], Mask(64))
		if !ok {
			return Interval{}, false
		}
		step = GCD(step, p)
	}
	return FromSpan(s.bits, uint64(minimum), uint64(largest)-uint64(minimum), step), true
}

// powersOf2 returns 2 to the power of the shift amounts, false if one exceeds the width.
func powersOf2(width int, amount Interval) (Interval, bool) {
	lo, hi := amount.Unsigned()
	if hi >= uint64(width) {
		return Interval{}, false
	}
	return FromSpan(width, 1<<lo, 1<<hi-1<<lo, 1<<lo), true
}

// Shl returns the words shifted left; amounts beyond the width give zero.
func (s Interval) Shl(amount Interval) Interval {
	if p, ok := powersOf2(s.bits, amount); ok {
		by, single := amount.IsConst()
		if !single {
			return s.Mul(p)
		}
		return s.Mul(p).WithKnownBits(s.zeros<<by, s.ones<<by)
	}
	lo, _ := amount.Unsigned()
	if lo >= uint64(s.bits) {
		return Const(s.bits, 0)
	}
	g, rem := s.Residue()
	if rem != 0 {
		g = PowerOf2Divisor(rem)
	}
	return ResidueClass(s.bits, max(g<<lo, PowerOf2Divisor(g)), 0)
}

// Shr returns the words shifted right, as signed or unsigned numbers; amounts beyond the
// width count as the width.
func (s Interval) Shr(amount Interval, sign bool) Interval {
	from, to := amount.Unsigned()
	from, to = min(from, uint64(s.bits)), min(to, uint64(s.bits))
	view, shifted := s.UnwrapUnsigned(), func(x uint64, by uint64) uint64 { return x >> by }
	if sign {
		view = s.UnwrapSigned()
		shifted = func(x uint64, by uint64) uint64 { return uint64(SignExtend(x, s.bits) >> by) }
	}
	step := uint64(1)
	if from == to && view.step&(1<<from-1) == 0 {
		step = view.step >> from
	}
	lo := min(int64(shifted(view.lo, from)), int64(shifted(view.lo, to)))
	hi := max(int64(shifted(view.last(), from)), int64(shifted(view.last(), to)))
	if !sign {
		lo, hi = int64(shifted(view.lo, to)), int64(shifted(view.last(), from))
	}
	r := FromSpan(s.bits, uint64(lo), uint64(hi)-uint64(lo), step)
	if from != to || from == uint64(s.bits) {
		return r
	}
	return r.WithKnownBits(s.zeros>>from, s.ones>>from) // its ends tell of the bits above
}

// Div returns the quotients, rounded towards zero; anything if a divisor may be zero.
func (s Interval) Div(t Interval, sign bool) Interval {
	if sign && (!s.IsNonNegative() || !t.IsNonNegative()) {
		return s.divSigned(t)
	}
	lo, hi := s.Unsigned()
	from, to := t.Unsigned()
	if from == 0 {
		return Any(s.bits)
	}
	step := uint64(1)
	if u := s.UnwrapUnsigned(); from == to && u.step%from == 0 {
		step = u.step / from
	}
	return FromSpan(s.bits, lo/to, hi/from-lo/to, step)
}

// IsNonNegative reports whether no word is negative as a signed number.
func (s Interval) IsNonNegative() bool {
	_, hi := s.Unsigned()
	return hi <= Mask(s.bits)/2
}

// divSigned divides signed numbers by a constant.
func (s Interval) divSigned(t Interval) Interval {
	d, ok := t.IsConst()
	by := SignExtend(d, s.bits)
	if !ok || by == 0 || by == -1 {
		return Any(s.bits)
	}
	lo, hi := s.Signed()
	a, b := lo/by, hi/by
	return FromSpan(s.bits, uint64(min(a, b)), uint64(max(a, b))-uint64(min(a, b)), 1)
}

// Rem returns the remainders of Div; anything if a divisor may be zero.
func (s Interval) Rem(t Interval, sign bool) Interval {
	if sign && (!s.IsNonNegative() || !t.IsNonNegative()) {
		lo, hi := t.Signed()
		if lo <= 0 {
			return Any(s.bits)
		}
		return Between(s.bits, uint64(1-hi), uint64(hi-1))
	}
	lo, hi := s.Unsigned()
	from, to := t.Unsigned()
	switch {
	case from == 0:
		return Any(s.bits)
	case hi < from:
		return s.UnwrapUnsigned()
	case from != to:
		return Between(s.bits, 0, min(to-1, hi))
	case lo/from == hi/from:
		u := s.UnwrapUnsigned()
		return FromSpan(s.bits, lo%from, u.Span(), u.step)
	}
	g := GCD(s.UnwrapUnsigned().step, from)
	return FromSpan(s.bits, lo%g, from-1-lo%g, g)
}

// And returns the conjunctions of bits.
func (s Interval) And(t Interval) Interval {
	if areConst(s, t) {
		return Const(s.bits, s.lo&t.lo)
	}
	if m, ok := s.IsConst(); ok {
		s, t = t, Const(s.bits, m)
	}
	if m, ok := t.IsConst(); ok {
		exact := tableAnd.Apply(s, t, Const(s.bits, 0))
		if m&(m+1) == 0 && m != Mask(s.bits) { // low bits
			return exact.Narrow(s.Rem(Const(s.bits, m+1), false))
		}
		_, hi := s.Unsigned()
		if low := PowerOf2Divisor(m) - 1; FillBits(hi)&^low&^m == 0 { // all but low bits of the words
			k := Const(s.bits, uint64(bits.Len64(low)))
			return exact.Narrow(s.Shr(k, false).Shl(k))
		}
		return exact
	}
	return tableAnd.Apply(s, t, Const(s.bits, 0))
}

// Alignment returns the largest power of two that is known to divide all words, at most
// half of what the width can hold.
func (s Interval) Alignment() uint64 {
	g, rem := s.Residue()
	if rem != 0 {
		g = PowerOf2Divisor(rem)
	}
	return min(g, Mask(s.bits)/2+1)
}

// Or returns the disjunctions of bits.
func (s Interval) Or(t Interval) Interval {
	if areConst(s, t) {
		return Const(s.bits, s.lo|t.lo)
	}
	if s.HasDisjointBits(t) {
		return s.Add(t)
	}
	return tableOr.Apply(s, t, Const(s.bits, 0))
}

// Xor returns the exclusive disjunctions of bits.
func (s Interval) Xor(t Interval) Interval {
	if areConst(s, t) {
		return Const(s.bits, s.lo^t.lo)
	}
	if s.HasDisjointBits(t) {
		return s.Add(t)
	}
	if m, ok := t.IsConst(); ok && m == Mask(s.bits) {
		return s.Not()
	}
	return tableXor.Apply(s, t, Const(s.bits, 0))
}

// areConst reports whether two sets have one word each.
func areConst(s, t Interval) bool { return s.n == 0 && t.n == 0 }

// HasDisjointBits reports whether no bit is set in words of both.
func (s Interval) HasDisjointBits(t Interval) bool {
	_, a := s.Unsigned()
	_, b := t.Unsigned()
	return a < t.Alignment() || b < s.Alignment()
}

// Min returns the lesser words, as signed or unsigned numbers.
func (s Interval) Min(t Interval, sign bool) Interval {
	if sign {
		half := Const(s.bits, Mask(s.bits)/2+1)
		return s.Add(half).Min(t.Add(half), false).Add(half)
	}
	s, t = s.UnwrapUnsigned(), t.UnwrapUnsigned()
	lo, hi := min(s.lo, t.lo), min(s.last(), t.last())
	return FromSpan(s.bits, lo, hi-lo, GCD(GCD(s.step, t.step), max(s.lo, t.lo)-lo))
}

// Max returns the greater words.
func (s Interval) Max(t Interval, sign bool) Interval { return s.Not().Min(t.Not(), sign).Not() }

// Cut returns the low bits.
func (s Interval) Cut(width int) Interval {
	r := ResidueClass(width, PowerOf2Divisor(s.step), s.lo)
	if s.Span() <= Mask(width) {
		r = FromSpan(width, s.lo, s.Span(), s.step)
	}
	if !s.hasKnownBits() {
		return r
	}
	return r.Narrow(FromKnownBits(width, s.ones, ^s.zeros&^s.ones))
}

// Extend returns the words in a greater width, extended by zeros or the sign.
func (s Interval) Extend(width int, sign bool) Interval {
	if sign {
		v := s.UnwrapSigned()
		return FromSpan(width, uint64(SignExtend(v.lo, s.bits)), v.Span(), v.step).WithKnownBits(s.zeros, s.ones)
	}
	u := s.UnwrapUnsigned()
	return FromSpan(width, u.lo, u.Span(), u.step).WithKnownBits(s.zeros, s.ones)
}
