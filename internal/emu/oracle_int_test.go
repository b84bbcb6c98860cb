package emu

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"warpbound/internal/isa"
)

// integer reads bits as an integer of a type.
func integer(x uint64, t isa.Type) *big.Int {
	n := t.Bits()
	v := new(big.Int).SetUint64(x & lowBits(n))
	if t.IsSigned() && x>>(n-1)&1 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return v
}

// wrapped gives the low n bits of an integer.
func wrapped(v *big.Int, n int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return new(big.Int).Mod(v, m).Uint64()
}

// clamped gives the bits of the nearest integer of a type.
func clamped(v *big.Int, t isa.Type) uint64 {
	n := uint(t.Bits())
	least, greatest := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), n)
	if t.IsSigned() {
		greatest.Rsh(greatest, 1)
		least.Neg(greatest)
	}
	greatest.Sub(greatest, big.NewInt(1))
	if v.Cmp(least) < 0 {
		v = least
	}
	if v.Cmp(greatest) > 0 {
		v = greatest
	}
	return wrapped(v, int(n))
}

func isInt(t isa.Type) bool { return t.Class() == isa.Signed || t.Class() == isa.Unsigned }

// defineInteger defines the integer arithmetic of PTX.
func defineInteger(in *isa.Instr) func(src [4]uint64) uint64 {
	t, n := in.Type, in.Type.Bits()
	if !isInt(t) || n == 8 || in.FTZ || in.Approx || in.NaN || in.Wrap || in.ShiftAmt || in.Round != isa.RoundDefault {
		return nil
	}
	if in.Sat && (t != isa.S32 || in.Op != isa.Add && in.Op != isa.Sub && in.Op != isa.MadHi) {
		return nil
	}
	of := func(bits int, f func(a, b, c *big.Int) *big.Int) func(src [4]uint64) uint64 {
		return func(s [4]uint64) uint64 {
			v := f(integer(s[0], t), integer(s[1], t), integer(s[2], t))
			if in.Sat {
				return clamped(v, t)
			}
			return wrapped(v, bits)
		}
	}
	z := func() *big.Int { return new(big.Int) }
	high := func(v *big.Int) *big.Int { return v.Rsh(v, uint(n)) }
	low24 := func(v *big.Int) *big.Int {
		v = new(big.Int).And(v, big.NewInt(1<<24-1))
		if t.IsSigned() && v.Bit(23) != 0 {
			v.Sub(v, big.NewInt(1<<24))
		}
		return v
	}
	switch in.Op {
	case isa.Add:
		return of(n, func(a, b, _ *big.Int) *big.Int { return z().Add(a, b) })
	case isa.Sub:
		return of(n, func(a, b, _ *big.Int) *big.Int { return z().Sub(a, b) })
	case isa.Mul:
		return of(n, func(a, b, _ *big.Int) *big.Int { return z().Mul(a, b) })
	case isa.MulHi:
		return of(n, func(a, b, _ *big.Int) *big.Int { return high(z().Mul(a, b)) })
	case isa.Mad:
		return of(n, func(a, b, c *big.Int) *big.Int { return z().Add(z().Mul(a, b), c) })
	case isa.MadHi:
		return of(n, func(a, b, c *big.Int) *big.Int { return z().Add(high(z().Mul(a, b)), c) })
	case isa.MulWide:
		if n == 64 {
			return nil
		}
		return of(2*n, func(a, b, _ *big.Int) *big.Int { return z().Mul(a, b) })
	case isa.MadWide:
		if n == 64 {
			return nil
		}
		return func(s [4]uint64) uint64 {
			p := z().Mul(integer(s[0], t), integer(s[1], t))
			return wrapped(p.Add(p, z().SetUint64(s[2])), 2*n)
		}
	case isa.Mul24, isa.Mad24:
		if n != 32 {
			return nil
		}
		return of(n, func(a, b, c *big.Int) *big.Int {
			p := z().Mul(low24(a), low24(b))
			if in.Op == isa.Mad24 {
				p.Add(p, c)
			}
			return p
		})
	case isa.Div, isa.Rem:
		return of(n, func(a, b, _ *big.Int) *big.Int {
			if b.Sign() == 0 {
				return big.NewInt(-1)
			}
			q, r := z().QuoRem(a, b, z())
			if in.Op == isa.Rem {
				return r
			}
			return q
		})
	case isa.Min, isa.Max:
		return of(n, func(a, b, _ *big.Int) *big.Int {
			if (a.Cmp(b) < 0) == (in.Op == isa.Min) {
				return a
			}
			return b
		})
	case isa.Sad:
		return of(n, func(a, b, c *big.Int) *big.Int { return z().Add(c, z().Abs(z().Sub(a, b))) })
	case isa.Abs, isa.Neg:
		if !t.IsSigned() {
			return nil
		}
		return of(n, func(a, _, _ *big.Int) *big.Int {
			if in.Op == isa.Abs {
				return z().Abs(a)
			}
			return z().Neg(a)
		})
	}
	return nil
}

// bitsOf lists the n low bits of x, the lowest first.
func bitsOf(x uint64, n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		list[i] = x >> i & 1
	}
	return list
}

func fromBits(list []uint64) (x uint64) {
	for i, b := range list {
		x |= b << i
	}
	return x
}

// defineBits defines the operations on bits, bit by bit.
func defineBits(in *isa.Instr) func(src [4]uint64) uint64 {
	t, n := in.Type, in.Type.Bits()
	untyped := t.Class() == isa.Bits && n > 8
	wide := n == 32 || n == 64
	if in.FTZ || in.Approx || in.NaN || in.Sat || in.Round != isa.RoundDefault {
		return nil
	}
	if in.Wrap && in.Op != isa.ShfL && in.Op != isa.ShfR || in.ShiftAmt && in.Op != isa.Bfind {
		return nil
	}
	each := func(f func(a, b uint64) uint64) func(s [4]uint64) uint64 {
		if !untyped {
			return nil
		}
		return func(s [4]uint64) uint64 {
			list := make([]uint64, n)
			for i := range list {
				list[i] = f(s[0]>>i&1, s[1]>>i&1)
			}
			return fromBits(list)
		}
	}
	count := func(f func(list []uint64) int) func(s [4]uint64) uint64 {
		if !untyped || !wide {
			return nil
		}
		return func(s [4]uint64) uint64 { return uint64(f(bitsOf(s[0], n))) }
	}
	switch in.Op {
	case isa.And:
		return each(func(a, b uint64) uint64 { return a * b })
	case isa.Or:
		return each(func(a, b uint64) uint64 { return max(a, b) })
	case isa.Xor:
		return each(func(a, b uint64) uint64 { return (a + b) % 2 })
	case isa.Not:
		return each(func(a, _ uint64) uint64 { return 1 - a })
	case isa.Cnot:
		if !untyped {
			return nil
		}
		return func(s [4]uint64) uint64 { return uint64(bit(s[0] == 0)) }
	case isa.Shl:
		if !untyped {
			return nil
		}
		return func(s [4]uint64) uint64 {
			v := new(big.Int).SetUint64(s[0])
			return wrapped(v.Lsh(v, uint(min(s[1], 200))), n)
		}
	case isa.Shr:
		if n < 16 || t.IsFloat() {
			return nil
		}
		return func(s [4]uint64) uint64 {
			v := integer(s[0], t)
			return wrapped(v.Rsh(v, uint(min(s[1], 200))), n)
		}
	case isa.ShfL, isa.ShfR:
		if t != isa.B32 {
			return nil
		}
		return func(s [4]uint64) uint64 {
			by := int(min(s[2], 32))
			if in.Wrap {
				by = int(s[2] % 32)
			}
			list := append(bitsOf(s[0], 32), bitsOf(s[1], 32)...)
			if in.Op == isa.ShfR {
				return fromBits(list[by : by+32])
			}
			return fromBits(list[32-by : 64-by])
		}
	case isa.Prmt:
		if t != isa.B32 {
			return nil
		}
		return func(s [4]uint64) (d uint64) {
			list := append(bitsOf(s[0], 32), bitsOf(s[1], 32)...)
			for i := range 4 {
				pick := bitsOf(s[2]>>(4*i), 4)
				from := list[8*fromBits(pick[:3]):][:8]
				for j := range 8 {
					b := from[j]
					if pick[3] == 1 {
						b = from[7]
					}
					d |= b << (8*i + j)
				}
			}
			return d
		}
	case isa.Lop3:
		if t != isa.B32 {
			return nil
		}
		return func(s [4]uint64) (d uint64) {
			for i := range 32 {
				row := s[0]>>i&1*4 + s[1]>>i&1*2 + s[2]>>i&1
				d |= s[3] >> row & 1 << i
			}
			return d
		}
	case isa.Popc:
		return count(func(list []uint64) (k int) {
			for _, b := range list {
				k += int(b)
			}
			return k
		})
	case isa.Clz:
		return count(func(list []uint64) int {
			k := 0
			for k < n && list[n-1-k] == 0 {
				k++
			}
			return k
		})
	case isa.Brev:
		if !untyped || !wide {
			return nil
		}
		return func(s [4]uint64) (d uint64) {
			for i, b := range bitsOf(s[0], n) {
				d |= b << (n - 1 - i)
			}
			return d
		}
	case isa.Bfind:
		if !isInt(t) || !wide {
			return nil
		}
		return func(s [4]uint64) uint64 {
			list := bitsOf(s[0], n)
			skip := uint64(0)
			if t.IsSigned() {
				skip = list[n-1]
			}
			for i := n - 1; i >= 0; i-- {
				if list[i] != skip {
					if in.ShiftAmt {
						return uint64(n - 1 - i)
					}
					return uint64(i)
				}
			}
			return 1<<32 - 1
		}
	case isa.Bfe:
		if !isInt(t) || !wide {
			return nil
		}
		return func(s [4]uint64) uint64 {
			list, pos, length := bitsOf(s[0], n), int(s[1]&0xff), int(s[2]&0xff)
			fill := uint64(0)
			if t.IsSigned() && length > 0 {
				fill = list[min(pos+length-1, n-1)]
			}
			field := make([]uint64, n)
			for i := range field {
				field[i] = fill
				if i < length && pos+i < n {
					field[i] = list[pos+i]
				}
			}
			return fromBits(field)
		}
	case isa.Bfi:
		if !untyped || !wide {
			return nil
		}
		return func(s [4]uint64) uint64 {
			from, list, pos, length := bitsOf(s[0], n), bitsOf(s[1], n), int(s[2]&0xff), int(s[3]&0xff)
			for i := 0; i < length && pos+i < n; i++ {
				list[pos+i] = from[i]
			}
			return fromBits(list)
		}
	}
	return nil
}

// variants lists the modifiers that the oracle tries on arithmetic: none and
// each alone, with the rounding modes combined.
func variants(in isa.Instr) []isa.Instr {
	var list []isa.Instr
	for _, round := range []isa.Round{isa.RoundDefault, isa.RoundRN, isa.RoundRZ, isa.RoundRM, isa.RoundRP, isa.RoundIntRN} {
		for _, ftz := range []bool{false, true} {
			for _, sat := range []bool{false, true} {
				for _, approx := range []bool{false, true} {
					v := in
					v.Round, v.FTZ, v.Sat, v.Approx = round, ftz, sat, approx
					list = append(list, v)
				}
			}
		}
	}
	for _, set := range []func(*isa.Instr){
		func(v *isa.Instr) { v.NaN = true },
		func(v *isa.Instr) { v.NaN, v.FTZ = true, true },
		func(v *isa.Instr) { v.Wrap = true },
		func(v *isa.Instr) { v.ShiftAmt = true },
	} {
		v := in
		set(&v)
		list = append(list, v)
	}
	return list
}

// operandTypes gives the types of the result and of the sources of an
// arithmetic operation.
func operandTypes(in *isa.Instr) (isa.Type, []isa.Type) {
	t := in.Type
	double := map[isa.Type]isa.Type{isa.U16: isa.U32, isa.S16: isa.S32, isa.U32: isa.U64, isa.S32: isa.S64}
	wide, ok := double[t]
	if !ok {
		wide = t
	}
	switch in.Op {
	case isa.MulWide:
		return wide, []isa.Type{t, t}
	case isa.MadWide:
		return wide, []isa.Type{t, t, wide}
	case isa.Shl, isa.Shr:
		return t, []isa.Type{t, isa.U32}
	case isa.Bfe:
		return t, []isa.Type{t, isa.U32, isa.U32}
	case isa.Bfi:
		return t, []isa.Type{t, t, isa.U32, isa.U32}
	case isa.Popc, isa.Clz, isa.Bfind:
		return isa.U32, []isa.Type{t}
	case isa.Lop3:
		return t, []isa.Type{t, t, t, isa.U32}
	}
	n := in.Op.Info().Src[1]
	sources := make([]isa.Type, n)
	for i := range sources {
		sources[i] = t
	}
	return t, sources
}

var arithmeticOps = []isa.Op{
	isa.Add, isa.Sub, isa.Mul, isa.MulHi, isa.MulWide, isa.Mad, isa.MadHi, isa.MadWide, isa.Mul24, isa.Mad24,
	isa.Fma, isa.Div, isa.Rem, isa.Abs, isa.Neg, isa.Min, isa.Max, isa.Sad, isa.Rcp, isa.Sqrt, isa.Copysign,
	isa.And, isa.Or, isa.Xor, isa.Not, isa.Cnot, isa.Shl, isa.Shr, isa.ShfL, isa.ShfR, isa.Lop3, isa.Prmt,
	isa.Popc, isa.Clz, isa.Bfind, isa.Brev, isa.Bfe, isa.Bfi,
}

func TestOracleArithmetic(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, op := range arithmeticOps {
		for _, typ := range allTypes() {
			if typ == isa.Pred {
				continue // TestOraclePredicates
			}
			for _, in := range variants(isa.Instr{Op: op, Type: typ}) {
				var want func([4]uint64) uint64
				for _, def := range []define{defineInteger, defineBits, defineFloat} {
					if want == nil {
						want = def(&in)
					}
				}
				dst, sources := operandTypes(&in)
				c := instance{in: in, dst: words(dst)[0], sources: words(sources...)}
				if want == nil {
					c.check(t, nil, nil)
					continue
				}
				rows := values(r, sources, 128)
				if op == isa.Lop3 {
					for range 8 {
						c.imms = map[int]uint64{3: uint64(r.IntN(256))}
						c.check(t, want, rows[:32])
					}
					continue
				}
				if typ.IsFloat() && len(sources) == 3 {
					cancel(r, typ, rows[64:])
				}
				c.check(t, want, rows)
			}
		}
	}
}
