package job

import (
	"math"
	"testing"

	"warpbound/internal/isa"
)

// TestNarrowFloats checks all values of the floats of 16 bits, and all points
// half way between neighbours and next to these.
func TestNarrowFloats(t *testing.T) {
	for _, c := range []struct {
		typ      isa.Type
		one, max float64
		infinity uint64
	}{
		{isa.F16, 0x3c00, 65504, 0x7c00},
		{isa.BF16, 0x3f80, 0x1.fep127, 0x7f80},
	} {
		if got := floatBits(c.typ, 1); got != uint64(c.one) {
			t.Errorf("%s: 1 is %#x", c.typ, got)
		}
		if got := floatValue(c.typ, c.infinity-1); got != c.max {
			t.Errorf("%s: the greatest is %v, want %v", c.typ, got, c.max)
		}
		for bits := range c.infinity {
			x, next := floatValue(c.typ, bits), floatValue(c.typ, bits+1)
			if bits+1 == c.infinity { // where the next would be were there more exponents
				next = x + (x - floatValue(c.typ, bits-1))
			}
			middle := (x + next) / 2
			for _, p := range []struct {
				x    float64
				want uint64
			}{
				{x, bits},
				{math.Nextafter(middle, 0), bits},
				{middle, bits + bits&1},
				{math.Nextafter(middle, math.Inf(1)), bits + 1},
			} {
				if got := floatBits(c.typ, p.x); got != p.want {
					t.Fatalf("%s: %v is %#x, want %#x", c.typ, p.x, got, p.want)
				}
				if got := floatBits(c.typ, -p.x); got != p.want|0x8000 {
					t.Fatalf("%s: %v is %#x, want %#x", c.typ, -p.x, got, p.want|0x8000)
				}
			}
		}
		if got := floatBits(c.typ, math.MaxFloat64); got != c.infinity {
			t.Errorf("%s: the greatest f64 is %#x", c.typ, got)
		}
		if got := floatBits(c.typ, math.SmallestNonzeroFloat64); got != 0 {
			t.Errorf("%s: the least f64 is %#x", c.typ, got)
		}
		for _, word := range []uint64{c.infinity, c.infinity | 0x8000} {
			if got := floatBits(c.typ, floatValue(c.typ, word)); got != word {
				t.Errorf("%s: infinity %#x is %#x", c.typ, word, got)
			}
		}
	}
}

func TestNaN(t *testing.T) {
	payload := math.Float64frombits(0xfff0_0000_0000_0001)
	for typ, want := range map[isa.Type]uint64{
		isa.F16: 0x7e00, isa.BF16: 0x7fc0, isa.F32: 0x7fc0_0000, isa.F64: 0x7ff8_0000_0000_0000,
	} {
		got := floatBits(typ, payload)
		if got != want || !math.IsNaN(floatValue(typ, got)) {
			t.Errorf("%s: got %#x, want %#x", typ, got, want)
		}
	}
}
