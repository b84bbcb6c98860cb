package alu

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"sync"
	"testing"

	"warpbound/internal/isa"
)

// smallSpec is a format that only conversions know, by its definition.
type smallSpec struct {
	spec
	infinite bool
	shift    int
	parts    int
	stride   int // bits from one part to the next
}

var smallSpecs = map[isa.Type]smallSpec{
	isa.F16:    {spec{5, 10}, true, 0, 1, 0},
	isa.BF16:   {spec{8, 7}, true, 0, 1, 0},
	isa.TF32:   {spec{8, 10}, true, 13, 1, 0},
	isa.F16x2:  {spec{5, 10}, true, 0, 2, 16},
	isa.BF16x2: {spec{8, 7}, true, 0, 2, 16},
	isa.E4M3x2: {spec{4, 3}, false, 0, 2, 8},
	isa.E5M2x2: {spec{5, 2}, true, 0, 2, 8},
	isa.E2M1x2: {spec{2, 1}, false, 0, 2, 4},
	isa.E2M3x2: {spec{2, 3}, false, 0, 2, 8},
	isa.E3M2x2: {spec{3, 2}, false, 0, 2, 8},
}

// The types of floats of at most 8 bits, and those that have no NaN.
var (
	tinyTypes = []isa.Type{isa.E4M3x2, isa.E5M2x2, isa.E2M1x2, isa.E2M3x2, isa.E3M2x2}
	noNaN     = []isa.Type{isa.E2M1x2, isa.E2M3x2, isa.E3M2x2}
)

// numbersOf lists the numbers of each of the formats.
var numbersOf = sync.OnceValue(func() map[isa.Type][]*big.Rat {
	lists := make(map[isa.Type][]*big.Rat)
	for t, f := range smallSpecs {
		lists[t] = f.numbers(slices.Contains(noNaN, t))
	}
	return lists
})

// numbers lists the finite numbers that are not negative, ascending from zero.
func (f smallSpec) numbers(noNaN bool) []*big.Rat {
	limit := f.infinity()
	switch {
	case noNaN:
		limit = f.canonical() + 1
	case !f.infinite:
		limit = f.canonical()
	}
	var list []*big.Rat
	for x := range limit {
		e, m := int(x>>f.frac), int64(x&(1<<f.frac-1))
		if e > 0 {
			m += 1 << f.frac
		}
		v := new(big.Rat).SetInt64(m)
		list = append(list, v.Mul(v, pow2(max(e, 1)-f.bias()-f.frac)))
	}
	return list
}

// nearest rounds a number by comparing it with all that there are. It reports
// whether the rounded magnitude lies beyond them.
func (f smallSpec) nearest(list []*big.Rat, v *big.Rat, mode isa.Round) (x uint64, beyond bool) {
	v = new(big.Rat).Abs(v)
	lo, hi := 0, len(list) // list[lo] <= v < list[hi]
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; list[mid].Cmp(v) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	top := len(list) - 1
	upper := new(big.Rat).Sub(new(big.Rat).Add(list[top], list[top]), list[top-1])
	if lo < top {
		upper = list[lo+1]
	}
	down, up := new(big.Rat).Sub(v, list[lo]), new(big.Rat).Sub(upper, v)
	c := down.Cmp(up)
	switch {
	case mode == isa.RoundRZ, c < 0, c == 0 && mode != isa.RoundRNA && lo%2 == 0:
		return uint64(lo), false
	}
	return uint64(lo + 1), lo == top
}

// isSmallCvt reports whether a conversion, whatever its modifiers, is one of
// those that TestOracleSmall checks.
func isSmallCvt(in *isa.Instr) bool {
	_, ok := smallSpecs[in.Type]
	return ok && (in.Type != isa.F16 && in.Type != isa.BF16) || slices.Contains(tinyTypes, in.SrcType) ||
		in.Type == isa.UE8M0x2 || in.SrcType == isa.UE8M0x2
}

// defineSmall defines the conversions of PTX to small formats of n sources.
func defineSmall(in *isa.Instr, n int) func(src [4]uint64) uint64 {
	from, to := in.SrcType, in.Type
	if from == isa.UE8M0x2 || to == isa.UE8M0x2 {
		return defineScale(in, n)
	}
	if in.Round == isa.RoundRS {
		return defineStochastic(in, n)
	}
	f, ok := smallSpecs[to]
	tiny := slices.Contains(tinyTypes, to)
	eight := to == isa.E4M3x2 || to == isa.E5M2x2
	near := in.Round == isa.RoundRN
	nearOrZero := near || in.Round == isa.RoundRZ
	if !ok || !has(in, "round", "relu", "finite") {
		return nil
	}
	if g, ok := smallSpecs[from]; ok && to == isa.F16x2 && slices.Contains(tinyTypes, from) {
		if !near || in.Finite || n > 1 {
			return nil
		}
		list := numbersOf()[from]
		return func(s [4]uint64) uint64 {
			return g.half(list, s[0], in.Relu) | g.half(list, s[0]>>g.stride, in.Relu)<<16
		}
	}
	sources := f.parts
	g := specOf(isa.F32)
	switch {
	case eight && from == isa.F16x2:
		g, sources = specOf(isa.F16), 1
		ok = near && in.Finite
	case from != isa.F32:
		return nil
	case tiny:
		ok = near && in.Finite
	case to == isa.TF32:
		ok = nearOrZero || in.Round == isa.RoundRNA && !in.Relu
	default:
		ok = nearOrZero
	}
	if !ok || n != sources {
		return nil
	}
	list := numbersOf()[to]
	one := func(x uint64) uint64 {
		switch {
		case g.nan(x): // without NaN the greatest number
			return f.canonical() << f.shift
		case g.negative(x) && in.Relu:
			return 0
		}
		var d uint64
		beyond := g.inf(x)
		if !beyond {
			d, beyond = f.nearest(list, g.exact(x), in.Round)
		}
		switch {
		case beyond && (in.Finite || !f.infinite):
			d = uint64(len(list) - 1)
		case beyond:
			d = f.infinity()
		}
		return f.signed(d, g.negative(x)) << f.shift
	}
	switch {
	case f.parts == 1:
		return func(s [4]uint64) uint64 { return one(s[0]) }
	case n == 1:
		return func(s [4]uint64) uint64 { return one(s[0]&0xffff) | one(s[0]>>16)<<f.stride }
	}
	return func(s [4]uint64) uint64 { return one(s[1]) | one(s[0])<<f.stride }
}

// defineStochastic defines the conversions that round by random bits: away from zero if their sum
// with the part of the way to the next number that lies behind, in as many bits, is one or more.
func defineStochastic(in *isa.Instr, n int) func(src [4]uint64) uint64 {
	random := map[isa.Type]int{isa.F16x2: 13, isa.BF16x2: 16}[in.Type]
	if random == 0 || in.SrcType != isa.F32 || n != 3 || !has(in, "round", "relu", "finite") {
		return nil
	}
	f, g, list := smallSpecs[in.Type], specOf(isa.F32), numbersOf()[in.Type]
	top := len(list) - 1
	beyond := new(big.Rat).Sub(new(big.Rat).Add(list[top], list[top]), list[top-1])
	one := func(x, r uint64) uint64 {
		switch {
		case g.nan(x):
			return f.canonical()
		case g.negative(x) && in.Relu:
			return 0
		}
		d := uint64(top + 1)
		if v := new(big.Rat); !g.inf(x) && v.Abs(g.exact(x)).Cmp(beyond) < 0 {
			d = uint64(sort.Search(top, func(i int) bool { return list[i+1].Cmp(v) > 0 }))
			next := append(list, beyond)[d+1]
			part := v.Quo(v.Sub(v, list[d]), new(big.Rat).Sub(next, list[d]))
			part.Mul(part, pow2(random))
			if new(big.Int).Quo(part.Num(), part.Denom()).Uint64()+r&(1<<random-1) >= 1<<random {
				d++
			}
		}
		switch {
		case d > uint64(top) && in.Finite:
			d = uint64(top)
		case d > uint64(top):
			d = f.infinity()
		}
		return f.signed(d, g.negative(x))
	}
	return func(s [4]uint64) uint64 { return one(s[1], s[2]) | one(s[0], s[2]>>16)<<16 }
}

// defineScale defines the conversions from and to pairs of powers of two.
func defineScale(in *isa.Instr, n int) func(src [4]uint64) uint64 {
	directed := (in.Round == isa.RoundRZ || in.Round == isa.RoundRP) && has(in, "round", "finite")
	switch {
	case in.Type == isa.BF16x2 && n == 1 && in.Round == isa.RoundRN && has(in, "round"):
		f := specOf(isa.BF16)
		one := func(x uint64) uint64 {
			if x == 255 {
				return f.canonical()
			}
			return f.round(pow2(int(x)-127), isa.RoundRN)
		}
		return func(s [4]uint64) uint64 { return one(s[0]&0xff) | one(s[0]>>8)<<16 }
	case in.Type != isa.UE8M0x2 || !directed:
		return nil
	case in.SrcType == isa.F32 && n == 2:
		return func(s [4]uint64) uint64 { return scaleOf(in, isa.F32, s[1]) | scaleOf(in, isa.F32, s[0])<<8 }
	case in.SrcType == isa.BF16x2 && n == 1:
		return func(s [4]uint64) uint64 {
			return scaleOf(in, isa.BF16, s[0]&0xffff) | scaleOf(in, isa.BF16, s[0]>>16)<<8
		}
	}
	return nil
}

// scaleOf compares the magnitude of a number with all powers of two that there
// are. What lies beyond them is NaN.
func scaleOf(in *isa.Instr, t isa.Type, x uint64) uint64 {
	f := specOf(t)
	beyond := uint64(255)
	if in.Finite {
		beyond = 254
	}
	switch {
	case f.nan(x):
		return 255
	case f.inf(x):
		return beyond
	}
	v := new(big.Rat).Abs(f.exact(x))
	for e := range uint64(255) {
		c := v.Cmp(pow2(int(e) - 127))
		next := v.Cmp(pow2(int(e) - 126))
		if c <= 0 || in.Round == isa.RoundRZ && next < 0 {
			return e
		}
	}
	return beyond
}

// half gives a number of the format in half precision.
func (f smallSpec) half(list []*big.Rat, x uint64, relu bool) uint64 {
	h, neg := specOf(isa.F16), f.negative(x)
	x &= f.canonical()
	var d uint64
	switch {
	case f.infinite && x > f.infinity(), !f.infinite && x >= uint64(len(list)):
		return h.canonical()
	case relu && neg:
		return 0
	case f.infinite && x == f.infinity():
		d = h.infinity()
	case x != 0:
		d = h.round(list[x], isa.RoundRN)
	}
	return h.signed(d, neg)
}

func TestOracleSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 1))
	rounds := []isa.Round{isa.RoundDefault, isa.RoundRN, isa.RoundRZ, isa.RoundRP, isa.RoundRNA, isa.RoundRS, isa.RoundIntRN}
	for _, from := range allTypes() {
		for _, to := range allTypes() {
			if from == isa.Pred || to == isa.Pred {
				continue
			}
			for _, round := range rounds {
				for _, relu := range []bool{false, true} {
					for _, finite := range []bool{false, true} {
						in := isa.Instr{Op: isa.Cvt, Type: to, SrcType: from, Round: round, Relu: relu, Finite: finite}
						if !isSmallCvt(&in) && !relu && !finite {
							continue // TestOracleConversions
						}
						for n := 1; n <= 3; n++ {
							types := []isa.Type{from, from, isa.B32}[:n]
							c := instance{in: in, dst: words(to)[0], sources: words(types...)}
							rows := values(r, types, 32)
							if s, ok := smallSpecs[to]; ok && from == isa.F32 {
								nearTies(r, s, rows[:24])
							}
							c.check(t, defineSmall(&in, n), rows)
						}
					}
				}
			}
		}
	}
}

// nearTies replaces sources in single precision by numbers between two of a
// small format, by the numbers themselves and by such beyond them.
func nearTies(r *rand.Rand, f smallSpec, rows [][4]uint64) {
	single := specOf(isa.F32)
	for i := range rows {
		for j := range 2 {
			x := r.Uint64N(f.infinity() + 4)
			e, m := int(x>>f.frac), int64(x&(1<<f.frac-1))
			if e > 0 {
				m += 1 << f.frac
			}
			v := new(big.Rat).SetInt64(4*m + r.Int64N(4)*r.Int64N(2) + 1)
			v.Mul(v, pow2(max(e, 1)-f.bias()-f.frac-2))
			if r.IntN(2) == 0 {
				v.Sub(v, pow2(max(e, 1)-f.bias()-f.frac-2))
			}
			if v.Sign() != 0 {
				rows[i][j] = single.signed(single.round(v, isa.RoundRN), r.IntN(2) == 0)
			}
		}
	}
}

// TestOracleCvtPack checks the clamping and joining of two integers.
func TestOracleCvtPack(t *testing.T) {
	r := rand.New(rand.NewPCG(14, 1))
	packed := map[isa.Type][2]int64{
		isa.U16: {0, 65535}, isa.S16: {-32768, 32767}, isa.U8: {0, 255}, isa.S8: {-128, 127},
		isa.U4: {0, 15}, isa.S4: {-8, 7}, isa.U2: {0, 3}, isa.S2: {-2, 1},
	}
	for _, to := range allTypes() {
		for n := 2; n <= 3; n++ {
			for _, sat := range []bool{false, true} {
				size := to.Bits()
				types := []isa.Type{isa.S32, isa.S32, isa.B32}[:n]
				var want func([4]uint64) uint64
				limits, ok := packed[to]
				if sat && ok && (size == 16) == (n == 2) {
					want = func(s [4]uint64) (d uint64) {
						for _, x := range s[:2] {
							d = d<<size | uint64(min(max(int64(int32(x)), limits[0]), limits[1]))&(1<<size-1)
						}
						return d | s[2]<<(2*size)&0xffffffff
					}
				}
				if to == isa.Pred {
					continue
				}
				c := instance{in: isa.Instr{Op: isa.CvtPack, Type: to, SrcType: isa.S32, Sat: sat}, dst: isa.B32, sources: words(types...)}
				c.check(t, want, values(r, types, 64))
			}
		}
	}
}
