package scalar

import (
	"math"
	"math/big"
	"math/bits"

	"warpbound/internal/isa"
)

// compute gives the result of an instruction that computes, with any bits beyond
// the width of its register.
func (t *thread) compute(in *isa.Instr) (result uint64, known bool) {
	from := in.Type
	if in.SrcType != isa.Invalid {
		from = in.SrcType
	}
	types := [4]isa.Type{from, from, from, from}
	switch in.Op {
	case isa.Shl, isa.Shr:
		types[1] = isa.U32
	case isa.MadWide:
		types[2] = isa.U64
	case isa.Selp:
		types[2] = isa.Pred
	case isa.Setp:
		types[2] = isa.Pred
	case isa.Bfe:
		types[1], types[2] = isa.U32, isa.U32
	case isa.Bfi:
		types[2], types[3] = isa.U32, isa.U32
	case isa.Szext:
		types[1] = isa.U32
	case isa.Dp4a, isa.Dp2a, isa.Dp2aHi:
		types[0], types[1] = isa.U32, isa.U32
	case isa.ShfL, isa.ShfR, isa.Bmsk, isa.Prmt, isa.Lop3:
		types = [4]isa.Type{isa.U32, isa.U32, isa.U32, isa.U32}
	}
	var v [4]uint64
	for i, s := range in.Src {
		v[i] = t.value(s, types[i])
	}
	switch {
	case in.Op == isa.Mov:
		return v[0], true
	case in.Op == isa.Cvta:
		return v[0] + v[1], true
	case in.Op == isa.CvtaTo:
		return v[0] - v[1], true
	case in.Op == isa.Selp:
		return v[1-v[2]], true
	case in.Op == isa.Setp:
		return combined(in.Combine, compared(in.Cmp, from, v[0], v[1]), v[2] == 1), true
	case in.Op == isa.Isspacep:
		return truth(t.m.space(v[0]) == in.Space), true
	case in.Op == isa.Cvt:
		return converted(in, from, v[0])
	case from == isa.F32:
		return floatResult(in.Op, asFloat(v[0]), asFloat(v[1]), asFloat(v[2]))
	case from == isa.F64:
		return doubleQuotient(v[0], v[1]), in.Op == isa.Div
	}
	if x, known := partsResult(in, v); known {
		return x, true
	}
	return integerResult(in.Op, from, v[0], v[1], v[2])
}

// combined joins a comparison with a predicate.
func combined(how isa.Combine, holds, c bool) uint64 {
	switch how {
	case isa.CombineAnd:
		holds = holds && c
	case isa.CombineOr:
		holds = holds || c
	case isa.CombineXor:
		holds = holds != c
	}
	if holds {
		return 1
	}
	return 0
}

func compared(cmp isa.Cmp, typ isa.Type, a, b uint64) bool {
	less, equal, ordered := a < b, a == b, true
	switch {
	case typ == isa.F32:
		x, y := asFloat(a), asFloat(b)
		less, equal, ordered = x < y, x == y, x == x && y == y
	case typ.IsSigned():
		less = int64(a) < int64(b)
	}
	greater := ordered && !less && !equal
	switch cmp {
	case isa.Eq:
		return equal
	case isa.Ne:
		return less || greater
	case isa.Lt:
		return less
	case isa.Le:
		return less || equal
	case isa.Gt:
		return greater
	case isa.Ge:
		return greater || equal
	case isa.NeU:
		return !equal
	case isa.LtU:
		return less || !ordered
	case isa.GeU:
		return !less
	case isa.Num:
		return ordered
	}
	return !ordered
}

// integerResult computes on sources that were extended to 64 bits.
func integerResult(op isa.Op, typ isa.Type, a, b, c uint64) (uint64, bool) {
	width := typ.Bits()
	less := a < b
	if typ.IsSigned() {
		less = int64(a) < int64(b)
	}
	switch op {
	case isa.Add:
		return a + b, true
	case isa.Sub:
		return a - b, true
	case isa.Mul, isa.MulWide:
		return a * b, true
	case isa.Mad, isa.MadWide:
		return a*b + c, true
	case isa.MulHi: // of 32 bits
		return a * b >> 32, true
	case isa.Div:
		if typ.IsSigned() {
			return uint64(int64(a) / int64(b)), true
		}
		return a / b, true
	case isa.Rem:
		if typ.IsSigned() {
			return uint64(int64(a) % int64(b)), true
		}
		return a % b, true
	case isa.Min:
		if less {
			return a, true
		}
		return b, true
	case isa.Max:
		if less {
			return b, true
		}
		return a, true
	case isa.And:
		return a & b, true
	case isa.Or:
		return a | b, true
	case isa.Xor:
		return a ^ b, true
	case isa.Not:
		return ^a, true
	case isa.Neg:
		return -a, true
	case isa.Abs:
		return uint64(max(int64(a), -int64(a))), true
	case isa.Shl:
		if b >= uint64(width) {
			return 0, true
		}
		return a << b, true
	case isa.Shr:
		if typ.IsSigned() {
			return uint64(int64(a) >> b), true
		}
		return a >> b, true
	case isa.Popc:
		return uint64(bits.OnesCount64(a)), true
	case isa.Clz:
		return uint64(bits.LeadingZeros64(a) - (64 - width)), true
	case isa.Brev:
		return bits.Reverse64(a) >> (64 - width), true
	}
	return 0, false
}

func asFloat(x uint64) float32 { return math.Float32frombits(uint32(x)) }

// asBits makes every NaN the same.
func asBits(x float32) uint64 {
	if x != x {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(x))
}

func floatResult(op isa.Op, a, b, c float32) (uint64, bool) {
	switch op {
	case isa.Add:
		return asBits(a + b), true
	case isa.Sub:
		return asBits(a - b), true
	case isa.Mul:
		return asBits(a * b), true
	case isa.Div:
		return asBits(a / b), true
	case isa.Fma:
		return asBits(fused(a, b, c)), true
	case isa.Sqrt:
		return asBits(float32(math.Sqrt(float64(a)))), true
	case isa.Abs:
		return uint64(math.Float32bits(a) &^ (1 << 31)), true // of NaN too
	case isa.Neg:
		return uint64(math.Float32bits(a) ^ 1<<31), true
	case isa.Min, isa.Max:
		switch {
		case a != a:
			return asBits(b), true
		case b != b:
			return asBits(a), true
		case op == isa.Min:
			return asBits(min(a, b)), true
		}
		return asBits(max(a, b)), true
	}
	return 0, false
}

// fused is a*b + c rounded once: exactly wherever rounding matters.
func fused(a, b, c float32) float32 {
	plain := float64(float64(a)*float64(b)) + float64(c)
	if math.IsNaN(plain) || math.IsInf(plain, 0) || plain == 0 {
		return float32(plain)
	}
	exact := func(x float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(x)) }
	sum := exact(a)
	sum.Mul(sum, exact(b)).Add(sum, exact(c))
	rounded, _ := sum.Float32()
	return rounded
}

// converted converts between words and floats.
func converted(in *isa.Instr, from isa.Type, a uint64) (uint64, bool) {
	switch {
	case toInteger(in):
		return integerOf(in, from, a), true
	case in.Type == isa.F64 && from.Bytes() <= 4: // without rounding
		if from.IsSigned() {
			return math.Float64bits(float64(int64(a))), true
		}
		return math.Float64bits(float64(a)), true
	case in.Type != isa.F32:
		return a, true
	case from.IsSigned():
		return asBits(float32(int64(a))), true
	}
	return asBits(float32(a)), true
}

// doubleQuotient divides in double precision. Every NaN is the same.
func doubleQuotient(a, b uint64) uint64 {
	if x := math.Float64frombits(a) / math.Float64frombits(b); x == x {
		return math.Float64bits(x)
	}
	return 1<<63 - 1
}

// integerOf rounds a number in floating point to an integer, the nearest one of the type. What is
// none becomes zero, or the highest bit alone where either type has 64 bits (PTX ISA, cvt).
func integerOf(in *isa.Instr, from isa.Type, bits uint64) uint64 {
	x, width := numberOf(from, bits), in.Type.Bits()
	highest := uint64(1) << (width - 1)
	if in.Type.IsSigned() {
		highest = -highest // extended
	}
	switch {
	case x != x && (from == isa.F64 || width == 64):
		return highest
	case x != x:
		return 0
	case in.FTZ && math.Abs(x) < 0x1p-126:
		return 0
	}
	switch in.Round {
	case isa.RoundIntRN:
		x = math.RoundToEven(x)
	case isa.RoundIntRM:
		x = math.Floor(x)
	case isa.RoundIntRP:
		x = math.Ceil(x)
	default:
		x = math.Trunc(x)
	}
	low, high := 0.0, math.Ldexp(1, width) // the least, and the first that is too large
	if in.Type.IsSigned() {
		low, high = -high/2, high/2
	}
	switch {
	case x < low && low == 0:
		return 0
	case x < low:
		return highest
	case x >= high && in.Type.IsSigned():
		return 1<<(width-1) - 1
	case x >= high:
		return 1<<width - 1
	case x < 0:
		return uint64(int64(x))
	}
	return uint64(x)
}

// numberOf is the value of a number in floating point, which every type's numbers have in double
// precision.
func numberOf(typ isa.Type, bits uint64) float64 {
	switch typ {
	case isa.F64:
		return math.Float64frombits(bits)
	case isa.BF16:
		return float64(asFloat(bits << 16))
	case isa.F16:
		exponent, fraction := int(bits>>10&31), float64(bits&1023)/1024
		x := math.Ldexp(1+fraction, exponent-15)
		switch {
		case exponent == 31 && fraction != 0:
			return math.NaN()
		case exponent == 31:
			x = math.Inf(1)
		case exponent == 0:
			x = math.Ldexp(fraction, -14)
		}
		if bits>>15&1 == 1 {
			return -x
		}
		return x
	}
	return float64(asFloat(bits))
}
