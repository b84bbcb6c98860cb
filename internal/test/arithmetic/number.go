package arithmetic

import (
	"math/big"

	"warpbound/internal/isa"
)

// number is what a floating-point format can say, exactly: NaN, an infinity, or size * 2^exponent
// with a sign, which zero has, too.
type number struct {
	nan, infinite bool
	negative      bool
	size          *big.Int // not negative
	exponent      int
	more          bool // the magnitude is a little greater: by less than 2^exponent
}

func (v number) zero() bool { return !v.nan && !v.infinite && v.size.Sign() == 0 }

func nan() number { return number{nan: true} }

func infinity(negative bool) number { return number{infinite: true, negative: negative} }

// wholeNumber is an integer. Zero is positive.
func wholeNumber(v *big.Int) number {
	return number{negative: v.Sign() < 0, size: new(big.Int).Abs(v)}
}

// power is 2^n.
func power(n int) number { return number{size: big.NewInt(1), exponent: n} }

func (v number) negated() number {
	v.negative = !v.negative
	return v
}

func (v number) magnitude() number {
	v.negative = false
	return v
}

// signed is the integer size of a number that has another exponent, which must not be greater.
func (v number) signed(exponent int) *big.Int {
	n := new(big.Int).Lsh(v.size, uint(v.exponent-exponent))
	if v.negative {
		n.Neg(n)
	}
	return n
}

// compare orders two numbers that are not NaN. Zeros are equal.
func (v number) compare(w number) int {
	rank := func(x number) int {
		return choose(x.infinite, choose(x.negative, -1, 1), 0)
	}
	if v.infinite || w.infinite {
		return rank(v) - rank(w)
	}
	e := min(v.exponent, w.exponent)
	return v.signed(e).Cmp(w.signed(e))
}

// plus returns v+w. The sign of a sum that is exactly zero follows from the rounding mode (IEEE
// 754-2008, 6.3).
func (v number) plus(w number, mode isa.Round) number {
	switch {
	case v.nan || w.nan || v.infinite && w.infinite && v.negative != w.negative:
		return nan()
	case v.infinite:
		return v
	case w.infinite:
		return w
	}
	e := min(v.exponent, w.exponent)
	n := new(big.Int).Add(v.signed(e), w.signed(e))
	sum := number{negative: n.Sign() < 0, size: n.Abs(n), exponent: e}
	if n.Sign() == 0 {
		sum.negative = choose(v.negative == w.negative, v.negative, mode == isa.RoundRM)
	}
	return sum
}

// times returns v*w.
func (v number) times(w number) number {
	negative := v.negative != w.negative
	switch {
	case v.nan || w.nan || v.infinite && w.zero() || v.zero() && w.infinite:
		return nan()
	case v.infinite || w.infinite:
		return infinity(negative)
	}
	return number{negative: negative, size: new(big.Int).Mul(v.size, w.size), exponent: v.exponent + w.exponent}
}

// enough is more bits than any format has, twice.
const enough = 120

// over returns v/w to that many bits.
func (v number) over(w number) number {
	negative := v.negative != w.negative
	switch {
	case v.nan || w.nan || v.infinite && w.infinite || v.zero() && w.zero():
		return nan()
	case v.infinite || w.zero():
		return infinity(negative)
	case w.infinite || v.zero():
		return number{negative: negative, size: new(big.Int)}
	}
	shift := max(0, enough+w.size.BitLen()-v.size.BitLen())
	q, rest := new(big.Int).QuoRem(new(big.Int).Lsh(v.size, uint(shift)), w.size, new(big.Int))
	return number{negative: negative, size: q, exponent: v.exponent - w.exponent - shift, more: rest.Sign() != 0}
}

// root returns the square root of v to as many bits.
func (v number) root() number {
	switch {
	case v.nan || v.negative && !v.zero():
		return nan()
	case v.infinite || v.zero():
		return v
	}
	shift := 2*enough + v.exponent&1
	n := new(big.Int).Lsh(v.size, uint(shift))
	q := new(big.Int).Sqrt(n)
	return number{size: q, exponent: (v.exponent - shift) / 2, more: new(big.Int).Mul(q, q).Cmp(n) != 0}
}

// integral rounds a finite number to an integer, in one of the Int modes.
func (v number) integral(mode isa.Round) *big.Int {
	n, rest := v.units(0)
	if (rounding{mode: mode}).away(v.negative, n, rest) {
		n.Add(n, big.NewInt(1))
	}
	if v.negative {
		n.Neg(n)
	}
	return n
}

// remainder is what is left of a magnitude beyond a multiple of a unit: part / 2^bits of the unit,
// or a little more.
type remainder struct {
	part *big.Int
	bits int
	more bool
}

func (r remainder) none() bool { return r.part.Sign() == 0 && !r.more }

// half compares with a half of the unit.
func (r remainder) half() int {
	c := new(big.Int).Lsh(r.part, 1).Cmp(new(big.Int).Lsh(big.NewInt(1), uint(r.bits)))
	if c == 0 && r.more {
		return 1
	}
	return c
}

// units returns how many times 2^unit a magnitude holds, and the rest.
func (v number) units(unit int) (*big.Int, remainder) {
	shift := unit - v.exponent
	if shift <= 0 {
		return new(big.Int).Lsh(v.size, uint(-shift)), remainder{part: new(big.Int), more: v.more}
	}
	n := new(big.Int).Rsh(v.size, uint(shift))
	part := new(big.Int).Sub(v.size, new(big.Int).Lsh(n, uint(shift)))
	return n, remainder{part, shift, v.more}
}

// rounding says which of two neighbours stands for a number between them.
type rounding struct {
	mode   isa.Round
	random uint64 // of RoundRS
	bits   int    // how many random bits there are
}

// away reports whether a magnitude of n units and a rest becomes n+1.
func (r rounding) away(negative bool, n *big.Int, rest remainder) bool {
	switch r.mode {
	case isa.RoundRZ, isa.RoundIntRZ:
		return false
	case isa.RoundRM, isa.RoundIntRM:
		return negative && !rest.none()
	case isa.RoundRP, isa.RoundIntRP:
		return !negative && !rest.none()
	case isa.RoundRNA:
		return rest.half() >= 0
	case isa.RoundRS: // PTX ISA, "cvt": the random bits are added to those that are cut off
		cut := new(big.Int).Rsh(new(big.Int).Lsh(rest.part, uint(r.bits)), uint(rest.bits))
		return cut.Uint64()+r.random >= 1<<r.bits
	}
	return rest.half() > 0 || rest.half() == 0 && n.Bit(0) == 1
}
