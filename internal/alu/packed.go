package alu

import "warpbound/internal/isa"

// pairFor returns the function of an operation on pairs of 16-bit integers, nil
// if it has none.
func pairFor(in *isa.Instr) lanewise {
	signed := in.Type == isa.S16x2
	var f func(x, y uint16) uint16
	switch {
	case in.Op == isa.Add:
		f = func(x, y uint16) uint16 { return x + y }
	case in.Op == isa.Sub:
		f = func(x, y uint16) uint16 { return x - y }
	case in.Op == isa.Min && signed:
		f = func(x, y uint16) uint16 { return uint16(min(int16(x), int16(y))) }
	case in.Op == isa.Max && signed:
		f = func(x, y uint16) uint16 { return uint16(max(int16(x), int16(y))) }
	case in.Op == isa.Min:
		f = func(x, y uint16) uint16 { return min(x, y) }
	case in.Op == isa.Max:
		f = func(x, y uint16) uint16 { return max(x, y) }
	case in.Op == isa.Abs && signed:
		f = func(x, _ uint16) uint16 { return uint16(max(int16(x), -int16(x))) }
	case in.Op == isa.Neg && signed:
		f = func(x, _ uint16) uint16 { return -x }
	}
	var allowed isa.Modifiers
	if signed && (in.Op == isa.Min || in.Op == isa.Max) {
		allowed = isa.ModRelu
	}
	if f == nil || len(in.Src) > 2 || !in.HasOnly(allowed) {
		return lanewise{}
	}
	if in.Relu {
		whole := f
		f = func(x, y uint16) uint16 { return uint16(max(int16(whole(x, y)), 0)) }
	}
	return lanewise{word: func(d, a, b, _ *Words) {
		for i := range d {
			x, y := a[i], b[i]
			d[i] = uint32(f(uint16(x), uint16(y))) | uint32(f(uint16(x>>16), uint16(y>>16)))<<16
		}
	}}
}

// dotFor returns the function of a dot product: c plus the products of n parts
// of a, each of so many bits, with as many bytes of b.
func dotFor(in *isa.Instr) lanewise {
	isMix := func(t isa.Type) bool { return t == isa.U32 || t == isa.S32 }
	if !isMix(in.Type) || !isMix(in.SrcType) || !in.HasOnly(0) {
		return lanewise{}
	}
	n, size, skip := 2, 16, 0
	switch in.Op {
	case isa.Dp4a:
		n, size = 4, 8
	case isa.Dp2aHi:
		skip = 16
	}
	part := extender{shift: uint(64 - size), signed: in.Type.IsSigned()}
	byteOf := extender{shift: 56, signed: in.SrcType.IsSigned()}
	return lanewise{word: func(d, a, b, c *Words) {
		for i := range d {
			sum := c[i]
			for k := range n {
				sum += uint32(part.extend(uint64(a[i]>>(k*size))) * byteOf.extend(uint64(b[i]>>(skip+8*k))))
			}
			d[i] = sum
		}
	}}
}
