package emu

import "warpbound/internal/isa"

// modifiers is a set of what an instruction may say beyond its operation and
// its types.
type modifiers uint16

const (
	modNearest  modifiers = 1 << iota // rounding to nearest even, said explicitly
	modDirected                       // rounding towards zero or an infinity
	modAway                           // rounding to nearest, ties away from zero
	modIntegral                       // rounding to an integer
	modFTZ
	modSat
	modApprox
	modNaN
	modWrap
	modShiftAmt
	modRelu
	modAbs
	modXorSign
	modFinite
	modPermute
)

// modifiersOf returns the modifiers that an instruction has.
func modifiersOf(in *isa.Instr) modifiers {
	m := map[isa.Round]modifiers{
		isa.RoundRN: modNearest, isa.RoundRZ: modDirected, isa.RoundRM: modDirected, isa.RoundRP: modDirected,
		isa.RoundRNA: modAway, isa.RoundIntRN: modIntegral, isa.RoundIntRZ: modIntegral,
		isa.RoundIntRM: modIntegral, isa.RoundIntRP: modIntegral,
	}[in.Round]
	for _, flag := range []struct {
		set bool
		m   modifiers
	}{
		{in.FTZ, modFTZ}, {in.Sat, modSat}, {in.Approx, modApprox}, {in.NaN, modNaN}, {in.Wrap, modWrap},
		{in.ShiftAmt, modShiftAmt}, {in.Relu, modRelu}, {in.Abs, modAbs}, {in.XorSign, modXorSign},
		{in.Finite, modFinite}, {in.Permute != isa.PermuteBytes, modPermute},
	} {
		if flag.set {
			m |= flag.m
		}
	}
	return m
}

// only reports whether an instruction has no modifiers but those of allowed.
func only(in *isa.Instr, allowed modifiers) bool { return modifiersOf(in)&^allowed == 0 }
