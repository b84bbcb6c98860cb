package smt

import (
	"testing"

	"pgregory.net/rapid"
)

// shape draws a term of a sort by two builders alike, one of which does not simplify.
type shape struct {
	t           *rapid.T
	plain, fast *Builder
}

type pair struct{ plain, fast *Term }

func (s shape) pick(n int) int { return rapid.IntRange(0, n-1).Draw(s.t, "pick") }

func (s shape) both(make func(b *Builder) *Term) pair { return pair{make(s.plain), make(s.fast)} }

func (s shape) number(width int) uint64 {
	switch s.pick(4) {
	case 0:
		return uint64(s.pick(3))
	case 1:
		return ones(width) >> s.pick(width)
	case 2:
		return 1 << s.pick(width)
	}
	return rapid.Uint64().Draw(s.t, "number") & ones(width)
}

// bits draws a bit-vector.
func (s shape) bits(width, depth int) pair {
	apply := func(f func(b *Builder, x, y *Term) *Term, x, y pair) pair {
		return pair{f(s.plain, x.plain, y.plain), f(s.fast, x.fast, y.fast)}
	}
	if depth == 0 {
		if s.pick(2) == 0 {
			x := s.number(width)
			return s.both(func(b *Builder) *Term { return b.Number(width, x) })
		}
		name := []string{"x", "y"}[s.pick(2)]
		return s.both(func(b *Builder) *Term {
			return b.Extract(b.Var(name, Bits(16)), 0, width)
		})
	}
	below := func() pair { return s.bits(width, depth-1) }
	binary := []func(*Builder, *Term, *Term) *Term{
		(*Builder).Add, (*Builder).Sub, (*Builder).Mul, (*Builder).MulHi, (*Builder).SMulHi, (*Builder).UDiv, (*Builder).URem,
		(*Builder).SDiv, (*Builder).SRem, (*Builder).BvAnd, (*Builder).BvOr, (*Builder).BvXor, (*Builder).Shl, (*Builder).Lshr,
		(*Builder).Ashr, (*Builder).Add, (*Builder).Sub, (*Builder).BvAnd, (*Builder).BvOr, (*Builder).Shl, (*Builder).Lshr,
	}
	switch k := s.pick(len(binary) + 10); {
	case k < len(binary):
		x := below()
		if s.pick(6) == 0 {
			return apply(binary[k], x, x)
		}
		return apply(binary[k], x, below())
	case k == len(binary):
		x := below()
		return pair{s.plain.BvNot(x.plain), s.fast.BvNot(x.fast)}
	case k == len(binary)+1:
		x := below()
		return pair{s.plain.BvNeg(x.plain), s.fast.BvNeg(x.fast)}
	case k < len(binary)+4 && width > 1:
		low := 1 + s.pick(width-1)
		return apply((*Builder).Concat, s.bits(width-low, depth-1), s.bits(low, depth-1))
	case k < len(binary)+6 && width < 16:
		n := width + 1 + s.pick(16-width)
		x, low := s.bits(n, depth-1), s.pick(n-width+1)
		return pair{s.plain.Extract(x.plain, low, width), s.fast.Extract(x.fast, low, width)}
	case k < len(binary)+8 && width > 1:
		x := s.bits(1+s.pick(width-1), depth-1)
		if s.pick(2) == 0 {
			return pair{s.plain.ZeroExt(x.plain, width), s.fast.ZeroExt(x.fast, width)}
		}
		return pair{s.plain.SignExt(x.plain, width), s.fast.SignExt(x.fast, width)}
	case k < len(binary)+9:
		return s.element(width, depth)
	}
	c, x, y := s.truth(depth-1), below(), below()
	return pair{s.plain.Ite(c.plain, x.plain, y.plain), s.fast.Ite(c.fast, x.fast, y.fast)}
}

// element draws an element of an array to which numbers were stored.
func (s shape) element(width, depth int) pair {
	a := s.both(func(b *Builder) *Term { return b.Var("a", Array(4, 16)) })
	if s.pick(2) == 0 {
		a = s.both(func(b *Builder) *Term { return b.Fill(4, b.Number(16, 5)) })
	}
	indices := []pair{s.bits(4, depth-1), s.bits(4, 0)}
	index := func() pair {
		i, k := indices[s.pick(2)], uint64(s.pick(3))
		return pair{s.plain.Add(i.plain, s.plain.Number(4, k)), s.fast.Add(i.fast, s.fast.Number(4, k))}
	}
	for range s.pick(4) {
		i, x := index(), s.bits(16, depth-1)
		if s.pick(4) == 0 {
			x = pair{s.plain.Select(a.plain, i.plain), s.fast.Select(a.fast, i.fast)}
		}
		a = pair{s.plain.Store(a.plain, i.plain, x.plain), s.fast.Store(a.fast, i.fast, x.fast)}
	}
	i := index()
	x := pair{s.plain.Select(a.plain, i.plain), s.fast.Select(a.fast, i.fast)}
	return pair{s.plain.Extract(x.plain, 0, width), s.fast.Extract(x.fast, 0, width)}
}

// truth draws a truth value.
func (s shape) truth(depth int) pair {
	if depth <= 0 {
		if s.pick(4) == 0 {
			holds := s.pick(2) == 0
			return s.both(func(b *Builder) *Term { return b.Truth(holds) })
		}
		name := []string{"p", "q"}[s.pick(2)]
		return s.both(func(b *Builder) *Term { return b.Var(name, Bool) })
	}
	logic := []func(*Builder, *Term, *Term) *Term{(*Builder).And, (*Builder).Or, (*Builder).Xor, (*Builder).Eq}
	compare := []func(*Builder, *Term, *Term) *Term{
		(*Builder).Eq, (*Builder).Ult, (*Builder).Ule, (*Builder).Slt, (*Builder).Sle, (*Builder).Eq,
	}
	switch k := s.pick(len(logic) + len(compare) + 2); {
	case k < len(logic):
		x, y := s.truth(depth-1), s.truth(depth-1)
		return pair{logic[k](s.plain, x.plain, y.plain), logic[k](s.fast, x.fast, y.fast)}
	case k < len(logic)+len(compare):
		f, width := compare[k-len(logic)], 1+s.pick(16)
		x, y := s.bits(width, depth-1), s.bits(width, s.pick(depth))
		return pair{f(s.plain, x.plain, y.plain), f(s.fast, x.fast, y.fast)}
	case k == len(logic)+len(compare):
		x := s.truth(depth - 1)
		return pair{s.plain.Not(x.plain), s.fast.Not(x.fast)}
	}
	c, x, y := s.truth(depth-1), s.truth(depth-1), s.truth(depth-1)
	return pair{s.plain.Ite(c.plain, x.plain, y.plain), s.fast.Ite(c.fast, x.fast, y.fast)}
}

// models returns models of the variables that shapes have.
func models(t *rapid.T, n int) []*Model {
	all := make([]*Model, n)
	for i := range all {
		m := NewModel()
		for _, name := range []string{"x", "y", "p", "q"} {
			m.Numbers[name] = rapid.Uint64().Draw(t, name)
		}
		if i == 0 {
			m.Numbers["y"] = m.Numbers["x"]
		}
		for k := range uint64(16) {
			m.SetCell("a", k, m.Numbers["x"]>>k*7)
		}
		all[i] = m
	}
	return all
}

// TestSimplifiedTermsMeanTheSame evaluates random terms as they are and simplified.
func TestSimplifiedTermsMeanTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := shape{t, NewPlainBuilder(), NewBuilder()}
		depth := rapid.IntRange(1, 4).Draw(t, "depth")
		p := s.truth(depth)
		if rapid.Bool().Draw(t, "bits") {
			p = s.bits(rapid.IntRange(1, 16).Draw(t, "width"), depth)
		}
		for _, m := range models(t, 4) {
			want, got := NewEvaluator(m).Eval(p.plain), NewEvaluator(m).Eval(p.fast)
			if got != want {
				t.Fatalf("%v\nis %d, simplified to\n%v\nit is %d for %v", p.plain, want, p.fast, got, m.Numbers)
			}
		}
	})
}

// TestRules has a term for each rule, made by the builder, and what it must be simplified to.
func TestRules(t *testing.T) {
	b := NewBuilder()
	x, y, z := b.Var("x", Bits(16)), b.Var("y", Bits(16)), b.Var("z", Bits(16))
	p, q := b.Var("p", Bool), b.Var("q", Bool)
	a := b.Var("a", Array(16, 16))
	n := func(v uint64) *Term { return b.Number(16, v) }
	low := b.Extract(x, 0, 8)
	wide := b.ZeroExt(low, 16)
	yes, no := b.Truth(true), b.Truth(false)
	for i, c := range [][2]*Term{
		{b.Not(b.Not(p)), p},
		{b.Not(b.Ult(x, y)), b.Ule(y, x)},
		{b.Not(b.Ule(x, y)), b.Ult(y, x)},
		{b.Not(b.Slt(x, y)), b.Sle(y, x)},
		{b.Not(b.Sle(x, y)), b.Slt(y, x)},
		{b.And(p, p), p},
		{b.And(q, p), b.And(p, q)},
		{b.And(p, yes), p},
		{b.And(no, p), no},
		{b.And(p, b.Not(p)), no},
		{b.And(b.Ult(x, y), b.Ule(y, x)), no},
		{b.And(b.Slt(x, y), b.Sle(y, x)), no},
		{b.Or(p, no), p},
		{b.Or(p, yes), yes},
		{b.Ult(b.Mul(b.ZeroExt(b.Extract(x, 0, 4), 16), n(4)), n(61)), yes},
		{b.Ult(n(60), b.Mul(b.ZeroExt(b.Extract(x, 0, 4), 16), n(4))), no},
		{b.Ult(b.URem(x, n(5)), n(5)), yes},
		{b.BvAnd(b.Add(b.Mul(x, n(12)), b.Mul(y, n(8))), n(3)), n(0)},
		{b.Or(b.And(p, q), b.And(p, b.Not(q))), p},
		{b.Or(b.And(p, b.Ult(x, y)), b.And(b.Ule(y, x), p)), p},
		{b.Xor(p, p), no},
		{b.Eq(x, x), yes},
		{b.Eq(y, x), b.Eq(x, y)},
		{b.Eq(p, yes), p},
		{b.Eq(p, no), b.Not(p)},
		{b.Eq(wide, n(7)), b.Eq(low, b.Number(8, 7))},
		{b.Eq(wide, n(0x107)), no},
		{b.Eq(b.SignExt(low, 16), n(0xff80)), b.Eq(low, b.Number(8, 0x80))},
		{b.Eq(b.SignExt(low, 16), n(0x80)), no},
		{b.Eq(b.Concat(low, b.Extract(y, 0, 8)), n(0x102)), b.And(b.Eq(low, b.Number(8, 1)), b.Eq(b.Extract(y, 0, 8), b.Number(8, 2)))},
		{b.Eq(b.BvNot(x), n(1)), b.Eq(x, n(0xfffe))},
		{b.Eq(b.BvNeg(x), n(1)), b.Eq(x, n(0xffff))},
		{b.Eq(b.Add(x, n(3)), n(1)), b.Eq(x, n(0xfffe))},
		{b.Eq(b.BvXor(x, n(3)), n(1)), b.Eq(x, n(2))},
		{b.Eq(b.Ite(p, n(1), n(2)), n(1)), p},
		{b.Ite(yes, x, y), x},
		{b.Ite(no, x, y), y},
		{b.Ite(p, x, x), x},
		{b.Ite(b.Not(p), x, y), b.Ite(p, y, x)},
		{b.Ite(p, b.Ite(p, x, y), z), b.Ite(p, x, z)},
		{b.Ite(p, x, b.Ite(p, y, z)), b.Ite(p, x, z)},
		{b.Ite(p, yes, q), b.Or(p, q)},
		{b.Ite(p, no, q), b.And(b.Not(p), q)},
		{b.Ite(p, q, yes), b.Or(b.Not(p), q)},
		{b.Ite(p, q, no), b.And(p, q)},
		{b.BvNot(b.BvNot(x)), x},
		{b.BvNeg(b.BvNeg(x)), x},
		{b.BvNeg(b.Sub(x, y)), b.Sub(y, x)},
		{b.Add(n(0), x), x},
		{b.Add(b.Add(x, n(3)), n(4)), b.Add(x, n(7))},
		{b.Add(b.Add(x, n(3)), y), b.Add(b.Add(x, y), n(3))},
		{b.Add(y, b.Add(x, n(3))), b.Add(b.Add(y, x), n(3))},
		{b.Add(x, b.BvNeg(y)), b.Sub(x, y)},
		{b.Add(b.BvNeg(x), y), b.Sub(y, x)},
		{b.Sub(x, x), n(0)},
		{b.Sub(x, n(3)), b.Add(x, n(0xfffd))},
		{b.Sub(n(0), x), b.BvNeg(x)},
		{b.Sub(b.Add(x, y), x), y},
		{b.Sub(b.Add(x, y), y), x},
		{b.Sub(b.Add(x, n(3)), y), b.Add(b.Sub(x, y), n(3))},
		{b.Sub(x, b.Add(y, n(3))), b.Add(b.Sub(x, y), n(0xfffd))},
		{b.Mul(n(0), x), n(0)},
		{b.Mul(x, n(1)), x},
		{b.Mul(x, n(0xffff)), b.BvNeg(x)},
		{b.Mul(x, n(8)), b.Shl(x, n(3))},
		{b.Mul(b.Mul(x, n(3)), n(5)), b.Mul(x, n(15))},
		{b.MulHi(x, n(1)), n(0)},
		{b.UDiv(x, n(8)), b.Lshr(x, n(3))},
		{b.URem(x, n(8)), b.BvAnd(x, n(7))},
		{b.SDiv(x, n(1)), x},
		{b.SRem(x, n(1)), n(0)},
		{b.BvAnd(x, x), x},
		{b.BvAnd(x, n(0)), n(0)},
		{b.BvAnd(n(0xffff), x), x},
		{b.BvAnd(x, n(0xff)), wide},
		{b.BvAnd(b.BvAnd(x, n(0xf0)), n(0x31)), b.BvAnd(x, n(0x30))},
		{b.BvOr(x, x), x},
		{b.BvOr(x, n(0)), x},
		{b.BvOr(x, n(0xffff)), n(0xffff)},
		{b.BvOr(b.Shl(y, n(8)), wide), b.Concat(b.Extract(y, 0, 8), low)},
		{b.BvOr(wide, b.Shl(y, n(8))), b.Concat(b.Extract(y, 0, 8), low)},
		{b.BvXor(x, x), n(0)},
		{b.BvXor(x, n(0)), x},
		{b.BvXor(x, n(0xffff)), b.BvNot(x)},
		{b.BvXor(b.BvXor(x, n(5)), n(3)), b.BvXor(x, n(6))},
		{b.Shl(x, n(0)), x},
		{b.Shl(x, n(16)), n(0)},
		{b.Shl(x, n(8)), b.Concat(low, b.Number(8, 0))},
		{b.Lshr(x, n(16)), n(0)},
		{b.Lshr(x, n(8)), b.ZeroExt(b.Extract(x, 8, 8), 16)},
		{b.Ashr(x, n(99)), b.SignExt(b.Extract(x, 15, 1), 16)},
		{b.Concat(b.Number(8, 0), low), wide},
		{b.Concat(b.Extract(x, 8, 8), low), x},
		{b.Concat(b.Extract(x, 8, 8), b.Concat(b.Extract(x, 4, 4), b.Extract(y, 0, 4))), b.Concat(b.Extract(x, 4, 12), b.Extract(y, 0, 4))},
		{b.Extract(x, 0, 16), x},
		{b.Extract(b.Extract(x, 4, 8), 2, 3), b.Extract(x, 6, 3)},
		{b.Extract(b.Concat(low, b.Extract(y, 0, 8)), 8, 4), b.Extract(x, 0, 4)},
		{b.Extract(b.Concat(low, b.Extract(y, 0, 8)), 2, 4), b.Extract(y, 2, 4)},
		{b.Extract(b.Concat(low, b.Extract(y, 0, 8)), 4, 8), b.Concat(b.Extract(x, 0, 4), b.Extract(y, 4, 4))},
		{b.Extract(wide, 2, 4), b.Extract(x, 2, 4)},
		{b.Extract(wide, 9, 4), b.Number(4, 0)},
		{b.Extract(b.SignExt(low, 16), 4, 8), b.SignExt(b.Extract(x, 4, 4), 8)},
		{b.Extract(b.Ite(p, x, n(3)), 0, 2), b.Ite(p, b.Extract(x, 0, 2), b.Number(2, 3))},
		{b.ZeroExt(b.ZeroExt(low, 10), 16), wide},
		{b.SignExt(b.ZeroExt(low, 10), 16), wide},
		{b.SignExt(b.SignExt(low, 10), 16), b.SignExt(low, 16)},
		{b.Ult(x, x), no},
		{b.Ult(x, n(0)), no},
		{b.Ult(n(0xffff), x), no},
		{b.Ult(x, n(1)), b.Eq(x, n(0))},
		{b.Ult(n(0), x), b.Not(b.Eq(x, n(0)))},
		{b.Ult(wide, n(9)), b.Ult(low, b.Number(8, 9))},
		{b.Ult(wide, n(0x109)), yes},
		{b.Ult(n(0x109), wide), no},
		{b.Ule(x, x), yes},
		{b.Ule(n(0), x), yes},
		{b.Ule(x, n(0xffff)), yes},
		{b.Ule(x, n(0)), b.Eq(x, n(0))},
		{b.Ule(x, n(4)), b.Ult(x, n(5))},
		{b.Ule(n(9), wide), b.Ule(b.Number(8, 9), low)},
		{b.Ule(n(0x109), wide), no},
		{b.Slt(x, x), no},
		{b.Slt(wide, n(9)), b.Ult(wide, n(9))},
		{b.Sle(x, x), yes},
		{b.Sle(n(9), wide), b.Ule(n(9), wide)},
		{b.Select(b.Fill(16, n(3)), x), n(3)},
		{b.Select(b.Store(a, x, y), x), y},
		{b.Select(b.Store(a, n(3), y), n(4)), b.Select(a, n(4))},
		{b.Select(b.Store(a, b.Add(x, n(3)), y), x), b.Select(a, x)},
		{b.Store(a, x, b.Select(a, x)), a},
		{b.Store(b.Store(a, x, y), x, z), b.Store(a, x, z)},
		{b.Store(b.Fill(16, n(3)), x, n(3)), b.Fill(16, n(3))},
		{b.FIsNaN(Single, b.SToF(Single, NearestEven, x)), no},
		{b.FIsNaN(Single, b.UToF(Single, NearestEven, x)), no},
		{b.FIsNaN(Single, b.FToF(Half, Single, NearestEven, x)), b.FIsNaN(Half, x)},
		{b.FIsNaN(Half, b.FRound(Half, TowardZero, x)), b.FIsNaN(Half, x)},
	} {
		if c[0] != c[1] {
			t.Errorf("rule %d gives %v, want %v", i, c[0], c[1])
		}
	}
}
