package arithmetic

import "warpbound/internal/isa"

// relation says for which outcomes of a comparison it holds.
type relation struct{ less, equal, greater, unordered bool }

// relations are those of PTX ISA, "Comparisons": the ordered ones do not hold for NaN, those whose
// names end in u do. Lo to Hs compare without signs.
var relations = map[isa.Cmp]relation{
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

func (r relation) holds(c int) bool {
	return choose(c < 0, r.less, choose(c == 0, r.equal, r.greater))
}

// comparison returns whether a comparison holds of two codes of a type, nil if there is none.
func comparison(in *isa.Instr, t isa.Type) func(x, y uint64) bool {
	r, ok := relations[in.Cmp]
	if !ok {
		return nil
	}
	unsigned := in.Cmp >= isa.Lo && in.Cmp <= isa.Hs
	if t.IsFloat() {
		f, ok := formats[t]
		if !ok || t == isa.F32x2 || unsigned || in.FTZ && !flushes(t) {
			return nil
		}
		return func(x, y uint64) bool {
			x, y = x&lowBits(f.width()), y&lowBits(f.width())
			if f.isNaN(x) || f.isNaN(y) {
				return r.unordered
			}
			if in.FTZ {
				x, y = f.flush(x), f.flush(y)
			}
			return r.holds(f.read(x).compare(f.read(y)))
		}
	}
	untyped := t.Class() == isa.Bits
	n := t.Bits()
	switch {
	case !untyped && !isInteger(t), n < 16, n > 64, in.FTZ, in.Cmp > isa.Hs, untyped && in.Cmp > isa.Ne && !unsigned:
		return nil
	}
	return func(x, y uint64) bool {
		signed := t.IsSigned() && !unsigned
		return r.holds(readInteger(x, n, signed).Cmp(readInteger(y, n, signed)))
	}
}

// join joins a comparison with a predicate.
func join(c isa.Combine, holds bool, predicate uint64) uint64 {
	x, p := choose[uint64](holds, 1, 0), predicate&1
	switch c {
	case isa.CombineAnd:
		return x & p
	case isa.CombineOr:
		return x | p
	case isa.CombineXor:
		return x ^ p
	}
	return x
}

// rowOfComparison returns the rows of PTX ISA, "Comparison and Selection Instructions" and its
// halves, and of testp.
func rowOfComparison(in *isa.Instr, sources int) *Row {
	t := in.Type
	switch in.Op {
	case isa.Selp:
		if t.Bits() < 16 || t.Bits() > 64 || in.SrcType != isa.Invalid || !has(in, 0) {
			return nil
		}
		return rowOf(t, []isa.Type{t, t, isa.Pred}, func(s []uint64) uint64 {
			return choose(s[2]&1 != 0, s[0], s[1]) & lowBits(t.Bits())
		})
	case isa.Slct:
		return rowOfSlct(in)
	case isa.Testp:
		return rowOfTestp(in)
	}
	if in.Modifiers()&^isa.ModFTZ != 0 || in.Atom != isa.AtomNone {
		return nil
	}
	from := choose(in.Op == isa.Set, in.SrcType, t)
	if in.Op == isa.Setp && in.SrcType != isa.Invalid {
		return nil
	}
	holds := comparison(in, from)
	if holds == nil {
		return nil
	}
	types := []isa.Type{from, from}
	if in.Combine != isa.CombineNone {
		types = append(types, isa.Pred)
	}
	predicate := func(s []uint64) uint64 { return choose(in.Combine != isa.CombineNone, s[len(types)-1], 0) }
	pair := from == isa.F16x2 || from == isa.BF16x2
	upperHalf := func(s []uint64) bool { return holds(s[0]>>16, s[1]>>16) }
	if in.Op == isa.Setp {
		return &Row{Sources: types, Results: times(2, isa.Pred), Evaluate: func(s []uint64) []Result {
			first := holds(s[0], s[1])
			second := !first
			if pair {
				second = upperHalf(s)
			}
			p := predicate(s)
			return []Result{{Bits: join(in.Combine, first, p)}, {Bits: join(in.Combine, second, p)}}
		}}
	}
	yes := truth(t, from)
	if yes == 0 {
		return nil
	}
	return rowOf(t, types, func(s []uint64) uint64 {
		d := yes * join(in.Combine, holds(s[0], s[1]), predicate(s))
		if pair {
			d |= yes * join(in.Combine, upperHalf(s), predicate(s)) << 16
		}
		return d
	})
}

// truth is what set gives in a result, or in half of a pair, for a comparison that holds: 1.0 in a
// floating-point type, all ones in an integer. It is zero where there is no such result.
func truth(to, from isa.Type) uint64 {
	pair := from == isa.F16x2 || from == isa.BF16x2
	switch to {
	case isa.U32, isa.S32:
		return choose[uint64](pair, 0xffff, 0xffffffff)
	case isa.U16, isa.S16:
		if from == isa.F16 || from == isa.BF16 {
			return 0xffff
		}
	case isa.F32, isa.F16, isa.BF16:
		if !pair {
			return formats[to].one()
		}
	case isa.F16x2, isa.BF16x2:
		if to == from {
			return formats[to].one()
		}
	}
	return 0
}

// rowOfSlct chooses a where c is not negative: -0 is not, and NaN chooses b.
func rowOfSlct(in *isa.Instr) *Row {
	t := in.Type
	if t.Bits() < 16 || t.Bits() > 64 || !has(in, isa.ModFTZ) || in.SrcType != isa.S32 && in.SrcType != isa.F32 ||
		in.FTZ && in.SrcType != isa.F32 {
		return nil
	}
	return rowOf(t, []isa.Type{t, t, in.SrcType}, func(s []uint64) uint64 {
		c := s[2] & lowBits(32)
		first := c>>31 == 0
		if in.SrcType == isa.F32 {
			if in.FTZ {
				c = single.flush(c)
			}
			v := single.read(c)
			first = !v.nan && (v.zero() || !v.negative)
		}
		return choose(first, s[0], s[1]) & lowBits(t.Bits())
	})
}

// rowOfTestp classifies. "Positive and negative zero are considered normal numbers."
func rowOfTestp(in *isa.Instr) *Row {
	if !wideFloat(in.Type) || in.SrcType != isa.Invalid || in.Modifiers() != 0 || in.Combine != isa.CombineNone {
		return nil
	}
	f := formats[in.Type]
	subnormal := func(x uint64) bool { x &^= f.sign(); return x != 0 && x < f.normal() }
	test := map[isa.Cmp]func(x uint64, v number) bool{
		isa.Finite:     func(_ uint64, v number) bool { return !v.nan && !v.infinite },
		isa.Infinite:   func(_ uint64, v number) bool { return v.infinite },
		isa.Number:     func(_ uint64, v number) bool { return !v.nan },
		isa.NotANumber: func(_ uint64, v number) bool { return v.nan },
		isa.Normal:     func(x uint64, v number) bool { return !v.nan && !v.infinite && !subnormal(x) },
		isa.Subnormal:  func(x uint64, _ number) bool { return subnormal(x) },
	}[in.Cmp]
	if test == nil {
		return nil
	}
	return rowOf(isa.Pred, times(1, in.Type), func(s []uint64) uint64 {
		x := s[0] & lowBits(f.width())
		return choose[uint64](test(x, f.read(x)), 1, 0)
	})
}
