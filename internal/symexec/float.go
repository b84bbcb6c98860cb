package symexec

import (
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// format is that of the instruction's type.
func (l *lifter) format() smt.Format {
	f, _ := formatOf(l.in.Type)
	return f
}

// operand returns source i as a number, flushed if the instruction says so.
func (l *lifter) operand(i int) *smt.Term { return l.flush(l.format(), l.at(i)) }

// result flushes and clamps a result as the instruction says.
func (l *lifter) result(x *smt.Term) []*smt.Term {
	f := l.format()
	x = l.flush(f, x)
	if l.in.Relu {
		x = l.b.Ite(l.negative(f, x), l.b.Number(f.Width(), 0), x)
	}
	if l.in.Sat {
		x = l.saturate(f, x)
	}
	return one(x)
}

// flush makes zeros of subnormal numbers if the instruction says so.
func (l *lifter) flush(f smt.Format, x *smt.Term) *smt.Term {
	if !l.in.FTZ {
		return x
	}
	small := l.b.Eq(l.b.Extract(x, f.Frac, f.Exp), l.b.Number(f.Exp, 0))
	return l.b.Ite(small, l.b.BvAnd(x, l.b.Number(f.Width(), f.Sign())), x)
}

func (l *lifter) negative(f smt.Format, x *smt.Term) *smt.Term {
	return l.b.Eq(l.b.Extract(x, f.Width()-1, 1), l.b.Number(1, 1))
}

// saturate clamps to [+0, 1]; NaN gives +0.
func (l *lifter) saturate(f smt.Format, x *smt.Term) *smt.Term {
	one, zero := l.b.Number(f.Width(), f.One()), l.b.Number(f.Width(), 0)
	return l.b.Ite(l.b.Or(l.b.FIsNaN(f, x), l.negative(f, x)), zero, l.b.Ite(l.b.Ult(one, x), one, x))
}

func float2(op func(b *smt.Builder, f smt.Format, m smt.Mode, x, y *smt.Term) *smt.Term) func(*lifter) []*smt.Term {
	return func(l *lifter) []*smt.Term {
		if l.in.SrcType != isa.Invalid {
			return nil
		}
		return l.result(op(l.b, l.format(), modeOf(l.in.Round), l.operand(0), l.operand(1)))
	}
}

func fma(l *lifter) []*smt.Term {
	if l.in.SrcType != isa.Invalid {
		return nil
	}
	return l.result(l.b.FFma(l.format(), modeOf(l.in.Round), l.operand(0), l.operand(1), l.operand(2)))
}

func reciprocal(l *lifter) []*smt.Term {
	f := l.format()
	return l.result(l.b.FDiv(f, modeOf(l.in.Round), l.num(f.One()), l.operand(0)))
}

func squareRoot(l *lifter) []*smt.Term {
	return l.result(l.b.FSqrt(l.format(), modeOf(l.in.Round), l.operand(0)))
}

func floatAbs(l *lifter) []*smt.Term {
	return l.result(l.b.BvAnd(l.operand(0), l.num(l.format().NaN())))
}

func floatNeg(l *lifter) []*smt.Term {
	return l.result(l.b.BvXor(l.operand(0), l.num(l.format().Sign())))
}

// copysign gives the second source the sign of the first.
func copysign(l *lifter) []*smt.Term {
	f := l.format()
	return one(l.b.BvOr(l.b.BvAnd(l.a(), l.num(f.Sign())), l.b.BvAnd(l.at(1), l.num(f.NaN()))))
}

// floatExtreme is Min and Max, where -0 is less than +0.
func floatExtreme(l *lifter) []*smt.Term {
	if len(l.src) > 2 {
		return nil
	}
	f, x, y := l.format(), l.operand(0), l.operand(1)
	first, second := x, y // if x is less
	if l.in.Op == isa.Max {
		first, second = y, x
	}
	zeros := l.b.Ite(l.negative(f, x), first, second)
	ordered := l.b.Ite(l.b.FEq(f, x, y), zeros, l.b.Ite(l.b.FLt(f, x, y), first, second))
	nx, ny, nan := l.b.FIsNaN(f, x), l.b.FIsNaN(f, y), l.num(f.NaN())
	other := func(t *smt.Term) *smt.Term { // of a NaN
		if l.in.NaN {
			return nan
		}
		return t
	}
	return l.result(l.b.Ite(nx, l.b.Ite(ny, nan, other(y)), l.b.Ite(ny, other(x), ordered)))
}

// classify is Testp. Zeros count as normal.
func classify(l *lifter) []*smt.Term {
	f, x := l.format(), l.a()
	magnitude := l.b.BvAnd(x, l.num(f.NaN()))
	nan, infinite := l.b.FIsNaN(f, x), l.b.Eq(magnitude, l.num(f.Inf()))
	subnormal := l.b.And(l.b.Ult(magnitude, l.num(1<<f.Frac)), l.b.Not(l.b.Eq(magnitude, l.num(0))))
	finite := l.b.Not(l.b.Or(nan, infinite))
	switch l.in.Cmp {
	case isa.Finite:
		return one(finite)
	case isa.Infinite:
		return one(infinite)
	case isa.Number:
		return one(l.b.Not(nan))
	case isa.NotANumber:
		return one(nan)
	case isa.Normal:
		return one(l.b.And(finite, l.b.Not(subnormal)))
	case isa.Subnormal:
		return one(subnormal)
	}
	return nil
}

// isInteger reports whether a type is one of integers.
func isInteger(t isa.Type) bool { return t.Class() == isa.Unsigned || t.Class() == isa.Signed }

// toInteger rounds a number to the integer that the emulator makes of it: of NaN that is zero, or
// the integer of which only the highest bit is set if it is a double or the integer has 64 bits.
func (l *lifter) toInteger(f smt.Format, mode smt.Mode, x *smt.Term) *smt.Term {
	to, round := l.in.Type, l.b.FToU
	if to.IsSigned() {
		round = l.b.FToS
	}
	n := round(f, mode, x, to.Bits())
	if f != smt.Double && to.Bits() < 64 {
		return n
	}
	return l.b.Ite(l.b.FIsNaN(f, x), l.b.Number(to.Bits(), 1<<(to.Bits()-1)), n)
}

// unsettled returns the condition on the sources of an instruction under which a device may make
// something else of them than the emulator does (alu.Unsettled): that NaN becomes an integer, that
// an integer is divided by zero, or that the place or the length of a field of 64 bits does not fit
// a byte. It is nil for instructions of which that is never so. The bits of a NaN that is computed
// are taken to be the emulator's.
func unsettled(b *smt.Builder, in *isa.Instr, src []*smt.Term) *smt.Term {
	if at := map[isa.Op]int{isa.Bfe: 1, isa.Bfi: 2}[in.Op]; at > 0 && in.Type.Bits() == 64 {
		beyond := func(i int) *smt.Term { return b.Ult(b.Number(indexWidth, 255), fit(b, src[i], indexWidth)) }
		return b.Or(beyond(at), beyond(at+1))
	}
	if (in.Op == isa.Div || in.Op == isa.Rem) && isInteger(in.Type) {
		return b.Eq(fit(b, src[1], in.Type.Bits()), b.Number(in.Type.Bits(), 0))
	}
	f, isFloat := formatOf(in.SrcType)
	if in.Op != isa.Cvt || !isFloat || !isInteger(in.Type) {
		return nil
	}
	return b.FIsNaN(f, fit(b, src[0], f.Width()))
}

// convert is Cvt. A result narrower than its register is extended by its type.
func convert(l *lifter) []*smt.Term {
	from, to, in := l.in.SrcType, l.in.Type, l.in
	ff, fromFloat := formatOf(from)
	tf, toFloat := formatOf(to)
	if !fromFloat && !isInteger(from) || !toFloat && !isInteger(to) || len(l.src) > 1 ||
		from.Bits() > 64 || to.Bits() > 64 || in.Round == isa.RoundRNA {
		return nil
	}
	x, mode := l.fit(l.src[0], from.Bits()), modeOf(in.Round)
	integral := in.Modifiers()&isa.ModIntegral != 0
	if fromFloat && from == isa.F32 {
		x = l.flush(ff, x)
	}
	switch {
	case fromFloat && toFloat && integral:
		x = l.b.FRound(ff, mode, x)
	case fromFloat && toFloat:
		x = l.b.FToF(ff, tf, mode, x)
	case fromFloat:
		x = l.toInteger(ff, mode, x)
	case toFloat && from.IsSigned():
		x = l.b.SToF(tf, mode, x)
	case toFloat:
		x = l.b.UToF(tf, mode, x)
	case in.Sat:
		x = l.clamp(x, from.IsSigned(), to.Bits(), to.IsSigned())
	case from.IsSigned() && to.Bits() > from.Bits():
		x = l.b.SignExt(x, to.Bits())
	default:
		x = l.fit(x, to.Bits())
	}
	if toFloat {
		if fromFloat && to == isa.F32 {
			x = l.flush(tf, x)
		}
		if in.Sat {
			x = l.saturate(tf, x)
		}
		return one(x)
	}
	if to.IsSigned() && l.reg > to.Bits() {
		x = l.b.SignExt(x, l.reg)
	}
	return one(x)
}
