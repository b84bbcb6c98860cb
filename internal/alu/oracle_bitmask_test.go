package alu

import "warpbound/internal/isa"

// defineBitmask defines the permutation of bytes and the operations on bit
// masks, after the program texts of the PTX manual.
func defineBitmask(in *isa.Instr) func(src [4]uint64) uint64 {
	switch {
	case in.Op == isa.Prmt && in.Type == isa.B32 && has(in, "permute"):
		return func(s [4]uint64) uint64 { return permuted(in.Permute, s[0], s[1], s[2]) }
	case in.Op == isa.Fns && in.Type == isa.B32 && has(in):
		return func(s [4]uint64) uint64 { return nthSet(s[0], int(s[1]), int(int32(s[2]))) }
	case in.Op == isa.Bmsk && in.Type == isa.B32 && has(in, "wrap"):
		return func(s [4]uint64) uint64 {
			from, n := s[0], s[1]
			if in.Wrap {
				from, n = from%32, n%32
			}
			list := make([]uint64, 32)
			for i := range uint64(32) {
				if i >= from && i-from < n {
					list[i] = 1
				}
			}
			return fromBits(list)
		}
	case in.Op == isa.Szext && (in.Type == isa.U32 || in.Type == isa.S32) && has(in, "wrap"):
		return func(s [4]uint64) uint64 {
			list, n := bitsOf(s[0], 32), s[1]
			if in.Wrap {
				n %= 32
			}
			for i := range list {
				switch {
				case uint64(i) < n:
				case in.Type == isa.S32 && n > 0:
					list[i] = list[n-1]
				default:
					list[i] = 0
				}
			}
			return fromBits(list)
		}
	}
	return nil
}

// nthSet is the loop of the manual.
func nthSet(mask uint64, base, offset int) uint64 {
	const notFound = 1<<32 - 1
	switch {
	case offset == 0 && base < 32 && mask>>base&1 == 1:
		return uint64(base)
	case offset == 0:
		return notFound
	}
	count, step := offset, 1
	if offset < 0 {
		count, step = -offset, -1
	}
	for pos := base; pos >= 0 && pos < 32; pos += step {
		if mask>>pos&1 == 1 {
			if count == 1 {
				return uint64(pos)
			}
			count--
		}
	}
	return notFound
}

// permuted picks bytes: those numbered 0 to 3 are of a, the others of b.
func permuted(mode isa.Permute, a, b, c uint64) uint64 {
	source := append(bitsOf(a, 32), bitsOf(b, 32)...)
	var d uint64
	for at := range 4 {
		n := int(c & 3)
		from, sign := 0, false
		switch mode {
		case isa.PermuteBytes:
			from, sign = int(c>>(4*at)&7), c>>(4*at)&8 != 0
		case isa.PermuteF4E: // four bytes upward from n
			from = n + at
		case isa.PermuteB4E: // four bytes downward from n
			from = (n - at + 8) % 8
		case isa.PermuteRC8:
			from = n
		case isa.PermuteECL:
			from = max(n, at)
		case isa.PermuteECR:
			from = min(n, at)
		case isa.PermuteRC16: // the half that the low bit of n names
			from = n%2*2 + at%2
		}
		for bit := range 8 {
			x := source[8*from+bit]
			if sign {
				x = source[8*from+7]
			}
			d |= x << (8*at + bit)
		}
	}
	return d
}
