//go:build !purego

package vec

import (
	"math"
)

// fastFloats is whether it has those of this file too: all processors that have AVX2 convert half precision so far.
var fastFloats = fast && halves()

// Modes are values of MXCSR: exceptions are masked.
const (
	nearest     uint32 = 0x1f80
	denormals   uint32 = 1 << 6 // sources that are subnormal count as zeros
	roundingBit        = 13
)

// mode returns the mode of a form.
func (f Form) mode() uint32 {
	m := nearest | uint32(f.Round)<<roundingBit
	if f.Flush {
		m |= denormals
	}
	return m
}

// finish does to results in a format what the form says beyond rounding. Bfloat16 has no Sat.
func (f Form) finish(d *Words, t Format) {
	switch {
	case !f.Flush:
	case t == F32:
		flushF32(d)
	case t == F16:
		flushF16(d)
	case t == BF16:
		flushBF16(d)
	}
	if f.Relu && t != F32 {
		reluF16(d)
	}
	switch {
	case !f.Sat:
	case t == F32:
		saturateF32(d)
	case t == F16:
		saturateF16(d)
	case t == BF16:
		saturateBF16(d)
	}
}

// flushBF16 works on the lower halves.
func flushBF16(d *Words) {
	for i, x := range d {
		if x&0x7f80 == 0 {
			d[i] = x & 0x8000
		}
	}
}

// ones are the number one in double precision.
var ones = func() *Vector {
	v := new(Vector)
	v.Fill(0x3ff << 52)
	return v
}()

// ones32 are the number one in single precision.
var ones32 = filled(0x3f800000)

// filled returns a vector of one value.
func filled(x uint32) *Words {
	w := new(Words)
	for i := range w {
		w[i] = x
	}
	return w
}

// FloatWord returns the function of an operation on a format other than F64, nil if the processor has none. The
// operands of half precision are pairs if pair is set.
func FloatWord(op Float, t Format, pair bool, form Form, series *Series) WordFunc {
	switch {
	case !fastFloats:
		return nil
	case op == Negative || op == Magnitude:
		return signed(op, t, pair, form)
	case op >= InverseRoot && op != Quotient:
		return approximation(op, t, pair, form, series)
	case t == F32:
		return single(op, form)
	}
	return half(op, t, pair, form)
}

// signed returns the function of an operation that changes nothing but signs, and flushes.
func signed(op Float, t Format, pair bool, form Form) WordFunc {
	sign, kept := uint32(1<<31), uint32(1<<32-1)
	switch {
	case t != F32 && pair:
		sign |= 1 << 15
	case t != F32:
		sign, kept = 1<<15, 1<<16-1
	}
	if op == Negative {
		return func(d, a, _, _ *Words) {
			for i, x := range a {
				d[i] = (x ^ sign) & kept
			}
			form.finish(d, t)
		}
	}
	return func(d, a, _, _ *Words) {
		for i, x := range a {
			d[i] = x &^ sign & kept
		}
		form.finish(d, t)
	}
}

// single returns the function of an operation in single precision.
func single(op Float, form Form) WordFunc {
	mode, more := form.mode(), form.Flush || form.Sat
	var f func(d, a, b, c *Words, mode uint32)
	switch op {
	case Sum:
		f = addF32In
	case Difference:
		f = subF32In
	case Product:
		f = mulF32In
	case Fused:
		f = fmaF32In
	case Division:
		f = divF32In
	case Root:
		f = sqrtF32In
	case Quotient:
		f = quotientF32In
	case Reciprocal:
		return func(d, a, _, _ *Words) {
			divF32In(d, ones32, a, a, mode)
			form.finish(d, F32)
		}
	default:
		return nil
	}
	return func(d, a, b, c *Words) {
		f(d, a, b, c, mode)
		if more {
			form.finish(d, F32)
		}
	}
}

// half returns the function of an operation in half precision, which is always a sum of a product: it is rounded to odd
// in single precision first. A zero of negative sign changes nothing of what is added to it.
func half(op Float, t Format, pair bool, form Form) WordFunc {
	if form.Round != Nearest {
		return nil
	}
	one, sign := uint32(0x3c003c00), uint32(0x80008000)
	if t == BF16 {
		one = 0x3f803f80
	}
	smallest := float32(0)
	if form.Flush {
		smallest = 1.0 / (1 << 14)
	}
	compute := func(d, a, b, c *Words) {
		if t == F16 {
			fmaF16(d, a, b, c, smallest)
		} else {
			fmaBF16(d, a, b, c)
		}
		form.finish(d, t)
		if !pair {
			Part(d, d, 0, 16)
		}
	}
	switch op {
	case Sum:
		ones := filled(one)
		return func(d, a, b, _ *Words) { compute(d, a, ones, b) }
	case Difference:
		minus := filled(one | sign)
		return func(d, a, b, _ *Words) { compute(d, b, minus, a) }
	case Product:
		zeros := filled(sign)
		return func(d, a, b, _ *Words) { compute(d, a, b, zeros) }
	case Fused:
		return compute
	}
	return nil
}

// widen makes doubles of numbers of a format, of the upper halves of pairs if shift is 16.
func widen(v *Vector, a *Words, t Format, shift uint64, mode uint32) {
	if t == F32 {
		f64OfF32(v, a, mode)
		return
	}
	var w Words
	if t == F16 {
		f32OfHalf(&w, a, shift)
	} else {
		f32OfBrain(&w, a, shift)
	}
	f64OfF32(v, &w, mode)
}

// narrow rounds doubles to a format and finishes them.
func narrow(d *Words, v *Vector, t Format, form Form) {
	switch t {
	case F32:
		f32OfF64(d, v, form.mode())
	case F16:
		oddOfF64(d, v)
		halfOfF32(d, d, form.mode()&^denormals)
	case BF16:
		oddOfF64(d, v)
		form.toBrain(d, d)
	}
	form.finish(d, t)
}

// approximation returns the function of an operation that computes in double precision.
func approximation(op Float, t Format, pair bool, form Form, series *Series) WordFunc {
	if (op == Sine || op == Cosine) && t != F32 {
		return nil
	}
	compute := func(v *Vector, a *Words, shift uint64) {
		if op >= Sine {
			series.sines(v, a, op, form.Flush)
			return
		}
		widen(v, a, t, shift, form.mode())
		switch op {
		case InverseRoot:
			inverseRoot(v, v)
		case Log2:
			series.log2(v)
		case Exp2:
			series.exp2(v)
		case Tanh:
			series.tanh(v)
		}
	}
	if !pair {
		return func(d, a, _, _ *Words) {
			var v Vector
			compute(&v, a, 0)
			narrow(d, &v, t, form)
		}
	}
	return func(d, a, _, _ *Words) {
		var v Vector
		var low Words
		compute(&v, a, 0)
		narrow(&low, &v, t, form)
		compute(&v, a, 16)
		narrow(d, &v, t, form)
		Join(d, &low, d, 16)
	}
}

func (s *Series) exp2(v *Vector) {
	var rest, power, sum Vector
	expParts(&rest, &power, v)
	polynomial(&sum, &rest, &s.Exp[0], len(s.Exp))
	expJoin(&rest, &power, &sum)
	*v = rest
}

func (s *Series) tanh(v *Vector) {
	var rest, power, sum Vector
	tanhParts(&rest, &power, v)
	polynomial(&sum, &rest, &s.Exp[0], len(s.Exp))
	tanhJoin(&rest, &power, &sum, v)
	*v = rest
}

func (s *Series) log2(v *Vector) {
	var t, exponent, square, sum Vector
	logParts(&t, &exponent, v)
	mulF64In(&square, &t, &t, &t, nearest)
	polynomial(&sum, &square, &s.Artanh[0], len(s.Artanh))
	logJoin(&t, &exponent, &sum, v)
	*v = t
}

// sines computes the sine, or the cosine: the sine of a quarter more.
func (s *Series) sines(v *Vector, a *Words, op Float, flush bool) {
	var quarters, square, sines, cosines Vector
	more := 0
	if op == Cosine {
		more = 1
	}
	reduce(v, &quarters, a, more, flush)
	mulF64In(&square, v, v, v, nearest)
	polynomial(&sines, &square, &s.Sin[0], len(s.Sin))
	polynomial(&cosines, &square, &s.Cos[0], len(s.Cos))
	sineJoin(v, &sines, &cosines, &quarters)
}

// FloatWide returns the function of an operation on doubles, nil if the processor has none.
func FloatWide(op Float, form Form) Func {
	switch {
	case !fastFloats || form.Sat || form.Relu || form.Flush != form.Upper:
		return nil
	case form.Upper:
		return ofUpperWords(op)
	}
	mode := form.mode()
	var f func(d, a, b, c *Vector, mode uint32)
	switch op {
	case Sum:
		f = addF64In
	case Difference:
		f = subF64In
	case Product:
		f = mulF64In
	case Fused:
		f = fmaF64In
	case Division:
		f = divF64In
	case Root:
		f = sqrtF64In
	case Reciprocal:
		return func(d, a, _, _ *Vector) { divF64In(d, ones, a, a, mode) }
	case InverseRoot:
		return func(d, a, _, _ *Vector) { inverseRoot(d, a) }
	default:
		return nil
	}
	return func(d, a, b, c *Vector) { f(d, a, b, c, mode) }
}

// ofUpperWords returns the function of an operation that sees and gives upper words alone, nil if
// there is none.
func ofUpperWords(op Float) Func {
	switch op {
	case Reciprocal:
		return func(d, a, _, _ *Vector) {
			var upper Vector
			cutToUpper(&upper, a)
			divF64In(d, ones, &upper, &upper, nearest)
			roundToUpper(d)
		}
	case InverseRoot:
		return func(d, a, _, _ *Vector) {
			var upper Vector
			cutToUpper(&upper, a)
			inverseRoot(d, &upper)
			roundToUpper(d)
		}
	}
	return nil
}

// cutToUpper drops the lower words of doubles, and flushes what is left.
func cutToUpper(d, a *Vector) {
	for i, x := range a {
		d[i] = flushUpper(x &^ (1<<32 - 1))
	}
}

// roundToUpper rounds doubles to their upper words, ties to even, and flushes these. NaN is the
// canonical one.
func roundToUpper(d *Vector) {
	const lower, nan = 1<<32 - 1, 1<<63 - 1
	for i, x := range d {
		if x == nan {
			d[i] = nan &^ lower
		} else {
			d[i] = flushUpper((x + lower>>1 + x>>32&1) &^ lower)
		}
	}
}

// flushUpper makes a zero of a double that is subnormal.
func flushUpper(x uint64) uint64 {
	if x&(0x7ff<<52) == 0 {
		return x & (1 << 63)
	}
	return x
}

// FloatTests returns the function of a comparison in a format other than F64, of the upper halves of pairs if shift is 16;
// subnormal numbers are zeros if flush is set. It is nil if the processor has none.
func FloatTests(test FloatTest, t Format, shift int, flush bool) WordTestFunc {
	if !fastFloats {
		return nil
	}
	mode := Form{Flush: flush}.mode()
	if t == F32 {
		return func(a, b *Words) uint32 { return compare(test, a, b, mode) }
	}
	return func(a, b *Words) uint32 {
		x, y := *a, *b
		if flush && t == F16 {
			flushF16(&x)
			flushF16(&y)
		}
		if t == F16 {
			f32OfHalf(&x, &x, uint64(shift))
			f32OfHalf(&y, &y, uint64(shift))
		} else {
			f32OfBrain(&x, &x, uint64(shift))
			f32OfBrain(&y, &y, uint64(shift))
		}
		return compare(test, &x, &y, mode)
	}
}

// compare compares in single precision.
func compare(test FloatTest, a, b *Words, mode uint32) uint32 {
	switch test {
	case Equal:
		return eqF32In(a, b, mode)
	case LessOrMore:
		return neF32In(a, b, mode)
	case Less:
		return ltF32In(a, b, mode)
	case LessOrEqual:
		return leF32In(a, b, mode)
	}
	return ordF32In(a, b, mode)
}

// ExtremeWord returns the function of the least or greatest of numbers in a format other than F64, where -0 is
// less than +0; nil if the processor has none. Numbers of half precision are pairs if pair is set.
func ExtremeWord(t Format, pair bool, e Extreme) WordFunc {
	if !fastFloats {
		return nil
	}
	infinity, greater, keep := e.masks(t)
	sign, nan := uint32(1<<31), uint32(1<<31-1)
	switch {
	case t != F32 && pair:
		sign, nan = 1<<31|1<<15, 1<<15-1
	case t != F32:
		sign, nan = 1<<15, 1<<15-1
	}
	take := func(d, a, b *Words) {
		if t == F32 {
			extreme32(d, a, b, infinity, greater, keep)
		} else {
			extreme16(d, a, b, infinity, greater, keep)
		}
		if t != F32 && !pair {
			Part(d, d, 0, 16)
		}
	}
	if !e.Flush && !e.Magnitude && !e.Three {
		return func(d, a, b, _ *Words) { take(d, a, b) }
	}
	prepare := func(x *Words) {
		if e.Flush {
			Form{Flush: true}.finish(x, t)
		}
		if e.Magnitude {
			for i := range x {
				x[i] &^= sign
			}
		}
	}
	return func(d, a, b, c *Words) {
		x, y := *a, *b
		var signs Words
		if e.XorSign {
			for i := range x {
				signs[i] = (x[i] ^ y[i]) & sign
			}
		}
		prepare(&x)
		prepare(&y)
		take(&x, &x, &y)
		if e.Three {
			y = *c
			prepare(&y)
			take(&x, &x, &y)
		}
		for i, z := range x {
			s := signs[i]
			if z&nan == nan {
				s &^= sign & (nan + 1)
			}
			if z>>16 == nan {
				s &^= 1 << 31
			}
			d[i] = z | s
		}
	}
}

// masks returns infinity in every part of a lane, and for what is to be taken all bits or none.
func (e Extreme) masks(t Format) (infinity, greater, keep uint64) {
	infinity = [...]uint64{F16: 0x7c007c007c007c00, BF16: 0x7f807f807f807f80, F32: 0x7f8000007f800000, F64: 0x7ff << 52}[t]
	if e.Greater {
		greater = 1<<64 - 1
	}
	if e.KeepNaN {
		keep = 1<<64 - 1
	}
	return infinity, greater, keep
}

// ExtremeWide is ExtremeWord for doubles, which have neither Flush nor Magnitude.
func ExtremeWide(e Extreme) Func {
	if !fastFloats || e.Flush || e.Magnitude || e.Three {
		return nil
	}
	infinity, greater, keep := e.masks(F64)
	return func(d, a, b, _ *Vector) { extreme64(d, a, b, infinity, greater, keep) }
}

//go:noescape
func addF32In(d, a, b, c *Words, mode uint32)

//go:noescape
func subF32In(d, a, b, c *Words, mode uint32)

//go:noescape
func mulF32In(d, a, b, c *Words, mode uint32)

//go:noescape
func divF32In(d, a, b, c *Words, mode uint32)

//go:noescape
func fmaF32In(d, a, b, c *Words, mode uint32)

//go:noescape
func sqrtF32In(d, a, b, c *Words, mode uint32)

//go:noescape
func roundF32In(d, a, b, c *Words, mode uint32)

//go:noescape
func quotientF32In(d, a, b, c *Words, mode uint32)

//go:noescape
func eqF32In(a, b *Words, mode uint32) uint32

//go:noescape
func neF32In(a, b *Words, mode uint32) uint32

//go:noescape
func ltF32In(a, b *Words, mode uint32) uint32

//go:noescape
func leF32In(a, b *Words, mode uint32) uint32

//go:noescape
func ordF32In(a, b *Words, mode uint32) uint32

//go:noescape
func addF64In(d, a, b, c *Vector, mode uint32)

//go:noescape
func subF64In(d, a, b, c *Vector, mode uint32)

//go:noescape
func mulF64In(d, a, b, c *Vector, mode uint32)

//go:noescape
func divF64In(d, a, b, c *Vector, mode uint32)

//go:noescape
func fmaF64In(d, a, b, c *Vector, mode uint32)

//go:noescape
func sqrtF64In(d, a, b, c *Vector, mode uint32)

//go:noescape
func roundF64In(d, a, b, c *Vector, mode uint32)

//go:noescape
func flushF32(d *Words)

//go:noescape
func flushF16(d *Words)

//go:noescape
func saturateF32(d *Words)

//go:noescape
func saturateF16(d *Words)

//go:noescape
func reluF16(d *Words)

// fmaF16 takes sources of less than smallest in magnitude for zeros.
//
//go:noescape
func fmaF16(d, a, b, c *Words, smallest float32)

//go:noescape
func fmaBF16(d, a, b, c *Words)

//go:noescape
func halfOfF32(d, a *Words, mode uint32)

// brainOfF32 truncates after adding carry, and one more if the last bit that is kept is set and tie is one.
//
//go:noescape
func brainOfF32(d, a *Words, carry, tie uint32)

// f32OfHalf and f32OfBrain take the 16 bits of words from shift up.
//
//go:noescape
func f32OfHalf(d, a *Words, shift uint64)

//go:noescape
func f32OfBrain(d, a *Words, shift uint64)

// f64OfSigneds and f64OfUnsigneds leave out the upper bits of words, so many.
//
//go:noescape
func f64OfSigneds(d *Vector, a *Words, shift uint64)

//go:noescape
func f64OfUnsigneds(d *Vector, a *Words, shift uint64)

//go:noescape
func f64OfF32(d *Vector, a *Words, mode uint32)

//go:noescape
func f32OfF64(d *Words, a *Vector, mode uint32)

// oddOfF64 rounds to single precision and to odd: to zero, with the last bit set if that is not exact.
//
//go:noescape
func oddOfF64(d *Words, a *Vector)

// wordsOfF64 makes integers of doubles that are integers, clamped to a range below 2^51 in
// magnitude, and keeps some of their bits. NaN becomes an integer of the range that is given.
//
//go:noescape
func wordsOfF64(d *Words, a *Vector, minimum, maximum, ofNaN float64, bits uint32)

//go:noescape
func f64OfS64(d, a *Vector, mode uint32)

//go:noescape
func f64OfU64(d, a *Vector, mode uint32)

//go:noescape
func polynomial(d, x *Vector, series *float64, n int)

//go:noescape
func expParts(rest, power, x *Vector)

//go:noescape
func expJoin(d, power, series *Vector)

//go:noescape
func tanhParts(rest, power, x *Vector)

//go:noescape
func tanhJoin(d, power, series, x *Vector)

//go:noescape
func logParts(t, exponent, x *Vector)

//go:noescape
func logJoin(d, exponent, series, x *Vector)

//go:noescape
func inverseRoot(d, a *Vector)

//go:noescape
func sineJoin(d, sines, cosines, quarters *Vector)

func halves() bool

// reduce reduces arguments, of which quarters become more.
func reduce(v, quarters *Vector, a *Words, more int, flush bool) {
	for i, x := range a {
		if flush && x&0x7f800000 == 0 {
			x &= 1 << 31
		}
		q, r := Reduce(x)
		v[i], quarters[i] = math.Float64bits(r), uint64(q+more)
	}
}

// extreme16, extreme32 and extreme64 take parts of so many bits.
//
//go:noescape
func extreme16(d, a, b *Words, infinity, greater, keep uint64)

//go:noescape
func extreme32(d, a, b *Words, infinity, greater, keep uint64)

//go:noescape
func extreme64(d, a, b *Vector, infinity, greater, keep uint64)
