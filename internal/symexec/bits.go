package symexec

import (
	"warpbound/internal/isa"
	"warpbound/internal/smt"
)

// shift shifts the first source by the second, a number of 32 bits.
func (l *lifter) shift(f func(b *smt.Builder, x, y *smt.Term) *smt.Term) *smt.Term {
	n := max(l.width, 32)
	return l.b.Extract(f(l.b, l.extend(l.a(), n), l.fit(l.fit(l.src[1], 32), n)), 0, l.width)
}

func shiftRight(l *lifter) []*smt.Term {
	if l.in.Type.IsSigned() {
		return one(l.shift((*smt.Builder).Ashr))
	}
	return one(l.shift((*smt.Builder).Lshr))
}

// amount returns source i as a number of bits: modulo 32, or clamped to 32.
func (l *lifter) amount(i int) *smt.Term {
	x := l.fit(l.src[i], 32)
	limit := l.b.Number(32, 32)
	if l.in.Wrap {
		x = l.b.BvAnd(x, l.b.Number(32, 31))
	} else {
		x = l.b.Ite(l.b.Ult(limit, x), limit, x)
	}
	return l.b.ZeroExt(x, 64)
}

// wide returns a number in 64 bits.
func (l *lifter) wide(x uint64) *smt.Term { return l.b.Number(64, x) }

// lowOnes returns n set bits in 64, for n below 64.
func (l *lifter) lowOnes(n *smt.Term) *smt.Term {
	return l.b.Sub(l.b.Shl(l.wide(1), n), l.wide(1))
}

// funnel shifts two words, of 32 bits as all of its operands.
func funnel(l *lifter) []*smt.Term {
	whole, n := l.b.Concat(l.at(1), l.a()), l.amount(2)
	if l.in.Op == isa.ShfL {
		return one(l.b.Extract(l.b.Shl(whole, n), 32, 32))
	}
	return one(l.b.Extract(l.b.Lshr(whole, n), 0, 32))
}

// lop3 looks each bit of words of 32 bits up in a truth table.
func lop3(l *lifter) []*smt.Term {
	table, ok := l.src[3].Const()
	if !ok {
		return nil
	}
	x := l.num(0)
	for i := range 8 {
		if table>>i&1 == 0 {
			continue
		}
		minterm := l.num(^uint64(0))
		for k := range 3 {
			bit := l.at(k)
			if i>>(2-k)&1 == 0 {
				bit = l.b.BvNot(bit)
			}
			minterm = l.b.BvAnd(minterm, bit)
		}
		x = l.b.BvOr(x, minterm)
	}
	if len(l.in.Dst) == 1 {
		return one(x)
	}
	holds := l.b.Not(l.b.Eq(x, l.num(0)))
	if len(l.src) > 4 {
		if holds = l.combine(holds, l.truth(4)); holds == nil {
			return nil
		}
	}
	return []*smt.Term{x, holds}
}

// permute picks bytes.
func permute(l *lifter) []*smt.Term {
	if l.width != 32 {
		return nil
	}
	whole, c := l.b.Concat(l.at(1), l.a()), l.at(2)
	if table, ok := l.in.Permute.Selectors(); ok {
		pick := l.b.Extract(c, 0, 2)
		c = l.num(uint64(table[3]))
		for i := 2; i >= 0; i-- {
			c = l.b.Ite(l.b.Eq(pick, l.b.Number(2, uint64(i))), l.num(uint64(table[i])), c)
		}
	}
	var x *smt.Term
	for i := range 4 {
		at := l.b.Concat(l.b.Extract(c, 4*i, 3), l.b.Number(3, 0))
		chosen := l.b.Extract(l.b.Lshr(whole, l.b.ZeroExt(at, 64)), 0, 8)
		sign := l.b.SignExt(l.b.Extract(chosen, 7, 1), 8)
		chosen = l.b.Ite(l.b.Eq(l.b.Extract(c, 4*i+3, 1), l.b.Number(1, 1)), sign, chosen)
		if x == nil {
			x = chosen
		} else {
			x = l.b.Concat(chosen, x)
		}
	}
	return one(x)
}

func (l *lifter) bit(x *smt.Term, i int) *smt.Term { return l.b.Extract(x, i, 1) }

func popcount(l *lifter) []*smt.Term {
	x, n := l.a(), l.b.Number(32, 0)
	for i := range l.width {
		n = l.b.Add(n, l.b.ZeroExt(l.bit(x, i), 32))
	}
	return one(n)
}

// highest returns the position of the highest bit that is set, from the bottom or as the
// number of bits above it, in 32 bits; missing if there is none.
func (l *lifter) highest(x *smt.Term, width int, above bool, missing uint64) *smt.Term {
	found := l.b.Number(32, missing)
	for i := range width {
		at := i
		if above {
			at = width - 1 - i
		}
		found = l.b.Ite(l.b.Eq(l.bit(x, i), l.b.Number(1, 1)), l.b.Number(32, uint64(at)), found)
	}
	return found
}

func find(l *lifter) []*smt.Term {
	x := l.a()
	if l.in.Type.IsSigned() {
		x = l.b.Ite(l.b.Slt(x, l.num(0)), l.b.BvNot(x), x)
	}
	return one(l.highest(x, l.width, l.in.ShiftAmt, 1<<32-1))
}

func reverse(l *lifter) []*smt.Term {
	x := l.a()
	r := l.bit(x, 0)
	for i := 1; i < l.width; i++ {
		r = l.b.Concat(r, l.bit(x, i))
	}
	return one(r)
}

// extractField is Bfe: position and length are the low 8 bits of their sources.
func extractField(l *lifter) []*smt.Term {
	low8 := func(i int) *smt.Term { return l.b.ZeroExt(l.b.Extract(l.src[i], 0, 8), 64) }
	pos, length := low8(1), low8(2)
	x := l.extend(l.a(), 64)
	if !l.in.Type.IsSigned() {
		return one(l.fit(l.b.BvAnd(l.b.Lshr(x, pos), l.lowOnes(length)), l.width))
	}
	x = l.b.Ashr(x, pos)
	remaining := l.b.Sub(l.wide(64), length)
	inside := l.b.Ule(l.b.Add(pos, length), l.wide(uint64(l.width)))
	x = l.b.Ite(inside, l.b.Ashr(l.b.Shl(x, remaining), remaining), x)
	return one(l.fit(l.b.Ite(l.b.Eq(length, l.wide(0)), l.wide(0), x), l.width))
}

// insertField is Bfi.
func insertField(l *lifter) []*smt.Term {
	low8 := func(i int) *smt.Term { return l.b.ZeroExt(l.b.Extract(l.src[i], 0, 8), 64) }
	a, into := l.fit(l.a(), 64), l.fit(l.at(1), 64)
	pos, field := low8(2), l.lowOnes(low8(3))
	kept := l.b.BvAnd(into, l.b.BvNot(l.b.Shl(field, pos)))
	return one(l.fit(l.b.BvOr(kept, l.b.Shl(l.b.BvAnd(a, field), pos)), l.width))
}

// extendLow is Szext.
func extendLow(l *lifter) []*smt.Term {
	remaining := l.b.Sub(l.wide(64), l.amount(1))
	x := l.b.Shl(l.fit(l.a(), 64), remaining)
	if l.in.Type.IsSigned() {
		return one(l.fit(l.b.Ashr(x, remaining), 32))
	}
	return one(l.fit(l.b.Lshr(x, remaining), 32))
}

func bitMask(l *lifter) []*smt.Term {
	return one(l.fit(l.b.Shl(l.lowOnes(l.amount(1)), l.amount(0)), 32))
}

// pack joins values, the first the least significant.
func pack(l *lifter) []*smt.Term {
	n := l.width / len(l.src)
	x := l.fit(l.src[0], n)
	for _, s := range l.src[1:] {
		x = l.b.Concat(l.fit(s, n), x)
	}
	return one(x)
}

func unpack(l *lifter) []*smt.Term {
	var parts []*smt.Term
	n := l.width / len(l.in.Dst)
	for i := range l.in.Dst {
		parts = append(parts, l.b.Extract(l.a(), i*n, n))
	}
	return parts
}
