package arithmetic

import (
	"math"
	"testing"

	"warpbound/internal/isa"
)

// TestResults has results that were worked out by hand, or stand in the manual.
func TestResults(t *testing.T) {
	word := func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	for _, c := range []struct {
		name    string
		in      isa.Instr
		sources []uint64
		want    []uint64
	}{
		{"a tie to even", isa.Instr{Op: isa.Add, Type: isa.F32},
			[]uint64{word(1 << 24), word(1)}, []uint64{word(1 << 24)}},
		{"the same upwards", isa.Instr{Op: isa.Add, Type: isa.F32, Round: isa.RoundRP},
			[]uint64{word(1 << 24), word(1)}, []uint64{word(1<<24 + 2)}},
		{"zero downwards", isa.Instr{Op: isa.Sub, Type: isa.F32, Round: isa.RoundRM},
			[]uint64{word(3), word(3)}, []uint64{1 << 31}},
		{"half of the least number", isa.Instr{Op: isa.Mul, Type: isa.F32}, []uint64{1, word(0.5)}, []uint64{0}},
		{"beyond the greatest number", isa.Instr{Op: isa.Mul, Type: isa.F16},
			[]uint64{0x7bff, 0x4000}, []uint64{0x7c00}},
		{"a third", isa.Instr{Op: isa.Div, Type: isa.F32, Round: isa.RoundRZ},
			[]uint64{word(1), word(3)}, []uint64{0x3eaaaaaa}},
		{"a root", isa.Instr{Op: isa.Sqrt, Type: isa.F64},
			[]uint64{math.Float64bits(2)}, []uint64{math.Float64bits(math.Sqrt2)}},
		{"an integer of NaN", isa.Instr{Op: isa.Cvt, Type: isa.S32, SrcType: isa.F32, Round: isa.RoundIntRZ},
			[]uint64{0x7fc00000}, []uint64{0}},
		{"an integer of NaN in f64", isa.Instr{Op: isa.Cvt, Type: isa.U16, SrcType: isa.F64, Round: isa.RoundIntRZ},
			[]uint64{0x7ff8 << 48}, []uint64{0x8000}},
		{"e4m3 beyond", isa.Instr{Op: isa.Cvt, Type: isa.E4M3x2, SrcType: isa.F32, Round: isa.RoundRN, Finite: true},
			[]uint64{word(1e9), word(-448)}, []uint64{0x7efe}},
		{"powers of two", isa.Instr{Op: isa.Cvt, Type: isa.UE8M0x2, SrcType: isa.F32, Round: isa.RoundRP},
			[]uint64{word(3), word(0.5)}, []uint64{0x817e}},
		{"a borrow", isa.Instr{Op: isa.SubCarry, Type: isa.U32}, []uint64{1, 2}, []uint64{0xffffffff, 0}},
		{"a field with a sign", isa.Instr{Op: isa.Bfe, Type: isa.S32}, []uint64{0xf0, 4, 4}, []uint64{0xffffffff}},
		{"bytes with a sign", isa.Instr{Op: isa.Prmt, Type: isa.B32},
			[]uint64{0x80, 0x11223344, 0x7408}, []uint64{0x114480ff}},
		{"the second bit set, downwards", isa.Instr{Op: isa.Fns, Type: isa.B32},
			[]uint64{0b10110, 4, 0xfffffffe}, []uint64{2}},
		{"a parity", isa.Instr{Op: isa.Lop3, Type: isa.B32}, []uint64{0b1100, 0b1010, 0b0001, 0x96}, []uint64{0b0111}},
	} {
		row := Of(&c.in, len(c.sources))
		if row == nil {
			t.Errorf("%s: there is no %s", c.name, &c.in)
			continue
		}
		results := row.Evaluate(c.sources)
		for i, want := range c.want {
			if results[i].Bits != want || results[i].Check(want) != nil {
				t.Errorf("%s: 0x%x, want 0x%x", c.name, results[i].Bits, want)
			}
		}
	}
}

// TestApproximations compares approximations with what the standard library computes, and the
// errors that are allowed with those of the manual.
func TestApproximations(t *testing.T) {
	for _, c := range []struct {
		op      isa.Op
		f       func(x float64) float64
		allowed int // codes beside the nearest, at least
		beyond  int // that are too many
	}{
		{isa.Rcp, func(x float64) float64 { return 1 / x }, 0, 2},
		{isa.Sqrt, math.Sqrt, 0, 3},
		{isa.Rsqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, 0, 4},
		{isa.Ex2, math.Exp2, 1, 3},
		{isa.Lg2, math.Log2, 0, 1 << 10},
		{isa.Sin, math.Sin, 2, 1 << 13},
		{isa.Cos, math.Cos, 2, 1 << 13},
		{isa.Tanh, math.Tanh, 1 << 10, 1 << 14},
	} {
		in := isa.Instr{Op: c.op, Type: isa.F32, Approx: true}
		row := Of(&in, 1)
		for _, x := range []float64{0.001, 0.3, 0.7, 1.1, 2.5, 3.2, 6} {
			x = float64(float32(x))
			r := row.Evaluate([]uint64{uint64(math.Float32bits(float32(x)))})[0]
			nearest := uint64(math.Float32bits(float32(c.f(x))))
			if r.Bits != nearest || r.Open {
				t.Errorf("%s of %g: %x, want %x", c.op, x, r.Bits, nearest)
			}
			if err := r.Check(nearest + uint64(c.allowed)); err != nil {
				t.Errorf("%s of %g: %v", c.op, x, err)
			}
			if r.Check(nearest+uint64(c.beyond)) == nil && r.Check(nearest-uint64(c.beyond)) == nil {
				t.Errorf("%s of %g may be off by %d", c.op, x, c.beyond)
			}
		}
	}
}
