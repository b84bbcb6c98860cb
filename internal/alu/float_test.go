package alu

import (
	"math"
	"testing"

	"warpbound/internal/isa"
)

// TestFmaRoundsOnce computes sums for which double precision gives a tie between
// two neighbours in single precision, so that rounding twice goes wrong.
func TestFmaRoundsOnce(t *testing.T) {
	bits := func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	b, err := (&instance{in: isa.Instr{Op: isa.Fma, Type: isa.F32}, results: []isa.Type{isa.B32}, sources: []isa.Type{isa.B32, isa.B32, isa.B32}}).prepare()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ x, y, z, want float64 }{
		{24929 * 0x1p-15, 673 * 0x1p-9, 0x1p-80, 1 + 0x1p-23},
		{24929 * 0x1p-15, 673 * 0x1p-9, 0, 1},
		{24929 * 0x1p-15, 673 * 0x1p-9, -0x1p-80, 1},
		{-24929 * 0x1p-15, 673 * 0x1p-9, -0x1p-80, -1 - 0x1p-23},
		{0x1p-100, 0x1p-50, 0x1p-149, 0x1p-148}, // half a unit of the least subnormal number
		{0x1p-100, 0x1p-50, 0x1.8p-148, 0x1p-147},
		{0x1.8p-100, 0x1p-50, 0x1p-149, 0x1p-148},
		{math.MaxFloat32, 1, 0x1p103, math.Inf(1)}, // half a unit of the greatest number
		{math.MaxFloat32, 1, 0x1.fffffep102, math.MaxFloat32},
	} {
		got, err := b.run([][]uint64{{bits(c.x), bits(c.y), bits(c.z)}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		if got[0][0] != bits(c.want) {
			t.Errorf("%g * %g + %g gives %g, want %g", c.x, c.y, c.z, f32(uint32(got[0][0])), c.want)
		}
	}
}
