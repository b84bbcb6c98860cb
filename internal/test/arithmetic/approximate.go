package arithmetic

import (
	"fmt"
	"math"
	"math/big"

	"warpbound/internal/isa"
)

// Approximation is one number that an approximation gives.
type Approximation struct {
	width  int
	format format
	flush  bool
	exact  uint64     // the code, where value is nil: the manual's tables have it
	value  *big.Float // the result, to far more bits than any format has
	error  bound
}

// bound is the error that the manual states. One that is no number leaves the error open.
type bound struct {
	units    float64 // in the last place
	relative float64
	absolute float64
}

func (b bound) open() bool { return b == bound{} }

// Distance returns how far a code lies from the result, in units in the last place of the exact
// one; NaN where the result is a code of the manual's tables, or the code is no number.
func (a *Approximation) Distance(bits uint64) float64 {
	v := a.format.read(bits)
	if a.value == nil || v.nan {
		return math.NaN()
	}
	if v.infinite { // what a number behind the greatest would be, and all beyond
		end := power(a.format.bias() + 1)
		end.negative = v.negative
		if v.negative == a.value.Signbit() && a.value.MantExp(nil) > a.format.bias()+1 {
			return 0
		}
		v = end
	}
	off := new(big.Float).SetPrec(precision).Sub(v.float(), a.value)
	units, _ := off.Quo(off, a.unit()).Float64()
	return math.Abs(units)
}

// unit is the unit in the last place of the result.
func (a *Approximation) unit() *big.Float {
	return power(a.format.unitOf(a.value.MantExp(nil) - 1)).float()
}

// check returns an error if a code is not within the manual's error. No number of the format need
// be nearer than half a unit, and of subnormal results that are flushed there is zero alone.
func (a *Approximation) check(bits uint64) error {
	if a.value == nil {
		if bits != a.exact {
			return fmt.Errorf("want 0x%x", a.exact)
		}
		return nil
	}
	magnitude := bits &^ a.format.sign()
	if a.flush && magnitude > 0 && magnitude < a.format.normal() {
		return fmt.Errorf("it is subnormal")
	}
	if a.error.open() {
		return nil
	}
	if a.flush && magnitude == 0 && a.value.MantExp(nil)-1 < 1-a.format.bias() {
		return nil
	}
	distance := a.Distance(bits)
	unit, _ := a.unit().Float64()
	size, _ := new(big.Float).Abs(a.value).Float64()
	allowed := max(0.5, a.error.units, a.error.relative*size/unit, a.error.absolute/unit)
	if !(distance <= allowed) {
		return fmt.Errorf("it is off by %g units in the last place, and the manual allows %g", distance, allowed)
	}
	return nil
}

// nearest is the code that is nearest.
func (a *Approximation) nearest() uint64 {
	if a.value == nil {
		return a.exact
	}
	d := a.format.write(ofFloat(a.value), isa.RoundRN)
	if a.flush {
		d = a.format.flush(d)
	}
	return d
}

// approximation is a row of the manual: its error, and what it computes of numbers that are not
// NaN. A result that is an infinity, zero or NaN is one of its table.
type approximation struct {
	format   format
	sources  int
	error    func(v []number) bound
	evaluate func(v []number) (special number, value *big.Float)
}

func always(b bound) func([]number) bound { return func([]number) bound { return b } }

// rowOfApproximation returns the rows of .approx and .full.
func rowOfApproximation(in *isa.Instr) *Row {
	a := approximationOf(in)
	if a == nil {
		return nil
	}
	allowed := isa.ModApprox
	flush := in.FTZ
	switch {
	case in.Full:
		allowed = isa.ModFull | isa.ModFTZ
	case in.Type == isa.F32 && in.Op != isa.Tanh, in.Op == isa.Rcp, in.Op == isa.Rsqrt,
		in.Op == isa.Ex2 && !flushes(in.Type):
		allowed |= isa.ModFTZ
	}
	if !has(in, allowed) {
		return nil
	}
	width := formats[in.Type].width()
	shift := width - a.format.width() // of the upper words of doubles
	types := times(a.sources, in.Type)
	return &Row{Sources: types, Results: []isa.Type{in.Type}, Evaluate: func(s []uint64) []Result {
		r := Result{}
		for at := 0; at < in.Type.Bits(); at += width {
			v := make([]number, a.sources)
			for i := range v {
				x := s[i] >> (at + shift) & lowBits(a.format.width())
				if flush {
					x = a.format.flush(x)
				}
				v[i] = a.format.read(x)
			}
			part := a.of(v, flush)
			r.Open = r.Open || part.value != nil && part.error.open()
			r.Bits |= part.nearest() << (at + shift)
			part.width = width
			r.Parts = append(r.Parts, part)
		}
		if shift > 0 { // upper words: there is no error to hold the result against, but it has no lower word
			r.Parts = nil
		}
		return []Result{r}
	}}
}

func (a *approximation) of(v []number, flush bool) Approximation {
	for _, x := range v {
		if x.nan {
			return Approximation{format: a.format, exact: a.format.canonical()}
		}
	}
	special, value := a.evaluate(v)
	if value == nil {
		return Approximation{format: a.format, exact: a.format.write(special, isa.RoundRN)}
	}
	return Approximation{format: a.format, flush: flush, value: value, error: a.error(v)}
}

// approximationOf returns what the manual says of an approximation, by its page.
func approximationOf(in *isa.Instr) *approximation {
	f := formats[in.Type]
	isSingle := in.Type == isa.F32
	narrow := in.Type == isa.F16 || in.Type == isa.F16x2
	brainy := in.Type == isa.BF16 || in.Type == isa.BF16x2
	exactly := func(g function, b bound) *approximation {
		return &approximation{f, in.Op.Info().Src[0], always(b), func(v []number) (number, *big.Float) {
			d := g(v)
			if d.nan || d.infinite || d.zero() {
				return d, nil
			}
			return d, d.float()
		}}
	}
	switch {
	case in.Op == isa.Div && isSingle && in.Full: // "a maximum ulp error of 2"
		return exactly(quotientOf(isa.Div), bound{units: 2})
	case in.Full:
		return nil
	case in.Op == isa.Div && isSingle:
		return approximateQuotient(exactly(quotientOf(isa.Div), bound{units: 2}))
	case in.Op == isa.Rcp && isSingle: // "a maximum ulp error of 1"
		return exactly(quotientOf(isa.Rcp), bound{units: 1})
	case in.Op == isa.Rcp && in.Type == isa.F64 && in.FTZ: // "a gross approximation"
		a := exactly(quotientOf(isa.Rcp), bound{})
		a.format = upper
		return a
	case in.Op == isa.Sqrt && isSingle:
		return exactly(quotientOf(isa.Sqrt), bound{relative: 0x1p-23})
	case in.Op == isa.Rsqrt && isSingle:
		return exactly(reciprocalRoot, bound{relative: math.Exp2(-22.9)})
	case in.Op == isa.Rsqrt && in.Type == isa.F64: // no error is stated
		a := exactly(reciprocalRoot, bound{})
		if in.FTZ {
			a.format = upper
		}
		return a
	case in.Op == isa.Sin && isSingle, in.Op == isa.Cos && isSingle:
		return &approximation{f, 1, angleError, func(v []number) (number, *big.Float) {
			switch {
			case v[0].infinite:
				return nan(), nil
			case v[0].zero() && in.Op == isa.Sin:
				return v[0], nil
			case v[0].zero():
				return power(0), nil
			}
			return number{}, sine(v[0].float(), in.Op == isa.Cos)
		}}
	case in.Op == isa.Lg2 && isSingle:
		return &approximation{f, 1, logarithmError, func(v []number) (number, *big.Float) {
			switch {
			case v[0].zero():
				return infinity(true), nil
			case v[0].negative:
				return nan(), nil
			case v[0].infinite:
				return v[0], nil
			case v[0].compare(power(0)) == 0:
				return number{size: new(big.Int)}, nil
			}
			return number{}, logarithm(v[0].float())
		}}
	case in.Op == isa.Ex2 && (isSingle || narrow || brainy):
		b := bound{units: 2} // "a maximum ulp error of 2"
		if narrow {
			b = bound{relative: math.Exp2(-9.9)}
		} else if brainy {
			b = bound{relative: 0x1p-7}
		}
		return &approximation{f, 1, always(b), func(v []number) (number, *big.Float) { return powerOfTwo(f, v[0]) }}
	case in.Op == isa.Tanh && (isSingle || narrow || brainy):
		b := bound{relative: 0x1p-11}
		if narrow {
			b = bound{absolute: math.Exp2(-10.987)}
		} else if brainy {
			b = bound{absolute: 0x1p-8}
		}
		return &approximation{f, 1, always(b), func(v []number) (number, *big.Float) {
			switch {
			case v[0].infinite:
				one := power(0)
				one.negative = v[0].negative
				return one, nil
			case v[0].zero():
				return v[0], nil
			}
			return number{}, hyperbolicTangent(v[0].float())
		}}
	}
	return nil
}

func reciprocalRoot(v []number) number {
	r := v[0].root()
	if v[0].infinite && !v[0].negative {
		return number{size: new(big.Int)}
	}
	return power(0).over(r)
}

// approximateQuotient is div.approx.f32: "for |b| in [2^-126, 2^126] the maximum ulp error is 2.
// For 2^126 < |b| < 2^128, if a is infinity, div.approx.f32 returns NaN, otherwise it returns 0."
// Of smaller divisors nothing is said.
func approximateQuotient(exactly *approximation) *approximation {
	a := *exactly
	large := func(v []number) bool { return !v[1].infinite && v[1].magnitude().compare(power(126)) > 0 }
	a.error = func(v []number) bound {
		if v[1].magnitude().compare(power(-126)) < 0 {
			return bound{}
		}
		return bound{units: 2}
	}
	a.evaluate = func(v []number) (number, *big.Float) {
		switch {
		case large(v) && v[0].infinite:
			return nan(), nil
		case large(v):
			return number{negative: v[0].negative != v[1].negative, size: new(big.Int)}, nil
		}
		return exactly.evaluate(v)
	}
	return &a
}

// angleError is that of sin and cos: 2^-20.5 up to 2 pi, 2^-14.7 up to 100 pi, and beyond none is
// guaranteed.
func angleError(v []number) bound {
	turns := new(big.Float).Quo(v[0].magnitude().float(), new(big.Float).Mul(pi(), integer(2)))
	switch x, _ := turns.Float64(); {
	case x <= 1:
		return bound{absolute: math.Exp2(-20.5)}
	case x <= 50:
		return bound{absolute: math.Exp2(-14.7)}
	}
	return bound{}
}

// logarithmError is that of lg2: 2^-22 absolute from 1/2 to 2, relative outside.
func logarithmError(v []number) bound {
	if v[0].compare(power(-1)) > 0 && v[0].compare(power(1)) < 0 {
		return bound{absolute: 0x1p-22}
	}
	return bound{relative: 0x1p-22}
}
