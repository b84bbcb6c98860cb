package emu

import "warpbound/internal/isa"

// small is a format that only conversions know. Those with infinities have them
// and NaN in the greatest exponent, as the formats of arithmetic do; that
// without has NaN in the greatest number of all.
type small struct {
	format
	infinite bool
	shift    int // of the number in its register
}

// smallOf returns the format that results of a type have, or each of a pair.
func smallOf(t isa.Type) (small, bool) {
	switch t {
	case isa.E4M3x2:
		return small{format: format{4, 3}}, true
	case isa.E5M2x2:
		return small{format: format{5, 2}, infinite: true}, true
	case isa.TF32:
		return small{format: format{8, 10}, infinite: true, shift: 13}, true
	case isa.F16, isa.F16x2:
		return small{format: half16, infinite: true}, true
	case isa.BF16, isa.BF16x2:
		return small{format: brain16, infinite: true}, true
	}
	return small{}, false
}

// greatest returns the greatest finite number.
func (f small) greatest() uint64 {
	if f.infinite {
		return f.inf() - 1
	}
	return f.nan() - 1
}

// from rounds a number of format g; if finite is set it clamps to the finite
// numbers, and if relu is set to those that are not negative. A format without
// infinities clamps always.
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
		y = f.nan()
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
	switch {
	case f.infinite:
		return g.convert(f.format, x, isa.RoundRN)
	case x&f.nan() == f.nan():
		return g.nan()
	case f.isZero(x):
		return g.zero(x != 0)
	}
	return g.pack(f.unpack(x), false, isa.RoundRN)
}

// convertSmall returns the function of a conversion to or from pairs or formats
// that have no arithmetic, or with their modifiers; nil if it is none of these.
func convertSmall(in *isa.Instr) aluFunc {
	from, to := in.SrcType, in.Type
	f, ok := smallOf(to)
	fromSmall, isSmall := smallOf(from)
	eight := to == isa.E4M3x2 || to == isa.E5M2x2
	nearest := in.Round == isa.RoundRN
	near := nearest || in.Round == isa.RoundRZ
	round := func(g format) func(x uint64) uint64 {
		return func(x uint64) uint64 { return f.from(g, x&lowBits(g.bits()), in.Round, in.Finite, in.Relu) }
	}
	switch n := len(in.Src); {
	case !ok:
		return nil
	case to == isa.F16x2 && (from == isa.E4M3x2 || from == isa.E5M2x2):
		if n > 1 || !nearest || !isSmall || !only(in, modNearest|modRelu) {
			return nil
		}
		return halves(8, 16, func(x uint64) uint64 {
			y := fromSmall.to(half16, x&0xff)
			if in.Relu && !half16.isNaN(y) {
				y = half16.relu(y)
			}
			return y
		})
	case eight && from == isa.F16x2 && n == 1 && nearest && in.Finite && only(in, modNearest|modRelu|modFinite):
		return halves(16, 8, round(half16))
	case from != isa.F32 || !only(in, modNearest|modDirected|modAway|modRelu|modFinite):
		return nil
	case n > 1:
		if pair := isPair(to); pair && near || eight && nearest && in.Finite {
			return joinedHalves(f.bits(), round(single32))
		}
	case to == isa.TF32 && (near || in.Round == isa.RoundRNA && !in.Relu),
		(to == isa.F16 || to == isa.BF16) && near && (in.Relu || in.Finite):
		one := round(single32)
		return perLane(func(x, _, _ uint64) uint64 { return one(x) })
	}
	return nil
}

// halves applies a function to both halves of a pair of so many bits each.
func halves(from, to int, one func(x uint64) uint64) aluFunc {
	return perLane(func(x, _, _ uint64) uint64 { return one(x) | one(x>>from)<<to })
}

// joinedHalves applies a function to two sources, of which the first becomes the
// upper half.
func joinedHalves(bits int, one func(x uint64) uint64) aluFunc {
	return perLane(func(x, y, _ uint64) uint64 { return one(y) | one(x)<<bits })
}

// clampAndJoin returns the function of CvtPack.
func clampAndJoin(in *isa.Instr) aluFunc {
	n := in.Type.Bits()
	class := in.Type.Class()
	if !only(in, modSat) || !in.Sat || class != isa.Signed && class != isa.Unsigned || n != 32/(2*len(in.Src)-2) {
		return nil
	}
	limit, source := clampTo(in.Type, true), extenderOf(isa.S32)
	return perLane(func(x, y, z uint64) uint64 {
		pair := limit(source.extend(x))&lowBits(n)<<n | limit(source.extend(y))&lowBits(n)
		return uint64(uint32(pair | z<<(2*n)))
	})
}
