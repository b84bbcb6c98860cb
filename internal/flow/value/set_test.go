package value

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// words draws a set of a small width, with a word of it.
func words(t *rapid.T, width int, name string) (Strided, uint64) {
	m := mask(uint8(width))
	step := rapid.Uint64Range(0, m).Draw(t, name+" step")
	if rapid.Bool().Draw(t, name+" small") {
		step %= 9
	}
	n := uint64(0)
	if step > 0 {
		n = rapid.Uint64Range(0, m/step).Draw(t, name+" n")
	}
	s := arc(uint8(width), rapid.Uint64Range(0, m).Draw(t, name+" lo"), n*step, step)
	k := uint64(0)
	if s.n > 0 {
		k = rapid.Uint64Range(0, s.n).Draw(t, name+" k")
	}
	return s, (s.lo + k*s.step) & m
}

// Every operation holds what the operation on words gives.
func TestOperationsHoldTheirResults(t *testing.T) {
	type operation struct {
		name string
		set  func(s, t Strided) Strided
		word func(x, y uint64, w uint8) (uint64, bool)
	}
	signed := func(f func(x, y int64) int64) func(x, y uint64, w uint8) (uint64, bool) {
		return func(x, y uint64, w uint8) (uint64, bool) { return uint64(f(extend(x, w), extend(y, w))), true }
	}
	plain := func(f func(x, y uint64) uint64) func(x, y uint64, w uint8) (uint64, bool) {
		return func(x, y uint64, _ uint8) (uint64, bool) { return f(x, y), true }
	}
	operations := []operation{
		{"add", Strided.Add, plain(func(x, y uint64) uint64 { return x + y })},
		{"sub", Strided.Sub, plain(func(x, y uint64) uint64 { return x - y })},
		{"mul", Strided.Mul, plain(func(x, y uint64) uint64 { return x * y })},
		{"neg", func(s, _ Strided) Strided { return s.Neg() }, plain(func(x, _ uint64) uint64 { return -x })},
		{"not", func(s, _ Strided) Strided { return s.Not() }, plain(func(x, _ uint64) uint64 { return ^x })},
		{"and", Strided.And, plain(func(x, y uint64) uint64 { return x & y })},
		{"or", Strided.Or, plain(func(x, y uint64) uint64 { return x | y })},
		{"xor", Strided.Xor, plain(func(x, y uint64) uint64 { return x ^ y })},
		{"shl", Strided.Shl, plain(func(x, y uint64) uint64 { return x << y })},
		{"shr.u", func(s, t Strided) Strided { return s.Shr(t, false) }, plain(func(x, y uint64) uint64 { return x >> y })},
		{"shr.s", func(s, t Strided) Strided { return s.Shr(t, true) }, func(x, y uint64, w uint8) (uint64, bool) {
			return uint64(extend(x, w) >> y), true
		}},
		{"min.u", func(s, t Strided) Strided { return s.Min(t, false) }, plain(func(x, y uint64) uint64 { return min(x, y) })},
		{"max.u", func(s, t Strided) Strided { return s.Max(t, false) }, plain(func(x, y uint64) uint64 { return max(x, y) })},
		{"min.s", func(s, t Strided) Strided { return s.Min(t, true) }, signed(func(x, y int64) int64 { return min(x, y) })},
		{"max.s", func(s, t Strided) Strided { return s.Max(t, true) }, signed(func(x, y int64) int64 { return max(x, y) })},
		{"div.u", func(s, t Strided) Strided { return s.Div(t, false) }, func(x, y uint64, _ uint8) (uint64, bool) {
			return x / max(y, 1), y != 0
		}},
		{"rem.u", func(s, t Strided) Strided { return s.Rem(t, false) }, func(x, y uint64, _ uint8) (uint64, bool) {
			return x % max(y, 1), y != 0
		}},
		{"div.s", func(s, t Strided) Strided { return s.Div(t, true) }, func(x, y uint64, w uint8) (uint64, bool) {
			if y == 0 {
				return 0, false
			}
			return uint64(extend(x, w) / extend(y, w)), true
		}},
		{"rem.s", func(s, t Strided) Strided { return s.Rem(t, true) }, func(x, y uint64, w uint8) (uint64, bool) {
			if y == 0 {
				return 0, false
			}
			return uint64(extend(x, w) % extend(y, w)), true
		}},
		{"join", Strided.Join, plain(func(x, _ uint64) uint64 { return x })},
		{"join", Strided.Join, plain(func(_, y uint64) uint64 { return y })},
		{"widen", func(s, t Strided) Strided { return s.Widen(t, []uint64{0, 10, 100}) }, plain(func(x, _ uint64) uint64 { return x })},
		{"widen", func(s, t Strided) Strided { return s.Widen(t, []uint64{0, 10, 100}) }, plain(func(_, y uint64) uint64 { return y })},
		{"unsigned", func(s, _ Strided) Strided { return s.unsigned() }, plain(func(x, _ uint64) uint64 { return x })},
		{"signed", func(s, _ Strided) Strided { return s.signed() }, plain(func(x, _ uint64) uint64 { return x })},
	}
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{1, 4, 8, 16, 32, 64}).Draw(t, "width")
		s, x := words(t, width, "s")
		u, y := words(t, width, "t")
		for _, op := range operations {
			z, ok := op.word(x, y, uint8(width))
			if r := op.set(s, u); ok && (!r.Contains(z&mask(uint8(width))) || r.bits != uint8(width)) {
				t.Fatalf("%s of %d in %s (%+v) and %d in %s (%+v) is %d, not in %s (%+v)", op.name, x, s, s, y, u, u, z&mask(uint8(width)), r, r)
			}
		}
		if m, ok := s.Meet(u); u.Contains(x) && (!ok || !m.Contains(x)) {
			t.Fatalf("%d is in %+v and %+v, not in %+v, %v", x, s, u, m, ok)
		}
		for _, to := range []int{1, 8, 32, 64} {
			if to <= width && !s.Cut(to).Contains(x&mask(uint8(to))) {
				t.Fatalf("%d of %s (%+v) cut to %d is not in %s", x, s, s, to, s.Cut(to))
			}
			if to >= width && (!s.Extend(to, false).Contains(x) || !s.Extend(to, true).Contains(uint64(extend(x, s.bits))&mask(uint8(to)))) {
				t.Fatalf("%d of %s (%+v) extended to %d is missing", x, s, s, to)
			}
		}
		if lo, hi := s.Unsigned(); x < lo || x > hi {
			t.Fatalf("%d of %+v is not from %d to %d", x, s, lo, hi)
		}
		if lo, hi := s.Signed(); extend(x, s.bits) < lo || extend(x, s.bits) > hi {
			t.Fatalf("%d of %+v is not from %d to %d", extend(x, s.bits), s, lo, hi)
		}
		if p, rem := s.Residue(); x%p != rem || bits.OnesCount64(p) != 1 {
			t.Fatalf("%d of %+v leaves not %d modulo %d", x, s, rem, p)
		}
	})
}

// Widening ends.
func TestWideningEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _ := words(t, 16, "s")
		changes := 0
		for range 200 {
			u, _ := words(t, 16, "t")
			if w := s.Widen(u, []uint64{0, 100, 0x7fff, 0x8000, 0xffff}); w != s {
				s = w
				changes++
			}
		}
		if changes > 30 {
			t.Fatalf("%d changes", changes)
		}
	})
}

// TestPrecision holds the operations to results that compilers' code relies on.
func TestPrecision(t *testing.T) {
	c := func(x uint64) Strided { return Const(32, x) }
	in := func(lo, hi uint64) Strided { return Between(32, lo, hi) }
	meet := func(s, o Strided) Strided { both, _ := s.Meet(o); return both }
	for _, test := range []struct {
		name string
		got  Strided
		want Strided
	}{
		{"bytes of elements", in(0, 31).Mul(c(4)), arc(32, 0, 124, 4)},
		{"both sides of zero", c(0).Join(c(mask(32))), in(mask(32), 0)},
		{"low bits", Any(32).And(c(31)), in(0, 31)},
		{"rounded down", in(0, 100).And(c(mask(32) &^ 7)), arc(32, 0, 96, 8)},
		{"rounded down, without high bits", in(5, 100).And(c(0x7ffffffc)), arc(32, 4, 96, 4)},
		{"disjoint or", in(0, 7).Shl(c(3)).Or(in(0, 7)), in(0, 63)},
		{"power of two", c(1).Shl(in(0, 4)), in(1, 16)},
		{"aligned whatever it wraps", Any(32).Mul(c(12)), multiples(32, 4, 0)},
		{"odd stride", in(0, 10).Mul(c(12)).Add(c(5)), arc(32, 5, 120, 12)},
		{"halved", in(2, 9).Shr(c(1), false), in(1, 4)},
		{"negative halves", in(mask(32)-3, 4).Shr(c(1), true), in(mask(32)-1, 2)},
		{"quotient", arc(32, 12, 120, 12).Div(c(4), true), arc(32, 3, 30, 3)},
		{"a remainder in a range", meet(in(mask(32)-1, 2045), multiples(32, 2, 0)), arc(32, mask(32)-1, 2046, 2)},
		{"a remainder in a range that does not begin with it", meet(multiples(32, 8, 5), in(7, 22)), arc(32, 13, 8, 8)},
		{"remainders", meet(multiples(32, 8, 5), multiples(32, 4, 1)), multiples(32, 8, 5)},
		{"joined strides", arc(32, 0, 12, 4).Join(c(18)), arc(32, 0, 18, 2)},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s (%+v), want %s (%+v)", test.name, test.got, test.got, test.want, test.want)
		}
	}
}

func TestBitsOfConstants(t *testing.T) {
	a, b := Const(32, 37), Const(32, 15)
	for name, c := range map[string]struct {
		got  Strided
		want uint64
	}{"and": {a.And(b), 5}, "or": {a.Or(b), 47}, "xor": {a.Xor(b), 42}} {
		if x, ok := c.got.IsConst(); !ok || x != c.want {
			t.Errorf("%s: %s, want %d", name, c.got, c.want)
		}
	}
}
