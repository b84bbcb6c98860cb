//go:build !purego

package vec

import (
	"math"
)

// Other conversions go through doubles, which hold all numbers but integers of 64 bits. Those are rounded to odd.

// possible reports whether there is a function for a conversion.
func (c *Conversion) possible() bool {
	switch {
	case !fastFloats:
		return false
	case !c.To.isFloat():
		return c.From.isFloat()
	case c.To.Format == F64 && c.Relu:
		return false
	}
	return true
}

// ConvertWord returns the function of a conversion between registers of at most 32 bits, nil if the processor has none.
func ConvertWord(c Conversion) WordFunc {
	if !c.possible() || c.To.wide() || c.From.wide() {
		return nil
	}
	return func(d, a, _, _ *Words) { c.convert(d, a) }
}

// convert converts from one word to another.
func (c *Conversion) convert(d, a *Words) {
	if c.From.isFloat() && c.To.isFloat() {
		c.convertFloat(d, a)
		return
	}
	var v Vector
	c.load(&v, a)
	c.store(d, &v)
}

// convertFloat converts between formats up to single precision, which holds all numbers of the others.
func (c *Conversion) convertFloat(d, a *Words) {
	var w Words
	switch c.From.Format {
	case F16:
		f32OfHalf(&w, a, 0)
	case BF16:
		f32OfBrain(&w, a, 0)
	default:
		w = *a
		if c.Flush {
			flushF32(&w)
		}
	}
	mode := c.mode() &^ denormals
	if c.Integral {
		roundF32In(&w, &w, &w, &w, mode)
	}
	form := c.Form
	form.Flush = form.Flush && c.To.Format == F32
	switch c.To.Format {
	case F16:
		halfOfF32(d, &w, mode)
	case BF16:
		form.toBrain(d, &w)
	default:
		mulF32In(d, &w, ones32, &w, nearest) // makes NaN canonical
	}
	form.finish(d, c.To.Format)
}

// toBrain rounds single precision to bfloat16.
func (f Form) toBrain(d, a *Words) {
	switch f.Round {
	case Zero:
		brainOfF32(d, a, 0, 0)
	case Nearest:
		brainOfF32(d, a, 1<<15-1, 1)
	default:
		f.directedToBrain(d, a)
	}
}

// directedToBrain rounds up or down: the magnitudes of positive numbers grow, or those of negative ones.
func (f Form) directedToBrain(d, a *Words) {
	shrinks := uint32(0) // the signs of numbers whose magnitude does not grow
	if f.Round == Up {
		shrinks = 1
	}
	for i, x := range a {
		grown := x + (1<<16-1)&-(x>>31^shrinks)
		if x&(1<<31-1) > 0x7f800000 {
			grown = 0x7fff0000
		}
		d[i] = grown >> 16
	}
}

// saturateBF16 works on the lower halves. Negative numbers and NaN are the greatest integers.
func saturateBF16(d *Words) {
	const one, inf = 0x3f80, 0x7f80
	for i, x := range d {
		if x > inf {
			x = 0
		}
		d[i] = min(x, one)
	}
}

// saturateF64 does the same for doubles.
func saturateF64(d *Vector) {
	const one, inf = 0x3ff << 52, 0x7ff << 52
	for i, x := range d {
		if x > inf {
			x = 0
		}
		d[i] = min(x, one)
	}
}

// ConvertPair returns the function of a conversion of two numbers to a pair, of which the first becomes the upper half.
func ConvertPair(c Conversion) WordFunc {
	if !c.possible() || c.To.wide() || c.From.wide() {
		return nil
	}
	return func(d, a, b, _ *Words) {
		var upper Words
		c.convert(&upper, a)
		c.convert(d, b)
		Join(d, d, &upper, 16)
	}
}

// ConvertWidening returns the function of a conversion to registers of 64 bits from narrower ones.
func ConvertWidening(c Conversion) WideningFunc {
	if !c.possible() || !c.To.wide() || c.From.wide() {
		return nil
	}
	return func(d *Vector, a, _ *Words, _ *Vector) {
		c.load(d, a)
		c.storeWide(d)
	}
}

// ConvertNarrowing returns the function of a conversion from registers of 64 bits to narrower ones.
func ConvertNarrowing(c Conversion) NarrowingFunc {
	if !c.possible() || c.To.wide() || !c.From.wide() {
		return nil
	}
	return func(d *Words, a *Vector) {
		var v Vector
		c.loadWide(&v, a)
		c.store(d, &v)
	}
}

// ConvertWide returns the function of a conversion between registers of 64 bits.
func ConvertWide(c Conversion) Func {
	if !c.possible() || !c.To.wide() || !c.From.wide() {
		return nil
	}
	if mode := c.mode(); c.To.isFloat() && !c.From.isFloat() { // rounded once
		round := f64OfU64
		if c.From.Signed {
			round = f64OfS64
		}
		return func(d, a, _, _ *Vector) {
			round(d, a, mode)
			c.finishWide(d)
		}
	}
	return func(d, a, _, _ *Vector) {
		c.loadWide(d, a)
		c.storeWide(d)
	}
}

// load makes doubles of the source.
func (c *Conversion) load(v *Vector, a *Words) {
	shift := 32 - c.From.Bits
	switch {
	case c.From.isFloat():
		widen(v, a, c.From.Format, 0, c.mode())
		c.integral(v)
	case c.From.Signed:
		f64OfSigneds(v, a, uint64(shift))
	default:
		f64OfUnsigneds(v, a, uint64(shift))
	}
}

// loadWide makes doubles of the source, which has 64 bits.
func (c *Conversion) loadWide(v, a *Vector) {
	if c.From.isFloat() {
		*v = *a
		c.integral(v)
		return
	}
	const beyond = 1 << 17 // of half precision, as are all greater integers, and of what results are clamped to
	short := c.To.isFloat() && (c.To.Format == F16 || c.Sat)
	switch {
	case short && c.From.Signed:
		for i, x := range a {
			v[i] = math.Float64bits(float64(min(max(int64(x), -beyond), beyond)))
		}
		return
	case short:
		for i, x := range a {
			v[i] = math.Float64bits(float64(int64(min(x, beyond))))
		}
		return
	case !c.From.Signed:
		for i, x := range a {
			v[i] = math.Float64bits(float64(rounded53(x)))
		}
		return
	}
	for i, x := range a {
		sign := uint64(int64(x) >> 63)
		v[i] = math.Float64bits(float64(int64(rounded53((x^sign)-sign)))) | sign<<63
	}
}

// rounded53 drops bits of an integer that is too long for a double, by rounding to odd: the last bit that stays
// stands for them. More than single precision needs are kept.
func rounded53(x uint64) uint64 {
	const dropped = 1<<11 - 1
	if x < 1<<53 {
		return x
	}
	return x&^dropped | (x&dropped+dropped)&(dropped+1)
}

// integral rounds to integers where that is to be done.
func (c *Conversion) integral(v *Vector) {
	if c.Integral {
		roundF64In(v, v, v, v, c.mode()&^denormals)
	}
}

// store rounds doubles to the result.
func (c *Conversion) store(d *Words, v *Vector) {
	if c.To.isFloat() {
		form := c.Form
		form.Flush = form.Flush && c.To.Format == F32
		narrow(d, v, c.To.Format, form)
		return
	}
	top := float64(uint64(1) << (c.To.Bits - 1))
	minimum, maximum, ofNaN := 0.0, 2*top-1, 0.0
	if c.From.Format == F64 {
		ofNaN = top
	}
	if c.To.Signed {
		minimum, maximum, ofNaN = -top, top-1, -ofNaN
	}
	wordsOfF64(d, v, minimum, maximum, ofNaN, c.Register)
}

// finishWide clamps doubles where that is to be done.
func (c *Conversion) finishWide(v *Vector) {
	if c.Sat {
		saturateF64(v)
	}
}

// storeWide makes results of 64 bits of doubles, in their place.
func (c *Conversion) storeWide(v *Vector) {
	switch {
	case c.To.isFloat():
		mulF64In(v, v, ones, v, nearest) // makes NaN canonical
		c.finishWide(v)
	case c.To.Signed:
		for i, b := range v {
			x := math.Float64frombits(b)
			switch {
			case x >= 1<<63:
				v[i] = 1<<63 - 1
			case x < -1<<63, x != x:
				v[i] = 1 << 63
			default:
				v[i] = uint64(int64(x))
			}
		}
	default:
		for i, b := range v {
			x := math.Float64frombits(b)
			switch {
			case x >= 1<<64:
				v[i] = 1<<64 - 1
			case x >= 1<<63:
				v[i] = uint64(int64(x-1<<63)) | 1<<63
			case x > 0:
				v[i] = uint64(int64(x))
			case x <= 0:
				v[i] = 0
			default:
				v[i] = 1 << 63
			}
		}
	}
}
