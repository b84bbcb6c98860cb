package alu

import (
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// vecSeries are what the processor's functions compute approximations with.
var vecSeries = &vec.Series{Exp: expSeries, Artanh: artanhSeries, Sin: sinSeries, Cos: cosSeries}

// vectorFloat returns the processor's function of an operation on floating-point numbers, none if it has none.
func vectorFloat(in *isa.Instr) lanewise {
	t, known := vecFormat(in.Type)
	if !known {
		return lanewise{}
	}
	extreme, isExtreme := extremeOf(in)
	op, form, ok := vectorised(in)
	switch {
	case ok && in.Type == isa.F32x2:
		return lanewise{wide: Func(vec.FloatPair(op, form))}
	case ok && in.SrcType != isa.Invalid:
		from, _ := vecFormat(in.SrcType)
		return lanewise{word: WordFunc(vec.FloatMixed(op, from, form))}
	case isExtreme && t == vec.F64:
		return lanewise{wide: Func(vec.ExtremeWide(extreme))}
	case isExtreme:
		return lanewise{word: WordFunc(vec.ExtremeWord(t, isPair(in.Type), extreme))}
	case !ok:
		return lanewise{}
	case t == vec.F64:
		return lanewise{wide: Func(vec.FloatWide(op, form))}
	}
	return lanewise{word: WordFunc(vec.FloatWord(op, t, isPair(in.Type), form, vecSeries))}
}

// extremeOf returns which number Min or Max takes, false for other operations.
func extremeOf(in *isa.Instr) (vec.Extreme, bool) {
	if in.Op != isa.Min && in.Op != isa.Max || in.SrcType != isa.Invalid || !in.HasOnly(allowed(in)) {
		return vec.Extreme{}, false
	}
	return vec.Extreme{
		Greater: in.Op == isa.Max, KeepNaN: in.NaN, Flush: in.FTZ, Magnitude: in.Abs, XorSign: in.XorSign, Three: len(in.Src) > 2,
	}, true
}

// vectorised returns the operation that an instruction is on vectors.
func vectorised(in *isa.Instr) (op vec.Float, form vec.Form, ok bool) {
	if in.SrcType != isa.Invalid && !isMixed(in) || !in.HasOnly(allowed(in)) {
		return 0, vec.Form{}, false
	}
	switch in.Op {
	case isa.Add:
		op = vec.Sum
	case isa.Sub:
		op = vec.Difference
	case isa.Mul:
		op = vec.Product
	case isa.Fma:
		op = vec.Fused
	case isa.Div:
		op = vec.Division
		if in.Approx {
			op = vec.Quotient
		}
	case isa.Sqrt:
		op = vec.Root
	case isa.Rcp:
		op = vec.Reciprocal
	case isa.Neg:
		op = vec.Negative
	case isa.Abs:
		op = vec.Magnitude
	case isa.Rsqrt:
		op = vec.InverseRoot
	case isa.Lg2:
		op = vec.Log2
	case isa.Ex2:
		op = vec.Exp2
	case isa.Tanh:
		op = vec.Tanh
	case isa.Sin:
		op = vec.Sine
	case isa.Cos:
		op = vec.Cosine
	default:
		return 0, vec.Form{}, false
	}
	round, ok := rounding(in.Round)
	upper := in.FTZ && in.Type == isa.F64
	return op, vec.Form{Round: round, Flush: in.FTZ, Relu: in.Relu, Sat: in.Sat, Upper: upper}, ok
}

// rounding returns the rounding of vectors, also for modes that round to integers; false for those that processors lack.
func rounding(mode isa.Round) (vec.Rounding, bool) {
	switch mode {
	case isa.RoundDefault, isa.RoundRN, isa.RoundIntRN:
		return vec.Nearest, true
	case isa.RoundRZ, isa.RoundIntRZ:
		return vec.Zero, true
	case isa.RoundRM, isa.RoundIntRM:
		return vec.Down, true
	case isa.RoundRP, isa.RoundIntRP:
		return vec.Up, true
	}
	return 0, false
}

// vecFormat returns the format of vectors that a type has, that of its halves for a packed one.
func vecFormat(t isa.Type) (vec.Format, bool) {
	switch f, _ := formatOf(t); f {
	case half16:
		return vec.F16, true
	case brain16:
		return vec.BF16, true
	case single32:
		return vec.F32, true
	case double64:
		return vec.F64, true
	}
	return 0, false
}

// converts returns what a conversion into a register of width bits is on vectors, infinity aside where results are finite.
func converts(in *isa.Instr, width int) (c vec.Conversion, ok bool) {
	if isPair(in.Type) && in.SrcType == isa.F32 && len(in.Src) == 2 {
		ok = in.HasOnly(isa.ModNearest|isa.ModDirected|isa.ModRelu|isa.ModFinite) && (in.Round == isa.RoundRN || in.Round == isa.RoundRZ)
	} else {
		ok = isNumber(in.Type) && isNumber(in.SrcType) && !in.Finite
	}
	round, known := rounding(in.Round)
	c = vec.Conversion{
		To: numberOf(in.Type), From: numberOf(in.SrcType), Integral: isIntRounding(in), Register: uint32(LowBits(width)),
		Form: vec.Form{Round: round, Flush: in.FTZ, Relu: in.Relu, Sat: in.Sat},
	}
	return c, ok && known
}

// numberOf returns what a type of numbers is to conversions.
func numberOf(t isa.Type) vec.Number {
	if f, ok := vecFormat(t); ok {
		return vec.Number{Format: f}
	}
	return vec.Number{Bits: t.Bits(), Signed: t.IsSigned()}
}

// vectorConvert returns the processor's function of a conversion between registers of one width, none if it has none.
func vectorConvert(in *isa.Instr, width int) lanewise {
	c, ok := converts(in, width)
	switch {
	case !ok:
		return lanewise{}
	case len(in.Src) > 1:
		return convertPair(in, c)
	case in.Type.Bits() > 32:
		return lanewise{wide: Func(vec.ConvertWide(c))}
	case width > 32:
		return lanewise{}
	}
	return lanewise{word: WordFunc(vec.ConvertWord(c))}
}

// convertPair returns the processor's function of a conversion of two numbers to a pair, none if it has none.
func convertPair(in *isa.Instr, c vec.Conversion) lanewise {
	pair := vec.ConvertPair(c)
	if pair == nil || !in.Finite {
		return lanewise{word: WordFunc(pair)}
	}
	f, _ := formatOf(in.Type)
	inf := uint32(f.inf()) * (1<<16 + 1)
	return lanewise{word: func(d, a, b, c *Words) {
		pair(d, a, b, c)
		finite(d, inf)
	}}
}

// finite makes the greatest numbers of infinities in both halves; inf is infinity in both.
func finite(d *Words, inf uint32) {
	const sign = 1<<31 | 1<<15
	for i, x := range d {
		other := x&^sign ^ inf + (sign - (1<<16 + 1)) // has the signs set where there is no infinity
		d[i] = x - (^other&sign)>>15
	}
}

// vectorTest returns the processor's function of a comparison of floating-point numbers of at most 32 bits, of those in the bits
// from shift up; nil if it has none.
func vectorTest(test vec.FloatTest, t isa.Type, ftz bool, shift int) vec.WordTestFunc {
	f, ok := vecFormat(t)
	if !ok || f == vec.F64 || t == isa.F32x2 || f == vec.BF16 && ftz {
		return nil
	}
	return vec.FloatTests(test, f, shift, ftz)
}
