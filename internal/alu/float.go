package alu

import (
	"math"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// floatFor returns the function of a floating-point operation: a fast one for
// single and double precision rounded to nearest without modifiers, otherwise
// that of the processor, or one that is put together of functions on single values.
//
// Mad, which only the first devices had, is what later ones make of it: Fma that
// flushes subnormal numbers. The approximations of Div, Rcp and Sqrt are as exact
// as the correctly rounded operations, on what they see of their sources.
func floatFor(in *isa.Instr) lanewise {
	if f := fastFloat(in); !f.none() && in.HasOnly(allowed(in)) {
		return f
	}
	f, ok := laneFunc(in)
	if !ok {
		return lanewise{}
	}
	if fast := vectorFloat(in); !fast.none() {
		return fast
	}
	return perLane(f, in.Type.Bits() > 32)
}

// scalar computes one lane from up to three sources.
type scalar func(x, y, z uint64) uint64

// perLane computes lane by lane, on wide registers or not.
func perLane(f scalar, wide bool) lanewise {
	if wide {
		return lanewise{wide: func(d, a, b, c *Vector) {
			for i := range d {
				d[i] = f(a[i], b[i], c[i])
			}
		}}
	}
	return lanewise{word: func(d, a, b, c *Words) {
		for i := range d {
			d[i] = uint32(f(uint64(a[i]), uint64(b[i]), uint64(c[i])))
		}
	}}
}

// fastFloat returns the functions for the common cases, none for others.
func fastFloat(in *isa.Instr) lanewise {
	nearest := in.Round == isa.RoundDefault || in.Round == isa.RoundRN
	if !nearest || in.FTZ || in.Sat || in.NaN || in.SrcType != isa.Invalid || in.Type != isa.F32 && in.Type != isa.F64 {
		return lanewise{}
	}
	switch in.Op {
	case isa.Add:
		return sized3(in.Type, nil, fastWord(vec.AddF32, add32), fastWide(vec.AddF64, add64))
	case isa.Sub:
		return sized3(in.Type, nil, fastWord(vec.SubF32, sub32), fastWide(vec.SubF64, sub64))
	case isa.Mul:
		return sized3(in.Type, nil, fastWord(vec.MulF32, mul32), fastWide(vec.MulF64, mul64))
	case isa.Fma:
		return sized3(in.Type, nil, fastWord(vec.FmaF32, fma32), fastWide(vec.FmaF64, fma64))
	case isa.Div:
		if !in.Approx {
			return sized3(in.Type, nil, fastWord(vec.DivF32, div32), div64)
		}
	case isa.Sqrt:
		return sized3(in.Type, nil, fastWord(vec.SqrtF32, sqrt32), sqrt64)
	}
	return lanewise{}
}

// bits32 gives the bits of a result, those of the canonical NaN for NaN.
func bits32(x float32) uint32 {
	if x != x {
		return 1<<31 - 1
	}
	return math.Float32bits(x)
}

// bits64 gives the bits of a result, those of the canonical NaN for NaN.
func bits64(x float64) uint64 {
	if x != x {
		return 1<<63 - 1
	}
	return math.Float64bits(x)
}

func add32(d, a, b, _ *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = bits32(f32(a[i]) + f32(b[i]))
	}
}

func sub32(d, a, b, _ *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = bits32(f32(a[i]) - f32(b[i]))
	}
}

func mul32(d, a, b, _ *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = bits32(f32(a[i]) * f32(b[i]))
	}
}

func div32(d, a, b, _ *Words) {
	for i := range d {
		d[i] = bits32(f32(a[i]) / f32(b[i]))
	}
}

// sqrt32 rounds twice, which is right for square roots: the wider format has
// more than twice the bits of the narrower.
func sqrt32(d, a, _, _ *Words) {
	for i := range d {
		d[i] = bits32(float32(math.Sqrt(float64(f32(a[i])))))
	}
}

// fma32 computes the product exactly and the sum in double precision. Rounding
// that again is right unless the sum has become a tie between two neighbours in
// single precision, or the result is subnormal and has fewer bits.
func fma32(d, a, b, c *Words) {
	_, _, _, _ = *d, *a, *b, *c
	const (
		dropped = 1<<29 - 1  // bits of a double beyond the fraction of a single
		tie     = 1 << 28    // half a unit of the fraction
		minimum = 1023 - 126 // biased exponent of the least normal single
		special = 2047       // that of infinities and NaN
	)
	for i := range d {
		p := float64(float64(f32(a[i])) * float64(f32(b[i])))
		s := p + float64(f32(c[i]))
		bits := math.Float64bits(s)
		if exp := bits >> 52 & special; exp-minimum >= special-minimum || bits&dropped == tie {
			d[i] = fmaRare(s, a[i], b[i], c[i])
			continue
		}
		d[i] = math.Float32bits(float32(s))
	}
}

// fmaRare is fma32 for sums that are zero, subnormal in single precision, not
// finite, or ties.
func fmaRare(s float64, x, y, z uint32) uint32 {
	if s == 0 || s-s != 0 {
		return bits32(float32(s))
	}
	return uint32(single32.fma(uint64(x), uint64(y), uint64(z), isa.RoundRN))
}

func add64(d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = bits64(f64(a[i]) + f64(b[i]))
	}
}

func sub64(d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = bits64(f64(a[i]) - f64(b[i]))
	}
}

func mul64(d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = bits64(f64(a[i]) * f64(b[i]))
	}
}

func fma64(d, a, b, c *Vector) {
	_, _, _, _ = *d, *a, *b, *c
	for i := range d {
		d[i] = bits64(math.FMA(f64(a[i]), f64(b[i]), f64(c[i])))
	}
}

func div64(d, a, b, _ *Vector) {
	for i := range d {
		d[i] = bits64(f64(a[i]) / f64(b[i]))
	}
}

func sqrt64(d, a, _, _ *Vector) {
	for i := range d {
		d[i] = bits64(math.Sqrt(f64(a[i])))
	}
}
