package value

import (
	"math"

	"warpbound/internal/isa"
)

// reals returns the least and the greatest number among words of a floating-point type; false
// if they are not of one sign, or some are no numbers.
func reals(s Strided, t isa.Type) (lo, hi float64, ok bool) {
	number := func(x uint64) float64 { return math.Float64frombits(x) }
	switch t {
	case isa.F32:
		number = func(x uint64) float64 { return float64(math.Float32frombits(uint32(x))) }
	case isa.F64:
	default:
		return 0, 0, false
	}
	a, b := s.Unsigned()
	lo, hi = number(a), number(b)
	if math.Signbit(lo) {
		lo, hi = hi, lo
	}
	return lo, hi, math.Signbit(lo) == math.Signbit(hi) && !math.IsNaN(lo) && !math.IsNaN(hi)
}

// roundings are those of conversions to integers.
var roundings = map[isa.Round]func(float64) float64{
	isa.RoundIntRN: math.RoundToEven, isa.RoundIntRZ: math.Trunc, isa.RoundIntRM: math.Floor, isa.RoundIntRP: math.Ceil,
}

// rounded converts floating-point numbers to integers, which are clamped to the range of
// their type.
func rounded(in *isa.Instr, s Strided) Strided {
	lo, hi, ok := reals(s, in.SrcType)
	round := roundings[in.Round]
	if !ok || round == nil {
		return Any(in.Type.Bits())
	}
	if in.FTZ {
		lo, hi = flushed(lo), flushed(hi)
	}
	return Between(in.Type.Bits(), integer(round(lo), in.Type), integer(round(hi), in.Type))
}

// flushed makes a zero of a number that is subnormal in 32 bits.
func flushed(x float64) float64 {
	if math.Abs(x) < 0x1p-126 {
		return math.Copysign(0, x)
	}
	return x
}

// integer returns an integral number in the bits of a type, to whose range it is clamped.
func integer(x float64, t isa.Type) uint64 {
	m := mask(uint8(t.Bits()))
	if t.IsSigned() {
		switch half := math.Ldexp(1, t.Bits()-1); {
		case x >= half:
			return m / 2
		case x < -half:
			return m/2 + 1
		}
		return uint64(int64(x)) & m
	}
	switch {
	case x <= 0:
		return 0
	case x >= math.Ldexp(1, t.Bits()):
		return m
	}
	return uint64(x)
}
