package alu

import (
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// TestFastFloat compares the processor's functions of floating-point operations with those on single lanes, in every
// type and with all modifiers.
func TestFastFloat(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 0
	for _, op := range []isa.Op{isa.Add, isa.Sub, isa.Mul, isa.Fma, isa.Div, isa.Sqrt, isa.Rcp, isa.Rsqrt, isa.Lg2, isa.Ex2, isa.Tanh, isa.Sin, isa.Cos, isa.Min, isa.Max, isa.Neg, isa.Abs} {
		for _, tp := range []isa.Type{isa.F16, isa.F16x2, isa.BF16, isa.BF16x2, isa.F32, isa.F64, isa.F32x2} {
			for _, round := range []isa.Round{isa.RoundDefault, isa.RoundRN, isa.RoundRZ, isa.RoundRM, isa.RoundRP} {
				for flags := range 32 {
					in := isa.Instr{
						Op: op, Type: tp, Round: round, FTZ: flags&1 != 0, Sat: flags&2 != 0, Relu: flags&4 != 0,
						Approx: flags&8 != 0, Full: flags&16 != 0,
					}
					if want, ok := laneFunc(&in); ok && compareFloat(t, r, &in, want) {
						n++
					}
				}
			}
			for flags := range 16 {
				in := isa.Instr{Op: op, Type: tp, NaN: flags&1 != 0, Abs: flags&2 != 0, XorSign: flags&4 != 0, FTZ: flags&8 != 0}
				for sources := 2; sources <= 3 && (op == isa.Min || op == isa.Max); sources++ {
					in.Src = make([]isa.Operand, sources)
					if want, ok := laneFunc(&in); ok && compareFloat(t, r, &in, want) {
						n++
					}
				}
			}
		}
	}
	for _, op := range []isa.Op{isa.Add, isa.Sub, isa.Mul, isa.Fma, isa.Min} {
		for _, from := range []isa.Type{isa.F16, isa.BF16} {
			for _, round := range []isa.Round{isa.RoundDefault, isa.RoundRN, isa.RoundRZ, isa.RoundRM, isa.RoundRP} {
				for _, sat := range []bool{false, true} {
					in := isa.Instr{Op: op, Type: isa.F32, SrcType: from, Round: round, Sat: sat}
					if want, ok := laneFunc(&in); ok && compareFloat(t, r, &in, want) {
						n++
					}
				}
			}
		}
	}
	if n == 0 {
		t.Skip("the processor has no vector instructions that are used")
	}
	t.Logf("%d instructions", n)
}

// compareFloat is false if the processor has no function of an instruction.
func compareFloat(t *testing.T, r *rand.Rand, in *isa.Instr, want scalar) bool {
	f := vectorFloat(in)
	if f.none() {
		return false
	}
	plain := perLane(want, in.Type.Bits() > 32)
	for range 40 {
		row := make([][3]uint64, lanes)
		for i := range row {
			row[i] = [3]uint64{value(r, in.Type), value(r, in.Type), value(r, in.Type)}
			if r.IntN(8) == 0 {
				row[i][1] = row[i][0]
			}
			if in.Type.Bits() == 16 { // a register may have more bits than the number
				row[i][r.IntN(3)] |= r.Uint64N(1<<16) << 16
			}
		}
		expect := plain.results(row, separate)
		for place := range 4 {
			got := f.results(row, place)
			for i := range got {
				if got[i] != expect[i] {
					t.Errorf("%s of %x is 0x%x, want 0x%x (place %d)", in, row[i], got[i], expect[i], place)
					return true
				}
			}
		}
	}
	return true
}

// separate is the place of results that are in none of the sources.
const separate = 3

// results returns what a function gives for rows of sources, in place of one of these or separately.
func (f lanewise) results(rows [][3]uint64, place int) (results Vector) {
	var words [4]Words
	var vectors [4]Vector
	for i, row := range rows {
		for k, x := range row {
			words[k][i], vectors[k][i] = uint32(x), x
		}
	}
	if f.wide != nil {
		f.wide(&vectors[place], &vectors[0], &vectors[1], &vectors[2])
		return vectors[place]
	}
	f.word(&words[place], &words[0], &words[1], &words[2])
	vec.Extend(&results, &words[place])
	return results
}

// TestFastConversions does the same for conversions, into registers of all widths that fit.
func TestFastConversions(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	n := 0
	types := []isa.Type{isa.S8, isa.S16, isa.S32, isa.S64, isa.U8, isa.U16, isa.U32, isa.U64, isa.F16, isa.BF16, isa.F32, isa.F64, isa.F16x2, isa.BF16x2}
	for _, to := range types {
		for _, from := range types {
			for round := isa.RoundDefault; round <= isa.RoundIntRP; round++ {
				for flags := range 16 {
					for _, width := range []int{16, 32, 64} {
						in := isa.Instr{Op: isa.Cvt, Type: to, SrcType: from, Round: round,
							FTZ: flags&1 != 0, Sat: flags&2 != 0, Relu: flags&4 != 0, Finite: flags&8 != 0, Src: make([]isa.Operand, 1)}
						if isPair(to) {
							in.Src = make([]isa.Operand, 2)
						}
						if width < to.Bits() || to.IsFloat() && width != to.Bits() {
							continue
						}
						if want := convertLanes(&in, width); !want.none() && compareConversion(t, r, &in, width, want) {
							n++
						}
					}
				}
			}
		}
	}
	if n == 0 {
		t.Skip("the processor has no vector instructions that are used")
	}
	t.Logf("%d conversions", n)
}

// compareConversion is false if the processor has no function of a conversion.
func compareConversion(t *testing.T, r *rand.Rand, in *isa.Instr, width int, plain lanewise) bool {
	f := vectorConvert(in, width)
	c, ok := converts(in, width)
	if ok && len(in.Src) == 1 && f.none() {
		if widening := vec.ConvertWidening(c); widening != nil && width == 64 {
			f.wide = func(d, a, _, _ *Vector) {
				var narrow Words
				vec.Truncate(&narrow, a)
				widening(d, &narrow, &narrow, d)
			}
		} else if narrowing := vec.ConvertNarrowing(c); narrowing != nil && width <= 32 {
			f.wide = func(d, a, _, _ *Vector) {
				var narrow Words
				narrowing(&narrow, a)
				vec.Extend(d, &narrow)
			}
		}
	}
	if f.none() {
		return false
	}
	for range 30 {
		row := make([][3]uint64, lanes)
		for i := range row {
			row[i] = [3]uint64{value(r, in.SrcType), value(r, in.SrcType)}
			if in.SrcType.Bits() < 32 { // a register may have more bits than the number
				row[i][0] |= r.Uint64N(1<<16) << 16
			}
		}
		expect := plain.results(row, separate)
		for place := range 4 {
			got := f.results(row, place)
			for i := range got {
				if got[i] != expect[i] {
					t.Errorf("%s of %x is 0x%x, want 0x%x (width %d, %+v, place %d)", in, row[i], got[i], expect[i], width, c, place)
					return true
				}
			}
		}
	}
	return true
}

// TestFastFloatTests does the same for comparisons, also of the upper halves of pairs.
func TestFastFloatTests(t *testing.T) {
	if vectorTest(vec.Less, isa.F32, false, 0) == nil {
		t.Skip("the processor has no vector instructions that are used")
	}
	r := rand.New(rand.NewPCG(5, 6))
	holds := map[vec.FloatTest]func(x, y float64) bool{
		vec.Equal:       func(x, y float64) bool { return x == y },
		vec.LessOrMore:  func(x, y float64) bool { return x < y || x > y },
		vec.Less:        func(x, y float64) bool { return x < y },
		vec.LessOrEqual: func(x, y float64) bool { return x <= y },
		vec.Ordered:     func(x, y float64) bool { return x == x && y == y },
	}
	for _, c := range []struct {
		t     isa.Type
		shift int
		flush bool
	}{
		{isa.F32, 0, false}, {isa.F32, 0, true}, {isa.F16x2, 0, false}, {isa.F16x2, 16, true},
		{isa.F16x2, 0, true}, {isa.BF16x2, 0, false}, {isa.BF16x2, 16, false},
	} {
		f, _ := formatOf(c.t)
		number := func(x uint32) float64 {
			y := uint64(x) >> c.shift & LowBits(f.bits())
			if c.flush {
				y = f.flush(y)
			}
			return f.float64(y)
		}
		for range 100 {
			var a, b vec.Words
			for i := range a {
				a[i], b[i] = uint32(value(r, c.t)), uint32(value(r, c.t))
				if r.IntN(4) == 0 {
					b[i] = a[i]
				}
			}
			for test, holds := range holds {
				want := uint32(0)
				for i := range a {
					want |= bit(holds(number(a[i]), number(b[i]))) << i
				}
				if got := vectorTest(test, c.t, c.flush, c.shift)(&a, &b); got != want {
					t.Fatalf("test %d of %s %x and %x is %032b, want %032b", test, c.t, a, b, got, want)
				}
			}
		}
	}
}
