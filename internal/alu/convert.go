package alu

import (
	"math"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// convert returns the function of a conversion into a register of width bits,
// none if PTX has no such conversion: that of the processor, or one of functions on single values.
func convert(in *isa.Instr, width int) lanewise {
	f := convertLanes(in, width)
	if f.none() {
		return f
	}
	if fast := vectorConvert(in, width); !fast.none() {
		return fast
	}
	return f
}

// convertLanes is convert without the functions of the processor.
func convertLanes(in *isa.Instr, width int) lanewise {
	from, to := in.SrcType, in.Type
	if f := convertSmall(in); !f.none() || len(in.Src) > 1 {
		return f
	}
	switch {
	case !isNumber(from) || !isNumber(to) || !in.HasOnly(isa.ModNearest|isa.ModDirected|isa.ModIntegral|isa.ModFTZ|isa.ModSat):
		return lanewise{}
	case from.IsFloat() && to.IsFloat():
		return floatToFloat(in, width)
	case from.IsFloat():
		return floatToInt(in, width)
	case to.IsFloat():
		return intToFloat(in, width)
	}
	return intToInt(in, width)
}

// isNumber reports whether a type is one that conversions know.
func isNumber(t isa.Type) bool {
	switch t.Class() {
	case isa.Unsigned, isa.Signed:
		return true
	case isa.Float:
		return t == isa.F16 || t == isa.BF16 || t == isa.F32 || t == isa.F64
	}
	return false
}

// extender gives an integer of a type as 64 bits: extended by its sign or by
// zeros.
type extender struct {
	shift  uint
	signed bool
}

func extenderOf(t isa.Type) extender {
	return extender{shift: uint(64 - t.Bits()), signed: t.IsSigned()}
}

func (e extender) extend(x uint64) uint64 {
	if e.signed {
		return uint64(int64(x<<e.shift) >> e.shift)
	}
	return x << e.shift >> e.shift
}

// intToInt truncates or extends, or clamps to the range of the result. A result
// narrower than its register is extended by its type.
func intToInt(in *isa.Instr, width int) lanewise {
	if in.Round != isa.RoundDefault || in.FTZ {
		return lanewise{}
	}
	register, from, to := LowBits(width), in.SrcType.Bits(), in.Type.Bits()
	wide := from > 32 || width > 32
	switch {
	case in.Sat:
		if wide {
			return lanewise{wide: saturated[uint64](in.SrcType, in.Type, register)}
		}
		return lanewise{word: saturated[uint32](in.SrcType, in.Type, uint32(register))}
	case to > from && !in.SrcType.IsSigned():
		return move(from, wide)
	case to <= from && (!in.Type.IsSigned() || width == to):
		return move(to, wide)
	}
	e := extensionOf(in, width)
	if wide {
		f := extend[uint64, uint64](e)
		return lanewise{wide: func(d, a, _, _ *Vector) { f(d, a) }}
	}
	f := extend[uint32, uint32](e)
	return lanewise{word: func(d, a, _, _ *Words) { f(d, a) }}
}

// extension is a conversion between integers that does not clamp: so many low bits are extended, and some bits of that kept.
type extension struct {
	extender
	kept uint64
}

// extensionOf returns the extension that a conversion into a register of width bits is.
func extensionOf(in *isa.Instr, width int) extension {
	from, to := in.SrcType, in.Type
	switch {
	case to.Bits() <= from.Bits():
		return extension{extenderOf(to), LowBits(width)}
	case to.IsSigned():
		return extension{extenderOf(from), LowBits(width)}
	}
	return extension{extenderOf(from), LowBits(to.Bits())}
}

// extend returns the function of an extension from registers of one width to others of the same or another one.
func extend[D, S vec.Lane](e extension) func(d *vec.Of[D], a *vec.Of[S]) {
	shift, kept := e.shift%64, D(e.kept)
	if !e.signed {
		return func(d *vec.Of[D], a *vec.Of[S]) {
			_, _ = *d, *a
			for i := range d {
				d[i] = D(uint64(a[i])<<shift>>shift) & kept
			}
		}
	}
	return func(d *vec.Of[D], a *vec.Of[S]) {
		_, _ = *d, *a
		for i := range d {
			d[i] = D(int64(uint64(a[i])<<shift)>>shift) & kept
		}
	}
}

// saturated returns the function that clamps integers to the range of a type and extends them by it to the bits of a register.
func saturated[L vec.Lane](from, to isa.Type, register L) func(d, a, _, _ *vec.Of[L]) {
	shift := 64 - from.Bits()
	minimum, maximum := int64(0), LowBits(to.Bits())
	if to.IsSigned() {
		maximum >>= 1
		minimum = -int64(maximum) - 1
	}
	if !from.IsSigned() {
		return func(d, a, _, _ *vec.Of[L]) {
			for i, x := range a {
				d[i] = L(min(uint64(x)<<shift>>shift, maximum)) & register
			}
		}
	}
	limit := int64(min(maximum, 1<<63-1))
	return func(d, a, _, _ *vec.Of[L]) {
		for i, x := range a {
			d[i] = L(min(max(int64(uint64(x)<<shift)>>shift, minimum), limit)) & register
		}
	}
}

// intToFloat rounds an integer.
func intToFloat(in *isa.Instr, width int) lanewise {
	if in.FTZ && in.Type != isa.F32 || !isFloatRounding(in) { // no integer becomes subnormal
		return lanewise{}
	}
	f, _ := formatOf(in.Type)
	source := extenderOf(in.SrcType)
	nearest := in.Round == isa.RoundDefault || in.Round == isa.RoundRN
	wide := in.SrcType.Bits() > 32 || width > 32
	if exact := source.signed || source.shift > 0; nearest && exact && !in.Sat { // an int64 holds it
		switch in.Type {
		case isa.F32:
			return perLane(func(x, _, _ uint64) uint64 {
				return uint64(math.Float32bits(float32(int64(source.extend(x)))))
			}, wide)
		case isa.F64:
			return perLane(func(x, _, _ uint64) uint64 {
				return math.Float64bits(float64(int64(source.extend(x))))
			}, wide)
		}
	}
	return perLane(func(x, _, _ uint64) uint64 {
		x = source.extend(x)
		neg := source.signed && int64(x) < 0
		if neg {
			x = -x
		}
		r := f.fromInt(neg, x, in.Round)
		if in.Sat {
			r = f.saturate(r)
		}
		return r
	}, wide)
}

// integerOfNaN returns what conversions make of NaN: zero, and of doubles and to 64 bits the
// integer of which only the highest bit is set (PTX ISA, "cvt", Integer Notes).
func integerOfNaN(from, to isa.Type) uint64 {
	if from != isa.F64 && to.Bits() < 64 {
		return 0
	}
	return 1 << (to.Bits() - 1)
}

// floatToInt rounds to an integer and clamps to the range of the result. PTX demands a rounding
// mode.
func floatToInt(in *isa.Instr, width int) lanewise {
	if !isIntRounding(in) || in.FTZ && in.SrcType != isa.F32 {
		return lanewise{}
	}
	f, _ := formatOf(in.SrcType)
	t := in.Type
	result, register := extenderOf(t), LowBits(width)
	ofNaN := result.extend(integerOfNaN(in.SrcType, t)) & register
	return perLane(func(x, _, _ uint64) uint64 {
		x &= LowBits(f.bits())
		if f.isNaN(x) {
			return ofNaN
		}
		if in.FTZ {
			x = f.flush(x)
		}
		return result.extend(f.toInt(x, t.Bits(), t.IsSigned(), in.Round)) & register
	}, in.SrcType.Bits() > 32 || width > 32)
}

// floatToFloat rounds to another format, or to an integer in the same format.
func floatToFloat(in *isa.Instr, width int) lanewise {
	from, _ := formatOf(in.SrcType)
	to, _ := formatOf(in.Type)
	integral := isIntRounding(in)
	if !integral && !isFloatRounding(in) || in.FTZ && in.Type != isa.F32 && in.SrcType != isa.F32 {
		return lanewise{}
	}
	plain := in.Round == isa.RoundDefault || in.Round == isa.RoundRN
	switch {
	case integral && from != to:
		return lanewise{}
	case plain && !in.FTZ && !in.Sat && from == single32 && to == double64:
		return lanewise{wide: widen}
	case plain && !in.FTZ && !in.Sat && from == double64 && to == single32:
		return lanewise{wide: narrow}
	}
	return perLane(func(x, _, _ uint64) uint64 {
		x &= LowBits(from.bits())
		if in.FTZ && from == single32 {
			x = from.flush(x)
		}
		switch {
		case integral:
			x = from.integral(x, in.Round)
		default:
			x = to.convert(from, x, in.Round)
		}
		if in.FTZ && to == single32 {
			x = to.flush(x)
		}
		if in.Sat {
			x = to.saturate(x)
		}
		return x
	}, in.SrcType.Bits() > 32 || width > 32)
}

func widen(d, a, _, _ *Vector) {
	for i := range d {
		d[i] = bits64(float64(f32(uint32(a[i]))))
	}
}

func narrow(d, a, _, _ *Vector) {
	for i := range d {
		d[i] = uint64(bits32(float32(f64(a[i]))))
	}
}

func isFloatRounding(in *isa.Instr) bool {
	return in.Modifiers()&(isa.ModRound&^(isa.ModNearest|isa.ModDirected)) == 0
}

func isIntRounding(in *isa.Instr) bool { return in.Modifiers()&isa.ModIntegral != 0 }
