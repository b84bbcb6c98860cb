package arithmetic

import (
	"math/big"

	"warpbound/internal/isa"
)

// format is a binary format: a sign, bits of an exponent and of a fraction (PTX ISA, "Fundamental
// Types" and "Alternate Floating-Point Data Formats").
type format struct {
	exponent, fraction int
	special            special
}

// special says which codes are no numbers.
type special uint8

const (
	infinities special = iota // those with all bits of the exponent, as in IEEE 754
	onlyNaN                   // NaN has all bits but the sign, and there is no infinity
	numbers                   // there are none
)

var (
	half    = format{5, 10, infinities}
	brain   = format{8, 7, infinities}
	single  = format{8, 23, infinities}
	double  = format{11, 52, infinities}
	upper   = format{11, 20, infinities} // the upper word of a double
	tensor  = format{8, 10, infinities}  // .tf32, which has the upper 19 bits of 32
	formats = map[isa.Type]format{
		isa.F16: half, isa.F16x2: half, isa.BF16: brain, isa.BF16x2: brain,
		isa.F32: single, isa.F32x2: single, isa.F64: double, isa.TF32: tensor,
		isa.E4M3x2: {4, 3, onlyNaN}, isa.E5M2x2: {5, 2, infinities},
		isa.E2M1x2: {2, 1, numbers}, isa.E2M3x2: {2, 3, numbers}, isa.E3M2x2: {3, 2, numbers},
	}
)

func (f format) width() int   { return 1 + f.exponent + f.fraction }
func (f format) sign() uint64 { return 1 << (f.exponent + f.fraction) }
func (f format) bias() int    { return 1<<(f.exponent-1) - 1 }

// canonical is the NaN that computations give: all bits but the sign (PTX ISA, "Floating Point
// Instructions"). Formats without NaN have their greatest number there.
func (f format) canonical() uint64 { return f.sign() - 1 }

// infinite is the code of the infinity, or of the greatest number if there is none.
func (f format) infinite() uint64 {
	if f.special != infinities {
		return f.greatest()
	}
	return lowBits(f.exponent) << f.fraction
}

// greatest is the code of the greatest number.
func (f format) greatest() uint64 {
	switch f.special {
	case infinities:
		return lowBits(f.exponent)<<f.fraction - 1
	case onlyNaN:
		return f.sign() - 2
	}
	return f.sign() - 1
}

// normal is the code of the least normal number.
func (f format) normal() uint64 { return 1 << f.fraction }

// one is the code of 1.
func (f format) one() uint64 { return uint64(f.bias()) << f.fraction }

func (f format) withSign(x uint64, negative bool) uint64 {
	if negative {
		return x | f.sign()
	}
	return x
}

func (f format) negative(x uint64) bool { return x&f.sign() != 0 }

func (f format) isNaN(x uint64) bool {
	return f.special != numbers && x&^f.sign() > choose(f.special == infinities, f.infinite(), f.greatest())
}

// flush replaces subnormal numbers by zeros of the same sign.
func (f format) flush(x uint64) uint64 {
	if x&^f.sign() < f.normal() {
		return x & f.sign()
	}
	return x
}

// minUnit is the exponent of the distance of subnormal numbers.
func (f format) minUnit() int { return 1 - f.bias() - f.fraction }

// read returns what a code says.
func (f format) read(x uint64) number {
	x &= lowBits(f.width())
	negative := f.negative(x)
	x &^= f.sign()
	switch {
	case f.isNaN(x):
		return nan()
	case f.special == infinities && x == f.infinite():
		return infinity(negative)
	}
	e, m := int(x>>f.fraction), x&(f.normal()-1)
	if e > 0 {
		m += f.normal()
	}
	return number{negative: negative, size: new(big.Int).SetUint64(m), exponent: f.minUnit() + max(e, 1) - 1}
}

// write rounds a number to nearest even or in one of the directed modes.
func (f format) write(v number, mode isa.Round) uint64 { return f.round(v, rounding{mode: mode}) }

// round returns the code of a number. Overflow goes to the infinity or the greatest number as
// IEEE 754-2008, 4.3, has it.
func (f format) round(v number, r rounding) uint64 {
	switch {
	case v.nan:
		return f.canonical()
	case v.infinite:
		return f.withSign(f.infinite(), v.negative)
	case v.zero():
		return f.withSign(0, v.negative)
	}
	unit := f.unitOf(v.size.BitLen() - 1 + v.exponent)
	n, rest := v.units(unit)
	if r.away(v.negative, n, rest) {
		n.Add(n, big.NewInt(1))
	}
	// A code is the number of units, counted from the first binade of that unit; codes go on from
	// one binade to the next.
	code := new(big.Int).Lsh(big.NewInt(int64(unit-f.minUnit())), uint(f.fraction))
	code.Add(code, n)
	if code.Cmp(new(big.Int).SetUint64(f.greatest())) <= 0 {
		return f.withSign(code.Uint64(), v.negative)
	}
	switch {
	case r.mode == isa.RoundRZ, r.mode == isa.RoundRM && !v.negative, r.mode == isa.RoundRP && v.negative:
		return f.withSign(f.greatest(), v.negative)
	}
	return f.withSign(f.infinite(), v.negative)
}

// unitOf returns the exponent of the unit in the last place of numbers from 2^size on.
func (f format) unitOf(size int) int { return max(size-f.fraction, f.minUnit()) }

// saturate clamps to [0, 1]; NaN becomes 0 (PTX ISA, ".sat").
func (f format) saturate(x uint64) uint64 {
	switch {
	case f.isNaN(x) || f.negative(x):
		return 0
	case x > f.one():
		return f.one()
	}
	return x
}

// clampNegative makes negative results zero and leaves NaN (PTX ISA, ".relu").
func (f format) clampNegative(x uint64) uint64 {
	if !f.isNaN(x) && f.negative(x) {
		return 0
	}
	return x
}
