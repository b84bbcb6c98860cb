package transfer

import (
	"math"
	"math/bits"

	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// saturateTo limits integers of one type to another.
func saturateTo(s strided.Interval, from, to isa.Type) strided.Interval {
	limit := strided.Mask(to.Bits())
	if to.IsSigned() {
		limit /= 2
	}
	if !from.IsSigned() {
		return s.Extend(64, false).Min(strided.Const(64, limit), false).Cut(to.Bits())
	}
	lo := int64(0)
	if to.IsSigned() {
		lo = -int64(limit) - 1
	}
	return s.Extend(64, true).ClampSigned(lo, int64(min(limit, math.MaxInt64))).Cut(to.Bits())
}

// partOf returns so many bits of words of 32 bits from a position up, as numbers of 64 bits.
func partOf(s strided.Interval, at, n int, sign bool) strided.Interval {
	return s.BitField(uint64(at), uint64(n), false).Cut(n).Extend(64, sign)
}

// dotProduct is c plus the products of n parts of a with as many bytes of b, which begin
// at a bit.
func dotProduct(in *isa.Instr, s []strided.Interval, n, from int) strided.Interval {
	width := 32 / n
	sum := s[2].Extend(64, false)
	for i := range n {
		x := partOf(s[0], i*width, width, in.Type.IsSigned())
		y := partOf(s[1], from+8*i, 8, in.SrcType.IsSigned())
		sum = sum.Add(x.Mul(y))
	}
	return sum.Cut(32)
}

// product24 is the product of the low 24 bits, in 64 bits.
func product24(in *isa.Instr, s []strided.Interval) strided.Interval {
	sign := in.Type.IsSigned()
	return s[0].Cut(24).Extend(64, sign).Mul(s[1].Cut(24).Extend(64, sign))
}

// high24 is the upper 32 bits of the product of the low 24 bits, in 64 bits.
func high24(in *isa.Instr, s []strided.Interval) strided.Interval {
	return product24(in, s).Shr(strided.Const(32, 16), in.Type.IsSigned())
}

// carryOperands returns what an operation of extended precision adds and whether it adds it: the
// sources of its addition and the carry.
func carryOperands(in *isa.Instr, s []strided.Interval) (a, b, c strided.Interval) {
	w := in.Type.Bits()
	n := in.Op.Info().Src[0]
	c = strided.Const(1, 0)
	if in.Op == isa.SubCarry {
		c = strided.Const(1, 1)
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
		return s[0].MulHigh(s[1], in.Type.IsSigned()), s[2], c
	}
	return s[0], s[1], c
}

func carrySum(in *isa.Instr, s []strided.Interval) strided.Interval {
	a, b, c := carryOperands(in, s)
	return a.Add(b).Add(c)
}

// carryOut is the carry of the sum.
func carryOut(in *isa.Instr, s []strided.Interval, _ int) strided.Interval {
	a, b, c := carryOperands(in, s)
	out := func(x, y, z uint64) uint64 {
		sum, over := bits.Add64(x, y, z)
		if over != 0 || sum > strided.Mask(a.Bits()) {
			return 1
		}
		return 0
	}
	aLo, aHi := a.Unsigned()
	bLo, bHi := b.Unsigned()
	cLo, cHi := c.Unsigned()
	lo, hi := out(aLo, bLo, cLo), out(aHi, bHi, cHi)
	return strided.Between(1, lo, hi)
}

// video is the result of a video operation on single parts that replaces all of its
// destination; anything for others.
func video(in *isa.Instr, s []strided.Interval) strided.Interval {
	v := in.Video
	if v == nil || v.Parts != 1 || v.Width != 32 || in.Op == isa.VMad || in.Op == isa.VShl ||
		in.Atom != isa.AtomNone && in.Atom != isa.AtomAdd {
		return strided.Any(32)
	}
	select1 := func(s strided.Interval, from isa.Selection, t isa.Type) strided.Interval {
		return partOf(s, int(from.At[0])*int(from.Bits), int(from.Bits), t.IsSigned())
	}
	x, y := select1(s[0], v.A, in.SrcType), select1(s[1], v.B, v.TypeB)
	var r strided.Interval
	switch in.Op {
	case isa.VAdd:
		r = x.Add(y)
	case isa.VSub:
		r = x.Sub(y)
	case isa.VAbsDiff:
		r = x.Distance(y, true)
	case isa.VMin:
		r = x.Min(y, true)
	case isa.VMax:
		r = x.Max(y, true)
	case isa.VShr:
		r = x.Shr(strided.ShiftAmounts(y.Cut(32), in.Wrap), true)
	case isa.VSet:
		r = strided.Between(64, 0, 1)
	}
	switch {
	case in.Sat && in.Type.IsSigned():
		r = r.ClampSigned(math.MinInt32, math.MaxInt32)
	case in.Sat:
		r = r.ClampSigned(0, math.MaxUint32)
	}
	r = r.Cut(32)
	if in.Atom == isa.AtomAdd {
		r = r.Add(s[2])
	}
	return r
}
