//go:build !purego

package vec

// in computes a sum, difference, product or fused product in single precision. Operands of a function value would be allocated.
func (op Float) in(d, a, b, c *Words, form Form) {
	mode := form.mode()
	switch op {
	case Sum:
		addF32In(d, a, b, c, mode)
	case Difference:
		subF32In(d, a, b, c, mode)
	case Product:
		mulF32In(d, a, b, c, mode)
	case Fused:
		fmaF32In(d, a, b, c, mode)
	}
	form.finish(d, F32)
}

// FloatPair returns the function of an operation up to Fused on pairs in single precision, nil if the processor has none.
func FloatPair(op Float, form Form) Func {
	if !fastFloats || op > Fused {
		return nil
	}
	return func(d, a, b, c *Vector) {
		var upper, lower [3]Words
		parts(&upper[0], &lower[0], a)
		parts(&upper[1], &lower[1], b)
		if op == Fused {
			parts(&upper[2], &lower[2], c)
		}
		op.in(&upper[0], &upper[0], &upper[1], &upper[2], form)
		op.in(&lower[0], &lower[0], &lower[1], &lower[2], form)
		var low Vector
		extendU32(&low, &lower[0], &lower[0], &low)
		extendU32(d, &upper[0], &upper[0], d)
		shl64(d, d, words32)
		or64(d, d, &low, d)
	}
}

// words32 are the number 32.
var words32 = filled(32)

// parts gives the halves of vectors.
func parts(upper, lower *Words, a *Vector) {
	var v Vector
	truncate64(lower, a)
	shrU64(&v, a, words32)
	truncate64(upper, &v)
}

// FloatMixed returns the function of an operation up to Fused in single precision, of which the first source, and the second
// of a product, are of a narrower format; nil if the processor has none.
func FloatMixed(op Float, t Format, form Form) WordFunc {
	if !fastFloats || op > Fused {
		return nil
	}
	return func(d, a, b, c *Words) {
		var x, y Words
		widenSingle(&x, a, t)
		if op == Fused {
			widenSingle(&y, b, t)
			b = &y
		}
		op.in(d, &x, b, c, form)
	}
}

// widenSingle makes single precision of what is in the lower halves.
func widenSingle(d, a *Words, t Format) {
	if t == F16 {
		f32OfHalf(d, a, 0)
	} else {
		f32OfBrain(d, a, 0)
	}
}
