package scalar

import (
	"math/bits"

	"warpbound/internal/isa"
)

// partsResult gives the result of an operation on bits, bytes or halves of sources, as the chapters of the PTX manual on
// them have it; those are extended to 64 bits.
func partsResult(in *isa.Instr, v [4]uint64) (uint64, bool) {
	a, b, c := v[0], v[1], v[2]
	width := in.Type.Bits()
	sign := in.Type.IsSigned()
	switch in.Op {
	case isa.Bfe:
		return field(a, int(b&255), int(c&255), width, sign), true
	case isa.Bfi:
		at, n := int(c&255), int(v[3]&255)
		for i := range n {
			if at+i < width {
				b = b&^(1<<(at+i)) | a>>i&1<<(at+i)
			}
		}
		return b, true
	case isa.Lop3:
		result := uint64(0)
		for i := range 32 {
			row := a>>i&1<<2 | b>>i&1<<1 | c>>i&1
			result |= v[3] >> row & 1 << i
		}
		return result, true
	case isa.Prmt:
		return permuted(in.Permute, a, b, c), true
	case isa.Bfind:
		return highest(a, width, sign, in.ShiftAmt), true
	case isa.ShfL, isa.ShfR:
		n := min(c, 32)
		if in.Wrap {
			n = c % 32
		}
		both := b<<32 | a&0xffffffff
		if in.Op == isa.ShfR {
			return both >> n, true
		}
		return both << n >> 32, true
	case isa.Bmsk:
		from, n := a, b
		if in.Wrap {
			from, n = from%32, n%32
		}
		result := uint64(0)
		for i := from; i < 32 && i < from+n; i++ {
			result |= 1 << i
		}
		return result, true
	case isa.Szext:
		n := b
		if in.Wrap {
			n %= 32
		}
		if n >= 32 {
			return a, true
		}
		return field(a, 0, int(n), 32, sign), true
	case isa.Mul24:
		return low24(a, sign) * low24(b, sign), true
	case isa.Mul24Hi:
		return low24(a, sign) * low24(b, sign) >> 16, true
	case isa.Mad24:
		return low24(a, sign)*low24(b, sign) + c, true
	case isa.Mad24Hi:
		return low24(a, sign)*low24(b, sign)>>16 + c, true
	case isa.Sad:
		if sign && int64(a) < int64(b) || !sign && a < b {
			a, b = b, a
		}
		return c + a - b, true
	case isa.Dp4a:
		for i := range 4 {
			c += part(a, 8*i, 8, sign) * part(b, 8*i, 8, in.SrcType.IsSigned())
		}
		return c, true
	case isa.Dp2a, isa.Dp2aHi:
		from := 0
		if in.Op == isa.Dp2aHi {
			from = 16
		}
		for i := range 2 {
			c += part(a, 16*i, 16, sign) * part(b, from+8*i, 8, in.SrcType.IsSigned())
		}
		return c, true
	}
	return 0, false
}

// part is a number of so many bits of x from one on.
func part(x uint64, from, width int, sign bool) uint64 {
	x = truncate(x>>from, width)
	if sign {
		return uint64(signed(x, width))
	}
	return x
}

func low24(x uint64, sign bool) uint64 { return part(x, 0, 24, sign) }

// field is the field of n bits of a number from a bit on. Beyond the number there is its sign.
func field(a uint64, from, n, width int, sign bool) uint64 {
	if n == 0 {
		return 0
	}
	last := uint64(0)
	if sign {
		last = a >> min(from+n-1, width-1) & 1
	}
	result := uint64(0)
	for i := range width {
		bit := last
		if i < n && from+i < width {
			bit = a >> (from + i) & 1
		}
		result |= bit << i
	}
	return result
}

// highest is the position of the highest bit that is not like the sign, or its distance from the top.
func highest(a uint64, width int, sign, distance bool) uint64 {
	a = truncate(a, width)
	if sign && a>>(width-1) == 1 {
		a = truncate(^a, width)
	}
	switch {
	case a == 0:
		return 1<<32 - 1
	case distance:
		return uint64(width - bits.Len64(a))
	}
	return uint64(bits.Len64(a) - 1)
}

// permuted chooses four of the eight bytes of b and a.
func permuted(how isa.Permute, a, b, c uint64) uint64 {
	all := b<<32 | a&0xffffffff
	result := uint64(0)
	for i := range uint64(4) {
		n, which := c&3, uint64(0)
		switch how {
		case isa.PermuteBytes:
			nibble := c >> (4 * i) & 15
			x := all >> (8 * (nibble & 7)) & 255
			if nibble > 7 { // its sign in all places
				x = x >> 7 * 255
			}
			result |= x << (8 * i)
			continue
		case isa.PermuteF4E:
			which = n + i
		case isa.PermuteB4E:
			which = (n + 8 - i) % 8
		case isa.PermuteRC8:
			which = n
		case isa.PermuteECL:
			which = max(n, i)
		case isa.PermuteECR:
			which = min(n, i)
		default:
			which = n&1*2 + i%2
		}
		result |= all >> (8 * which) & 255 << (8 * i)
	}
	return result
}
