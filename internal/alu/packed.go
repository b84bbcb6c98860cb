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
	if in.Relu && in.Op == isa.Min {
		f = func(x, y uint16) uint16 { return uint16(max(min(int16(x), int16(y)), 0)) }
	} else if in.Relu && in.Op == isa.Max {
		f = func(x, y uint16) uint16 { return uint16(max(int16(x), int16(y), 0)) }
	}
	var allowed isa.Modifiers
	if signed && (in.Op == isa.Min || in.Op == isa.Max) {
		allowed = isa.ModRelu
	}
	if f == nil || len(in.Src) > 2 || !in.HasOnly(allowed) {
		return lanewise{}
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
	signedA, signedB := in.Type.IsSigned(), in.SrcType.IsSigned()
	switch {
	case in.Op == isa.Dp4a && signedA && signedB:
		return lanewise{word: dot4[int8, int8]}
	case in.Op == isa.Dp4a && signedA:
		return lanewise{word: dot4[int8, uint8]}
	case in.Op == isa.Dp4a && signedB:
		return lanewise{word: dot4[uint8, int8]}
	case in.Op == isa.Dp4a:
		return lanewise{word: dot4[uint8, uint8]}
	}
	skip := 0
	if in.Op == isa.Dp2aHi {
		skip = 16
	}
	switch {
	case signedA && signedB:
		return lanewise{word: dot2[int16, int8](skip)}
	case signedA:
		return lanewise{word: dot2[int16, uint8](skip)}
	case signedB:
		return lanewise{word: dot2[uint16, int8](skip)}
	}
	return lanewise{word: dot2[uint16, uint8](skip)}
}

func dot4[X, Y uint8 | int8](d, a, b, c *Words) {
	for i := range d {
		x, y := a[i], b[i]
		d[i] = c[i] + uint32(X(x))*uint32(Y(y)) + uint32(X(x>>8))*uint32(Y(y>>8)) +
			uint32(X(x>>16))*uint32(Y(y>>16)) + uint32(X(x>>24))*uint32(Y(y>>24))
	}
}

func dot2[X uint16 | int16, Y uint8 | int8](skip int) WordFunc {
	return func(d, a, b, c *Words) {
		for i := range d {
			x, y := a[i], b[i]>>skip
			d[i] = c[i] + uint32(X(x))*uint32(Y(y)) + uint32(X(x>>16))*uint32(Y(y>>8))
		}
	}
}
