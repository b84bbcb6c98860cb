package alu

import (
	"math"
	"math/bits"

	"warpbound/internal/isa"
)

// floatProduct multiplies floats of up to 32 bits. Their products are exact in double precision,
// and nearly always so are the sums: floatProduct finds that out from the exponents of the rows
// and columns, and keeps exact sums in several parts where it cannot.
type floatProduct struct {
	matrices
	ofA, ofB, ofC floatFormat
	digits        int  // of a number of A or B
	half          bool // results are halves, else of single precision
}

// floatFormat is how a matrix of floats is read.
type floatFormat struct {
	elements isa.Type
	table    *[256]float64 // of elements of 8 bits: the numbers
}

// maxFloats is the size of the largest A, of 16x32 floats.
const maxFloats = 16 * 32

func (op *floatProduct) Exec(r *Registers, mask uint64) {
	var a [maxFloats]float64
	var b, c [maxC]float64
	op.ofA.read(r, &op.a, a[:])
	op.ofB.read(r, &op.b, b[:])
	op.ofC.read(r, &op.c, c[:])
	var columns [32]extent
	for j := range op.products * op.n {
		columns[j] = extentOf(b[j*op.k:][:op.k], op.digits)
	}
	for i := range op.products * op.m {
		row := a[i*op.k:][:op.k]
		extent, first := extentOf(row, op.digits), i/op.m*op.n // the first column of this product
		for j := range op.n {
			column, sum := b[(first+j)*op.k:][:op.k], &c[i*op.n+j]
			if extent.exact(columns[first+j], op.k, *sum) {
				*sum = plainSum(*sum, row, column)
			} else {
				*sum = oddSum(*sum, row, column)
			}
		}
	}
	if op.half {
		op.d.writeWords(r, mask, func(at uint16) uint32 { return uint32(half16.fromFloat64(c[at])) })
		return
	}
	op.d.writeWords(r, mask, func(at uint16) uint32 { return bits32(float32(c[at])) })
}

// extent says that all numbers of a list but zeros are multiples of 2^low and less than 2^high
// in magnitude. It is none if there are none.
type extent struct {
	low, high int
	none      bool
}

// extentOf returns the extent of a list of numbers of so many binary digits. It is any for a list with
// infinities or NaN.
func extentOf(list []float64, digits int) extent {
	low, high := uint64(math.MaxUint64), uint64(0) // biased exponents
	for _, x := range list {
		if x != 0 {
			e := math.Float64bits(x) >> 52 & 0x7ff
			low, high = min(low, e), max(high, e)
		}
	}
	const bias = 1023
	return extent{int(low) - bias - digits + 1, int(high) - bias + 1, high == 0}
}

// exact reports whether double precision surely holds all sums of c, a number of single
// precision, and n products of numbers of the extents. Where there are infinities or NaN, the sum is
// what it is in any order and precision.
func (x extent) exact(y extent, n int, c float64) bool {
	if x.none || y.none {
		return true
	}
	low, high := x.low+y.low, x.high+y.high+bits.Len(uint(n))
	if c != 0 {
		const digits = 24
		single := extentOf([]float64{c}, digits)
		low, high = min(low, single.low), max(high, single.high)
	}
	return high+1-low <= 53
}

// plainSum returns the sum of c and the products of two lists of the same length, a multiple of 4, in
// double precision.
func plainSum(c float64, a, b []float64) float64 {
	b = b[:len(a)]
	s, t, u, v := c+a[0]*b[0], a[1]*b[1], a[2]*b[2], a[3]*b[3]
	for i := 4; i+3 < len(a); i += 4 {
		s += a[i] * b[i]
		t += a[i+1] * b[i+1]
		u += a[i+2] * b[i+2]
		v += a[i+3] * b[i+3]
	}
	return (s + t) + (u + v)
}

// oddSum returns the sum of c and the products of two lists, exact if double precision holds it,
// else one of the two numbers next to it: the one whose last digit is odd. What has at least two
// digits less is rounded from it as from the exact sum.
func oddSum(c float64, a, b []float64) float64 {
	if s := plainSum(c, a, b); math.IsInf(s, 0) || math.IsNaN(s) {
		return s
	}
	// The sum so far is that of the first parts, which do not overlap and grow in magnitude
	// (Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997, Grow-Expansion).
	var parts [64]float64
	n, negative := 0, true
	add := func(x float64) {
		negative = negative && x == 0 && math.Signbit(x)
		kept := 0
		for _, y := range parts[:n] {
			if math.Abs(x) < math.Abs(y) {
				x, y = y, x
			}
			high := x + y
			if low := y - (high - x); low != 0 {
				parts[kept] = low
				kept++
			}
			x = high
		}
		n = kept
		if x != 0 {
			parts[n] = x
			n++
		}
	}
	add(c)
	for i, x := range a {
		add(float64(x * b[i]))
	}
	if n == 0 {
		if negative {
			return math.Copysign(0, -1)
		}
		return 0
	}
	sum, low := parts[n-1], 0.0
	for i := n - 2; i >= 0 && low == 0; i-- {
		high := sum + parts[i]
		low = parts[i] - (high - sum)
		sum = high
	}
	pattern := math.Float64bits(sum)
	if low == 0 || pattern&1 != 0 {
		return sum
	}
	if (low > 0) == (sum > 0) {
		return math.Float64frombits(pattern + 1)
	}
	return math.Float64frombits(pattern - 1)
}

// floatFormatOf returns how a matrix of a type is read.
func floatFormatOf(t isa.Type) floatFormat {
	pair, tiny := map[isa.Type]isa.Type{isa.E4M3: isa.E4M3x2, isa.E5M2: isa.E5M2x2}[t]
	f := floatFormat{elements: t}
	if tiny {
		small, _ := smallOf(pair)
		f.table = new([256]float64)
		for x := range f.table {
			f.table[x] = math.Float64frombits(small.to(double64, uint64(x)))
		}
	}
	return f
}

// read reads a matrix.
func (t *floatFormat) read(r *Registers, f *fragment, m []float64) {
	switch t.elements {
	case isa.F16:
		readHalves(r, f, m)
	case isa.BF16:
		readBrains(r, f, m)
	case isa.F32:
		readSingles(r, f, 0, m)
	case isa.TF32:
		const without = 1<<13 - 1
		readSingles(r, f, without, m)
	default:
		readByTable(r, f, t.table, m)
	}
}

// readSingles reads numbers of single precision, of which some bits are left out.
func readSingles(r *Registers, f *fragment, without uint32, m []float64) {
	for reg, s := range f.slots {
		at := f.at[reg*lanes:][:lanes]
		for lane, x := range r.Narrow(s, 0) {
			m[at[lane]] = float64(math.Float32frombits(x &^ without))
		}
	}
}

func readBrains(r *Registers, f *fragment, m []float64) {
	for reg, s := range f.slots {
		at := f.at[reg*2*lanes:][:2*lanes]
		for lane, x := range r.Narrow(s, 0) {
			m[at[lane]] = float64(math.Float32frombits(x << 16))
			m[at[lane+lanes]] = float64(math.Float32frombits(x &^ 0xffff))
		}
	}
}

func readHalves(r *Registers, f *fragment, m []float64) {
	for reg, s := range f.slots {
		at := f.at[reg*2*lanes:][:2*lanes]
		for lane, x := range r.Narrow(s, 0) {
			m[at[lane]] = halfNumber(x & 0xffff)
			m[at[lane+lanes]] = halfNumber(x >> 16)
		}
	}
}

// halfNumber returns the number that the bits of a half stand for.
func halfNumber(x uint32) float64 {
	const rebias = 0x1p1008 // 1023-15
	pattern := uint64(x&0x8000)<<48 | uint64(x&0x7fff)<<42
	if x&0x7c00 == 0x7c00 {
		return math.Float64frombits(pattern | 0x7ff<<52)
	}
	return math.Float64frombits(pattern) * rebias
}

func readByTable(r *Registers, f *fragment, table *[256]float64, m []float64) {
	at := f.at
	for _, s := range f.slots {
		w := r.Narrow(s, 0)
		for shift := 0; shift < 32; shift += 8 {
			for lane, x := range w {
				m[at[lane]] = table[x>>shift&0xff]
			}
			at = at[lanes:]
		}
	}
}
