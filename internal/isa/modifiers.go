package isa

// Modifiers is a set of what an instruction may say beyond its operation, its types and
// its operands, where that changes the results.
type Modifiers uint32

// The modifiers.
const (
	ModNearest  Modifiers = 1 << iota // rounding to nearest even, said explicitly
	ModDirected                       // rounding towards zero or an infinity
	ModAway                           // rounding to nearest, ties away from zero
	ModIntegral                       // rounding to an integer
	ModFTZ
	ModSat
	ModApprox
	ModFull
	ModNaN
	ModWrap
	ModShiftAmt
	ModRelu
	ModAbs
	ModXorSign
	ModFinite
	ModPermute
	ModStochastic // rounding by random bits

	ModRound = ModNearest | ModDirected | ModAway | ModIntegral | ModStochastic // any rounding that is named
)

// Modifiers returns the modifiers that an instruction has.
func (in *Instr) Modifiers() Modifiers {
	m := in.Round.modifier()
	for _, flag := range []struct {
		set bool
		m   Modifiers
	}{
		{in.FTZ, ModFTZ}, {in.Sat, ModSat}, {in.Approx, ModApprox}, {in.Full, ModFull},
		{in.NaN, ModNaN}, {in.Wrap, ModWrap},
		{in.ShiftAmt, ModShiftAmt}, {in.Relu, ModRelu}, {in.Abs, ModAbs}, {in.XorSign, ModXorSign},
		{in.Finite, ModFinite}, {in.Permute != PermuteBytes, ModPermute},
	} {
		if flag.set {
			m |= flag.m
		}
	}
	return m
}

// HasOnly reports whether an instruction has no modifiers but those of allowed.
func (in *Instr) HasOnly(allowed Modifiers) bool { return in.Modifiers()&^allowed == 0 }

// modifier returns the modifier that a rounding mode is, none for RoundDefault.
func (r Round) modifier() Modifiers {
	switch r {
	case RoundRN:
		return ModNearest
	case RoundRZ, RoundRM, RoundRP:
		return ModDirected
	case RoundRNA:
		return ModAway
	case RoundRS:
		return ModStochastic
	case RoundIntRN, RoundIntRZ, RoundIntRM, RoundIntRP:
		return ModIntegral
	}
	return 0
}
