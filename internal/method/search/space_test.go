package search

import (
	"math"
	"testing"

	"warpbound/internal/method/search/genetic"
	"warpbound/internal/smt"
	"warpbound/internal/symexec"

	"pgregory.net/rapid"
)

func f32(x float32) uint64 { return uint64(math.Float32bits(x)) }

func TestSample(t *testing.T) {
	minus := func(n int64) uint64 { return uint64(n) }
	for name, e := range map[string]symexec.Element{
		"bytes":           {Bytes: 1, High: 255},
		"one number":      {Bytes: 4, Low: 7, High: 7},
		"signed":          {Bytes: 2, Signed: true, Low: minus(-3) & 0xffff, High: 4},
		"all 64-bit":      {Bytes: 8, High: math.MaxUint64},
		"unsigned 64-bit": {Bytes: 8, Low: 1 << 63, High: 1<<63 + 7},
		"floats":          {Bytes: 4, Float: true, Low: f32(-1), High: f32(2)},
		"huge doubles":    {Bytes: 8, Float: true, Low: math.Float64bits(-math.MaxFloat64), High: math.Float64bits(math.MaxFloat64)},
		"halves":          {Bytes: 2, Float: true, Low: 0x0001, High: 0x7bff},
		"one float":       {Bytes: 4, Float: true, Low: f32(5), High: f32(5)},
	} {
		if got := Draw(e, genetic.Low, 3); got != e.Low {
			t.Errorf("%s: the least is 0x%x, not 0x%x", name, got, e.Low)
		}
		if got := Draw(e, genetic.High, 3); got != e.High {
			t.Errorf("%s: the greatest is 0x%x, not 0x%x", name, got, e.High)
		}
		const draws = 4000
		counts := make([]int, 8) // by eighth of the range
		for i := range uint64(draws) {
			x := Draw(e, 99, i)
			if x>>(8*e.Bytes-1) > 1 {
				t.Fatalf("%s: 0x%x is sampled", name, x)
			}
			var share float64
			if e.Float {
				low, high, v := number(e.Bytes, e.Low), number(e.Bytes, e.High), number(e.Bytes, x)
				if !(low <= v && v <= high) {
					t.Fatalf("%s: %g is sampled", name, v)
				}
				share = (v/2 - low/2) / (high/2 - low/2)
			} else {
				width := 64 - 8*e.Bytes
				offset, span := (x-e.Low)<<width>>width, (e.High-e.Low)<<width>>width
				if offset > span {
					t.Fatalf("%s: 0x%x is sampled", name, x)
				}
				share = float64(offset) / (float64(span) + 1)
			}
			if e.Low != e.High {
				counts[min(7, int(8*share))]++
			}
		}
		for eighth, n := range counts {
			if e.Low != e.High && (n < draws/8-120 || n > draws/8+120) { // the standard deviation is 21
				t.Errorf("%s: eighth %d of the range is sampled %d times of %d", name, eighth, n, draws)
			}
		}
	}
}

// TestHalf compares with conversions of formulas.
func TestHalf(t *testing.T) {
	b := smt.NewBuilder()
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(-65504, 65504).Draw(t, "x")
		if rapid.Bool().Draw(t, "small") {
			x = math.Ldexp(x, -rapid.IntRange(10, 40).Draw(t, "by"))
		}
		want, _ := b.FToF(smt.Double, smt.Half, smt.NearestEven, b.Number(64, math.Float64bits(x))).Const()
		if got := half(x); got != want {
			t.Fatalf("%g is 0x%04x, not 0x%04x", x, want, got)
		}
		back, _ := b.FToF(smt.Half, smt.Double, smt.NearestEven, b.Number(16, want)).Const()
		if got := number(2, want); math.Float64bits(got) != back {
			t.Fatalf("0x%04x is %g, not %g", want, math.Float64frombits(back), got)
		}
	})
}

func TestSpaceRefusals(t *testing.T) {
	for name, p := range map[string]Param{
		"nothing varies":    {Name: "x"},
		"three bytes":       {Name: "x", Count: 1, Element: symexec.Element{Bytes: 3}},
		"floats of a byte":  {Name: "x", Count: 1, Element: symexec.Element{Bytes: 1, Float: true}},
		"an empty range":    {Name: "x", Count: 1, Element: symexec.Element{Bytes: 4, Float: true, Low: f32(2), High: f32(1)}},
		"a range up to NaN": {Name: "x", Count: 1, Element: symexec.Element{Bytes: 4, Float: true, High: 0x7fc00000}},
	} {
		if p, err := NewPlan(Space{Params: []Param{p}}); err == nil || p != nil {
			t.Errorf("%s: plan %v, error %v", name, p, err)
		}
	}
}

// Advancing stays in the range, and back is where it began.
func TestAdvance(t *testing.T) {
	for _, e := range []symexec.Element{
		{Bytes: 1, Low: 3, High: 5}, {Bytes: 2, Low: 0, High: 0xffff}, {Bytes: 4, Signed: true, Low: 0xfffffffe, High: 1},
		{Bytes: 8, Low: 0, High: 1<<64 - 1}, {Bytes: 8, Low: 1, High: 1<<64 - 1}, {Bytes: 1, Low: 7, High: 7},
	} {
		all := ^uint64(0) >> (64 - 8*e.Bytes)
		for n := range uint64(9) {
			at := Advance(e, e.High, n)
			if (at-e.Low)&all > (e.High-e.Low)&all || Advance(e, at, -n) != e.High {
				t.Errorf("%+v: %d above the greatest is %d, and back is %d", e, n, at, Advance(e, at, -n))
			}
			if want := Advance(e, Advance(e, e.Low, 1), n); Advance(e, e.Low, n+1) != want {
				t.Errorf("%+v: %d above the least is %d, not %d", e, n+1, Advance(e, e.Low, n+1), want)
			}
		}
	}
}
