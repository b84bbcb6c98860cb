package transfer

import (
	"math"

	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// Words of floating-point types are known as words: where all of a set have one sign and
// none is a NaN, they are an interval of numbers, and rounding keeps their order. That is
// enough for counters, which go through known numbers; other sets hold anything.

// isReal reports whether operations on a type are followed.
func isReal(t isa.Type) bool { return t == isa.F32 || t == isa.F64 }

// realRange returns the least and the greatest number among words of a floating-point type; false
// if they are not of one sign, or some are no numbers.
func realRange(s strided.Interval, t isa.Type) (lo, hi float64, ok bool) {
	number := func(x uint64) float64 { return math.Float64frombits(x) }
	switch t {
	case isa.F32:
		number = func(x uint64) float64 { return float64(math.Float32frombits(uint32(x))) }
	case isa.F64:
	default:
		return 0, 0, false
	}
	a, b := s.Unsigned()
	lo, hi = number(a), number(b)
	if math.Signbit(lo) {
		lo, hi = hi, lo
	}
	return lo, hi, math.Signbit(lo) == math.Signbit(hi) && !math.IsNaN(lo) && !math.IsNaN(hi)
}

// roundings are those of conversions to integers.
var roundings = map[isa.Round]func(float64) float64{
	isa.RoundIntRN: math.RoundToEven, isa.RoundIntRZ: math.Trunc, isa.RoundIntRM: math.Floor, isa.RoundIntRP: math.Ceil,
}

// roundToInteger converts floating-point numbers to integers, which are clamped to the range of
// their type.
func roundToInteger(in *isa.Instr, s strided.Interval) strided.Interval {
	lo, hi, ok := realRange(s, in.SrcType)
	round := roundings[in.Round]
	if !ok || round == nil {
		return strided.Any(in.Type.Bits())
	}
	if in.FTZ {
		lo, hi = flushSubnormal(lo), flushSubnormal(hi)
	}
	return strided.Between(in.Type.Bits(), integerWord(round(lo), in.Type), integerWord(round(hi), in.Type))
}

// flushSubnormal makes a zero of a number that is subnormal in 32 bits.
func flushSubnormal(x float64) float64 {
	if math.Abs(x) < 0x1p-126 {
		return math.Copysign(0, x)
	}
	return x
}

// integerWord returns an integral number in the bits of a type, to whose range it is clamped.
func integerWord(x float64, t isa.Type) uint64 {
	m := strided.Mask(t.Bits())
	if t.IsSigned() {
		switch half := math.Ldexp(1, t.Bits()-1); {
		case x >= half:
			return m / 2
		case x < -half:
			return m/2 + 1
		}
		return uint64(int64(x)) & m
	}
	switch {
	case x <= 0:
		return 0
	case x >= math.Ldexp(1, t.Bits()):
		return m
	}
	return uint64(x)
}

// realWord returns the word of a number, rounded to a type.
func realWord(x float64, t isa.Type) uint64 {
	if t == isa.F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// realsBetween returns the words of the numbers of a type from one number to another, which it
// has; anything if they are not of one sign.
func realsBetween(lo, hi float64, t isa.Type) strided.Interval {
	switch {
	case math.IsNaN(lo) || math.IsNaN(hi) || math.Signbit(lo) != math.Signbit(hi):
		return strided.Any(t.Bits())
	case math.Signbit(lo):
		lo, hi = hi, lo
	}
	return strided.Between(t.Bits(), realWord(lo, t), realWord(hi, t))
}

// computeReal computes an operation whose result is a floating-point number; nil if nothing is
// known of it.
func (m *Machine) computeReal(st *State, pc int) *Value {
	in := &m.kernel.Instrs[pc]
	switch {
	case in.Op == isa.Mov && in.HasOnly(0):
		return m.readSource(st, in, 0, in.Type.Bits())
	case in.Op == isa.Selp:
		return m.computeSelection(st, pc)
	}
	var set strided.Interval
	args := m.readArguments(st, in)
	s := setsOf(args)
	switch in.Op {
	case isa.Neg:
		set = s[0].Add(strided.Const(s[0].Bits(), 1<<(s[0].Bits()-1)))
	case isa.Abs:
		set = s[0].And(strided.Const(s[0].Bits(), strided.Mask(s[0].Bits())/2))
	case isa.Add, isa.Sub, isa.Mul, isa.Div:
		set = realResult(in, s)
	case isa.Cvt:
		set = realConversion(in, s[0])
	default:
		return nil
	}
	allowed := isa.ModNearest
	if in.Op != isa.Neg && in.Op != isa.Abs {
		allowed |= isa.ModFTZ
	}
	if !in.HasOnly(allowed) || len(in.Src) > 2 {
		return nil
	}
	return m.nameResult(pc, 0, nil, &Value{Set: set}, args)
}

// realResult computes with numbers of one sign each.
func realResult(in *isa.Instr, s []strided.Interval) strided.Interval {
	t := in.Type
	a, b, okA := realRange(s[0], t)
	c, d, okB := realRange(s[1], t)
	if !okA || !okB || math.IsInf(a, 0) || math.IsInf(b, 0) || math.IsInf(c, 0) || math.IsInf(d, 0) {
		return strided.Any(t.Bits())
	}
	single := t == isa.F32
	flush := func(x float64) float64 {
		if in.FTZ && single {
			return flushSubnormal(x)
		}
		return x
	}
	if in.Op == isa.Div && (flush(c) == 0 || flush(d) == 0) { // zero by zero is no number
		return strided.Any(t.Bits())
	}
	compute := func(x, y float64) float64 {
		x, y = flush(x), flush(y)
		var r float64
		switch {
		case in.Op == isa.Add && single:
			r = float64(float32(x) + float32(y))
		case in.Op == isa.Add:
			r = x + y
		case in.Op == isa.Mul && single:
			r = float64(float32(x) * float32(y))
		case in.Op == isa.Mul:
			r = x * y
		case single:
			r = float64(float32(x) / float32(y))
		default:
			r = x / y
		}
		return flush(r)
	}
	switch in.Op {
	case isa.Sub:
		sum := *in
		sum.Op = isa.Add
		return realResult(&sum, []strided.Interval{s[0], s[1].Add(strided.Const(t.Bits(), 1<<(s[1].Bits()-1)))})
	case isa.Add:
		return realsBetween(compute(a, c), compute(b, d), t)
	}
	// Products and quotients have one sign, and their magnitudes are ordered as those of
	// the operands.
	first, last := compute(a, c), compute(b, d)
	if math.Signbit(a) != math.Signbit(c) != (in.Op == isa.Div) {
		first, last = compute(a, d), compute(b, c)
	}
	return realsBetween(min(first, last), max(first, last), t)
}

// realConversion converts integers and numbers of one sign to a floating-point type.
func realConversion(in *isa.Instr, s strided.Interval) strided.Interval {
	t := in.Type
	switch {
	case in.SrcType.IsFloat():
		lo, hi, ok := realRange(s, in.SrcType)
		if !ok || in.FTZ {
			return strided.Any(t.Bits())
		}
		if t == isa.F32 {
			lo, hi = float64(float32(lo)), float64(float32(hi))
		}
		return realsBetween(lo, hi, t)
	case in.SrcType.IsSigned():
		lo, hi := s.Signed()
		if t == isa.F32 {
			return realsBetween(float64(float32(lo)), float64(float32(hi)), t)
		}
		return realsBetween(float64(lo), float64(hi), t)
	}
	lo, hi := s.Unsigned()
	if t == isa.F32 {
		return realsBetween(float64(float32(lo)), float64(float32(hi)), t)
	}
	return realsBetween(float64(lo), float64(hi), t)
}

// unordered are the comparisons that hold for NaN, without that.
var unordered = map[isa.Cmp]isa.Cmp{
	isa.EqU: isa.Eq, isa.NeU: isa.Ne, isa.LtU: isa.Lt, isa.LeU: isa.Le, isa.GtU: isa.Gt, isa.GeU: isa.Ge,
}

// isPossible reports whether a comparison of numbers can hold, or fail.
func (c *Condition) isPossible(holds bool) bool {
	aLo, aHi, okA := realRange(c.A.Set, c.Real)
	bLo, bHi, okB := realRange(c.B.Set, c.Real)
	if !okA || !okB {
		return true
	}
	if c.flush {
		aLo, aHi, bLo, bHi = flushSubnormal(aLo), flushSubnormal(aHi), flushSubnormal(bLo), flushSubnormal(bHi)
	}
	cmp := c.Cmp
	if plain, ok := unordered[cmp]; ok {
		cmp = plain // there is no NaN
	}
	if !holds {
		cmp = opposites[cmp]
	}
	switch cmp {
	case isa.Eq:
		return aLo <= bHi && bLo <= aHi
	case isa.Ne:
		return aLo != aHi || bLo != bHi || aLo != bLo
	case isa.Lt:
		return aLo < bHi
	case isa.Le:
		return aLo <= bHi
	case isa.Gt:
		return aHi > bLo
	case isa.Ge:
		return aHi >= bLo
	}
	return true
}
