package alu

import "warpbound/internal/isa"

// stochastic rounds numbers in single precision to half precision or bfloat16 by random bits
// that the program supplies: away from zero if their sum with the bits that the result drops
// carries out of them, else towards zero (PTX ISA, cvt, "Rounding modifier .rs").
//
// There are as many random bits as normal numbers drop. Where a subnormal result drops more,
// they are added to the upper ones. What is at least a power of two greater than all finite
// numbers becomes infinity.
type stochastic struct {
	drop    int    // bits of fraction that the result has less
	minimum uint32 // exponent of the least normal number of the result's format
	inf     uint32 // result of infinity, and of what lies beyond the finite numbers
	nan     uint32
	sign    uint32
	relu    bool
}

// convertStochastic returns the function of a conversion that rounds two sources by the random
// bits in the third, those of the first source in the upper half.
func convertStochastic(in *isa.Instr) lanewise {
	f, ok := smallOf(in.Type)
	if !ok || !isPair(in.Type) || in.SrcType != isa.F32 || len(in.Src) != 3 || !in.HasOnly(isa.ModStochastic|isa.ModRelu|isa.ModFinite) {
		return lanewise{}
	}
	s := &stochastic{
		drop: singleFrac - f.frac, minimum: uint32(single32.bias() - f.bias() + 1),
		inf: uint32(f.inf()), nan: uint32(f.nan()), sign: uint32(f.sign()), relu: in.Relu,
	}
	if in.Finite {
		s.inf = uint32(f.greatest())
	}
	return lanewise{word: func(d, a, b, random *Words) {
		for i, r := range random {
			d[i] = s.round(a[i], r>>16)<<16 | s.round(b[i], r)
		}
	}}
}

// round rounds one number by the lower bits of random.
func (s *stochastic) round(x, random uint32) uint32 {
	random &= 1<<s.drop - 1
	m := x & singleMagnitude
	exp := max(m>>singleFrac, 1)
	var y uint32
	switch {
	case m > singleInf:
		return s.nan
	case x>>31 != 0 && s.relu:
		return 0
	case exp < s.minimum: // subnormal
		significand := m - (exp-1)<<singleFrac
		y = (significand>>(s.minimum-exp) + random) >> s.drop
	default:
		y = (m - (s.minimum-1)<<singleFrac + random) >> s.drop
	}
	if y > s.inf || m == singleInf {
		y = s.inf
	}
	if x>>31 != 0 {
		y |= s.sign
	}
	return y
}
