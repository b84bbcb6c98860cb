package strided_test

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/flow/strided"
	"warpbound/internal/test/flowtest"
)

// Every operation holds what the operation on words gives.
func TestOperationsHoldTheirResults(t *testing.T) {
	type operation struct {
		name string
		set  func(s, t strided.Interval) strided.Interval
		word func(x, y uint64, w int) (uint64, bool)
	}
	signed := func(f func(x, y int64) int64) func(x, y uint64, w int) (uint64, bool) {
		return func(x, y uint64, w int) (uint64, bool) {
			return uint64(f(strided.SignExtend(x, w), strided.SignExtend(y, w))), true
		}
	}
	plain := func(f func(x, y uint64) uint64) func(x, y uint64, w int) (uint64, bool) {
		return func(x, y uint64, _ int) (uint64, bool) { return f(x, y), true }
	}
	operations := []operation{
		{"add", strided.Interval.Add, plain(func(x, y uint64) uint64 { return x + y })},
		{"sub", strided.Interval.Sub, plain(func(x, y uint64) uint64 { return x - y })},
		{"mul", strided.Interval.Mul, plain(func(x, y uint64) uint64 { return x * y })},
		{"neg", func(s, _ strided.Interval) strided.Interval { return s.Neg() }, plain(func(x, _ uint64) uint64 { return -x })},
		{"not", func(s, _ strided.Interval) strided.Interval { return s.Not() }, plain(func(x, _ uint64) uint64 { return ^x })},
		{"and", strided.Interval.And, plain(func(x, y uint64) uint64 { return x & y })},
		{"or", strided.Interval.Or, plain(func(x, y uint64) uint64 { return x | y })},
		{"xor", strided.Interval.Xor, plain(func(x, y uint64) uint64 { return x ^ y })},
		{"shl", strided.Interval.Shl, plain(func(x, y uint64) uint64 { return x << y })},
		{"shr.u", func(s, t strided.Interval) strided.Interval { return s.Shr(t, false) }, plain(func(x, y uint64) uint64 { return x >> y })},
		{"shr.s", func(s, t strided.Interval) strided.Interval { return s.Shr(t, true) }, func(x, y uint64, w int) (uint64, bool) {
			return uint64(strided.SignExtend(x, w) >> y), true
		}},
		{"min.u", func(s, t strided.Interval) strided.Interval { return s.Min(t, false) }, plain(func(x, y uint64) uint64 { return min(x, y) })},
		{"max.u", func(s, t strided.Interval) strided.Interval { return s.Max(t, false) }, plain(func(x, y uint64) uint64 { return max(x, y) })},
		{"min.s", func(s, t strided.Interval) strided.Interval { return s.Min(t, true) }, signed(func(x, y int64) int64 { return min(x, y) })},
		{"max.s", func(s, t strided.Interval) strided.Interval { return s.Max(t, true) }, signed(func(x, y int64) int64 { return max(x, y) })},
		{"div.u", func(s, t strided.Interval) strided.Interval { return s.Div(t, false) }, func(x, y uint64, _ int) (uint64, bool) {
			return x / max(y, 1), y != 0
		}},
		{"rem.u", func(s, t strided.Interval) strided.Interval { return s.Rem(t, false) }, func(x, y uint64, _ int) (uint64, bool) {
			return x % max(y, 1), y != 0
		}},
		{"div.s", func(s, t strided.Interval) strided.Interval { return s.Div(t, true) }, func(x, y uint64, w int) (uint64, bool) {
			if y == 0 {
				return 0, false
			}
			return uint64(strided.SignExtend(x, w) / strided.SignExtend(y, w)), true
		}},
		{"rem.s", func(s, t strided.Interval) strided.Interval { return s.Rem(t, true) }, func(x, y uint64, w int) (uint64, bool) {
			if y == 0 {
				return 0, false
			}
			return uint64(strided.SignExtend(x, w) % strided.SignExtend(y, w)), true
		}},
		{"join", strided.Interval.Join, plain(func(x, _ uint64) uint64 { return x })},
		{"join", strided.Interval.Join, plain(func(_, y uint64) uint64 { return y })},
		{"widen", func(s, t strided.Interval) strided.Interval { return s.Widen(t, []uint64{0, 10, 100}) }, plain(func(x, _ uint64) uint64 { return x })},
		{"widen", func(s, t strided.Interval) strided.Interval { return s.Widen(t, []uint64{0, 10, 100}) }, plain(func(_, y uint64) uint64 { return y })},
		{"unsigned", func(s, _ strided.Interval) strided.Interval { return s.UnwrapUnsigned() }, plain(func(x, _ uint64) uint64 { return x })},
		{"signed", func(s, _ strided.Interval) strided.Interval { return s.UnwrapSigned() }, plain(func(x, _ uint64) uint64 { return x })},
	}
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{1, 4, 8, 16, 32, 64}).Draw(t, "width")
		s, x := flowtest.DrawInterval(t, width, "s")
		u, y := flowtest.DrawInterval(t, width, "t")
		for _, op := range operations {
			z, ok := op.word(x, y, width)
			if r := op.set(s, u); ok && (!r.Contains(z&strided.Mask(width)) || r.Bits() != width) {
				t.Fatalf("%s of %d in %s (%+v) and %d in %s (%+v) is %d, not in %s (%+v)", op.name, x, s, s, y, u, u, z&strided.Mask(width), r, r)
			}
		}
		if m, ok := s.Meet(u); u.Contains(x) && (!ok || !m.Contains(x)) {
			t.Fatalf("%d is in %+v and %+v, not in %+v, %v", x, s, u, m, ok)
		}
		for _, to := range []int{1, 8, 32, 64} {
			if to <= width && !s.Cut(to).Contains(x&strided.Mask(to)) {
				t.Fatalf("%d of %s (%+v) cut to %d is not in %s", x, s, s, to, s.Cut(to))
			}
			if to >= width && (!s.Extend(to, false).Contains(x) || !s.Extend(to, true).Contains(uint64(strided.SignExtend(x, s.Bits()))&strided.Mask(to))) {
				t.Fatalf("%d of %s (%+v) extended to %d is missing", x, s, s, to)
			}
		}
		if lo, hi := s.Unsigned(); x < lo || x > hi {
			t.Fatalf("%d of %+v is not from %d to %d", x, s, lo, hi)
		}
		if lo, hi := s.Signed(); strided.SignExtend(x, s.Bits()) < lo || strided.SignExtend(x, s.Bits()) > hi {
			t.Fatalf("%d of %+v is not from %d to %d", strided.SignExtend(x, s.Bits()), s, lo, hi)
		}
		if p, rem := s.Residue(); x%p != rem || bits.OnesCount64(p) != 1 {
			t.Fatalf("%d of %+v leaves not %d modulo %d", x, s, rem, p)
		}
	})
}

// Join and Meet are bounds in the order of Leq, and Leq says nothing that a word denies.
func TestLawsOfIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{1, 4, 8, 32, 64}).Draw(t, "width")
		s, x := flowtest.DrawInterval(t, width, "s")
		u, _ := flowtest.DrawInterval(t, width, "t")
		join := s.Join(u)
		if !s.Leq(s) || !s.Leq(join) || !u.Leq(join) || !join.Leq(strided.Any(width)) {
			t.Fatalf("%+v and %+v are not below %+v", s, u, join)
		}
		if s.Leq(u) && (!u.Contains(x) || s.Join(u).Join(u) != s.Join(u)) {
			t.Fatalf("%+v is said to be below %+v", s, u)
		}
		if meet, ok := s.Meet(u); ok && meet != s && meet != u && !meet.Leq(s) && !meet.Leq(u) {
			t.Fatalf("%+v of %+v and %+v is below neither", meet, s, u)
		}
		if wide := s.Widen(u, []uint64{0, 10, 100}); !join.Leq(wide) || wide.Widen(u, []uint64{0, 10, 100}) != wide && wide.Widen(s, nil) != wide {
			t.Fatalf("%+v widened by %+v is %+v", s, u, wide)
		}
		if s.IsAny() != (s == strided.Any(width)) {
			t.Fatalf("%+v is said to hold all words", s)
		}
		if again := join.Join(s); again != join {
			t.Fatalf("%+v joined with its part %+v is %+v", join, s, again)
		}
	})
}

// A set that is said to be below another one holds none but its words.
func TestLeqHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _ := flowtest.DrawInterval(t, 4, "s")
		u, _ := flowtest.DrawInterval(t, 4, "t")
		for x := range uint64(16) {
			if s.Leq(u) && s.Contains(x) && !u.Contains(x) {
				t.Fatalf("%d of %+v is not in %+v", x, s, u)
			}
		}
	})
}

// Widening ends.
func TestWideningEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, _ := flowtest.DrawInterval(t, 16, "s")
		changes := 0
		for range 200 {
			u, _ := flowtest.DrawInterval(t, 16, "t")
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
	c := func(x uint64) strided.Interval { return strided.Const(32, x) }
	in := func(lo, hi uint64) strided.Interval { return strided.Between(32, lo, hi) }
	meet := func(s, o strided.Interval) strided.Interval { both, _ := s.Meet(o); return both }
	for _, test := range []struct {
		name string
		got  strided.Interval
		want strided.Interval
	}{
		{"bytes of elements", in(0, 31).Mul(c(4)), strided.FromSpan(32, 0, 124, 4)},
		{"both sides of zero", c(0).Join(c(strided.Mask(32))), in(strided.Mask(32), 0)},
		{"low bits", strided.Any(32).And(c(31)), in(0, 31)},
		{"rounded down", in(0, 100).And(c(strided.Mask(32) &^ 7)), strided.FromSpan(32, 0, 96, 8)},
		{"rounded down, without high bits", in(5, 100).And(c(0x7ffffffc)), strided.FromSpan(32, 4, 96, 4)},
		{"disjoint or", in(0, 7).Shl(c(3)).Or(in(0, 7)), in(0, 63)},
		{"power of two", c(1).Shl(in(0, 4)), in(1, 16)},
		{"aligned whatever it wraps", strided.Any(32).Mul(c(12)), strided.ResidueClass(32, 4, 0)},
		{"odd stride", in(0, 10).Mul(c(12)).Add(c(5)), strided.FromSpan(32, 5, 120, 12)},
		{"halved", in(2, 9).Shr(c(1), false), in(1, 4)},
		{"negative halves", in(strided.Mask(32)-3, 4).Shr(c(1), true), in(strided.Mask(32)-1, 2)},
		{"quotient", strided.FromSpan(32, 12, 120, 12).Div(c(4), true), strided.FromSpan(32, 3, 30, 3)},
		{"a remainder in a range", meet(in(strided.Mask(32)-1, 2045), strided.ResidueClass(32, 2, 0)), strided.FromSpan(32, strided.Mask(32)-1, 2046, 2)},
		{"a remainder in a range that does not begin with it", meet(strided.ResidueClass(32, 8, 5), in(7, 22)), strided.FromSpan(32, 13, 8, 8)},
		{"remainders", meet(strided.ResidueClass(32, 8, 5), strided.ResidueClass(32, 4, 1)), strided.ResidueClass(32, 8, 5)},
		{"bits that a conversion keeps", strided.Any(32).And(c(0x1003f)).Cut(16), strided.Between(16, 0, 63)},
		{"bits that a mask keeps", strided.Any(32).And(c(0x1003f)).And(c(0xffff)), in(0, 63)},
		{"bits behind a shift", strided.Any(32).And(c(0x3f0000f0)).Shr(c(4), false).Cut(16), strided.Between(16, 0, 15)},
		{"bits before a shift", strided.Any(32).And(c(0x1000f)).Shl(c(2)).And(c(0xffff)), strided.FromSpan(32, 0, 60, 4)},
		{"bits of a signed number", strided.Any(32).And(c(0x1003f)).Extend(64, true).Cut(16), strided.Between(16, 0, 63)},
		{"bits behind a signed shift", strided.Any(32).And(c(0x3f0000f0)).Shr(c(4), true).Cut(16), strided.Between(16, 0, 15)},
		{"bits that are set", strided.Any(32).And(c(0x1003f)).Or(c(0x40)).Cut(16), strided.Between(16, 0x40, 0x7f)},
		{"complement of bits", strided.Any(32).And(c(0x1003f)).Not().Cut(16), strided.Between(16, 0xffc0, 0xffff)},
		{"bits of one of two words", strided.Any(32).And(c(0x1003f)).Join(strided.Any(32).And(c(0x2000f))).Cut(16), strided.Between(16, 0, 63)},
		{"joined strides", strided.FromSpan(32, 0, 12, 4).Join(c(18)), strided.FromSpan(32, 0, 18, 2)},
	} {
		if test.got != test.want {
			t.Errorf("%s: %s (%+v), want %s (%+v)", test.name, test.got, test.got, test.want, test.want)
		}
	}
}

func TestBitsOfConstants(t *testing.T) {
	a, b := strided.Const(32, 37), strided.Const(32, 15)
	for name, c := range map[string]struct {
		got  strided.Interval
		want uint64
	}{"and": {a.And(b), 5}, "or": {a.Or(b), 47}, "xor": {a.Xor(b), 42}} {
		if x, ok := c.got.IsConst(); !ok || x != c.want {
			t.Errorf("%s: %s, want %d", name, c.got, c.want)
		}
	}
}

// Aliases finds every number in a range whose low bits are a word of a set that stands for another
// number, and none where the range has the numbers of the set alone.
func TestAliases(t *testing.T) {
	const width = 3
	number := func(word uint64, sign bool) int64 {
		if sign {
			return strided.SignExtend(word, width)
		}
		return int64(word)
	}
	for from := uint64(0); from < 1<<width; from++ {
		for to := uint64(0); to < 1<<width; to++ {
			s := strided.Between(width, from, to)
			for _, sign := range []bool{false, true} {
				for lo := int64(-20); lo <= 20; lo++ {
					for hi := lo; hi <= 20; hi++ {
						other, own := false, true
						for n := lo; n <= hi; n++ {
							word := uint64(n) & strided.Mask(width)
							other = other || s.Contains(word) && number(word, sign) != n
							own = own && s.Contains(word) && number(word, sign) == n
						}
						if got := s.Aliases(lo, hi, sign); other && !got || own && got {
							t.Fatalf("%s, numbers from %d to %d, signed %v: %v", s, lo, hi, sign, got)
						}
					}
				}
			}
		}
	}
	any64 := strided.Any(64)
	for _, c := range []struct {
		lo         int64
		sign, want bool
	}{{-1, false, true}, {0, false, false}, {-1, true, false}} {
		if got := any64.Aliases(c.lo, 5, c.sign); got != c.want {
			t.Errorf("of 64 bits from %d, signed %v: %v", c.lo, c.sign, got)
		}
	}
}

func TestFloorDiv(t *testing.T) {
	for _, c := range []struct{ a, b, want int64 }{{7, 2, 3}, {-7, 2, -4}, {-8, 2, -4}, {0, 5, 0}, {-1, 5, -1}} {
		if got := strided.FloorDiv(c.a, c.b); got != c.want {
			t.Errorf("%d/%d is %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
