package value

import (
	"math"
	"math/bits"

	"warpbound/internal/isa"
)

// mulHigh returns the high halves of the products.
func (s Strided) mulHigh(t Strided, sign bool) Strided {
	w := int(s.bits)
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

// signedHigh returns the high half of a signed product.
func signedHigh(x, y int64) int64 {
	hi, _ := bits.Mul64(uint64(x), uint64(y))
	return int64(hi) - x>>63&y - y>>63&x
}

// distance returns the distances between the words.
func (s Strided) distance(t Strided, sign bool) Strided {
	if sign {
		half := Const(int(s.bits), mask(s.bits)/2+1)
		return s.Add(half).distance(t.Add(half), false)
	}
	s, t = s.unsigned(), t.unsigned()
	step := gcd(s.step, t.step)
	switch {
	case s.lo >= t.last():
		return arc(s.bits, s.lo-t.last(), s.last()-t.lo-(s.lo-t.last()), step)
	case t.lo >= s.last():
		return arc(s.bits, t.lo-s.last(), t.last()-s.lo-(t.lo-s.last()), step)
	}
	hi := max(s.last()-t.lo, t.last()-s.lo) // the sets overlap: neither is negative
	if step == 0 || (max(s.lo, t.lo)-min(s.lo, t.lo))%step != 0 {
		step = 1
	}
	return arc(s.bits, 0, hi, step)
}

// clamped limits the words of 64 bits, as signed numbers, to a range.
func (s Strided) clamped(lo, hi int64) Strided {
	return s.Max(Const(64, uint64(lo)), true).Min(Const(64, uint64(hi)), true)
}

// saturated limits signed numbers of 64 bits to 32 bits, and returns them in these.
func (s Strided) saturated() Strided { return s.clamped(math.MinInt32, math.MaxInt32).Cut(32) }

// saturatedTo limits integers of one type to another.
func (s Strided) saturatedTo(from, to isa.Type) Strided {
	limit := mask(uint8(to.Bits()))
	if to.IsSigned() {
		limit /= 2
	}
	if !from.IsSigned() {
		return s.Extend(64, false).Min(Const(64, limit), false).Cut(to.Bits())
	}
	lo := int64(0)
	if to.IsSigned() {
		lo = -int64(limit) - 1
	}
	return s.Extend(64, true).clamped(lo, int64(min(limit, math.MaxInt64))).Cut(to.Bits())
}

// part returns so many bits of words of 32 bits from a position up, as numbers of 64 bits.
func part(s Strided, at, n int, sign bool) Strided {
	return s.field(uint64(at), uint64(n), false).Cut(n).Extend(64, sign)
}

// dotProduct is c plus the products of n parts of a with as many bytes of b, which begin
// at a bit.
func dotProduct(in *isa.Instr, s []Strided, n, from int) Strided {
	width := 32 / n
	sum := s[2].Extend(64, false)
	for i := range n {
		x := part(s[0], i*width, width, in.Type.IsSigned())
		y := part(s[1], from+8*i, 8, in.SrcType.IsSigned())
		sum = sum.Add(x.Mul(y))
	}
	return sum.Cut(32)
}

// product24 is the product of the low 24 bits, in 64 bits.
func product24(in *isa.Instr, s []Strided) Strided {
	sign := in.Type.IsSigned()
	return s[0].Cut(24).Extend(64, sign).Mul(s[1].Cut(24).Extend(64, sign))
}

// high24 is the upper 32 bits of the product of the low 24 bits, in 64 bits.
func high24(in *isa.Instr, s []Strided) Strided {
	return product24(in, s).Shr(Const(32, 16), in.Type.IsSigned())
}

// carry returns what an operation of extended precision adds and whether it adds it: the
// sources of its addition and the carry.
func carry(in *isa.Instr, s []Strided) (a, b, c Strided) {
	w := in.Type.Bits()
	n := in.Op.Info().Src[0]
	c = Const(1, 0)
	if in.Op == isa.SubCarry {
		c = Const(1, 1)
	}
	if len(s) > n {
		c = s[n]
	}
	c = c.Extend(w, false)
	switch in.Op {
	case isa.SubCarry:
		return s[0], s[1].Not(), c
	case isa.MadCarry:
		return s[0].Mul(s[1]), s[2], c
	case isa.MadHiCarry:
		return s[0].mulHigh(s[1], in.Type.IsSigned()), s[2], c
	}
	return s[0], s[1], c
}

func carrySum(in *isa.Instr, s []Strided) Strided {
	a, b, c := carry(in, s)
	return a.Add(b).Add(c)
}

// carryOut is the carry of the sum.
func carryOut(in *isa.Instr, s []Strided, _ int) Strided {
	a, b, c := carry(in, s)
	out := func(x, y, z uint64) uint64 {
		sum, over := bits.Add64(x, y, z)
		if over != 0 || sum > mask(a.bits) {
			return 1
		}
		return 0
	}
	aLo, aHi := a.Unsigned()
	bLo, bHi := b.Unsigned()
	cLo, cHi := c.Unsigned()
	lo, hi := out(aLo, bLo, cLo), out(aHi, bHi, cHi)
	return Between(1, lo, hi)
}

// video is the result of a video operation on single parts that replaces all of its
// destination; anything for others.
func video(in *isa.Instr, s []Strided) Strided {
	v := in.Video
	if v == nil || v.Parts != 1 || v.Width != 32 || in.Op == isa.VMad || in.Op == isa.VShl || in.Atom != isa.AtomNone && in.Atom != isa.AtomAdd {
		return Any(32)
	}
	select1 := func(s Strided, from isa.Selection, t isa.Type) Strided {
		return part(s, int(from.At[0])*int(from.Bits), int(from.Bits), t.IsSigned())
	}
	x, y := select1(s[0], v.A, in.SrcType), select1(s[1], v.B, v.TypeB)
	var r Strided
	switch in.Op {
	case isa.VAdd:
		r = x.Add(y)
	case isa.VSub:
		r = x.Sub(y)
	case isa.VAbsDiff:
		r = x.distance(y, true)
	case isa.VMin:
		r = x.Min(y, true)
	case isa.VMax:
		r = x.Max(y, true)
	case isa.VShr:
		r = x.Shr(amounts(y.Cut(32), in.Wrap), true)
	case isa.VSet:
		r = Between(64, 0, 1)
	}
	switch {
	case in.Sat && in.Type.IsSigned():
		r = r.clamped(math.MinInt32, math.MaxInt32)
	case in.Sat:
		r = r.clamped(0, math.MaxUint32)
	}
	r = r.Cut(32)
	if in.Atom == isa.AtomAdd {
		r = r.Add(s[2])
	}
	return r
}
