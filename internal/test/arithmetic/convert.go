package arithmetic

import "warpbound/internal/isa"

// ofNaN is the integer that a conversion gives for NaN (PTX ISA, "cvt", "Integer Notes"): 0 if the
// source is not .f64 and the result is not 64 bits wide, else 1 << (width-1).
func ofNaN(from, to isa.Type) uint64 {
	if from == isa.F64 || to.Bits() == 64 {
		return 1 << (to.Bits() - 1)
	}
	return 0
}

// rowOfConversion returns the rows of PTX ISA, "cvt".
func rowOfConversion(in *isa.Instr, sources int) *Row {
	if in.Cmp != isa.CmpNone || in.Combine != isa.CombineNone || in.Atom != isa.AtomNone {
		return nil
	}
	if f := pairConversion(in, sources); f != nil {
		return f
	}
	from, to := in.SrcType, in.Type
	number := func(t isa.Type) bool {
		return isInteger(t) || t == isa.F16 || t == isa.BF16 || wideFloat(t)
	}
	if !number(from) || !number(to) {
		return nil
	}
	if in.Relu || in.Finite {
		plain := namesRounding(in) && has(in, isa.ModRound|isa.ModRelu|isa.ModFinite)
		if plain && from == isa.F32 && (to == isa.F16 || to == isa.BF16) {
			return rowOf(to, times(1, from), func(s []uint64) uint64 {
				return formats[to].narrow(in, single.read(s[0]), rounding{mode: in.Round})
			})
		}
		return nil
	}
	if !has(in, isa.ModNearest|isa.ModDirected|isa.ModIntegral|isa.ModFTZ|isa.ModSat) {
		return nil
	}
	integral := in.Round >= isa.RoundIntRN
	if in.FTZ && from != isa.F32 && to != isa.F32 {
		return nil
	}
	switch {
	case isInteger(from) && isInteger(to):
		if in.Round != isa.RoundDefault {
			return nil
		}
		return rowOf(to, times(1, from), func(s []uint64) uint64 {
			v := integerOf(s[0], from)
			if in.Sat {
				v = clampTo(v, to.Bits(), to.IsSigned())
			}
			return wrap(v, to.Bits())
		})
	case isInteger(from):
		if integral {
			return nil
		}
		g := formats[to]
		return rowOf(to, times(1, from), func(s []uint64) uint64 {
			return g.finish(in, g.write(wholeNumber(integerOf(s[0], from)), in.Round))
		})
	case isInteger(to):
		if !integral {
			return nil
		}
		return rowOf(to, times(1, from), func(s []uint64) uint64 { return toInteger(in, s[0]) })
	}
	if integral && from != to {
		return nil
	}
	return rowOf(to, times(1, from), func(s []uint64) uint64 { return toFloat(in, s[0]) })
}

// flushedSource reads a source of a conversion: .ftz counts for single precision alone.
func flushedSource(in *isa.Instr, x uint64) number {
	f := formats[in.SrcType]
	x &= lowBits(f.width())
	if in.FTZ && in.SrcType == isa.F32 {
		x = f.flush(x)
	}
	return f.read(x)
}

// toInteger converts to an integer. Results are clamped with or without .sat.
func toInteger(in *isa.Instr, x uint64) uint64 {
	to := in.Type
	v := flushedSource(in, x)
	minimum, maximum := limits(to.Bits(), to.IsSigned())
	switch {
	case v.nan:
		return ofNaN(in.SrcType, to)
	case v.infinite:
		return wrap(choose(v.negative, minimum, maximum), to.Bits())
	}
	return wrap(clampTo(v.integral(in.Round), to.Bits(), to.IsSigned()), to.Bits())
}

// toFloat converts between floating-point formats, or rounds to an integer in one.
func toFloat(in *isa.Instr, x uint64) uint64 {
	g := formats[in.Type]
	v := flushedSource(in, x)
	if in.Round >= isa.RoundIntRN && !v.nan && !v.infinite {
		n := wholeNumber(v.integral(in.Round))
		n.negative = v.negative
		v = n
	}
	d := g.write(v, in.Round)
	if in.FTZ && in.Type == isa.F32 && !g.isNaN(d) {
		d = g.flush(d)
	}
	if in.Sat {
		d = g.saturate(d)
	}
	return d
}

// namesRounding reports whether a conversion to a narrow format names one of its two roundings.
func namesRounding(in *isa.Instr) bool { return in.Round == isa.RoundRN || in.Round == isa.RoundRZ }

// narrow rounds to a format with .relu and .satfinite. Formats without NaN have their greatest
// number for it, those without infinities for what is beyond.
func (f format) narrow(in *isa.Instr, v number, r rounding) uint64 {
	if v.nan {
		return f.canonical()
	}
	if in.Relu && v.negative {
		return 0
	}
	d := f.round(v, r)
	if in.Finite && d&^f.sign() > f.greatest() {
		d = f.withSign(f.greatest(), v.negative)
	}
	return d
}

// stride is the distance of the two numbers of a packed type.
func stride(t isa.Type) int { return t.Bits() / 2 }

// pairConversion returns the rows of conversions to and from packed types, and to .tf32.
func pairConversion(in *isa.Instr, sources int) *Row {
	from, to := in.SrcType, in.Type
	nearest := in.Round == isa.RoundRN
	eight := to == isa.E4M3x2 || to == isa.E5M2x2
	tiny := map[isa.Type]bool{isa.E4M3x2: true, isa.E5M2x2: true, isa.E2M1x2: true, isa.E2M3x2: true, isa.E3M2x2: true}
	if !has(in, isa.ModRound|isa.ModRelu|isa.ModFinite) {
		return nil
	}
	f := formats[to]
	two := func(r, second rounding) evaluation { // "for .f16x2: the converted a is the upper half"
		return func(s []uint64) uint64 {
			return f.narrow(in, single.read(s[1]), r) | f.narrow(in, single.read(s[0]), second)<<stride(to)
		}
	}
	plain := rounding{mode: in.Round}
	switch {
	case to == isa.TF32 && from == isa.F32 && (namesRounding(in) || in.Round == isa.RoundRNA && !in.Relu):
		return rowOf(to, times(1, from), func(s []uint64) uint64 {
			return f.narrow(in, single.read(s[0]), plain) << 13
		})
	case (to == isa.F16x2 || to == isa.BF16x2) && from == isa.F32 && namesRounding(in):
		return rowOf(to, times(2, from), two(plain, plain))
	case (to == isa.F16x2 || to == isa.BF16x2) && from == isa.F32 && in.Round == isa.RoundRS:
		bits := choose(to == isa.F16x2, 13, 16)
		return rowOf(to, []isa.Type{from, from, isa.B32}, func(s []uint64) uint64 {
			random := func(at int) rounding {
				return rounding{mode: isa.RoundRS, random: s[2] >> at & lowBits(bits), bits: bits}
			}
			return two(random(0), random(16))(s)
		})
	case tiny[to] && from == isa.F32 && nearest && in.Finite:
		return rowOf(to, times(2, from), two(plain, plain))
	case eight && from == isa.F16x2 && nearest && in.Finite:
		return rowOf(to, times(1, from), func(s []uint64) uint64 {
			return f.narrow(in, half.read(s[0]), plain) | f.narrow(in, half.read(s[0]>>16), plain)<<8
		})
	case tiny[from] && to == isa.F16x2 && nearest && !in.Finite:
		g := formats[from]
		return rowOf(to, times(1, from), func(s []uint64) uint64 {
			return f.narrow(in, g.read(s[0]), plain) | f.narrow(in, g.read(s[0]>>stride(from)), plain)<<16
		})
	}
	return scaleConversion(in, sources)
}

// scaleConversion returns the rows of conversions to and from .ue8m0x2, powers of two from 2^-127
// to 2^127 and NaN, which has all bits. Signs do not count.
func scaleConversion(in *isa.Instr, sources int) *Row {
	const noNumber, greatest = 255, 254
	from, to := in.SrcType, in.Type
	if in.Relu {
		return nil
	}
	if from == isa.UE8M0x2 && to == isa.BF16x2 && in.Round == isa.RoundRN && !in.Finite {
		one := func(x uint64) uint64 {
			if x &= 0xff; x == noNumber {
				return brain.canonical()
			}
			return brain.write(power(int(x)-127), isa.RoundRN)
		}
		return rowOf(to, times(1, from), func(s []uint64) uint64 { return one(s[0]) | one(s[0]>>8)<<16 })
	}
	up := in.Round == isa.RoundRP
	if to != isa.UE8M0x2 || !up && in.Round != isa.RoundRZ {
		return nil
	}
	one := func(v number) uint64 {
		beyond := choose[uint64](in.Finite, greatest, noNumber)
		switch {
		case v.nan:
			return noNumber
		case v.infinite:
			return beyond
		case v.zero():
			return 0
		}
		e := v.size.BitLen() - 1 + v.exponent // 2^e is at most the magnitude
		if up && v.size.TrailingZeroBits() != uint(v.size.BitLen()-1) {
			e++
		}
		if e > 127 {
			return beyond
		}
		return uint64(max(e, -127) + 127)
	}
	switch {
	case from == isa.F32 && sources == 2:
		return rowOf(to, times(2, from), func(s []uint64) uint64 {
			return one(single.read(s[1])) | one(single.read(s[0]))<<8
		})
	case from == isa.BF16x2 && sources == 1:
		return rowOf(to, times(1, from), func(s []uint64) uint64 {
			return one(brain.read(s[0])) | one(brain.read(s[0]>>16))<<8
		})
	}
	return nil
}

// rowOfPack returns the rows of PTX ISA, "cvt.pack": both sources are clamped and joined, a above
// b, and small ones put below the low bits of c.
func rowOfPack(in *isa.Instr, sources int) *Row {
	to, n := in.Type, in.Type.Bits()
	small := n == 8 || n == 4 || n == 2
	signed := to == isa.S16 || to == isa.S8 || to == isa.S4 || to == isa.S2
	unsigned := to == isa.U16 || to == isa.U8 || to == isa.U4 || to == isa.U2
	from, wanted := isa.S32, 2
	if small {
		from, wanted = isa.B32, 3
	}
	if !signed && !unsigned || in.SrcType != from || !in.Sat || !has(in, isa.ModSat) || sources != wanted {
		return nil
	}
	types := []isa.Type{isa.S32, isa.S32, isa.B32}[:sources]
	return rowOf(isa.B32, types, func(s []uint64) uint64 {
		part := func(x uint64) uint64 { return wrap(clampTo(readInteger(x, 32, true), n, signed), n) }
		d := part(s[0])<<n | part(s[1])
		if small {
			d |= s[2] << (2 * n) & lowBits(32)
		}
		return d
	})
}

// Extend returns the bits that a register of some width holds of a result of a conversion: integers
// are extended by their type.
func Extend(x uint64, t isa.Type, width int) uint64 {
	if !isInteger(t) {
		return x
	}
	return wrap(integerOf(x, t), width)
}
