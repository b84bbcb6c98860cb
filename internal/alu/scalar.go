package alu

import (
	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// laneFunc returns the function of any floating-point operation on one lane:
// that of its operation and rounding mode, between what its modifiers do to
// sources and results, and for a packed type on each half. It is false if the
// operation is not defined on the type or with the modifiers.
func laneFunc(in *isa.Instr) (scalar, bool) {
	f, ok := formatOf(in.Type)
	if !ok || !in.HasOnly(allowed(in)) {
		return nil, false
	}
	op := basic(in, f)
	if op == nil {
		op = transcendental(in, f)
	}
	if op == nil {
		return nil, false
	}
	n := f.bits()
	low := LowBits(n)
	whole := func(x, y, z uint64) uint64 { return op(x&low, y&low, z&low) }
	if in.SrcType != isa.Invalid {
		whole = mixed(in, whole)
	}
	if in.FTZ {
		plain := whole
		whole = func(x, y, z uint64) uint64 {
			return f.flush(plain(f.flush(x&low), f.flush(y&low), f.flush(z&low)))
		}
	}
	if in.Relu {
		plain := whole
		whole = func(x, y, z uint64) uint64 { return f.relu(plain(x, y, z)) }
	}
	if in.Sat {
		plain := whole
		whole = func(x, y, z uint64) uint64 { return f.saturate(plain(x, y, z)) }
	}
	if in.Type.Bits() == 2*n {
		one := whole
		whole = func(x, y, z uint64) uint64 {
			return one(x, y, z) | one(x>>n, y>>n, z>>n)<<n
		}
	}
	return whole, true
}

// mixed makes an operation take its first source, or the first two of Fma, from
// a narrower format.
func mixed(in *isa.Instr, op scalar) scalar {
	f, _ := formatOf(in.SrcType)
	widened := func(x uint64) uint64 { return single32.convert(f, x&LowBits(f.bits()), isa.RoundRN) }
	if in.Op == isa.Fma {
		return func(x, y, z uint64) uint64 { return op(widened(x), widened(y), z) }
	}
	return func(x, y, z uint64) uint64 { return op(widened(x), y, z) }
}

// allowed returns the modifiers that a floating-point operation may have.
func allowed(in *isa.Instr) isa.Modifiers {
	single, double := in.Type == isa.F32, in.Type == isa.F64
	narrow := in.Type == isa.F16 || in.Type == isa.F16x2
	if in.SrcType != isa.Invalid {
		return isa.ModNearest | isa.ModDirected | isa.ModSat
	}
	if in.Type == isa.F32x2 {
		return isa.ModNearest | isa.ModDirected | isa.ModFTZ
	}
	var flush isa.Modifiers
	if single || narrow {
		flush = isa.ModFTZ
	}
	switch in.Op {
	case isa.Add, isa.Sub, isa.Mul, isa.Fma:
		m := isa.ModNearest | flush
		if single || double {
			m |= isa.ModDirected
		}
		if single || narrow {
			m |= isa.ModSat
		}
		if in.Op == isa.Fma && in.Round == isa.RoundRN && !single && !double && !in.Sat {
			m |= isa.ModRelu
		}
		return m
	case isa.Min, isa.Max:
		if double {
			return 0
		}
		m := isa.ModNaN | flush
		switch {
		case len(in.Src) > 2:
			m |= isa.ModAbs
		case in.Abs && in.XorSign:
			m |= isa.ModAbs | isa.ModXorSign
		}
		return m
	case isa.Div, isa.Rcp, isa.Sqrt:
		switch {
		case in.Full && in.Op == isa.Div && single:
			return isa.ModFull | isa.ModFTZ
		case !in.Approx:
			return isa.ModNearest | isa.ModDirected | flush
		case single || in.Op == isa.Rcp && in.FTZ:
			return isa.ModApprox | isa.ModFTZ
		}
		return 0
	case isa.Rsqrt, isa.Sin, isa.Cos, isa.Lg2:
		return isa.ModApprox | isa.ModFTZ
	case isa.Ex2:
		if narrow {
			return isa.ModApprox
		}
		return isa.ModApprox | isa.ModFTZ
	case isa.Tanh:
		return isa.ModApprox
	case isa.Copysign:
		return 0
	}
	return flush
}

// basic returns the operations that are exact but for one rounding.
func basic(in *isa.Instr, f format) scalar {
	mode := in.Round
	wide := f == single32 || f == double64
	switch {
	case in.SrcType != isa.Invalid && !isMixed(in):
		return nil
	case in.Type == isa.F32x2 && in.Op != isa.Add && in.Op != isa.Sub && in.Op != isa.Mul && in.Op != isa.Fma:
		return nil
	}
	switch in.Op {
	case isa.Div, isa.Rcp, isa.Sqrt, isa.Copysign:
		if !wide {
			return nil
		}
	}
	switch in.Op {
	case isa.Add:
		return func(x, y, _ uint64) uint64 { return f.add(x, y, mode) }
	case isa.Sub:
		return func(x, y, _ uint64) uint64 { return f.add(x, f.neg(y), mode) }
	case isa.Mul:
		return func(x, y, _ uint64) uint64 { return f.mul(x, y, mode) }
	case isa.Fma:
		return func(x, y, z uint64) uint64 { return f.fma(x, y, z, mode) }
	case isa.Div:
		if in.Approx && f == single32 {
			return approxDiv
		}
		return func(x, y, _ uint64) uint64 { return f.div(x, y, mode) }
	case isa.Rcp:
		if in.Approx && f == double64 {
			return throughUpper(reciprocal)
		}
		return func(x, _, _ uint64) uint64 { return f.div(f.one(), x, mode) }
	case isa.Sqrt:
		return func(x, _, _ uint64) uint64 { return f.sqrt(x, mode) }
	case isa.Neg:
		return func(x, _, _ uint64) uint64 { return f.neg(x) }
	case isa.Abs:
		return func(x, _, _ uint64) uint64 { return f.abs(x) }
	case isa.Copysign:
		return func(x, y, _ uint64) uint64 { return x&f.sign() | f.abs(y) }
	case isa.Min, isa.Max:
		return extremeFor(in, f)
	}
	return nil
}

// isMixed reports whether an operation on f32 has a form with sources of its
// source type.
func isMixed(in *isa.Instr) bool {
	return in.Type == isa.F32 && (in.SrcType == isa.F16 || in.SrcType == isa.BF16) &&
		(in.Op == isa.Add || in.Op == isa.Sub || in.Op == isa.Fma)
}

// extremeFor returns the function of Min or Max.
func extremeFor(in *isa.Instr, f format) scalar {
	of := func(x, y uint64) uint64 { return f.extreme(x, y, in.NaN, in.Op == isa.Min) }
	abs := func(x uint64) uint64 { return x }
	if in.Abs {
		abs = f.abs
	}
	switch {
	case len(in.Src) > 2 && in.Type != isa.F32:
		return nil
	case len(in.Src) > 2:
		return func(x, y, z uint64) uint64 { return of(of(abs(x), abs(y)), abs(z)) }
	case in.XorSign:
		return func(x, y, _ uint64) uint64 {
			d := of(abs(x), abs(y))
			if f.isNaN(d) {
				return d
			}
			return d | (x^y)&f.sign()
		}
	}
	return func(x, y, _ uint64) uint64 { return of(x, y) }
}

// relu makes zeros of negative numbers.
func (f format) relu(x uint64) uint64 {
	if x&f.sign() != 0 {
		return 0
	}
	return x
}

// extreme returns the lesser of x and y, or the greater, where -0 is less than
// +0. If one of them is NaN it is the other, or NaN if keepNaN is set.
func (f format) extreme(x, y uint64, keepNaN, lesser bool) uint64 {
	switch nx, ny := f.isNaN(x), f.isNaN(y); {
	case nx && ny, (nx || ny) && keepNaN:
		return f.nan()
	case nx:
		return y
	case ny:
		return x
	}
	if (f.rank(x) < f.rank(y)) == lesser {
		return x
	}
	return y
}

// rank orders numbers as integers.
func (f format) rank(x uint64) int64 {
	if x&f.sign() != 0 {
		return -1 - int64(f.abs(x))
	}
	return int64(x)
}

// approxDiv is the approximate division, which multiplies by the reciprocal: a
// divisor beyond 2^126 has a subnormal one, which counts as zero.
func approxDiv(x, y, _ uint64) uint64 {
	const limit = (126 + 127) << 23 // 2^126
	if m := single32.abs(y); m > limit && m < single32.inf() {
		y = single32.inf() | y&single32.sign()
		if single32.isInf(x) {
			return single32.nan()
		}
	}
	return single32.div(x, y, isa.RoundRN)
}

// testp classifies a floating-point number by its magnitude, which lies in one of two ranges.
type testp struct {
	p         MaskSlot
	a         Slot
	magnitude uint64 // its bits
	in        [2]magnitudes
}

// magnitudes are so many from one on, as integers.
type magnitudes struct{ from, n uint64 }

func (op *testp) Exec(r *Registers, mask uint64) {
	var yes uint64
	for k := range r.Chunks {
		if op.a.Wide() {
			yes |= uint64(classified(r.Vecs[k][^op.a], op)) << (k * lanes)
		} else {
			yes |= uint64(classified(r.Words[k][op.a], op)) << (k * lanes)
		}
	}
	r.SetMask(op.p, yes, mask)
}

func classified[L vec.Lane](v *vec.Of[L], op *testp) (m uint32) {
	magnitude, first, second := L(op.magnitude), op.in[0], op.in[1]
	for i, x := range v {
		x &= magnitude
		m |= (bit(x-L(first.from) < L(first.n)) | bit(x-L(second.from) < L(second.n))) << i
	}
	return m
}

// testp decodes a classification. Zeros count as normal.
func (d *decoder) testp() Operation {
	f, _ := formatOf(d.in.Type)
	inf, normal := f.inf(), uint64(1)<<f.frac
	op := &testp{p: d.maskDest(0), a: d.source(0, d.in.Type.Bits() > 32), magnitude: f.sign() - 1}
	in := map[isa.Cmp][2]magnitudes{
		isa.Finite:     {{0, inf}},
		isa.Infinite:   {{inf, 1}},
		isa.Number:     {{0, inf + 1}},
		isa.NotANumber: {{inf + 1, normal - 1}},
		isa.Normal:     {{0, 1}, {normal, inf - normal}},
		isa.Subnormal:  {{1, normal - 1}},
	}
	op.in = in[d.in.Cmp]
	if op.in[0].n == 0 || d.in.Type != isa.F32 && d.in.Type != isa.F64 {
		d.unsupported()
	}
	return op
}
