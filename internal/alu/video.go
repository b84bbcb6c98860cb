package alu

import (
	"math/bits"

	"warpbound/internal/isa"
)

// videoFor returns the function of a video operation, nil if there is none.
func videoFor(in *isa.Instr) lanewise {
	v := in.Video
	if !isVideo(in) {
		return lanewise{}
	}
	if in.Op == isa.VMad {
		return videoMad(in)
	}
	one := videoOperation(in)
	if v.Parts > 1 {
		return videoParts(in, one)
	}
	join := map[isa.AtomOp]func(x, c int64) int64{
		isa.AtomNone: func(x, _ int64) int64 { return x },
		isa.AtomAdd:  func(x, c int64) int64 { return x + c },
		isa.AtomMin:  func(x, c int64) int64 { return min(x, c) },
		isa.AtomMax:  func(x, c int64) int64 { return max(x, c) },
	}[in.Atom]
	whole := extenderOf(in.Type)
	a, b := partOf(v.A, 0, in.SrcType), partOf(v.B, 0, v.TypeB)
	mask := LowBits(int(v.Width))
	at := bits.TrailingZeros8(v.Into) * int(v.Width)
	return perLane(func(x, y, z uint64) uint64 {
		r := one(a.of(x), b.of(y))
		r = join(r, int64(whole.extend(z)))
		return uint64(uint32(z&^(mask<<at) | uint64(r)&mask<<at))
	}, false)
}

// isVideo reports whether PTX has a video instruction with these types, modifiers
// and operands.
func isVideo(in *isa.Instr) bool {
	v := in.Video
	mix := func(t isa.Type) bool { return t == isa.U32 || t == isa.S32 }
	if v == nil || !mix(in.Type) || !mix(in.SrcType) || !mix(v.TypeB) {
		return false
	}
	allowed := isa.ModSat
	compares, shifts, mad := in.Op == isa.VSet, in.Op == isa.VShl || in.Op == isa.VShr, in.Op == isa.VMad
	switch {
	case compares:
		allowed = 0
	case shifts:
		allowed |= isa.ModWrap
	}
	joins, merges := in.Atom != isa.AtomNone, v.Width < 32
	switch {
	case !in.HasOnly(allowed),
		!compares && in.Cmp != isa.CmpNone,
		compares && (in.Cmp < isa.Eq || in.Cmp > isa.Ge || in.Type != isa.U32),
		shifts && v.TypeB != isa.U32,
		!mad && (v.Minus || v.MinusC || v.PlusOne || v.Shift > 0):
		return false
	case mad:
		return v.Parts == 1 && !joins && !merges && !(v.PlusOne && (v.Minus || v.MinusC)) && !(v.Minus && v.MinusC)
	case v.Parts > 1:
		return !shifts && len(in.Src) == 3 && (!joins || in.Atom == isa.AtomAdd && !in.Sat)
	case joins && in.Atom != isa.AtomAdd && in.Atom != isa.AtomMin && in.Atom != isa.AtomMax:
		return false
	}
	return in.Op != isa.VAvrg && !(joins && merges) && (len(in.Src) == 3) == (joins || merges)
}

// part is a part of a source of a type of 32 bits.
type part struct {
	extender
	at uint // the bit at which it begins
}

func partOf(s isa.Selection, i int, t isa.Type) part {
	return part{extender{shift: uint(64 - s.Bits), signed: t.IsSigned()}, uint(s.At[i] * s.Bits)}
}

// of extracts the part.
func (p part) of(x uint64) int64 { return int64(p.extend(x >> p.at)) }

// videoOperation returns what an instruction computes of two parts. Unless it is
// clamped the result is cut to the 33 bits that the manual gives it.
func videoOperation(in *isa.Instr) func(x, y int64) int64 {
	op := videoArithmetic(in)
	if !in.Sat {
		return func(x, y int64) int64 { return op(x, y) << 31 >> 31 }
	}
	minimum, greatest := int64(0), int64(LowBits(int(in.Video.Width)))
	if in.Type.IsSigned() {
		greatest >>= 1
		minimum = -greatest - 1
	}
	return func(x, y int64) int64 { return min(max(op(x, y), minimum), greatest) }
}

// videoArithmetic returns the operation on numbers of up to 33 bits.
func videoArithmetic(in *isa.Instr) func(x, y int64) int64 {
	switch in.Op {
	case isa.VAdd:
		return func(x, y int64) int64 { return x + y }
	case isa.VSub:
		return func(x, y int64) int64 { return x - y }
	case isa.VAbsDiff:
		return func(x, y int64) int64 { return max(x-y, y-x) }
	case isa.VMin:
		return func(x, y int64) int64 { return min(x, y) }
	case isa.VMax:
		return func(x, y int64) int64 { return max(x, y) }
	case isa.VAvrg:
		return func(x, y int64) int64 {
			if x+y >= 0 {
				return (x + y + 1) >> 1
			}
			return (x + y) >> 1
		}
	case isa.VSet:
		holds := map[isa.Cmp]func(x, y int64) bool{
			isa.Eq: func(x, y int64) bool { return x == y }, isa.Ne: func(x, y int64) bool { return x != y },
			isa.Lt: func(x, y int64) bool { return x < y }, isa.Le: func(x, y int64) bool { return x <= y },
			isa.Gt: func(x, y int64) bool { return x > y }, isa.Ge: func(x, y int64) bool { return x >= y },
		}[in.Cmp]
		return func(x, y int64) int64 {
			if holds(x, y) {
				return 1
			}
			return 0
		}
	}
	amount := func(y int64) int64 { return min(y, 32) }
	if in.Wrap {
		amount = func(y int64) int64 { return y % 32 }
	}
	if in.Op == isa.VShr {
		return func(x, y int64) int64 { return x >> amount(y) }
	}
	return func(x, y int64) int64 {
		n := amount(y)
		if in.Sat && n == 32 { // beyond every range, and within 64 bits
			x = min(x, 1<<30)
		}
		return x << n
	}
}

// videoParts applies an operation to each part of pairs or quadruples. The results
// are added to c, or replace parts of c.
func videoParts(in *isa.Instr, one func(x, y int64) int64) lanewise {
	v := in.Video
	var parts []selected
	for i := range v.Parts {
		if v.Into>>i&1 != 0 {
			parts = append(parts, selected{partOf(v.A, i, in.SrcType), partOf(v.B, i, v.TypeB), i * int(v.Width)})
		}
	}
	adds, mask := in.Atom == isa.AtomAdd, LowBits(int(v.Width))
	return perLane(func(x, y, z uint64) uint64 {
		both := x | y<<32
		for i := range parts {
			p := &parts[i]
			r := uint64(one(p.a.of(both), p.b.of(both)))
			if adds {
				z += r
			} else {
				z = z&^(mask<<p.into) | r&mask<<p.into
			}
		}
		return uint64(uint32(z))
	}, false)
}

// selected are a part of each source and where the result goes.
type selected struct {
	a, b part
	into int
}

// videoMad returns the function of VMad, which is signed if a source is or if
// anything is negated. The manual contradicts itself about the sign of c where the
// product is unsigned and c is negated; the low bits of the sum are certain, but
// not those that shifting and clamping show.
func videoMad(in *isa.Instr) lanewise {
	v := in.Video
	signedProduct := in.SrcType.IsSigned() || v.TypeB.IsSigned() || v.Minus
	signed := signedProduct || v.MinusC
	if signed && !signedProduct && (in.Sat || v.Shift > 0) {
		return lanewise{}
	}
	typ := isa.U32
	if signed {
		typ = isa.S32
	}
	addend, limit := extenderOf(typ), clampTo(typ, signed)
	selectA, selectB := partOf(v.A, 0, in.SrcType), partOf(v.B, 0, v.TypeB)
	return perLane(func(x, y, z uint64) uint64 {
		a, b := selectA.of(x), selectB.of(y)
		hi, lo := bits.Mul64(uint64(a), uint64(b)) // corrected to the product of signed numbers
		if a < 0 {
			hi -= uint64(b)
		}
		if b < 0 {
			hi -= uint64(a)
		}
		c := addend.extend(z)
		one := uint64(0)
		switch {
		case v.Minus:
			hi, lo, one = ^hi, ^lo, 1
		case v.MinusC:
			c, one = ^c, 1
		case v.PlusOne:
			one = 1
		}
		lo, carry := bits.Add64(lo, c, one)
		hi, _ = bits.Add64(hi, uint64(int64(c)>>63), carry)
		lo = lo>>v.Shift | hi<<(64-v.Shift)
		hi = uint64(int64(hi) >> v.Shift)
		if in.Sat {
			if signed && int64(hi) != int64(lo)>>63 { // beyond 64 bits
				lo = uint64(int64(hi)>>63) ^ 1<<63 - 1
			}
			lo = limit(lo)
		}
		return uint64(uint32(lo))
	}, false)
}
