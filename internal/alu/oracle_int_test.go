package alu

import (
	"math/big"

	"warpbound/internal/isa"
)

// integer reads bits as an integer of a type.
func integer(x uint64, t isa.Type) *big.Int {
	n := t.Bits()
	v := new(big.Int).SetUint64(x & LowBits(n))
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
	minimum, greatest := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), n)
	if t.IsSigned() {
		greatest.Rsh(greatest, 1)
		minimum.Neg(greatest)
	}
	greatest.Sub(greatest, big.NewInt(1))
	if v.Cmp(minimum) < 0 {
		v = minimum
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
	saturates := in.Op == isa.Add || in.Op == isa.Sub || in.Op == isa.MadHi || in.Op == isa.Mad24Hi
	if !isInt(t) || n == 8 || !has(in, "sat", "relu") || in.Sat && (t != isa.S32 || !saturates) {
		return nil
	}
	if in.Relu && (t != isa.S32 || in.Sat || in.Op != isa.Min && in.Op != isa.Max) {
		return nil
	}
	of := func(bits int, f func(a, b, c *big.Int) *big.Int) func(src [4]uint64) uint64 {
		return func(s [4]uint64) uint64 {
			v := f(integer(s[0], t), integer(s[1], t), integer(s[2], t))
			switch {
			case in.Sat:
				return clamped(v, t)
			case in.Relu && v.Sign() < 0:
				return 0
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
	case isa.Mul24, isa.Mad24, isa.Mul24Hi, isa.Mad24Hi:
		if n != 32 {
			return nil
		}
		return of(n, func(a, b, c *big.Int) *big.Int {
			p := z().Mul(low24(a), low24(b))
			if in.Op == isa.Mul24Hi || in.Op == isa.Mad24Hi {
				p.Rsh(p, 16)
			}
			if in.Op == isa.Mad24 || in.Op == isa.Mad24Hi {
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
	var allowed string
	switch in.Op {
	case isa.ShfL, isa.ShfR:
		allowed = "wrap"
	case isa.Bfind:
		allowed = "shiftamt"
	}
	if !has(in, allowed) {
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
		if !isInt(t) && !untyped || n < 16 {
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
