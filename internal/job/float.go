package job

import (
	"math"

	"warpbound/internal/isa"
)

// layout is the format of a narrow float: the widths of its fields in bits.
type layout struct{ exponent, fraction int }

var (
	half  = layout{exponent: 5, fraction: 10}
	brain = layout{exponent: 8, fraction: 7}
)

// layoutOf returns the layout of a float type of 16 bits.
func layoutOf(typ isa.Type) layout {
	if typ == isa.BF16 {
		return brain
	}
	return half
}

// floatBits rounds x to a float type, to nearest with ties to even, and returns
// its bits. A NaN loses its sign and payload, which not all computers convert
// alike.
func floatBits(typ isa.Type, x float64) uint64 {
	switch {
	case typ == isa.F64 && x != x:
		return 0x7ff8_0000_0000_0000
	case typ == isa.F64:
		return math.Float64bits(x)
	case typ == isa.F32 && x != x:
		return 0x7fc0_0000
	case typ == isa.F32:
		return uint64(math.Float32bits(float32(x)))
	}
	return layoutOf(typ).bits(x)
}

// floatValue is the value of bits of a float type, which is exact.
func floatValue(typ isa.Type, bits uint64) float64 {
	switch typ {
	case isa.F64:
		return math.Float64frombits(bits)
	case isa.F32:
		return float64(math.Float32frombits(uint32(bits)))
	}
	return layoutOf(typ).value(bits)
}

// minimum is the smallest normal exponent.
func (l layout) minimum() int { return 2 - 1<<(l.exponent-1) }

func (l layout) infinity() uint64 { return (1<<l.exponent - 1) << l.fraction }

// bits rounds x. NaN becomes the quiet NaN without payload.
func (l layout) bits(x float64) uint64 {
	sign := uint64(0)
	if math.Signbit(x) {
		sign = 1 << (l.exponent + l.fraction)
	}
	switch {
	case math.IsNaN(x):
		return l.infinity() | 1<<(l.fraction-1)
	case math.IsInf(x, 0):
		return sign | l.infinity()
	case x == 0:
		return sign
	}
	e := max(math.Ilogb(x), l.minimum())
	if e > -l.minimum()+1 {
		return sign | l.infinity()
	}
	// The significand in units of its last place; the leading one of a normal
	// number adds 1 to the exponent's field.
	units := math.RoundToEven(math.Ldexp(math.Abs(x), l.fraction-e))
	magnitude := uint64(e-l.minimum())<<l.fraction + uint64(units)
	return sign | min(magnitude, l.infinity())
}

func (l layout) value(bits uint64) float64 {
	fraction := bits & (1<<l.fraction - 1)
	field := int(bits >> l.fraction & (1<<l.exponent - 1))
	x := 0.0
	switch {
	case field == 1<<l.exponent-1 && fraction != 0:
		return math.NaN()
	case field == 1<<l.exponent-1:
		x = math.Inf(1)
	case field == 0:
		x = math.Ldexp(float64(fraction), l.minimum()-l.fraction)
	default:
		x = math.Ldexp(float64(fraction|1<<l.fraction), field-1+l.minimum()-l.fraction)
	}
	if bits>>(l.exponent+l.fraction)&1 != 0 {
		return -x
	}
	return x
}
