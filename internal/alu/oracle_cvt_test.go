package alu

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
)

// roundToInt rounds a rational to an integer.
func roundToInt(v *big.Rat, mode isa.Round) *big.Int {
	floor := new(big.Int).Div(v.Num(), v.Denom()) // Euclidean: rounds down
	rest := new(big.Rat).Sub(v, new(big.Rat).SetInt(floor))
	up := false
	switch mode {
	case isa.RoundIntRZ:
		up = v.Sign() < 0 && rest.Sign() != 0
	case isa.RoundIntRP:
		up = rest.Sign() != 0
	case isa.RoundIntRN:
		c := rest.Cmp(big.NewRat(1, 2))
		up = c > 0 || c == 0 && floor.Bit(0) == 1
	}
	if up {
		floor.Add(floor, big.NewInt(1))
	}
	return floor
}

// nanInteger returns the bits that the manual states for NaN (PTX ISA, "cvt", Integer Notes).
func nanInteger(from, to isa.Type) uint64 {
	if from != isa.F64 && to != isa.S64 && to != isa.U64 {
		return 0
	}
	return 1 << (to.Bits() - 1)
}

// defineCvt defines the conversions of PTX into a register of width bits.
func defineCvt(in *isa.Instr, width int) func(x uint64) uint64 {
	from, to := in.SrcType, in.Type
	number := func(t isa.Type) bool {
		return isInt(t) || t == isa.F16 || t == isa.BF16 || t == isa.F32 || t == isa.F64
	}
	if !number(from) || !number(to) || !has(in, "round", "ftz", "sat") || in.Round == isa.RoundRNA {
		return nil
	}
	toRegister := func(v *big.Int) uint64 { return wrapped(v, width) }
	toInt := in.Round >= isa.RoundIntRN
	f, g := specOf(from), specOf(to)
	flushIn := func(x uint64) uint64 {
		if in.FTZ && from == isa.F32 {
			return f.flushed(x)
		}
		return x
	}
	finish := func(x uint64) uint64 {
		if in.FTZ && to == isa.F32 {
			x = g.flushed(x)
		}
		one := uint64(g.bias()) << g.frac
		switch {
		case in.Sat && (g.nan(x) || g.negative(x)):
			x = 0
		case in.Sat && x > one:
			x = one
		}
		return x
	}
	switch {
	case isInt(from) && isInt(to):
		if in.Round != isa.RoundDefault || in.FTZ {
			return nil
		}
		return func(x uint64) uint64 {
			v := integer(x, from)
			low := wrapped(v, to.Bits())
			if in.Sat {
				low = clamped(v, to)
			}
			return toRegister(integer(low, to))
		}
	case isInt(from):
		if in.FTZ && to != isa.F32 || toInt {
			return nil
		}
		return func(x uint64) uint64 {
			v := integer(x, from)
			if v.Sign() == 0 {
				return 0
			}
			return finish(g.round(new(big.Rat).SetInt(v), in.Round))
		}
	case isInt(to):
		if !toInt || in.FTZ && from != isa.F32 {
			return nil
		}
		return func(x uint64) uint64 {
			x = flushIn(x)
			huge := new(big.Int).Lsh(big.NewInt(1), 80)
			v := new(big.Int)
			switch {
			case f.nan(x):
				return toRegister(integer(nanInteger(from, to), to))
			case f.inf(x) && f.negative(x):
				v.Neg(huge)
			case f.inf(x):
				v = huge
			default:
				v = roundToInt(f.exact(x), in.Round)
			}
			return toRegister(integer(clamped(v, to), to))
		}
	}
	if in.FTZ && from != isa.F32 && to != isa.F32 || toInt && from != to {
		return nil
	}
	return func(x uint64) uint64 {
		x = flushIn(x)
		switch {
		case f.nan(x):
			return finish(g.canonical())
		case f.inf(x):
			return finish(g.signed(g.infinity(), f.negative(x)))
		}
		v := f.exact(x)
		if toInt {
			v.SetInt(roundToInt(v, in.Round))
		}
		if v.Sign() == 0 {
			return finish(g.signed(0, f.negative(x)))
		}
		return finish(g.round(v, in.Round))
	}
}

func TestOracleConversions(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	rounds := []isa.Round{
		isa.RoundDefault, isa.RoundRN, isa.RoundRZ, isa.RoundRM, isa.RoundRP,
		isa.RoundIntRN, isa.RoundIntRZ, isa.RoundIntRM, isa.RoundIntRP,
	}
	for _, from := range allTypes() {
		for _, to := range allTypes() {
			if from == isa.Pred || to == isa.Pred {
				continue
			}
			for _, round := range rounds {
				for _, ftz := range []bool{false, true} {
					for _, sat := range []bool{false, true} {
						if in := (isa.Instr{Type: to, SrcType: from, Round: round}); isSmallCvt(&in) {
							continue // TestOracleSmall
						}
						in := isa.Instr{Op: isa.Cvt, Type: to, SrcType: from, Round: round, FTZ: ftz, Sat: sat}
						checkCvt(t, r, in, words(to)[0])
						if !to.IsFloat() && to.Bits() < 64 { // into a wider register
							checkCvt(t, r, in, isa.B64)
						}
					}
				}
			}
		}
	}
}

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
						c := instance{in: in, dst: register, sources: words(from)}
						rows := make([][4]uint64, lanes) // full, as the fast functions want them
						for lane := range rows {
							rows[lane][0] = bits[lane%len(bits)]
						}
						c.check(t, func([4]uint64) uint64 { return x }, rows)
					}
				}
			}
		}
	}
	if conversions != 32 {
		t.Errorf("%d conversions", conversions)
	}
}

func checkCvt(t *testing.T, r *rand.Rand, in isa.Instr, register isa.Type) {
	t.Helper()
	var want func([4]uint64) uint64
	if def := defineCvt(&in, register.Bits()); def != nil {
		want = func(s [4]uint64) uint64 { return def(s[0] & LowBits(in.SrcType.Bits())) }
	}
	c := instance{in: in, dst: register, sources: words(in.SrcType)}
	rows := values(r, []isa.Type{in.SrcType}, 32)
	if want != nil && in.SrcType.IsFloat() && !in.Type.IsFloat() {
		f := specOf(in.SrcType)
		for i := range rows[:16] { // halves, and the limits of the result
			n := new(big.Rat).SetInt(integer(value(r, in.Type), in.Type))
			n.Add(n, big.NewRat(int64(r.IntN(5))-2, 4))
			if n.Sign() != 0 {
				rows[i][0] = f.round(n, isa.RoundRN)
			}
		}
	}
	c.check(t, want, rows)
}

// TestOracleMoves checks what copies bits: from any register to one as wide or
// wider.
func TestOracleMoves(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for _, typ := range allTypes() {
		if typ == isa.Pred {
			continue
		}
		want := func(s [4]uint64) uint64 { return s[0] & LowBits(typ.Bits()) }
		if typ.Bits() < 8 {
			want = nil
		}
		for _, register := range []isa.Type{words(typ)[0], isa.B64} {
			c := instance{in: isa.Instr{Op: isa.Mov, Type: typ, Space: isa.Global}, dst: register, sources: []isa.Type{register}}
			c.check(t, want, values(r, c.sources, 32))
			c.imms = map[int]uint64{0: r.Uint64()}
			c.check(t, want, values(r, c.sources, 32))
		}
	}
}

// TestOracleConversionsOfAddresses checks what adds or subtracts the base of a window.
func TestOracleConversionsOfAddresses(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 2))
	for _, typ := range allTypes() {
		if typ == isa.Pred {
			continue
		}
		for op, sign := range map[isa.Op]uint64{isa.Cvta: 1, isa.CvtaTo: ^uint64(0)} {
			want := func(s [4]uint64) uint64 { return (s[0] + sign*s[1]) & LowBits(typ.Bits()) }
			if typ != isa.U32 && typ != isa.U64 {
				want = nil
			}
			register := words(typ)[0]
			c := instance{in: isa.Instr{Op: op, Type: typ, Space: isa.Shared}, dst: register, sources: []isa.Type{register, register}}
			c.imms = map[int]uint64{1: r.Uint64()}
			c.check(t, want, values(r, c.sources, 32))
		}
	}
}
