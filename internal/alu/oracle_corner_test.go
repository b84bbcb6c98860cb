package alu

import (
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/arithmetic"
)

// TestConversionsOfNaN converts NaN of every format to every type of integers, with every rounding,
// into registers of all widths. The numbers are those of the manual, written out.
func TestConversionsOfNaN(t *testing.T) {
	type results map[isa.Type]uint64 // by register: the result is extended by its type
	ofDoubles := map[isa.Type]results{
		isa.U8:  {isa.B16: 0x80, isa.B32: 0x80, isa.B64: 0x80},
		isa.S8:  {isa.B16: 0xff80, isa.B32: 0xffffff80, isa.B64: 0xffffffffffffff80},
		isa.U16: {isa.B16: 0x8000, isa.B32: 0x8000, isa.B64: 0x8000},
		isa.S16: {isa.B16: 0x8000, isa.B32: 0xffff8000, isa.B64: 0xffffffffffff8000},
		isa.U32: {isa.B32: 0x80000000, isa.B64: 0x80000000},
		isa.S32: {isa.B32: 0x80000000, isa.B64: 0xffffffff80000000},
		isa.U64: {isa.B64: 0x8000000000000000},
		isa.S64: {isa.B64: 0x8000000000000000},
	}
	nans := map[isa.Type][]uint64{
		isa.F16:  {0x7e00, 0xfe00, 0x7fff, 0x7c01, 0xfc01},
		isa.BF16: {0x7fc0, 0xffc0, 0x7fff, 0x7f81, 0xff81},
		isa.F32:  {0x7fc00000, 0xffc00000, 0x7fffffff, 0x7f800001, 0xff800001},
		isa.F64: {
			0x7ff8000000000000, 0xfff8000000000000, 0x7fffffffffffffff, 0x7ff0000000000001, 0xfff0000000000001,
			0x7ff0000000000000 | 1<<31, 0x7ff0000000000000 | 1<<32,
		},
	}
	conversions := 0
	for from, bits := range nans {
		for to, ofDouble := range ofDoubles {
			conversions++
			for register, x := range ofDouble {
				if from != isa.F64 && to.Bits() < 64 {
					x = 0
				}
				for _, round := range []isa.Round{isa.RoundIntRN, isa.RoundIntRZ, isa.RoundIntRM, isa.RoundIntRP} {
					for flags := range 4 {
						in := isa.Instr{Op: isa.Cvt, Type: to, SrcType: from, Round: round}
						in.FTZ, in.Sat = flags&1 != 0, flags&2 != 0
						if in.FTZ && from != isa.F32 {
							continue
						}
						checkAll(t, in, register, bits, x)
					}
				}
			}
		}
	}
	if conversions != 32 {
		t.Errorf("%d conversions", conversions)
	}
}

// checkAll converts numbers into a register and wants the same result of all.
func checkAll(t *testing.T, in isa.Instr, register isa.Type, bits []uint64, want uint64) {
	t.Helper()
	c := instance{in: in, results: []isa.Type{register}, sources: words(in.SrcType)}
	b, err := c.prepare()
	if err != nil {
		t.Errorf("%s: %v", &in, err)
		return
	}
	rows := make([][]uint64, lanes) // full, as the fast functions want them
	for lane := range rows {
		rows[lane] = []uint64{bits[lane%len(bits)]}
	}
	got, err := b.run(rows, 1<<lanes-1)
	if err != nil {
		t.Fatal(err)
	}
	for lane, x := range got[0] {
		if x != want {
			t.Errorf("%s of %x into a register of %d bits gives 0x%x, want 0x%x",
				&in, rows[lane][0], register.Bits(), x, want)
			return
		}
	}
}

// divisionCorners are 60 numbers in single precision at which divisions are special: zeros,
// infinities, NaN, subnormal numbers, the neighbours of 2^-126 and of 2^126, beyond which the
// reciprocal of a divisor is subnormal, and some about one.
func divisionCorners() []uint64 {
	var list []uint64
	for _, x := range []uint64{
		0, 0x7f800000, 0x7fc00000, 0x7f800001, // zero, infinity, NaN
		1, 2, 3, 0x00400000, 0x00555555, 0x007fffff, // subnormal
		0x00800000, 0x00800001, 0x00ffffff, 0x01000000, // from 2^-126
		0x3e2aaaab, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x3fb504f3, 0x40400000, // about one
		0x0dffffff, 0x32000000, 0x71800000, // 2^-100, 2^-27, 2^100
		0x7e7fffff, 0x7e800000, 0x7e800001, // about 2^126
		0x7f000000, 0x7f400000, 0x7f7ffffe, 0x7f7fffff, // from 2^127
	} {
		list = append(list, x, x|1<<31)
	}
	return list
}

// TestFullDivision holds div.full.f32, with and without .ftz, against exact quotients. The manual
// promises an error of at most two units in the last place for all sources (PTX ISA, "div").
func TestFullDivision(t *testing.T) {
	var rows [][]uint64
	for _, x := range divisionCorners() {
		for _, y := range divisionCorners() {
			rows = append(rows, []uint64{x, y})
		}
	}
	if len(rows) != 3600 {
		t.Fatalf("%d pairs", len(rows))
	}
	for _, ftz := range []bool{false, true} {
		in := isa.Instr{Op: isa.Div, Type: isa.F32, Full: true, FTZ: ftz}
		(&tried{in, 2, arithmetic.Of(&in, 2)}).check(t, rows)
	}
}

// TestOracleSmallCodes converts all codes of small formats.
func TestOracleSmallCodes(t *testing.T) {
	for _, f := range forms() {
		from := f.in.SrcType
		if f.in.Op != isa.Cvt || from.Class() != isa.Packed || from == isa.TF32 {
			continue
		}
		var rows [][]uint64
		for x := range uint64(256) {
			rows = append(rows, []uint64{x | (255-x)<<8})
		}
		f.check(t, rows)
	}
}
