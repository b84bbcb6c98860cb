package arithmetic

import "warpbound/internal/isa"

// function computes a number from the sources of one part, whose codes are in a format.
type function func(v []number) number

// rowOfFloat returns the rows of PTX ISA, "Floating-Point Instructions", "Half Precision
// Floating-Point Instructions" and "Mixed Precision Floating-Point Instructions".
func rowOfFloat(in *isa.Instr) *Row {
	if in.Cmp != isa.CmpNone || in.Combine != isa.CombineNone || in.Atom != isa.AtomNone {
		return nil
	}
	if in.SrcType != isa.Invalid {
		return rowOfMixed(in)
	}
	switch in.Op {
	case isa.Add, isa.Sub, isa.Mul, isa.Fma:
		return rowOfSum(in)
	case isa.Div, isa.Rcp, isa.Sqrt:
		if !in.Approx && !in.Full {
			return rowOfQuotient(in)
		}
		return rowOfApproximation(in)
	case isa.Rsqrt, isa.Sin, isa.Cos, isa.Lg2, isa.Ex2, isa.Tanh:
		return rowOfApproximation(in)
	case isa.Neg, isa.Abs, isa.Copysign:
		return rowOfSign(in)
	case isa.Min, isa.Max:
		return rowOfExtreme(in)
	}
	return nil
}

// flushes are the types whose instructions may have .ftz.
func flushes(t isa.Type) bool {
	return t == isa.F32 || t == isa.F32x2 || t == isa.F16 || t == isa.F16x2
}

// flushIf returns the modifier .ftz for those types.
func flushIf(t isa.Type) isa.Modifiers { return choose(flushes(t), isa.ModFTZ, 0) }

func wideFloat(t isa.Type) bool { return t == isa.F32 || t == isa.F64 }

// byParts makes a row that computes each part of its type by codes, and does to sources and results
// what the modifiers say.
func byParts(in *isa.Instr, sources int, code func(x []uint64) uint64) *Row {
	f := formats[in.Type]
	width := f.width()
	return rowOf(in.Type, times(sources, in.Type), func(s []uint64) (d uint64) {
		for at := 0; at < in.Type.Bits(); at += width {
			x := make([]uint64, sources)
			for i := range x {
				x[i] = s[i] >> at & lowBits(width)
				if in.FTZ {
					x[i] = f.flush(x[i])
				}
			}
			d |= f.finish(in, code(x)) << at
		}
		return d
	})
}

// finish does to a result what .ftz, .relu and .sat say.
func (f format) finish(in *isa.Instr, d uint64) uint64 {
	if in.FTZ && !f.isNaN(d) {
		d = f.flush(d)
	}
	if in.Relu {
		d = f.clampNegative(d)
	}
	if in.Sat {
		d = f.saturate(d)
	}
	return d
}

// rounded makes codes of numbers.
func (f format) rounded(g function, mode isa.Round) func(x []uint64) uint64 {
	return func(x []uint64) uint64 {
		v := make([]number, len(x))
		for i := range x {
			v[i] = f.read(x[i])
		}
		return f.write(g(v), mode)
	}
}

// sumOf returns what add, sub, mul and fma compute.
func sumOf(op isa.Op, mode isa.Round) function {
	switch op {
	case isa.Add:
		return func(v []number) number { return v[0].plus(v[1], mode) }
	case isa.Sub:
		return func(v []number) number { return v[0].plus(v[1].negated(), mode) }
	case isa.Mul:
		return func(v []number) number { return v[0].times(v[1]) }
	}
	return func(v []number) number { return v[0].times(v[1]).plus(v[2], mode) }
}

// rowOfSum returns the rows of add, sub, mul and fma.
func rowOfSum(in *isa.Instr) *Row {
	allowed := isa.ModNearest | flushIf(in.Type)
	if wideFloat(in.Type) || in.Type == isa.F32x2 {
		allowed |= isa.ModDirected
	}
	if flushes(in.Type) && in.Type != isa.F32x2 {
		allowed |= isa.ModSat
	}
	if in.Op == isa.Fma && in.Round == isa.RoundRN && !wideFloat(in.Type) && in.Type != isa.F32x2 && !in.Sat {
		allowed |= isa.ModRelu
	}
	if !has(in, allowed) {
		return nil
	}
	f := formats[in.Type]
	return byParts(in, in.Op.Info().Src[0], f.rounded(sumOf(in.Op, in.Round), in.Round))
}

// rowOfMixed returns the rows of add, sub and fma in single precision whose first sources are
// halves.
func rowOfMixed(in *isa.Instr) *Row {
	narrow := map[isa.Op]int{isa.Add: 1, isa.Sub: 1, isa.Fma: 2}[in.Op]
	if narrow == 0 || in.Type != isa.F32 || in.SrcType != isa.F16 && in.SrcType != isa.BF16 ||
		!has(in, isa.ModNearest|isa.ModDirected|isa.ModSat) {
		return nil
	}
	types := times(in.Op.Info().Src[0], isa.F32)
	for i := range narrow {
		types[i] = in.SrcType
	}
	g := sumOf(in.Op, in.Round)
	return rowOf(isa.F32, types, func(s []uint64) uint64 {
		v := make([]number, len(types))
		for i, t := range types {
			v[i] = formats[t].read(s[i])
		}
		return single.finish(in, single.write(g(v), in.Round))
	})
}

// rowOfQuotient returns the rows of div, rcp and sqrt with IEEE 754 rounding.
func rowOfQuotient(in *isa.Instr) *Row {
	if !wideFloat(in.Type) || !has(in, isa.ModNearest|isa.ModDirected|flushIf(in.Type)) {
		return nil
	}
	g := quotientOf(in.Op)
	return byParts(in, in.Op.Info().Src[0], formats[in.Type].rounded(g, in.Round))
}

func quotientOf(op isa.Op) function {
	switch op {
	case isa.Div:
		return func(v []number) number { return v[0].over(v[1]) }
	case isa.Rcp:
		return func(v []number) number { return power(0).over(v[0]) }
	}
	return func(v []number) number { return v[0].root() }
}

// rowOfSign returns the rows of what changes signs alone. Of NaN the manual leaves the bits open in
// abs and neg, and says that they may come to change nothing but the sign.
func rowOfSign(in *isa.Instr) *Row {
	allowed := flushIf(in.Type)
	if in.Op == isa.Copysign {
		allowed = 0
		if !wideFloat(in.Type) {
			return nil
		}
	}
	if !has(in, allowed) || in.Type == isa.F32x2 {
		return nil
	}
	f := formats[in.Type]
	return byParts(in, in.Op.Info().Src[0], func(x []uint64) uint64 {
		switch in.Op {
		case isa.Neg:
			return x[0] ^ f.sign()
		case isa.Abs:
			return x[0] &^ f.sign()
		}
		return f.withSign(x[1]&^f.sign(), f.negative(x[0])) // "copy sign bit of a into value of b"
	})
}

// rowOfExtreme returns the rows of min and max of two numbers.
func rowOfExtreme(in *isa.Instr) *Row {
	allowed := isa.ModNaN | flushIf(in.Type)
	if in.Type == isa.F64 {
		allowed = 0
	} else if in.XorSign && in.Abs {
		allowed |= isa.ModAbs | isa.ModXorSign
	}
	if !has(in, allowed) || in.Type == isa.F32x2 {
		return nil
	}
	f := formats[in.Type]
	minimum := in.Op == isa.Min
	return byParts(in, 2, func(x []uint64) uint64 {
		if !in.XorSign {
			return f.extreme(x, minimum, in.NaN)
		}
		d := f.extreme([]uint64{x[0] &^ f.sign(), x[1] &^ f.sign()}, minimum, in.NaN)
		if f.isNaN(d) {
			return d
		}
		return f.withSign(d, f.negative(x[0]) != f.negative(x[1]))
	})
}

// rowOfThree returns the rows of min and max of three numbers.
func rowOfThree(in *isa.Instr) *Row {
	if in.Op != isa.Min && in.Op != isa.Max || in.Type != isa.F32 || in.SrcType != isa.Invalid ||
		!has(in, isa.ModNaN|isa.ModFTZ|isa.ModAbs) {
		return nil
	}
	return byParts(in, 3, func(x []uint64) uint64 {
		if in.Abs {
			for i := range x {
				x[i] &^= single.sign()
			}
		}
		return single.extreme(x, in.Op == isa.Min, in.NaN)
	})
}

// extreme returns the least or the greatest of codes that are numbers, where -0 is less than +0. It
// is NaN if all are, or if any is and that is asked for.
func (f format) extreme(x []uint64, minimum, keep bool) uint64 {
	best, found := f.canonical(), false
	for _, y := range x {
		if f.isNaN(y) {
			if keep {
				return f.canonical()
			}
			continue
		}
		if !found {
			best, found = y, true
			continue
		}
		c := f.read(y).compare(f.read(best))
		if c == 0 { // the same, or zeros
			c = choose(f.negative(y), 0, 1) - choose(f.negative(best), 0, 1)
		}
		if minimum && c < 0 || !minimum && c > 0 {
			best = y
		}
	}
	return best
}
