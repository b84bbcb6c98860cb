package value

import "math/bits"

// The operations on sets return a set that holds the result for all words of their
// operands, which have one width.

// Add returns the sums.
func (s Strided) Add(t Strided) Strided {
	step := gcd(s.step, t.step)
	if t.span() > mask(s.bits)-s.span() {
		return multiples(s.bits, power(step), s.lo+t.lo)
	}
	return arc(s.bits, s.lo+t.lo, s.span()+t.span(), step)
}

// Neg returns the negated words.
func (s Strided) Neg() Strided { return arc(s.bits, -s.last(), s.span(), s.step) }

// Not returns the complements.
func (s Strided) Not() Strided { return s.Neg().Add(Const(int(s.bits), ^uint64(0))) }

// Sub returns the differences.
func (s Strided) Sub(t Strided) Strided { return s.Add(t.Neg()) }

// Times returns the products with a number.
func (s Strided) Times(c uint64) Strided {
	m := mask(s.bits)
	c &= m
	if c > m/2+1 {
		return s.Times(-c).Neg()
	}
	if span, ok := product(s.span(), c, m); ok {
		return arc(s.bits, s.lo*c, span, s.step*c)
	}
	return multiples(s.bits, power(s.step*c), s.lo*c)
}

// Mul returns the products.
func (s Strided) Mul(t Strided) Strided {
	if s.n == 0 {
		return t.Times(s.lo)
	}
	if t.n == 0 {
		return s.Times(t.lo)
	}
	if r, ok := s.unsigned().products(t.unsigned()); ok {
		return r
	}
	if r, ok := s.signed().signedProducts(t.signed()); ok {
		return r
	}
	g := min(power(s.lo*t.step), power(t.lo*s.step), power(s.step*t.step))
	return multiples(s.bits, g, s.lo*t.lo)
}

// products multiplies sets that do not wrap around, if the products do not either.
func (s Strided) products(t Strided) (Strided, bool) {
	m := mask(s.bits)
	hi, ok := product(s.last(), t.last(), m)
	if !ok {
		return Strided{}, false
	}
	lo := s.lo * t.lo
	return arc(s.bits, lo, hi-lo, gcd(gcd(s.lo*t.step, t.lo*s.step), s.step*t.step)), true
}

// signedProducts is the same for signed numbers.
func (s Strided) signedProducts(t Strided) (Strided, bool) {
	minimum, largest := int64(0), int64(0)
	for i, x := range []uint64{s.lo, s.last()} {
		for j, y := range []uint64{t.lo, t.last()} {
			a, b := extend(x, s.bits), extend(y, s.bits)
			p, ok := signedProduct(a, b, s.bits)
			if !ok {
				return Strided{}, false
			}
			if i+j == 0 {
				minimum, largest = p, p
			}
			minimum, largest = min(minimum, p), max(largest, p)
		}
	}
	step := uint64(0)
	for _, f := range [][2]uint64{{magnitude(extend(s.lo, s.bits)), t.step}, {magnitude(extend(t.lo, s.bits)), s.step}, {s.step, t.step}} {
		p, ok := product(f[0], f[1], mask(64))
		if !ok {
			return Strided{}, false
		}
		step = gcd(step, p)
	}
	return arc(s.bits, uint64(minimum), uint64(largest)-uint64(minimum), step), true
}

func magnitude(x int64) uint64 {
	if x < 0 {
		return -uint64(x)
	}
	return uint64(x)
}

// signedProduct returns a*b and whether it is a signed number of the width.
func signedProduct(a, b int64, width uint8) (int64, bool) {
	p, ok := product(magnitude(a), magnitude(b), mask(width)/2)
	if (a < 0) != (b < 0) {
		return -int64(p), ok
	}
	return int64(p), ok
}

// powers returns 2 to the power of the shift amounts, false if one exceeds the width.
func powers(width uint8, amount Strided) (Strided, bool) {
	lo, hi := amount.Unsigned()
	if hi >= uint64(width) {
		return Strided{}, false
	}
	return arc(width, 1<<lo, 1<<hi-1<<lo, 1<<lo), true
}

// Shl returns the words shifted left; amounts beyond the width give zero.
func (s Strided) Shl(amount Strided) Strided {
	if p, ok := powers(s.bits, amount); ok {
		return s.Mul(p)
	}
	lo, _ := amount.Unsigned()
	if lo >= uint64(s.bits) {
		return Const(int(s.bits), 0)
	}
	g, rem := s.Residue()
	if rem != 0 {
		g = power(rem)
	}
	return multiples(s.bits, max(g<<lo, power(g)), 0)
}

// Shr returns the words shifted right, as signed or unsigned numbers; amounts beyond the
// width count as the width.
func (s Strided) Shr(amount Strided, sign bool) Strided {
	from, to := amount.Unsigned()
	from, to = min(from, uint64(s.bits)), min(to, uint64(s.bits))
	view, shifted := s.unsigned(), func(x uint64, by uint64) uint64 { return x >> by }
	if sign {
		view, shifted = s.signed(), func(x uint64, by uint64) uint64 { return uint64(extend(x, s.bits) >> by) }
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
	return arc(s.bits, uint64(lo), uint64(hi)-uint64(lo), step)
}

// Div returns the quotients, rounded towards zero; anything if a divisor may be zero.
func (s Strided) Div(t Strided, sign bool) Strided {
	if sign && (!s.positive() || !t.positive()) {
		return s.signedDiv(t)
	}
	lo, hi := s.Unsigned()
	from, to := t.Unsigned()
	if from == 0 {
		return Any(int(s.bits))
	}
	step := uint64(1)
	if u := s.unsigned(); from == to && u.step%from == 0 {
		step = u.step / from
	}
	return arc(s.bits, lo/to, hi/from-lo/to, step)
}

// positive reports whether no word is negative as a signed number.
func (s Strided) positive() bool {
	_, hi := s.Unsigned()
	return hi <= mask(s.bits)/2
}

// signedDiv divides signed numbers by a constant.
func (s Strided) signedDiv(t Strided) Strided {
	d, ok := t.IsConst()
	by := extend(d, s.bits)
	if !ok || by == 0 || by == -1 {
		return Any(int(s.bits))
	}
	lo, hi := s.Signed()
	a, b := lo/by, hi/by
	return arc(s.bits, uint64(min(a, b)), uint64(max(a, b))-uint64(min(a, b)), 1)
}

// Rem returns the remainders of Div; anything if a divisor may be zero.
func (s Strided) Rem(t Strided, sign bool) Strided {
	if sign && (!s.positive() || !t.positive()) {
		lo, hi := t.Signed()
		if lo <= 0 {
			return Any(int(s.bits))
		}
		return Between(int(s.bits), uint64(1-hi), uint64(hi-1))
	}
	lo, hi := s.Unsigned()
	from, to := t.Unsigned()
	switch {
	case from == 0:
		return Any(int(s.bits))
	case hi < from:
		return s.unsigned()
	case from != to:
		return Between(int(s.bits), 0, min(to-1, hi))
	case lo/from == hi/from:
		u := s.unsigned()
		return arc(s.bits, lo%from, u.span(), u.step)
	}
	g := gcd(s.unsigned().step, from)
	return arc(s.bits, lo%g, from-1-lo%g, g)
}

// And returns the conjunctions of bits.
func (s Strided) And(t Strided) Strided {
	if both(s, t) {
		return Const(int(s.bits), s.lo&t.lo)
	}
	if m, ok := s.IsConst(); ok {
		s, t = t, Const(int(s.bits), m)
	}
	if m, ok := t.IsConst(); ok {
		exact := tableAnd.lookup(s, t, Const(int(s.bits), 0))
		if m&(m+1) == 0 && m != mask(s.bits) { // low bits
			return exact.narrowed(s.Rem(Const(int(s.bits), m+1), false))
		}
		_, hi := s.Unsigned()
		if low := power(m) - 1; below(hi)&^low&^m == 0 { // all but low bits of the words
			k := Const(int(s.bits), uint64(bits.Len64(low)))
			return exact.narrowed(s.Shr(k, false).Shl(k))
		}
		return exact
	}
	return tableAnd.lookup(s, t, Const(int(s.bits), 0))
}

// alignment returns the largest power of two that is known to divide all words, at most
// half of what the width can hold.
func (s Strided) alignment() uint64 {
	g, rem := s.Residue()
	if rem != 0 {
		g = power(rem)
	}
	return min(g, mask(s.bits)/2+1)
}

// Or returns the disjunctions of bits.
func (s Strided) Or(t Strided) Strided {
	if both(s, t) {
		return Const(int(s.bits), s.lo|t.lo)
	}
	if s.disjoint(t) {
		return s.Add(t)
	}
	return tableOr.lookup(s, t, Const(int(s.bits), 0))
}

// Xor returns the exclusive disjunctions of bits.
func (s Strided) Xor(t Strided) Strided {
	if both(s, t) {
		return Const(int(s.bits), s.lo^t.lo)
	}
	if s.disjoint(t) {
		return s.Add(t)
	}
	if m, ok := t.IsConst(); ok && m == mask(s.bits) {
		return s.Not()
	}
	return tableXor.lookup(s, t, Const(int(s.bits), 0))
}

// both reports whether two sets have one word each.
func both(s, t Strided) bool { return s.n == 0 && t.n == 0 }

// below returns the largest number with as many bits.
func below(x uint64) uint64 { return 1<<bits.Len64(x) - 1 }

// disjoint reports whether no bit is set in words of both.
func (s Strided) disjoint(t Strided) bool {
	_, a := s.Unsigned()
	_, b := t.Unsigned()
	return a < t.alignment() || b < s.alignment()
}

// Min returns the lesser words, as signed or unsigned numbers.
func (s Strided) Min(t Strided, sign bool) Strided {
	if sign {
		half := Const(int(s.bits), mask(s.bits)/2+1)
		return s.Add(half).Min(t.Add(half), false).Add(half)
	}
	s, t = s.unsigned(), t.unsigned()
	lo, hi := min(s.lo, t.lo), min(s.last(), t.last())
	return arc(s.bits, lo, hi-lo, gcd(gcd(s.step, t.step), max(s.lo, t.lo)-lo))
}

// Max returns the greater words.
func (s Strided) Max(t Strided, sign bool) Strided { return s.Not().Min(t.Not(), sign).Not() }

// Cut returns the low bits.
func (s Strided) Cut(width int) Strided {
	m := mask(uint8(width))
	if s.span() <= m {
		return arc(uint8(width), s.lo, s.span(), s.step)
	}
	return multiples(uint8(width), power(s.step), s.lo)
}

// Extend returns the words in a greater width, extended by zeros or the sign.
func (s Strided) Extend(width int, sign bool) Strided {
	if sign {
		v := s.signed()
		return arc(uint8(width), uint64(extend(v.lo, s.bits)), v.span(), v.step)
	}
	u := s.unsigned()
	return arc(uint8(width), u.lo, u.span(), u.step)
}
