package alu

import "warpbound/internal/isa"

// small is a format that only conversions know. Those with infinities have them
// and NaN in the greatest exponent, as the formats of arithmetic do; the others
// have NaN in the greatest number of all, or no NaN.
type small struct {
	format
	infinite bool
	noNaN    bool
	shift    int // of the number in its register
	stride   int // bits from one number of a pair to the other
}

// smallOf returns the format that results of a type have, or each of a pair.
func smallOf(t isa.Type) (small, bool) {
	switch t {
	case isa.E4M3x2:
		return small{format: format{4, 3}, stride: 8}, true
	case isa.E5M2x2:
		return small{format: format{5, 2}, infinite: true, stride: 8}, true
	case isa.E2M1x2:
		return small{format: format{2, 1}, noNaN: true, stride: 4}, true
	case isa.E2M3x2:
		return small{format: format{2, 3}, noNaN: true, stride: 8}, true
	case isa.E3M2x2:
		return small{format: format{3, 2}, noNaN: true, stride: 8}, true
	case isa.TF32:
		return small{format: format{8, 10}, infinite: true, shift: 13}, true
	case isa.F16, isa.F16x2:
		return small{format: half16, infinite: true, stride: 16}, true
	case isa.BF16, isa.BF16x2:
		return small{format: brain16, infinite: true, stride: 16}, true
	}
	return small{}, false
}

// greatest returns the greatest finite number.
func (f small) greatest() uint64 {
	switch {
	case f.infinite:
		return f.inf() - 1
	case f.noNaN:
		return f.nan()
	}
	return f.nan() - 1
}

// from rounds a number of format g; if finite is set it clamps to the finite
// numbers, and if relu is set to those that are not negative. A format without
// infinities clamps always, and one without NaN has its greatest number instead.
func (f small) from(g format, x uint64, mode isa.Round, finite, relu bool) uint64 {
	neg := x&g.sign() != 0
	var y uint64
	switch {
	case g.isNaN(x):
		return f.nan() << f.shift
	case relu && neg:
		return 0
	case g.isZero(x):
	case g.isInf(x):
		y = f.greatest() + 1
	default:
		r := g.unpack(x)
		_, y = f.magnitude(r, false, mode)
		if toZero := mode == isa.RoundRZ; toZero {
			y = min(y, f.greatest())
		}
	}
	if y > f.greatest() {
		y = f.greatest()
		if f.infinite && !finite {
			y = f.inf()
		}
	}
	return (y | f.zero(neg)) << f.shift
}

// to gives the number in format g, which holds it exactly.
func (f small) to(g format, x uint64) uint64 {
	x &= LowBits(f.bits())
	switch {
	case f.infinite:
		return g.convert(f.format, x, isa.RoundRN)
	case !f.noNaN && x&f.nan() == f.nan():
		return g.nan()
	case f.isZero(x):
		return g.zero(x != 0)
	}
	return g.pack(f.unpack(x), false, isa.RoundRN)
}

// isTiny reports whether a type is a pair of floats of at most 8 bits, and whether
// they have 8.
func isTiny(t isa.Type) (tiny, eight bool) {
	switch t {
	case isa.E4M3x2, isa.E5M2x2:
		return true, true
	case isa.E2M1x2, isa.E2M3x2, isa.E3M2x2:
		return true, false
	}
	return false, false
}

// convertSmall returns the function of a conversion to or from pairs or formats
// that have no arithmetic, or with their modifiers; nil if it is none of these.
func convertSmall(in *isa.Instr) lanewise {
	from, to := in.SrcType, in.Type
	if from == isa.UE8M0x2 || to == isa.UE8M0x2 {
		return convertScale(in)
	}
	f, ok := smallOf(to)
	fromSmall, _ := smallOf(from)
	fromTiny, _ := isTiny(from)
	tiny, eight := isTiny(to)
	nearest := in.Round == isa.RoundRN
	near := nearest || in.Round == isa.RoundRZ
	round := func(g format) func(x uint64) uint64 {
		return func(x uint64) uint64 { return f.from(g, x&LowBits(g.bits()), in.Round, in.Finite, in.Relu) }
	}
	switch n := len(in.Src); {
	case !ok:
		return lanewise{}
	case to == isa.F16x2 && fromTiny:
		if n > 1 || !nearest || !in.HasOnly(isa.ModNearest|isa.ModRelu) {
			return lanewise{}
		}
		return halves(fromSmall.stride, 16, func(x uint64) uint64 {
			y := fromSmall.to(half16, x)
			if in.Relu && !half16.isNaN(y) {
				y = half16.relu(y)
			}
			return y
		})
	case eight && from == isa.F16x2 && n == 1 && nearest && in.Finite && in.HasOnly(isa.ModNearest|isa.ModRelu|isa.ModFinite):
		return halves(16, 8, round(half16))
	case from != isa.F32 || !in.HasOnly(isa.ModNearest|isa.ModDirected|isa.ModAway|isa.ModRelu|isa.ModFinite):
		return lanewise{}
	case n > 1:
		if pair := isPair(to); pair && near || tiny && nearest && in.Finite {
			return joinedHalves(f.stride, round(single32))
		}
	case to == isa.TF32 && (near || in.Round == isa.RoundRNA && !in.Relu),
		(to == isa.F16 || to == isa.BF16) && near && (in.Relu || in.Finite):
		one := round(single32)
		return perLane(func(x, _, _ uint64) uint64 { return one(x) }, false)
	}
	return lanewise{}
}

// convertScale returns the function of a conversion between floats and pairs of
// powers of two.
func convertScale(in *isa.Instr) lanewise {
	from, to, n := in.SrcType, in.Type, len(in.Src)
	directed := (in.Round == isa.RoundRZ || in.Round == isa.RoundRP) && in.HasOnly(isa.ModDirected|isa.ModFinite)
	one := func(g format) func(x uint64) uint64 {
		return func(x uint64) uint64 { return toScale(g, x&LowBits(g.bits()), in.Round, in.Finite) }
	}
	switch {
	case from == isa.F32 && n == 2 && directed:
		return joinedHalves(8, one(single32))
	case from == isa.BF16x2 && n == 1 && directed:
		return halves(16, 8, one(brain16))
	case to == isa.BF16x2 && n == 1 && in.Round == isa.RoundRN && in.HasOnly(isa.ModNearest):
		return halves(8, 16, func(x uint64) uint64 { return fromScale(x & 0xff) })
	}
	return lanewise{}
}

// The power of two x is 2^(x-127), and nanScale is NaN.
const nanScale = 0xff

// toScale rounds the magnitude of a number of format g to a power of two.
func toScale(g format, x uint64, mode isa.Round, finite bool) uint64 {
	x = g.abs(x)
	e := nanScale
	switch {
	case g.isNaN(x):
		return nanScale
	case g.isZero(x):
		return 0
	case !g.isInf(x):
		r := g.unpack(x)
		e = r.exp + 127
		if mode == isa.RoundRP && r.m != 1<<63 {
			e++
		}
	}
	if finite {
		e = min(e, nanScale-1)
	}
	return uint64(min(max(e, 0), nanScale))
}

// fromScale gives a power of two as a bfloat16.
func fromScale(x uint64) uint64 {
	switch x {
	case nanScale:
		return brain16.nan()
	case 0: // subnormal
		return 1 << (brain16.frac - 1)
	}
	return x << brain16.frac
}

// halves applies a function to both halves of a pair of so many bits each.
func halves(from, to int, one func(x uint64) uint64) lanewise {
	return perLane(func(x, _, _ uint64) uint64 { return one(x) | one(x>>from)<<to }, false)
}

// joinedHalves applies a function to two sources, of which the first becomes the
// upper half.
func joinedHalves(bits int, one func(x uint64) uint64) lanewise {
	return perLane(func(x, y, _ uint64) uint64 { return one(y) | one(x)<<bits }, false)
}

// clampAndJoin returns the function of CvtPack.
func clampAndJoin(in *isa.Instr) lanewise {
	t, joins := in.Type, len(in.Src) > 2
	signed := t == isa.S16 || t == isa.S8 || t == isa.S4 || t == isa.S2
	unsigned := t == isa.U16 || t == isa.U8 || t == isa.U4 || t == isa.U2
	n := t.Bits()
	if !in.HasOnly(isa.ModSat) || !in.Sat || !signed && !unsigned || (n == 16) == joins {
		return lanewise{}
	}
	minimum, maximum := int32(0), int32(LowBits(n))
	if signed {
		maximum >>= 1
		minimum = -maximum - 1
	}
	kept := uint32(LowBits(n))
	return lanewise{word: func(d, a, b, c *Words) {
		for i := range d {
			x, y := min(max(int32(a[i]), minimum), maximum), min(max(int32(b[i]), minimum), maximum)
			z := uint32(0)
			if joins {
				z = c[i]
			}
			d[i] = uint32(x)&kept<<n | uint32(y)&kept | z<<(2*n)
		}
	}}
}
