package symexec

import (
	"math/rand/v2"
	"testing"

	"warpbound/internal/smt"
)

// TestElements compares ranges with what comparisons of numbers say of some numbers.
func TestElements(t *testing.T) {
	r, b := rand.New(rand.NewPCG(1, 9)), smt.NewBuilder()
	extremes := []uint64{0, 1, 0x8000, 0x8001, 0x7fff, 0xffff, 0x7c00, 0xfc00, 0x3c00, 0xbc00}
	end := func() uint64 {
		if r.IntN(2) == 0 {
			return extremes[r.IntN(len(extremes))]
		}
		return r.Uint64() & 0xffff
	}
	for round := range 45 {
		e := Element{Bytes: 2, Float: round%3 == 0, Signed: round%3 == 1, Low: end(), High: end()}
		some := false
		for i := range 300 {
			bits := end()
			if i < 2 {
				bits = []uint64{e.Low, e.High}[i]
			}
			x, low, high := b.Number(16, bits), b.Number(16, e.Low), b.Number(16, e.High)
			var in *smt.Term
			switch {
			case e.Float:
				in = b.And(b.FLe(smt.Half, low, x), b.FLe(smt.Half, x, high))
			case e.Signed:
				in = b.And(b.Sle(low, x), b.Sle(x, high))
			default:
				in = b.And(b.Ule(low, x), b.Ule(x, high))
			}
			want, _ := in.Const()
			if got := e.holds(bits); got != (want == 1) {
				t.Fatalf("%+v holds 0x%x: %v", e, bits, got)
			}
			if got, _ := e.within(b, x).Const(); e.check() == nil && got != want {
				t.Fatalf("0x%x in %+v is %d", bits, e, got)
			}
			some = some || want == 1
		}
		if err := e.check(); err == nil && !some {
			t.Errorf("%+v: %v", e, err)
		}
		if some && !e.holds(e.some()) {
			t.Errorf("%+v does not hold 0x%x", e, e.some())
		}
	}
	for _, e := range []Element{{Bytes: 3}, {Bytes: 1, Float: true}, {Bytes: 4, Low: 2, High: 1}, {Bytes: 2, High: 1 << 16}, {Low: 1}} {
		if e.check() == nil {
			t.Errorf("%+v is taken", e)
		}
	}
	for _, c := range []struct {
		e    Element
		want uint64
	}{{Element{Bytes: 2, Float: true}, 0x3c00}, {Element{Bytes: 4, Float: true}, 0x3f800000}, {Element{Bytes: 8, Float: true}, 0x3ff0000000000000}, {Element{Bytes: 2}, 1}} {
		if got := c.e.one(); got != c.want {
			t.Errorf("of %+v 0x%x is one, want 0x%x", c.e, got, c.want)
		}
	}
	if e := (Element{Bytes: 2, Float: true, High: 0x7e00}); e.check() == nil {
		t.Errorf("%+v ends with a NaN, and is taken", e)
	}
	if err := (Range{Bytes: 6, Element: Element{Bytes: 4, High: 1}}).check(); err == nil {
		t.Error("six bytes are words")
	}
}
