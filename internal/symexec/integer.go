package symexec

import (
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

func binary(f func(b *smt.Builder, x, y *smt.Term) *smt.Term) func(*lifter) []*smt.Term {
	return func(l *lifter) []*smt.Term { return one(f(l.b, l.a(), l.at(1))) }
}

func logic(f func(b *smt.Builder, x, y *smt.Term) *smt.Term) func(*lifter) []*smt.Term {
	return func(l *lifter) []*smt.Term { return one(f(l.b, l.truth(0), l.truth(1))) }
}

// clamped makes an operation that clamps to the range of s32.
func clamped(f func(b *smt.Builder, x, y *smt.Term) *smt.Term) func(*lifter) []*smt.Term {
	return func(l *lifter) []*smt.Term {
		if l.in.Type != isa.S32 {
			return nil
		}
		const wide = 64
		return one(l.clamp(f(l.b, l.b.SignExt(l.a(), wide), l.b.SignExt(l.at(1), wide)), true, l.width, true))
	}
}

// clamp clamps a number, signed or not, to the range of integers of width bits.
func (l *lifter) clamp(x *smt.Term, signed bool, width int, toSigned bool) *smt.Term {
	low, high := uint64(0), ^uint64(0)>>(smt.MaxWidth-width)
	if toSigned {
		high >>= 1
		low = ^high
	}
	minimum, greatest := l.wide(low), l.wide(high)
	below := func(x *smt.Term) *smt.Term { return l.fit(l.b.Ite(l.b.Ult(greatest, x), greatest, x), width) }
	if !signed {
		return below(l.b.ZeroExt(x, smt.MaxWidth))
	}
	x = l.b.SignExt(x, smt.MaxWidth)
	above := l.fit(l.b.Ite(l.b.Slt(x, minimum), minimum, x), width)
	return l.b.Ite(l.b.Slt(x, l.wide(0)), above, below(x))
}

// mulHi returns the upper half of a product.
func (l *lifter) mulHi() *smt.Term {
	if l.in.Type.IsSigned() {
		return l.b.SMulHi(l.a(), l.at(1))
	}
	return l.b.MulHi(l.a(), l.at(1))
}

// mulWide returns the whole product, nil if it has too many bits.
func (l *lifter) mulWide() *smt.Term {
	if 2*l.width > smt.MaxWidth {
		return nil
	}
	return l.b.Mul(l.extend(l.a(), 2*l.width), l.extend(l.at(1), 2*l.width))
}

func madWide(l *lifter) []*smt.Term {
	p := l.mulWide()
	if p == nil {
		return nil
	}
	return one(l.b.Add(p, l.fit(l.src[2], 2*l.width)))
}

// mul24 returns the product of the low 24 bits from a bit up.
func (l *lifter) mul24(from int) *smt.Term {
	const wide, part = 64, 24
	x, y := l.b.Extract(l.a(), 0, part), l.b.Extract(l.at(1), 0, part)
	return l.b.Extract(l.b.Mul(l.extend(x, wide), l.extend(y, wide)), from, 32)
}

// division returns a quotient or a remainder; both are all ones for a zero divisor.
func division(l *lifter) []*smt.Term {
	f := l.b.UDiv
	switch signed := l.in.Type.IsSigned(); {
	case l.in.Op == isa.Div && signed:
		f = l.b.SDiv
	case l.in.Op == isa.Rem && signed:
		f = l.b.SRem
	case l.in.Op == isa.Rem:
		f = l.b.URem
	}
	x, y := l.a(), l.at(1)
	return one(l.b.Ite(l.b.Eq(y, l.num(0)), l.num(^uint64(0)), f(x, y)))
}

func integerAbs(l *lifter) []*smt.Term {
	x := l.a()
	return one(l.b.Ite(l.b.Slt(x, l.num(0)), l.b.BvNeg(x), x))
}

// integerExtreme is Min and Max.
func integerExtreme(l *lifter) []*smt.Term {
	x, y := l.a(), l.at(1)
	if l.in.Op == isa.Max {
		x, y = y, x
	}
	return one(l.b.Ite(l.less(l.a(), l.at(1)), x, y))
}

func sumOfDifference(l *lifter) []*smt.Term {
	x, y := l.a(), l.at(1)
	return one(l.b.Add(l.at(2), l.b.Ite(l.less(x, y), l.b.Sub(y, x), l.b.Sub(x, y))))
}

// carrying is the operations of extended precision.
func carrying(l *lifter) []*smt.Term {
	x, y, n := l.a(), l.at(1), l.in.Op.Info().Src[0]
	in := l.b.Truth(l.in.Op == isa.SubCarry)
	switch l.in.Op {
	case isa.SubCarry:
		y = l.b.BvNot(y)
	case isa.MadCarry:
		x, y = l.b.Mul(x, y), l.at(2)
	case isa.MadHiCarry:
		x, y = l.mulHi(), l.at(2)
	}
	if len(l.src) > n {
		in = l.truth(n)
	}
	sum := l.b.Add(x, y)
	all := l.b.Add(sum, l.number(in, l.width))
	results := []*smt.Term{all, l.b.Or(l.b.Ult(sum, x), l.b.Ult(all, sum))}
	return results[:len(l.in.Dst)]
}

// dot is the sums of products of bytes, and of halves and bytes.
func dot(l *lifter) []*smt.Term {
	parts, n, first := 4, 8, 0
	if l.in.Op != isa.Dp4a {
		parts, n = 2, 16
	}
	if l.in.Op == isa.Dp2aHi {
		first = 2
	}
	part := func(x *smt.Term, t isa.Type, at, bits int) *smt.Term {
		x = l.b.Extract(l.fit(x, 32), at*bits, bits)
		if t.IsSigned() {
			return l.b.SignExt(x, 32)
		}
		return l.b.ZeroExt(x, 32)
	}
	sum := l.fit(l.src[2], 32)
	for i := range parts {
		sum = l.b.Add(sum, l.b.Mul(part(l.src[0], l.in.Type, i, n), part(l.src[1], l.in.SrcType, first+i, 8)))
	}
	return one(sum)
}
