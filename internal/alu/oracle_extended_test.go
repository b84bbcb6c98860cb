package alu

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
)

// definePair defines the arithmetic of two integers of 16 bits by that of one.
func definePair(in *isa.Instr) func(src [4]uint64) uint64 {
	one, ok := map[isa.Type]isa.Type{isa.U16x2: isa.U16, isa.S16x2: isa.S16}[in.Type]
	extreme := in.Op == isa.Min || in.Op == isa.Max
	if !ok || !extreme && in.Op != isa.Add && in.Op != isa.Sub && in.Op != isa.Abs && in.Op != isa.Neg {
		return nil
	}
	part := *in
	part.Type, part.Relu = one, false
	def := defineInteger(&part)
	if def == nil || in.Relu && (!extreme || one != isa.S16) {
		return nil
	}
	return func(s [4]uint64) (d uint64) {
		for at := 0; at < 32; at += 16 {
			x := def([4]uint64{s[0] >> at & 0xffff, s[1] >> at & 0xffff})
			if in.Relu && integer(x, one).Sign() < 0 {
				x = 0
			}
			d |= x << at
		}
		return d
	}
}

// TestOracleCarry checks the result and the carry of extended precision, each
// with and without a carry in.
func TestOracleCarry(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 1))
	for _, op := range []isa.Op{isa.AddCarry, isa.SubCarry, isa.MadCarry, isa.MadHiCarry} {
		n := op.Info().Src[0]
		for _, typ := range allTypes() {
			if typ == isa.Pred {
				continue
			}
			for _, carryIn := range []bool{false, true} {
				sources := words(typ, typ, typ)[:n]
				types := []isa.Type{typ, typ, typ}[:n]
				if carryIn {
					sources, types = append(sources, isa.Pred), append(types, isa.Pred)
				}
				var want, wantCarry func([4]uint64) uint64
				if isInt(typ) && (typ.Bits() == 32 || typ.Bits() == 64) {
					size := typ.Bits()
					exact := func(s [4]uint64) *big.Int {
						if !carryIn {
							s[n] = number(op == isa.SubCarry)
						}
						return carried(op, typ, s, s[n])
					}
					want = func(s [4]uint64) uint64 { return wrapped(exact(s), size) }
					wantCarry = func(s [4]uint64) uint64 {
						v := exact(s)
						return number(v.BitLen() > size)
					}
				}
				rows := values(r, types, 96)
				in := isa.Instr{Op: op, Type: typ}
				(&instance{in: in, dst: words(typ)[0], sources: sources}).check(t, want, rows)
				in.Dst = []isa.Operand{{Kind: isa.KindSink, Reg: isa.NoReg}, reg(0)}
				(&instance{in: in, dst: isa.Pred, sources: sources}).check(t, wantCarry, rows)
			}
		}
	}
}

// carried gives the sum of unsigned parts before it is cut to the size of the type.
func carried(op isa.Op, typ isa.Type, s [4]uint64, carry uint64) *big.Int {
	size := uint(typ.Bits())
	part := func(i int) *big.Int { return new(big.Int).SetUint64(s[i]) }
	product := new(big.Int).Mul(integer(s[0], typ), integer(s[1], typ))
	low := new(big.Int).SetUint64(wrapped(product, int(size)))
	high := new(big.Int).SetUint64(wrapped(product.Rsh(product, size), int(size)))
	in := new(big.Int).SetUint64(carry)
	v := new(big.Int)
	switch op {
	case isa.AddCarry:
		return v.Add(part(0), v.Add(part(1), in))
	case isa.SubCarry:
		not := new(big.Int).Sub(new(big.Int).SetUint64(^uint64(0)>>(64-size)), part(1))
		return v.Add(part(0), v.Add(not, in))
	case isa.MadCarry:
		return v.Add(low, v.Add(part(2), in))
	}
	return v.Add(high, v.Add(part(2), in))
}

// TestOracleDot checks the dot products of all pairs of types.
func TestOracleDot(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	ok := func(t isa.Type) bool { return t == isa.U32 || t == isa.S32 }
	for _, op := range []isa.Op{isa.Dp4a, isa.Dp2a, isa.Dp2aHi} {
		for _, at := range allTypes() {
			for _, bt := range allTypes() {
				if at == isa.Pred || bt == isa.Pred {
					continue
				}
				var want func([4]uint64) uint64
				if ok(at) && ok(bt) {
					want = func(s [4]uint64) uint64 { return dot(op, at, bt, s) }
				}
				types := []isa.Type{at, bt, isa.U32}
				c := instance{in: isa.Instr{Op: op, Type: at, SrcType: bt}, dst: isa.B32, sources: words(types...)}
				c.check(t, want, values(r, types, 64))
			}
		}
	}
}

func dot(op isa.Op, at, bt isa.Type, s [4]uint64) uint64 {
	part := func(x uint64, bits, i int, t isa.Type) *big.Int {
		types := map[int][2]isa.Type{8: {isa.U8, isa.S8}, 16: {isa.U16, isa.S16}}
		return integer(x>>(bits*i), types[bits][number(t.IsSigned())])
	}
	sum := new(big.Int).SetUint64(s[2])
	add := func(x, y *big.Int) { sum.Add(sum, new(big.Int).Mul(x, y)) }
	switch op {
	case isa.Dp4a:
		for i := range 4 {
			add(part(s[0], 8, i, at), part(s[1], 8, i, bt))
		}
	case isa.Dp2a:
		add(part(s[0], 16, 0, at), part(s[1], 8, 0, bt))
		add(part(s[0], 16, 1, at), part(s[1], 8, 1, bt))
	default:
		add(part(s[0], 16, 0, at), part(s[1], 8, 2, bt))
		add(part(s[0], 16, 1, at), part(s[1], 8, 3, bt))
	}
	return wrapped(sum, 32)
}

// TestOracleMixed checks additions and products in single precision of numbers
// of half precision.
func TestOracleMixed(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 1))
	single := specOf(isa.F32)
	for _, op := range []isa.Op{isa.Add, isa.Sub, isa.Mul, isa.Fma, isa.Min, isa.Neg} {
		for _, typ := range []isa.Type{isa.F32, isa.F64, isa.F16} {
			for _, from := range []isa.Type{isa.F16, isa.BF16, isa.F32, isa.U16} {
				for _, in := range variants(isa.Instr{Op: op, Type: typ, SrcType: from}) {
					widened := 1
					sources := []isa.Type{from, typ, typ}[:op.Info().Src[0]]
					if op == isa.Fma {
						widened, sources[1] = 2, from
					}
					plain := in
					plain.SrcType = isa.Invalid
					var want func([4]uint64) uint64
					half := from == isa.F16 || from == isa.BF16
					mixes := op == isa.Add || op == isa.Sub || op == isa.Fma
					if def := defineFloat(&plain); def != nil && half && mixes && typ == isa.F32 && has(&in, "round", "sat") {
						want = func(s [4]uint64) uint64 {
							for i := range widened {
								s[i] = single.exactly(specOf(from), s[i])
							}
							return def(s)
						}
					}
					c := instance{in: in, dst: words(typ)[0], sources: words(sources...)}
					c.check(t, want, values(r, sources, 64))
				}
			}
		}
	}
}

// exactly gives a number of a narrower format.
func (f spec) exactly(g spec, x uint64) uint64 {
	switch {
	case g.nan(x):
		return f.canonical()
	case g.inf(x):
		return f.signed(f.infinity(), g.negative(x))
	case g.zero(x):
		return f.signed(0, g.negative(x))
	}
	return f.round(g.exact(x), isa.RoundRN)
}

// TestOracleThree checks the extremes of three numbers.
func TestOracleThree(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 1))
	for _, op := range []isa.Op{isa.Min, isa.Max} {
		for _, typ := range allTypes() {
			if typ == isa.Pred {
				continue
			}
			for _, in := range variants(isa.Instr{Op: op, Type: typ}) {
				var want func([4]uint64) uint64
				two := in
				two.Abs = false
				if typ == isa.F32 && has(&in, "ftz", "nan", "abs") {
					def, f := defineFloat(&two), specOf(typ)
					want = func(s [4]uint64) uint64 {
						for i := range 3 {
							if in.Abs {
								s[i] &^= f.signBit()
							}
						}
						return def([4]uint64{def(s), s[2]})
					}
				}
				types := []isa.Type{typ, typ, typ}
				c := instance{in: in, dst: words(typ)[0], sources: words(types...)}
				c.check(t, want, values(r, types, 96))
			}
		}
	}
}
