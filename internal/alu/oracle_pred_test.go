package alu

import (
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/test/effort"
)

// defineCmp defines a comparison on values of a type, nil if there is none.
func defineCmp(cmp isa.Cmp, t isa.Type, ftz bool) func(x, y uint64) bool {
	type outcome struct{ less, equal, greater, unordered bool }
	holds := map[isa.Cmp]outcome{
		isa.Eq: {equal: true}, isa.Ne: {less: true, greater: true},
		isa.Lt: {less: true}, isa.Le: {less: true, equal: true},
		isa.Gt: {greater: true}, isa.Ge: {greater: true, equal: true},
		isa.Lo: {less: true}, isa.Ls: {less: true, equal: true},
		isa.Hi: {greater: true}, isa.Hs: {greater: true, equal: true},
		isa.EqU: {equal: true, unordered: true}, isa.NeU: {less: true, greater: true, unordered: true},
		isa.LtU: {less: true, unordered: true}, isa.LeU: {less: true, equal: true, unordered: true},
		isa.GtU: {greater: true, unordered: true}, isa.GeU: {greater: true, equal: true, unordered: true},
		isa.Num: {less: true, equal: true, greater: true}, isa.NaN: {unordered: true},
	}
	want, ok := holds[cmp]
	if !ok {
		return nil
	}
	decide := func(c int) bool { return c < 0 && want.less || c == 0 && want.equal || c > 0 && want.greater }
	unsignedOnly := cmp >= isa.Lo && cmp <= isa.Hs
	if t.IsFloat() {
		if unsignedOnly || t == isa.F32x2 || ftz && t != isa.F32 && t != isa.F16 && t != isa.F16x2 {
			return nil
		}
		f := specOf(t)
		return func(x, y uint64) bool {
			if f.nan(x) || f.nan(y) {
				return want.unordered
			}
			if ftz {
				x, y = f.flushed(x), f.flushed(y)
			}
			switch {
			case x == y, f.zero(x) && f.zero(y):
				return decide(0)
			case f.less(x, y):
				return decide(-1)
			}
			return decide(1)
		}
	}
	if t.Class() == isa.Packed || t.Bits() < 16 || cmp > isa.Hs || ftz || t.Class() == isa.Bits && cmp > isa.Ne && !unsignedOnly {
		return nil
	}
	return func(x, y uint64) bool {
		if unsignedOnly {
			t = words(t)[0]
		}
		return decide(integer(x, t).Cmp(integer(y, t)))
	}
}

func number(b bool) uint64 { return uint64(bit(b)) }

// combined joins a comparison with a predicate.
func combined(c isa.Combine, x, y uint64) uint64 {
	switch c {
	case isa.CombineAnd:
		return x & y
	case isa.CombineOr:
		return x | y
	case isa.CombineXor:
		return x ^ y
	}
	return x
}

// truthOf gives what Set assigns for a comparison of type from that holds; zero
// if it has no such result.
func truthOf(to, from isa.Type) uint64 {
	half := from == isa.F16 || from == isa.BF16
	if from == isa.F16x2 || from == isa.BF16x2 {
		return map[isa.Type]uint64{isa.U32: 0xffff, isa.S32: 0xffff, from: uint64(specOf(from).bias()) << specOf(from).frac}[to]
	}
	switch to {
	case isa.U32, isa.S32:
		return 0xffff_ffff
	case isa.F32:
		return 0x3f80_0000
	case isa.F16:
		return 0x3c00
	case isa.BF16:
		return 0x3f80
	case isa.U16, isa.S16:
		return 0xffff * number(half)
	}
	return 0
}

func TestOracleComparisons(t *testing.T) {
	for _, seed := range effort.Draw(t, 100) {
		oracleComparisons(t, rand.New(rand.NewPCG(seed, 4)))
	}
}

// oracleComparisons compares all comparisons of a few values each.
func oracleComparisons(t *testing.T, r *rand.Rand) {
	for _, typ := range allTypes() {
		if typ == isa.Pred {
			continue
		}
		pair := typ == isa.F16x2 || typ == isa.BF16x2
		for cmp := isa.CmpNone; cmp <= isa.Subnormal; cmp++ {
			for _, ftz := range []bool{false, true} {
				for c := isa.CombineNone; c <= isa.CombineXor; c++ {
					def := defineCmp(cmp, typ, ftz)
					rows := values(r, []isa.Type{typ, typ, isa.Pred}, 64)
					for i := range rows[:32] {
						rows[2*i][1] = rows[2*i][0]
					}
					sources := words(typ, typ, isa.Pred)
					if c == isa.CombineNone {
						sources = sources[:2]
					}
					var want, high func([4]uint64) uint64
					if def != nil {
						of := func(x, y, p uint64) uint64 { return combined(c, number(def(x, y)), p) }
						want = func(s [4]uint64) uint64 { return of(s[0], s[1], s[2]) }
						high = func(s [4]uint64) uint64 { return combined(c, number(!def(s[0], s[1])), s[2]) }
						if pair {
							want = func(s [4]uint64) uint64 { return of(s[0]&0xffff, s[1]&0xffff, s[2]) }
							high = func(s [4]uint64) uint64 { return of(s[0]>>16, s[1]>>16, s[2]) }
						}
					}
					in := isa.Instr{Op: isa.Setp, Type: typ, Cmp: cmp, FTZ: ftz, Combine: c}
					(&instance{in: in, dst: isa.Pred, sources: sources}).check(t, want, rows)
					in.Dst = []isa.Operand{{Kind: isa.KindSink, Reg: isa.NoReg}, reg(0)}
					(&instance{in: in, dst: isa.Pred, sources: sources}).check(t, high, rows[:32])
					for _, to := range allTypes() {
						if to == isa.Pred || c != isa.CombineNone && to != isa.U32 && to != isa.F16x2 {
							continue
						}
						yes := truthOf(to, typ)
						var set func([4]uint64) uint64
						if def != nil && yes != 0 {
							set = func(s [4]uint64) uint64 { return yes * want(s) }
						}
						if set != nil && pair {
							set = func(s [4]uint64) uint64 { return yes*want(s) | yes<<16*high(s) }
						}
						in := isa.Instr{Op: isa.Set, Type: to, SrcType: typ, Cmp: cmp, FTZ: ftz, Combine: c}
						(&instance{in: in, dst: words(to)[0], sources: sources}).check(t, set, rows[:32])
					}
				}
			}
		}
	}
}

func TestOracleSelection(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	for _, typ := range allTypes() {
		if typ == isa.Pred {
			continue
		}
		ok := typ.Bits() >= 16
		types := []isa.Type{typ, typ, isa.Pred}
		var want func([4]uint64) uint64
		if ok {
			want = func(s [4]uint64) uint64 { return s[1-s[2]] }
		}
		c := instance{in: isa.Instr{Op: isa.Selp, Type: typ}, dst: words(typ)[0], sources: words(types...)}
		c.check(t, want, values(r, types, 64))
		for _, by := range allTypes() {
			if by == isa.Pred {
				continue
			}
			for _, ftz := range []bool{false, true} {
				types := []isa.Type{typ, typ, by}
				var want func([4]uint64) uint64
				f := specOf(isa.F32)
				switch {
				case ok && by == isa.S32 && !ftz:
					want = func(s [4]uint64) uint64 { return s[number(integer(s[2], isa.S32).Sign() < 0)] }
				case ok && by == isa.F32:
					want = func(s [4]uint64) uint64 {
						c := s[2]
						if ftz {
							c = f.flushed(c)
						}
						return s[number(f.nan(c) || f.negative(c) && !f.zero(c))]
					}
				}
				in := isa.Instr{Op: isa.Slct, Type: typ, SrcType: by, FTZ: ftz}
				(&instance{in: in, dst: words(typ)[0], sources: words(types...)}).check(t, want, values(r, types, 32))
			}
		}
	}
}

func TestOracleTestp(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	for _, typ := range allTypes() {
		if typ == isa.Pred {
			continue
		}
		for cmp := isa.CmpNone; cmp <= isa.Subnormal; cmp++ {
			f := specOf(typ)
			finite := func(x uint64) bool { return !f.nan(x) && !f.inf(x) }
			subnormal := func(x uint64) bool { return !f.zero(x) && f.zero(f.flushed(x)) }
			def := map[isa.Cmp]func(x uint64) bool{
				isa.Finite: finite, isa.Infinite: f.inf, isa.NotANumber: f.nan, isa.Subnormal: subnormal,
				isa.Number: func(x uint64) bool { return !f.nan(x) },
				isa.Normal: func(x uint64) bool { return finite(x) && !subnormal(x) },
			}[cmp]
			var want func([4]uint64) uint64
			if def != nil && (typ == isa.F32 || typ == isa.F64) {
				want = func(s [4]uint64) uint64 { return number(def(s[0])) }
			}
			c := instance{in: isa.Instr{Op: isa.Testp, Type: typ, Cmp: cmp}, dst: isa.Pred, sources: words(typ)}
			c.check(t, want, values(r, []isa.Type{typ}, 64))
		}
	}
}

func TestOraclePredicates(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	defs := map[isa.Op]func(a, b uint64) uint64{
		isa.And: func(a, b uint64) uint64 { return a * b },
		isa.Or:  func(a, b uint64) uint64 { return max(a, b) },
		isa.Xor: func(a, b uint64) uint64 { return (a + b) % 2 },
		isa.Not: func(a, _ uint64) uint64 { return 1 - a },
		isa.Mov: func(a, _ uint64) uint64 { return a },
	}
	for _, op := range append(arithmeticOps, isa.Mov) {
		_, sources := operandTypes(&isa.Instr{Op: op, Type: isa.Pred})
		for i := range sources {
			sources[i] = isa.Pred
		}
		var want func([4]uint64) uint64
		if def := defs[op]; def != nil {
			want = func(s [4]uint64) uint64 { return def(s[0], s[1]) }
		}
		for _, imms := range []map[int]uint64{nil, {0: 0}, {0: 1}} {
			c := instance{in: isa.Instr{Op: op, Type: isa.Pred}, dst: isa.Pred, sources: sources, imms: imms}
			c.check(t, want, values(r, sources, 32))
		}
	}
}

func TestOraclePacking(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for _, typ := range allTypes() {
		if typ == isa.Pred {
			continue
		}
		for _, n := range []int{2, 3, 4, 8} {
			size := typ.Bits() / n
			ok := typ.Class() == isa.Bits && typ.Bits() >= 16 && n != 3 && size >= 8
			part := isa.B64
			types := make([]isa.Type, n)
			for i := range types {
				types[i] = part
			}
			var want func([4]uint64) uint64
			if ok && n <= 4 {
				want = func(s [4]uint64) (d uint64) {
					for i := range n {
						d |= s[i] & LowBits(size) << (i * size)
					}
					return d
				}
			}
			if n > 4 {
				continue // rows have four values; TestUnpack covers eight
			}
			c := instance{in: isa.Instr{Op: isa.Pack, Type: typ}, dst: words(typ)[0], sources: types}
			c.check(t, want, values(r, types, 32))
		}
	}
}
