package alu

import (
	"math"
	"math/bits"
	"slices"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
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
	if v.Parts > 1 {
		if fast := vec.PartedWord(parted(in)); fast != nil {
			return lanewise{word: WordFunc(fast)}
		}
		return videoParts(in)
	}
	return videoSingle(in)
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

// part is a part of a source: so many bits from a place up.
type part struct {
	at, bits int
	signed   bool
}

func partOf(s isa.Selection, i int, t isa.Type) part {
	return part{int(s.At[i] * s.Bits), int(s.Bits), t.IsSigned()}
}

// each extracts the parts of all lanes.
func (p part) each(d *Vector, a *Words) {
	if p.signed {
		var field Words
		vec.SignedPart(&field, a, p.at, p.bits)
		vec.ExtendSigned(d, &field)
		return
	}
	if p.bits < 32 {
		var field Words
		vec.Part(&field, a, p.at, p.bits)
		a = &field
	}
	vec.Extend(d, a)
}

// videoSingle returns the function of an operation on one part of each source. Its result is joined with c or
// replaces a part of it.
func videoSingle(in *isa.Instr) lanewise {
	v := in.Video
	a, b := partOf(v.A, 0, in.SrcType), partOf(v.B, 0, v.TypeB)
	op, limit, join := videoOpOf(in), limitOf(in), in.Atom
	c := part{0, 32, in.Type.IsSigned()}
	weight := uint32(1) << (bits.TrailingZeros8(v.Into) * int(v.Width))
	into := uint32(LowBits(int(v.Width))) * weight
	return lanewise{word: func(d, wa, wb, wc *Words) {
		var x, y Vector
		a.each(&x, wa)
		b.each(&y, wb)
		op.compute(&x, &y)
		limit.clamp(&x)
		switch join {
		case isa.AtomNone:
			if v.Width == 32 {
				vec.Truncate(d, &x)
				return
			}
			for i, r := range x {
				d[i] = wc[i]&^into | uint32(r)*weight&into
			}
			return
		case isa.AtomAdd:
			for i, r := range x {
				d[i] = wc[i] + uint32(r)
			}
			return
		}
		c.each(&y, wc)
		limit.cut(&x)
		if join == isa.AtomMin {
			for i, r := range x {
				d[i] = uint32(min(int64(r), int64(y[i])))
			}
			return
		}
		for i, r := range x {
			d[i] = uint32(max(int64(r), int64(y[i])))
		}
	}}
}

// limit is the range to which results are clamped, if there is one.
type limit struct {
	clamps           bool
	minimum, maximum int64
}

func limitOf(in *isa.Instr) limit {
	maximum := int64(LowBits(int(in.Video.Width)))
	if in.Type.IsSigned() {
		return limit{in.Sat, -(maximum >> 1) - 1, maximum >> 1}
	}
	return limit{in.Sat, 0, maximum}
}

func (l *limit) clamp(x *Vector) {
	if l.clamps {
		minimum, maximum := l.minimum, l.maximum
		for i, r := range x {
			x[i] = uint64(min(max(int64(r), minimum), maximum))
		}
	}
}

// cut cuts results that are not clamped to the 33 bits that the manual gives them.
func (l *limit) cut(x *Vector) {
	if !l.clamps {
		for i, r := range x {
			x[i] = uint64(int64(r<<31) >> 31)
		}
	}
}

// videoOp is an operation on the numbers of all lanes, with results in x.
type videoOp struct {
	op                   isa.Op
	less, equal, greater int64  // the results of a comparison
	amount               uint64 // the bits of the amount of a shift that count
	beyond               int64  // the greatest number that is shifted out of any range
}

func videoOpOf(in *isa.Instr) *videoOp {
	one := func(comparisons ...isa.Cmp) int64 { return int64(bit(slices.Contains(comparisons, in.Cmp))) }
	v := &videoOp{
		op: in.Op, less: one(isa.Lt, isa.Le, isa.Ne), equal: one(isa.Le, isa.Eq, isa.Ge), greater: one(isa.Gt, isa.Ge, isa.Ne),
		amount: math.MaxInt64, beyond: math.MaxInt64,
	}
	if in.Wrap {
		v.amount = 31
	}
	if in.Sat { // beyond every range, and within 64 bits
		v.beyond = 1 << 30
	}
	return v
}

// compute puts the results into x. It is one function for all operations since the numbers that a function value
// is called with would be allocated.
func (v *videoOp) compute(x, y *Vector) {
	switch v.op {
	case isa.VAdd:
		for i := range x {
			x[i] += y[i]
		}
	case isa.VSub:
		for i := range x {
			x[i] -= y[i]
		}
	case isa.VAbsDiff:
		for i := range x {
			x[i] = uint64(max(int64(x[i]-y[i]), int64(y[i]-x[i])))
		}
	case isa.VMin:
		for i := range x {
			x[i] = uint64(min(int64(x[i]), int64(y[i])))
		}
	case isa.VMax:
		for i := range x {
			x[i] = uint64(max(int64(x[i]), int64(y[i])))
		}
	case isa.VAvrg:
		for i, a := range x {
			sum := int64(a + y[i])
			x[i] = uint64((sum + 1 + sum>>63) >> 1)
		}
	case isa.VSet:
		less, equal, greater := v.less, v.equal, v.greater
		for i, a := range x {
			difference := int64(a - y[i])
			x[i] = uint64(equal ^ difference>>63&(less^equal) ^ -difference>>63&(greater^equal))
		}
	case isa.VShl:
		amount, beyond := v.amount, v.beyond
		for i, a := range x {
			n := min(y[i]&amount, 32)
			if n == 32 {
				a = uint64(min(int64(a), beyond))
			}
			x[i] = a << (n & 63)
		}
	case isa.VShr:
		amount := v.amount
		for i, a := range x {
			x[i] = uint64(int64(a) >> (min(y[i]&amount, 32) & 63))
		}
	}
}

// parted returns what an operation on pairs or quadruples is on vectors.
func parted(in *isa.Instr) vec.Parted {
	v := in.Video
	p := vec.Parted{
		Halves: v.Parts == 2, A: vec.Parts{At: v.A.At, Signed: in.SrcType.IsSigned()}, B: vec.Parts{At: v.B.At, Signed: v.TypeB.IsSigned()},
		Adds: in.Atom == isa.AtomAdd, Clamp: in.Sat,
	}
	for i := range p.Into {
		p.Into[i] = v.Into>>i&1 != 0
	}
	if in.Sat {
		l := limitOf(in)
		p.Min, p.Max = int32(l.minimum), int32(l.maximum)
	}
	switch in.Op {
	case isa.VAdd:
		p.Op = vec.PartSum
	case isa.VSub:
		p.Op = vec.PartDifference
	case isa.VAbsDiff:
		p.Op = vec.PartDistance
	case isa.VMin:
		p.Op = vec.PartMin
	case isa.VMax:
		p.Op = vec.PartMax
	case isa.VAvrg:
		p.Op = vec.PartAverage
	default:
		p.Op, p.Not = vec.PartGreater, in.Cmp == isa.Le || in.Cmp == isa.Ge || in.Cmp == isa.Ne
		switch in.Cmp {
		case isa.Eq, isa.Ne:
			p.Op = vec.PartEqual
		case isa.Lt, isa.Ge:
			p.A, p.B = p.B, p.A
		}
	}
	return p
}

// videoParts applies an operation to each part of pairs or quadruples, one after another. The results
// are added to c, or replace parts of c.
func videoParts(in *isa.Instr) lanewise {
	v, op, limit := in.Video, videoOpOf(in), limitOf(in)
	width, adds := int(v.Width), in.Atom == isa.AtomAdd
	mask := uint32(LowBits(width))
	return lanewise{word: func(d, a, b, c *Words) {
		result := *c
		for i := range v.Parts {
			if v.Into>>i&1 == 0 {
				continue
			}
			var x, y Vector
			partOf(v.A, i, in.SrcType).ofBoth(&x, a, b)
			partOf(v.B, i, v.TypeB).ofBoth(&y, a, b)
			op.compute(&x, &y)
			limit.clamp(&x)
			weight := uint32(1) << (i * width)
			into := mask * weight
			for k, r := range x {
				if adds {
					result[k] += uint32(r)
				} else {
					result[k] = result[k]&^into | uint32(r)*weight&into
				}
			}
		}
		*d = result
	}}
}

// ofBoth extracts the parts of all lanes from a or, if they are beyond its bits, from b.
func (p part) ofBoth(d *Vector, a, b *Words) {
	if p.at >= 32 {
		p.at -= 32
		a = b
	}
	p.each(d, a)
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
	a, b := partOf(v.A, 0, in.SrcType), partOf(v.B, 0, v.TypeB)
	one := uint64(bit(v.PlusOne))
	if !signed {
		maximum := uint64(math.MaxUint64)
		if in.Sat {
			maximum = math.MaxUint32
		}
		return lanewise{word: func(d, wa, wb, wc *Words) {
			var x, y Vector
			a.each(&x, wa)
			b.each(&y, wb)
			for i := range x {
				d[i] = uint32(min((x[i]*y[i]+uint64(wc[i])+one)>>(v.Shift&63), maximum))
			}
		}}
	}
	l := limit{in.Sat, math.MinInt32, math.MaxInt32}
	greatest := uint64(math.MaxUint64)
	if in.Sat && !in.SrcType.IsSigned() && !v.TypeB.IsSigned() {
		greatest = 1 << 62 // beyond the range when it is negated, and within 63 bits
	}
	minus, minusC := -uint64(bit(v.Minus)), -uint64(bit(v.MinusC))
	return lanewise{word: func(d, wa, wb, wc *Words) {
		var x, y Vector
		a.each(&x, wa)
		b.each(&y, wb)
		for i := range x {
			product, c := min(x[i]*y[i], greatest), uint64(int64(int32(wc[i])))
			x[i] = product ^ minus - minus + (c ^ minusC - minusC) + one
		}
		if v.Shift > 0 {
			for i, sum := range x {
				x[i] = uint64(int64(sum) >> (v.Shift & 63))
			}
		}
		l.clamp(&x)
		for i, r := range x {
			d[i] = uint32(r)
		}
	}}
}
