package alu

import (
	"math/big"

	"warpbound/internal/isa"
)

// spec is a format of floating point by its definition, for what is made of several
// instructions or of none: exact numbers are rationals, and rounding looks for the neighbours.
type spec struct{ exp, frac int }

func specOf(t isa.Type) spec {
	switch t {
	case isa.F16, isa.F16x2:
		return spec{5, 10}
	case isa.BF16, isa.BF16x2:
		return spec{8, 7}
	case isa.F64:
		return spec{11, 52}
	}
	return spec{8, 23}
}

func (f spec) signBit() uint64 { return 1 << (f.exp + f.frac) }
func (f spec) infinity() uint64 {
	return (1<<f.exp - 1) << f.frac
}
func (f spec) canonical() uint64 { return f.signBit() - 1 }
func (f spec) bias() int         { return 1<<(f.exp-1) - 1 }

func (f spec) negative(x uint64) bool { return x&f.signBit() != 0 }
func (f spec) nan(x uint64) bool      { return x&^f.signBit() > f.infinity() }
func (f spec) inf(x uint64) bool      { return x&^f.signBit() == f.infinity() }
func (f spec) zero(x uint64) bool     { return x&^f.signBit() == 0 }

// pow2 is 2^n.
func pow2(n int) *big.Rat {
	one := big.NewInt(1)
	if n >= 0 {
		return new(big.Rat).SetInt(one.Lsh(one, uint(n)))
	}
	return new(big.Rat).SetFrac(big.NewInt(1), one.Lsh(one, uint(-n)))
}

// exact is the value of a finite number.
func (f spec) exact(x uint64) *big.Rat {
	e := int(x & f.infinity() >> f.frac)
	m := new(big.Rat).SetInt64(int64(x & (1<<f.frac - 1)))
	if e > 0 {
		m.Add(m, pow2(f.frac))
	} else {
		e = 1
	}
	m.Mul(m, pow2(e-f.bias()-f.frac))
	if f.negative(x) {
		m.Neg(m)
	}
	return m
}

// round gives the bits of a rational that is not zero.
func (f spec) round(v *big.Rat, mode isa.Round) uint64 {
	neg := v.Sign() < 0
	v = new(big.Rat).Abs(v)
	e := v.Num().BitLen() - v.Denom().BitLen() // within one of the exponent
	if v.Cmp(pow2(e)) < 0 {
		e--
	}
	e = max(e, 1-f.bias())
	unit := pow2(e - f.frac)
	q := new(big.Rat).Quo(v, unit)
	n, rest := new(big.Int).QuoRem(q.Num(), q.Denom(), new(big.Int))
	twice := rest.Lsh(rest, 1).Cmp(q.Denom())
	inexact := rest.Sign() != 0
	up := false
	switch mode {
	case isa.RoundRZ:
	case isa.RoundRM:
		up = neg && inexact
	case isa.RoundRP:
		up = !neg && inexact
	default:
		up = twice > 0 || twice == 0 && n.Bit(0) == 1
	}
	if up {
		n.Add(n, big.NewInt(1))
	}
	var x uint64
	if n.BitLen() > f.frac+1 { // the next power of two
		n.Rsh(n, 1)
		e++
	}
	switch {
	case e > f.bias():
		x = f.infinity()
		if mode == isa.RoundRZ || mode == isa.RoundRM && !neg || mode == isa.RoundRP && neg {
			x--
		}
	case n.BitLen() <= f.frac:
		x = n.Uint64()
	default:
		x = uint64(e+f.bias())<<f.frac | n.Uint64()&(1<<f.frac-1)
	}
	if neg {
		x |= f.signBit()
	}
	return x
}

// sum rounds a sum or product of terms; when it is exactly zero, its sign is
// negative if that of every term is, or if it is rounded down and not all are
// positive.
func (f spec) sum(v *big.Rat, allNegative, allPositive bool, mode isa.Round) uint64 {
	if v.Sign() != 0 {
		return f.round(v, mode)
	}
	if allNegative || !allPositive && mode == isa.RoundRM {
		return f.signBit()
	}
	return 0
}

// fused is x*y + z.
func (f spec) fused(x, y, z uint64, mode isa.Round) uint64 {
	negProduct := f.negative(x) != f.negative(y)
	infProduct := f.inf(x) || f.inf(y)
	switch {
	case f.nan(x), f.nan(y), f.nan(z), f.inf(x) && f.zero(y), f.zero(x) && f.inf(y),
		infProduct && f.inf(z) && negProduct != f.negative(z):
		return f.canonical()
	case infProduct && negProduct, f.inf(z) && f.negative(z):
		return f.infinity() | f.signBit()
	case infProduct, f.inf(z):
		return f.infinity()
	}
	v := new(big.Rat).Mul(f.exact(x), f.exact(y))
	v.Add(v, f.exact(z))
	return f.sum(v, negProduct && f.negative(z), !negProduct && !f.negative(z), mode)
}

func (f spec) signed(x uint64, neg bool) uint64 {
	if neg {
		return x | f.signBit()
	}
	return x
}

func (f spec) over(x, y uint64, mode isa.Round) uint64 {
	neg := f.negative(x) != f.negative(y)
	switch {
	case f.nan(x), f.nan(y), f.inf(x) && f.inf(y), f.zero(x) && f.zero(y):
		return f.canonical()
	case f.inf(x), f.zero(y):
		return f.signed(f.infinity(), neg)
	case f.zero(x), f.inf(y):
		return f.signed(0, neg)
	}
	return f.round(new(big.Rat).Quo(f.exact(x), f.exact(y)), mode)
}

func (f spec) root(x uint64, mode isa.Round) uint64 {
	switch {
	case f.zero(x), x == f.infinity():
		return x
	case f.nan(x), f.negative(x):
		return f.canonical()
	}
	// The root to 2000 binary places; a remainder is shown by one place more.
	v := new(big.Rat).Mul(f.exact(x), pow2(4000))
	n := new(big.Int).Sqrt(new(big.Int).Quo(v.Num(), v.Denom()))
	root := new(big.Rat).SetInt(n)
	if new(big.Rat).Mul(root, root).Cmp(v) != 0 {
		root.Add(root, pow2(-1))
	}
	return f.round(root.Mul(root, pow2(-2000)), mode)
}

// integer reads bits as an integer of a type.
func integer(x uint64, t isa.Type) *big.Int {
	n := t.Bits()
	v := new(big.Int).SetUint64(x & LowBits(n))
	if t.IsSigned() && x>>(n-1)&1 != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(n)))
	}
	return v
}

// wrapped gives the low n bits of an integer.
func wrapped(v *big.Int, n int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(n))
	return new(big.Int).Mod(v, m).Uint64()
}

// roundToInt rounds a rational to an integer.
func roundToInt(v *big.Rat, mode isa.Round) *big.Int {
	floor := new(big.Int).Div(v.Num(), v.Denom()) // Euclidean: rounds down
	rest := new(big.Rat).Sub(v, new(big.Rat).SetInt(floor))
	up := false
	switch mode {
	case isa.RoundIntRZ:
		up = v.Sign() < 0 && rest.Sign() != 0
	case isa.RoundIntRP:
		up = rest.Sign() != 0
	case isa.RoundIntRN:
		c := rest.Cmp(big.NewRat(1, 2))
		up = c > 0 || c == 0 && floor.Bit(0) == 1
	}
	if up {
		floor.Add(floor, big.NewInt(1))
	}
	return floor
}
