package arithmetic

import (
	"math/bits"

	"warpbound/internal/isa"
)

// permutations are the bytes that the modes of prmt give, the most significant first, for each
// value of the two low bits of c (PTX ISA, "prmt").
var permutations = map[isa.Permute][4]string{
	isa.PermuteF4E:  {"3210", "4321", "5432", "6543"},
	isa.PermuteB4E:  {"5670", "6701", "7012", "0123"},
	isa.PermuteRC8:  {"0000", "1111", "2222", "3333"},
	isa.PermuteECL:  {"3210", "3211", "3222", "3333"},
	isa.PermuteECR:  {"0000", "1110", "2210", "3210"},
	isa.PermuteRC16: {"1010", "3232", "1010", "3232"},
}

// rowOfBits returns the rows of PTX ISA, "Logic and Shift Instructions" and those of "Integer
// Arithmetic Instructions" that work on bits.
func rowOfBits(in *isa.Instr) *Row {
	t, n := in.Type, in.Type.Bits()
	allowed := map[isa.Op]isa.Modifiers{
		isa.ShfL: isa.ModWrap, isa.ShfR: isa.ModWrap, isa.Prmt: isa.ModPermute, isa.Bfind: isa.ModShiftAmt,
		isa.Szext: isa.ModWrap, isa.Bmsk: isa.ModWrap,
	}[in.Op]
	plain := *in
	if in.Op == isa.Lop3 {
		plain.Combine = isa.CombineNone
	}
	if in.SrcType != isa.Invalid || !has(&plain, allowed) {
		return nil
	}
	class := t.Class()
	untyped := class == isa.Bits && (n == 16 || n == 32 || n == 64)
	wide := n == 32 || n == 64
	truth := t == isa.Pred
	ok := false
	switch in.Op {
	case isa.And, isa.Or, isa.Xor, isa.Not:
		ok = untyped || truth
	case isa.Cnot, isa.Shl:
		ok = untyped
	case isa.Shr:
		ok = untyped || isInteger(t) && n > 8
	case isa.ShfL, isa.ShfR, isa.Lop3, isa.Prmt, isa.Bmsk, isa.Fns:
		ok = t == isa.B32
	case isa.Popc, isa.Clz, isa.Brev, isa.Bfi:
		ok = class == isa.Bits && wide
	case isa.Bfind, isa.Bfe:
		ok = isInteger(t) && wide
	case isa.Szext:
		ok = isInteger(t) && n == 32
	}
	if !ok {
		return nil
	}
	mask := lowBits(n)
	one := func(f func(a uint64) uint64) *Row {
		return rowOf(t, times(1, t), func(s []uint64) uint64 { return f(s[0]&mask) & mask })
	}
	two := func(f func(a, b uint64) uint64) *Row {
		return rowOf(t, times(2, t), func(s []uint64) uint64 { return f(s[0], s[1]) & mask })
	}
	count := func(f func(a uint64) uint64) *Row {
		return rowOf(isa.U32, times(1, t), func(s []uint64) uint64 { return f(s[0] & mask) })
	}
	switch in.Op {
	case isa.And:
		return two(func(a, b uint64) uint64 { return a & b })
	case isa.Or:
		return two(func(a, b uint64) uint64 { return a | b })
	case isa.Xor:
		return two(func(a, b uint64) uint64 { return a ^ b })
	case isa.Not:
		return one(func(a uint64) uint64 { return ^a })
	case isa.Cnot:
		return one(func(a uint64) uint64 { return choose[uint64](a == 0, 1, 0) })
	case isa.Shl, isa.Shr: // "shift amounts greater than the register width N are clamped to N"
		return rowOf(t, []isa.Type{t, isa.U32}, func(s []uint64) uint64 {
			v, amount := integerOf(s[0], t), uint(min(s[1]&lowBits(32), uint64(n)))
			if in.Op == isa.Shl {
				return wrap(v.Lsh(v, amount), n)
			}
			return wrap(v.Rsh(v, amount), n)
		})
	case isa.ShfL, isa.ShfR:
		return rowOf(t, []isa.Type{t, t, isa.U32}, func(s []uint64) uint64 {
			both := s[1]<<32 | s[0]&mask
			c := s[2] & mask
			amount := choose(in.Wrap, c&31, min(c, 32))
			if in.Op == isa.ShfL {
				return both << amount >> 32
			}
			return both >> amount & mask
		})
	case isa.Lop3:
		return rowOfLop3(in)
	case isa.Prmt:
		return rowOf(t, times(3, t), func(s []uint64) (d uint64) {
			bytes := s[1]<<32 | s[0]&mask
			for at := range 4 {
				choice := s[2] >> (4 * at) & 15
				if list, ok := permutations[in.Permute]; ok {
					choice = uint64(list[s[2]&3][3-at] - '0')
				}
				x := bytes >> (8 * (choice & 7)) & 0xff
				if choice&8 != 0 { // the sign of the byte in all bits
					x = choose[uint64](x&0x80 != 0, 0xff, 0)
				}
				d |= x << (8 * at)
			}
			return d
		})
	case isa.Popc:
		return count(func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) })
	case isa.Clz:
		return count(func(a uint64) uint64 { return uint64(n - bits.Len64(a)) })
	case isa.Bfind:
		return count(func(a uint64) uint64 {
			if t.IsSigned() && a>>(n-1) == 1 {
				a = ^a & mask
			}
			switch {
			case a == 0:
				return lowBits(32)
			case in.ShiftAmt:
				return uint64(n - bits.Len64(a))
			}
			return uint64(bits.Len64(a) - 1)
		})
	case isa.Brev:
		return one(func(a uint64) uint64 { return bits.Reverse64(a) >> (64 - n) })
	case isa.Bfe:
		return rowOf(t, []isa.Type{t, isa.U32, isa.U32}, func(s []uint64) (d uint64) {
			a, pos, length := s[0]&mask, int(s[1]&0xff), int(s[2]&0xff)
			sign := uint64(0)
			if t.IsSigned() && length > 0 {
				sign = a >> min(pos+length-1, n-1) & 1
			}
			for i := range n {
				d |= choose(i < length && pos+i < n, a>>(pos+i)&1, sign) << i
			}
			return d
		})
	case isa.Bfi:
		return rowOf(t, []isa.Type{t, t, isa.U32, isa.U32}, func(s []uint64) uint64 {
			f, pos, length := s[1]&mask, int(s[2]&0xff), int(s[3]&0xff)
			for i := 0; i < length && pos+i < n; i++ {
				f = f&^(1<<(pos+i)) | s[0]>>i&1<<(pos+i)
			}
			return f
		})
	case isa.Szext:
		return rowOf(t, []isa.Type{t, isa.U32}, func(s []uint64) uint64 {
			length := s[1] & mask
			switch {
			case in.Wrap:
				length &= 31
			case length >= 32:
				return s[0] & mask
			}
			if length == 0 {
				return 0
			}
			return wrap(readInteger(s[0], int(length), t.IsSigned()), 32)
		})
	case isa.Bmsk:
		return two(func(a, b uint64) uint64 {
			a, b = a&mask, b&mask
			if in.Wrap {
				a, b = a&31, b&31
			}
			a, b = min(a, 32), min(b, 32)
			return lowBits(64) << a &^ (lowBits(64) << (a + b)) & mask
		})
	}
	return rowOfFns()
}

// rowOfFns is the program text of PTX ISA, "fns".
func rowOfFns() *Row {
	return rowOf(isa.B32, []isa.Type{isa.B32, isa.B32, isa.S32}, func(s []uint64) uint64 {
		base, offset := int64(s[1]&lowBits(32)), int64(int32(s[2]))
		const none = 1<<32 - 1
		if offset == 0 {
			return choose(base < 32 && s[0]>>base&1 == 1, uint64(base), none)
		}
		step, left := int64(1), offset-1
		if offset < 0 {
			step, left = -1, -offset-1
		}
		for pos := base; pos >= 0 && pos < 32; pos += step {
			switch {
			case s[0]>>pos&1 == 0:
			case left == 0:
				return uint64(pos)
			default:
				left--
			}
		}
		return none
	})
}

// rowOfLop3 looks up each bit in the table that the immediate is. The second result, if there is
// one, says whether the first is not zero, joined with a predicate.
func rowOfLop3(in *isa.Instr) *Row {
	sources := []isa.Type{isa.B32, isa.B32, isa.B32, isa.U32}
	results := []isa.Type{isa.B32}
	if in.Combine != isa.CombineNone {
		sources, results = append(sources, isa.Pred), append(results, isa.Pred)
	}
	return &Row{Sources: sources, Results: results, Evaluate: func(s []uint64) []Result {
		d := uint64(0)
		for i := range 32 {
			entry := s[0]>>i&1<<2 | s[1]>>i&1<<1 | s[2]>>i&1
			d |= s[3] >> entry & 1 << i
		}
		if in.Combine == isa.CombineNone {
			return []Result{{Bits: d}}
		}
		return []Result{{Bits: d}, {Bits: join(in.Combine, d != 0, s[4])}}
	}}
}
