package alu

import (
	"math/big"
	"math/rand/v2"

	"warpbound/internal/isa"
)

// spec is a format of floating point by its definition: exact numbers are
// rationals, and rounding looks for the neighbours.
type spec struct{ exp, frac int }

// upperSpec is the format of the upper words of doubles.
var upperSpec = spec{11, 20}

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

func (f spec) flushed(x uint64) uint64 {
	if x&f.infinity() == 0 {
		return x & f.signBit()
	}
	return x
}

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

func (f spec) plus(x, y uint64, mode isa.Round) uint64 {
	switch {
	case f.nan(x), f.nan(y), f.inf(x) && f.inf(y) && x != y:
		return f.canonical()
	case f.inf(x):
		return x
	case f.inf(y):
		return y
	}
	v := new(big.Rat).Add(f.exact(x), f.exact(y))
	return f.sum(v, f.negative(x) && f.negative(y), !f.negative(x) && !f.negative(y), mode)
}

func (f spec) times(x, y uint64, mode isa.Round) uint64 {
	neg := f.negative(x) != f.negative(y)
	switch {
	case f.nan(x), f.nan(y), f.inf(x) && f.zero(y), f.zero(x) && f.inf(y):
		return f.canonical()
	case f.inf(x), f.inf(y):
		return f.signed(f.infinity(), neg)
	}
	return f.sum(new(big.Rat).Mul(f.exact(x), f.exact(y)), neg, !neg, mode)
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

// less orders numbers, -0 before +0.
func (f spec) less(x, y uint64) bool {
	if f.zero(x) && f.zero(y) {
		return f.negative(x) && !f.negative(y)
	}
	value := func(x uint64) *big.Rat {
		if f.inf(x) {
			v := pow2(f.bias() + 2)
			if f.negative(x) {
				v.Neg(v)
			}
			return v
		}
		return f.exact(x)
	}
	return value(x).Cmp(value(y)) < 0
}

func (f spec) pick(x, y uint64, lesser, nan bool) uint64 {
	switch {
	case f.nan(x) && f.nan(y), nan && (f.nan(x) || f.nan(y)):
		return f.canonical()
	case f.nan(x):
		return y
	case f.nan(y):
		return x
	case f.less(x, y) == lesser:
		return x
	}
	return y
}

// defineFloat defines the floating-point arithmetic of PTX but for the
// transcendental approximations.
func defineFloat(in *isa.Instr) func(src [4]uint64) uint64 {
	t := in.Type
	if !t.IsFloat() || in.Round > isa.RoundRP ||
		!has(in, "round", "ftz", "sat", "approx", "full", "nan", "relu", "abs", "xorsign") {
		return nil
	}
	if in.Full && (in.Op != isa.Div || t != isa.F32 || in.Approx || in.Round != isa.RoundDefault) {
		return nil
	}
	f := specOf(t)
	wide := t == isa.F32 || t == isa.F64
	if t == isa.F32x2 {
		wide = in.Op == isa.Add || in.Op == isa.Sub || in.Op == isa.Mul || in.Op == isa.Fma
		if !wide || in.Sat {
			return nil
		}
	}
	extreme := in.Op == isa.Min || in.Op == isa.Max
	if in.Abs != in.XorSign || in.Abs && (!extreme || t == isa.F64) {
		return nil
	}
	if in.Relu && (in.Op != isa.Fma || in.Round != isa.RoundRN || t.Bits() == 64 || t == isa.F32 || in.Sat) {
		return nil
	}
	half := t == isa.F16 || t == isa.F16x2
	if in.FTZ && t != isa.F32 && t != isa.F32x2 && !half && !(in.Op == isa.Rcp && in.Approx) {
		return nil
	}
	var op func(x, y, z uint64) uint64
	mode := in.Round
	directed := mode == isa.RoundRZ || mode == isa.RoundRM || mode == isa.RoundRP
	switch in.Op {
	case isa.Add, isa.Sub, isa.Mul, isa.Fma:
		if in.Approx || in.NaN || directed && !wide || in.Sat && t != isa.F32 && !half {
			return nil
		}
		op = map[isa.Op]func(x, y, z uint64) uint64{
			isa.Add: func(x, y, _ uint64) uint64 { return f.plus(x, y, mode) },
			isa.Sub: func(x, y, _ uint64) uint64 { return f.plus(x, y^f.signBit(), mode) },
			isa.Mul: func(x, y, _ uint64) uint64 { return f.times(x, y, mode) },
			isa.Fma: func(x, y, z uint64) uint64 { return f.fused(x, y, z, mode) },
		}[in.Op]
	case isa.Div, isa.Rcp, isa.Sqrt:
		if !wide || in.Sat || in.NaN || in.Approx && mode != isa.RoundDefault {
			return nil
		}
		if in.Approx && t == isa.F64 && (in.Op != isa.Rcp || !in.FTZ) {
			return nil
		}
		one := uint64(f.bias()) << f.frac
		op = map[isa.Op]func(x, y, z uint64) uint64{
			isa.Div:  func(x, y, _ uint64) uint64 { return f.over(x, y, mode) },
			isa.Rcp:  func(x, _, _ uint64) uint64 { return f.over(one, x, mode) },
			isa.Sqrt: func(x, _, _ uint64) uint64 { return f.root(x, mode) },
		}[in.Op]
		if in.Approx && t == isa.F64 { // PTX ISA, "rcp.approx.ftz.f64": the upper words are numbers of their own
			upper := upperSpec
			op = func(x, _, _ uint64) uint64 {
				one := uint64(upper.bias()) << upper.frac
				return upper.over(one, upper.flushed(x>>32), isa.RoundRN) << 32
			}
		}
		if in.Op == isa.Div && in.Approx {
			op = func(x, y, _ uint64) uint64 {
				if !f.nan(y) && !f.inf(y) && new(big.Rat).Abs(f.exact(y)).Cmp(pow2(126)) > 0 {
					switch {
					case f.inf(x), f.nan(x):
						return f.canonical()
					}
					return f.signed(0, f.negative(x) != f.negative(y))
				}
				return f.over(x, y, mode)
			}
		}
	case isa.Neg, isa.Abs, isa.Min, isa.Max, isa.Copysign:
		if mode != isa.RoundDefault || in.Sat || in.Approx || in.NaN && (!extreme || t == isa.F64) {
			return nil
		}
		if in.Op == isa.Copysign && (!wide || in.FTZ) {
			return nil
		}
		op = map[isa.Op]func(x, y, z uint64) uint64{
			isa.Neg:      func(x, _, _ uint64) uint64 { return x ^ f.signBit() },
			isa.Abs:      func(x, _, _ uint64) uint64 { return x &^ f.signBit() },
			isa.Copysign: func(x, y, _ uint64) uint64 { return f.signed(y&^f.signBit(), f.negative(x)) },
			isa.Min:      func(x, y, _ uint64) uint64 { return f.pick(x, y, true, in.NaN) },
			isa.Max:      func(x, y, _ uint64) uint64 { return f.pick(x, y, false, in.NaN) },
		}[in.Op]
		if in.XorSign {
			magnitude := op
			op = func(x, y, _ uint64) uint64 {
				d := magnitude(x&^f.signBit(), y&^f.signBit(), 0)
				return f.signed(d, !f.nan(d) && f.negative(x) != f.negative(y))
			}
		}
	default:
		return nil
	}
	ftz := in.FTZ
	whole := func(x, y, z uint64) uint64 {
		if ftz {
			x, y, z = f.flushed(x), f.flushed(y), f.flushed(z)
		}
		d := op(x, y, z)
		if ftz {
			d = f.flushed(d)
		}
		if in.Relu && !f.nan(d) && f.negative(d) {
			d = 0
		}
		if in.Sat {
			one := uint64(f.bias()) << f.frac
			switch {
			case f.nan(d), f.negative(d):
				d = 0
			case d > one:
				d = one
			}
		}
		return d
	}
	n := f.exp + f.frac + 1
	if t.Bits() == n {
		return func(s [4]uint64) uint64 { return whole(s[0], s[1], s[2]) }
	}
	return func(s [4]uint64) uint64 {
		low := LowBits(n)
		return whole(s[0]&low, s[1]&low, s[2]&low) | whole(s[0]>>n, s[1]>>n, s[2]>>n)<<n
	}
}

// cancel makes the third source of each row nearly or exactly the negative of
// the product of the others.
func cancel(r *rand.Rand, t isa.Type, rows [][4]uint64) {
	f := specOf(t)
	for i := range rows {
		row := &rows[i]
		p := f.times(row[0]&(f.signBit()*2-1), row[1]&(f.signBit()*2-1), isa.RoundRN)
		if f.nan(p) || f.inf(p) {
			continue
		}
		row[2] = p ^ f.signBit() + uint64(r.IntN(3)) - 1
		row[2] &= f.signBit()*2 - 1
	}
}
