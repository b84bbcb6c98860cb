package alu

import (
	"math"
	"math/bits"

	"warpbound/internal/isa"
)

// format is a binary interchange format of floating point: a sign, exp bits of
// exponent, and frac bits of fraction. Its operations round once, in any mode,
// and give the canonical NaN. They are slow and exact; float.go has fast ones for
// the common cases.
type format struct{ exp, frac int }

// The formats of the floating-point types, and one that some operations see of a type.
var (
	half16   = format{5, 10}
	brain16  = format{8, 7}
	single32 = format{8, 23}
	double64 = format{11, 52}
	upper32  = format{11, 20} // of the upper words of doubles
)

// formatOf returns the format of a type, that of its halves for a packed one.
func formatOf(t isa.Type) (format, bool) {
	switch t {
	case isa.F16, isa.F16x2:
		return half16, true
	case isa.BF16, isa.BF16x2:
		return brain16, true
	case isa.F32, isa.F32x2:
		return single32, true
	case isa.F64:
		return double64, true
	}
	return format{}, false
}

func (f format) bits() int    { return 1 + f.exp + f.frac }
func (f format) bias() int    { return 1<<(f.exp-1) - 1 }
func (f format) sign() uint64 { return 1 << (f.exp + f.frac) }
func (f format) inf() uint64  { return (1<<f.exp - 1) << f.frac }
func (f format) nan() uint64  { return f.sign() - 1 }
func (f format) one() uint64  { return uint64(f.bias()) << f.frac }

func (f format) isNaN(x uint64) bool { return x&f.nan() > f.inf() }
func (f format) isInf(x uint64) bool { return x&f.nan() == f.inf() }

// isZero reports whether x is a zero of either sign.
func (f format) isZero(x uint64) bool { return x&f.nan() == 0 }

// isSubnormal reports whether x is too small for a normalised fraction, and not
// zero.
func (f format) isSubnormal(x uint64) bool { return !f.isZero(x) && x&f.inf() == 0 }

func (f format) neg(x uint64) uint64 { return x ^ f.sign() }
func (f format) abs(x uint64) uint64 { return x &^ f.sign() }

// flush turns a subnormal number into a zero of the same sign.
func (f format) flush(x uint64) uint64 {
	if f.isSubnormal(x) {
		return x & f.sign()
	}
	return x
}

// saturate clamps to [+0, 1]; NaN gives +0.
func (f format) saturate(x uint64) uint64 {
	switch {
	case f.isNaN(x) || x&f.sign() != 0:
		return 0
	case x > f.one():
		return f.one()
	}
	return x
}

// real is the finite number m/2^63 * 2^exp, not zero, with the top bit of m set.
type real struct {
	neg bool
	exp int
	m   uint64
}

// unpack takes a finite number apart that is not zero.
func (f format) unpack(x uint64) real {
	r := real{neg: x&f.sign() != 0, exp: int(x&f.inf()>>f.frac) - f.bias()}
	m := x & (1<<f.frac - 1)
	if x&f.inf() != 0 {
		m |= 1 << f.frac
	} else {
		r.exp++
	}
	shift := bits.LeadingZeros64(m)
	r.m = m << shift
	r.exp -= shift - (63 - f.frac)
	return r
}

// pack rounds a number to the format. If sticky is set the number is a little
// larger in magnitude, by less than a unit of m.
func (f format) pack(r real, sticky bool, mode isa.Round) uint64 {
	exp, x := f.magnitude(r, sticky, mode)
	if exp > 2*f.bias() || x >= f.inf() {
		x = f.inf()
		if mode == isa.RoundRZ || mode == isa.RoundRM && !r.neg || mode == isa.RoundRP && r.neg {
			x--
		}
	}
	if r.neg {
		x |= f.sign()
	}
	return x
}

// magnitude rounds a number without regard to its sign and to the greatest
// exponent of the format; it returns the biased exponent before rounding, too.
func (f format) magnitude(r real, sticky bool, mode isa.Round) (exp int, x uint64) {
	exp = max(r.exp+f.bias(), 1)
	drop := 63 - f.frac + exp - f.bias() - r.exp
	return exp, uint64(exp-1)<<f.frac + shiftRound(r.m, drop, sticky, r.neg, mode)
}

// shiftRound returns m/2^drop rounded to an integer, for drop > 0; sticky stands
// for a further part below the last bit of m, neg for a negative number.
func shiftRound(m uint64, drop int, sticky, neg bool, mode isa.Round) uint64 {
	kept, rest := uint64(0), m // rest in units of half a bit of kept, over 2^63
	switch {
	case drop < 64:
		kept, rest = m>>drop, m<<(64-drop)
	case drop > 64:
		rest, sticky = 0, true
	}
	up := false
	switch mode {
	case isa.RoundRM, isa.RoundIntRM:
		up = neg && (rest != 0 || sticky)
	case isa.RoundRP, isa.RoundIntRP:
		up = !neg && (rest != 0 || sticky)
	case isa.RoundRZ, isa.RoundIntRZ:
	default:
		const tie = 1 << 63
		up = rest > tie || rest == tie && (sticky || kept&1 != 0)
	}
	if up {
		kept++
	}
	return kept
}

// zero returns a zero.
func (f format) zero(neg bool) uint64 {
	if neg {
		return f.sign()
	}
	return 0
}

// fma returns x*y + z.
func (f format) fma(x, y, z uint64, mode isa.Round) uint64 {
	neg := (x^y)&f.sign() != 0
	switch {
	case f.isNaN(x) || f.isNaN(y) || f.isNaN(z),
		f.isInf(x) && f.isZero(y), f.isZero(x) && f.isInf(y):
		return f.nan()
	case f.isInf(x) || f.isInf(y):
		if f.isInf(z) && neg != (z&f.sign() != 0) {
			return f.nan()
		}
		return f.inf() | f.zero(neg)
	case f.isInf(z):
		return z
	case f.isZero(x) || f.isZero(y):
		if !f.isZero(z) {
			return z
		}
		if neg == (z&f.sign() != 0) {
			return z
		}
		return f.zero(mode == isa.RoundRM)
	}
	p := product(f.unpack(x), f.unpack(y))
	if f.isZero(z) {
		return f.packWide(p, mode)
	}
	r := f.unpack(z)
	sum, ok := p.add(wide{neg: r.neg, exp: r.exp, hi: r.m})
	if !ok {
		return f.zero(mode == isa.RoundRM)
	}
	return f.packWide(sum, mode)
}

// mul returns x*y: the sum with a zero of the product's sign.
func (f format) mul(x, y uint64, mode isa.Round) uint64 {
	return f.fma(x, y, (x^y)&f.sign(), mode)
}

// add returns x+y.
func (f format) add(x, y uint64, mode isa.Round) uint64 {
	return f.fma(x, f.one(), y, mode)
}

// wide is a real with 128 bits of mantissa, of which the last also stands for
// all that follow.
type wide struct {
	neg    bool
	exp    int
	hi, lo uint64
}

func (f format) packWide(w wide, mode isa.Round) uint64 {
	return f.pack(real{w.neg, w.exp, w.hi}, w.lo != 0, mode)
}

func product(x, y real) wide {
	w := wide{neg: x.neg != y.neg, exp: x.exp + y.exp + 1}
	w.hi, w.lo = bits.Mul64(x.m, y.m)
	return w.normalize()
}

// normalize shifts the top bit of the mantissa, which must not be zero, to its
// place.
func (w wide) normalize() wide {
	if w.hi == 0 {
		w.hi, w.lo = w.lo, 0
		w.exp -= 64
	}
	n := bits.LeadingZeros64(w.hi)
	w.hi = w.hi<<n | w.lo>>(64-n)
	w.lo <<= n
	w.exp -= n
	return w
}

// shiftRight divides the mantissa by 2^n and keeps whether bits were lost.
func (w wide) shiftRight(n int) wide {
	w.exp += n
	if n >= 128 {
		w.hi, w.lo = 0, 1
		return w
	}
	if n >= 64 {
		lost := w.lo
		w.hi, w.lo = 0, w.hi
		if lost != 0 {
			w.lo |= 1
		}
		n -= 64
	}
	if n > 0 {
		lost := w.lo << (64 - n)
		w.lo = w.lo>>n | w.hi<<(64-n)
		w.hi >>= n
		if lost != 0 {
			w.lo |= 1
		}
	}
	return w
}

// add returns the sum, false if it is zero. At most one of the mantissas has
// more than 64 significant bits, and none more than 106.
func (w wide) add(v wide) (wide, bool) {
	if v.exp > w.exp || v.exp == w.exp && (v.hi > w.hi || v.hi == w.hi && v.lo > w.lo) {
		w, v = v, w
	}
	v = v.shiftRight(w.exp - v.exp)
	var carry uint64
	if w.neg == v.neg {
		w.lo, carry = bits.Add64(w.lo, v.lo, 0)
		w.hi, carry = bits.Add64(w.hi, v.hi, carry)
		if carry != 0 {
			w = w.shiftRight(1)
			w.hi |= 1 << 63
		}
		return w, true
	}
	w.lo, carry = bits.Sub64(w.lo, v.lo, 0)
	w.hi, _ = bits.Sub64(w.hi, v.hi, carry)
	if w.hi|w.lo == 0 {
		return w, false
	}
	return w.normalize(), true
}

// div returns x/y.
func (f format) div(x, y uint64, mode isa.Round) uint64 {
	neg := (x^y)&f.sign() != 0
	switch {
	case f.isNaN(x) || f.isNaN(y), f.isInf(x) && f.isInf(y), f.isZero(x) && f.isZero(y):
		return f.nan()
	case f.isInf(x) || f.isZero(y):
		return f.inf() | f.zero(neg)
	case f.isZero(x) || f.isInf(y):
		return f.zero(neg)
	}
	a, b := f.unpack(x), f.unpack(y)
	q := real{neg: neg, exp: a.exp - b.exp}
	hi, lo := a.m>>1, a.m<<63
	if a.m < b.m {
		hi, lo = a.m, 0
		q.exp--
	}
	m, rest := bits.Div64(hi, lo, b.m)
	q.m = m
	return f.pack(q, rest != 0, mode)
}

// sqrt returns the square root.
func (f format) sqrt(x uint64, mode isa.Round) uint64 {
	switch {
	case f.isZero(x):
		return x
	case f.isNaN(x) || x&f.sign() != 0:
		return f.nan()
	case f.isInf(x):
		return x
	}
	r := f.unpack(x)
	hi, lo := r.m>>1, r.m<<63
	if r.exp&1 != 0 {
		hi, lo = r.m, 0
	}
	root := uint64(0)
	for bit := uint64(1) << 63; bit != 0; bit >>= 1 {
		try := root | bit
		if h, l := bits.Mul64(try, try); h < hi || h == hi && l <= lo {
			root = try
		}
	}
	h, l := bits.Mul64(root, root)
	return f.pack(real{exp: r.exp >> 1, m: root}, h != hi || l != lo, mode)
}

// fromInt rounds an integer given by sign and magnitude.
func (f format) fromInt(neg bool, magnitude uint64, mode isa.Round) uint64 {
	if magnitude == 0 {
		return 0
	}
	n := bits.LeadingZeros64(magnitude)
	return f.pack(real{neg: neg, exp: 63 - n, m: magnitude << n}, false, mode)
}

// toInt rounds what is not NaN to an integer, and clamps it to the range of so many bits.
func (f format) toInt(x uint64, width int, signed bool, mode isa.Round) uint64 {
	if f.isZero(x) {
		return 0
	}
	neg := x&f.sign() != 0
	magnitude := ^uint64(0)
	if !f.isInf(x) {
		if r := f.unpack(x); r.exp < 63 {
			magnitude = shiftRound(r.m, 63-r.exp, false, neg, mode)
		} else if r.exp == 63 {
			magnitude = r.m
		}
	}
	switch {
	case neg && !signed:
		return 0
	case neg:
		return -min(magnitude, 1<<(width-1)) & LowBits(width)
	case signed:
		return min(magnitude, 1<<(width-1)-1)
	}
	return min(magnitude, LowBits(width))
}

// convert rounds a number of format g to f.
func (f format) convert(g format, x uint64, mode isa.Round) uint64 {
	neg := x&g.sign() != 0
	switch {
	case g.isNaN(x):
		return f.nan()
	case g.isInf(x):
		return f.inf() | f.zero(neg)
	case g.isZero(x):
		return f.zero(neg)
	}
	return f.pack(g.unpack(x), false, mode)
}

// integral rounds to an integer of the same format.
func (f format) integral(x uint64, mode isa.Round) uint64 {
	v := f.float64(x)
	switch mode {
	case isa.RoundIntRN:
		v = math.RoundToEven(v)
	case isa.RoundIntRZ:
		v = math.Trunc(v)
	case isa.RoundIntRM:
		v = math.Floor(v)
	case isa.RoundIntRP:
		v = math.Ceil(v)
	}
	return f.fromFloat64(v)
}

// float64 widens a number, which is exact.
func (f format) float64(x uint64) float64 {
	return math.Float64frombits(double64.convert(f, x, isa.RoundRN))
}

// fromFloat64 rounds to nearest even.
func (f format) fromFloat64(v float64) uint64 {
	return f.convert(double64, math.Float64bits(v), isa.RoundRN)
}
