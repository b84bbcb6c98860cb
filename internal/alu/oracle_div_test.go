package alu

import (
	"fmt"
	"math/big"
	"testing"

	"warpbound/internal/isa"
)

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
	corners := divisionCorners()
	if n := len(corners) * len(corners); n != 3600 {
		t.Fatalf("%d pairs", n)
	}
	for _, ftz := range []bool{false, true} {
		in := isa.Instr{Op: isa.Div, Type: isa.F32, Full: true, FTZ: ftz}
		b, err := (&instance{in: in, dst: isa.B32, sources: []isa.Type{isa.B32, isa.B32}}).prepare()
		if err != nil {
			t.Fatal(err)
		}
		var rows [][4]uint64
		for _, x := range corners {
			for _, y := range corners {
				rows = append(rows, [4]uint64{x, y})
			}
		}
		for len(rows) > 0 {
			n := min(len(rows), lanes)
			got, err := b.run(rows[:n], 1<<lanes-1)
			if err != nil {
				t.Fatal(err)
			}
			for lane, d := range got {
				if err := checkQuotient(rows[lane][0], rows[lane][1], d, ftz); err != nil {
					t.Errorf("%s of %08x and %08x gives %08x: %v", &in, rows[lane][0], rows[lane][1], d, err)
				}
			}
			rows = rows[n:]
		}
	}
}

// checkQuotient returns an error if d is no quotient of x and y in single precision to two units in
// the last place.
func checkQuotient(x, y, d uint64, ftz bool) error {
	f := specOf(isa.F32)
	if ftz {
		x, y = f.flushed(x), f.flushed(y)
		if d != f.flushed(d) {
			return fmt.Errorf("the result is subnormal")
		}
	}
	neg := f.negative(x) != f.negative(y)
	exactly := func(want uint64) error {
		if d != want {
			return fmt.Errorf("want %08x", want)
		}
		return nil
	}
	switch {
	case f.nan(x), f.nan(y), f.inf(x) && f.inf(y), f.zero(x) && f.zero(y):
		return exactly(f.canonical())
	case f.inf(x), f.zero(y):
		return exactly(f.signed(f.infinity(), neg))
	case f.zero(x), f.inf(y):
		return exactly(f.signed(0, neg))
	case f.nan(d):
		return fmt.Errorf("a quotient of numbers is NaN")
	case f.negative(d) != neg:
		return fmt.Errorf("the sign is wrong")
	}
	q := new(big.Rat).Quo(f.exact(x), f.exact(y))
	q.Abs(q)
	normal, end := pow2(1-f.bias()), pow2(f.bias()+1)
	if ftz && q.Cmp(normal) < 0 && f.zero(d) { // or the least normal number, if that is near enough
		return nil
	}
	if q.Cmp(end) >= 0 {
		return exactly(f.signed(f.infinity(), neg))
	}
	value := end // of infinity: what the number behind the greatest would be
	if !f.inf(d) {
		value = new(big.Rat).Abs(f.exact(d))
	}
	diff := new(big.Rat).Sub(value, q)
	if units := diff.Abs(diff).Quo(diff, unitOf(f, q)); units.Cmp(big.NewRat(2, 1)) > 0 {
		u, _ := units.Float64()
		return fmt.Errorf("it is off by %g units", u)
	}
	return nil
}

// unitOf returns the unit in the last place of a positive number: the distance of its neighbours in
// a format.
func unitOf(f spec, v *big.Rat) *big.Rat {
	e := v.Num().BitLen() - v.Denom().BitLen()
	if v.Cmp(pow2(e)) < 0 {
		e--
	}
	return pow2(max(e, 1-f.bias()) - f.frac)
}
