package smt

import "math/bits"

// Op is an operation of a term.
type Op uint8

// The operations. Those of bit-vectors and floating point are SMT-LIB's of like names,
// but for what is said here.
const (
	NoOp  Op = iota
	Const    // of truth values and bit-vectors
	Var
	Fill // an array with the same element everywhere

	Not
	And
	Eq // of truth values and bit-vectors
	Ite

	BvNot
	BvNeg
	BvAnd
	BvOr
	BvXor
	BvAdd
	BvSub
	BvMul
	BvMulHi // the upper half of the product of unsigned numbers
	BvUDiv  // all ones for a zero divisor
	BvURem  // the dividend for a zero divisor
	BvSDiv  // 1 or -1 for a zero divisor, by the sign of the dividend
	BvSRem  // the dividend for a zero divisor
	BvShl
	BvLshr
	BvAshr
	Concat
	Extract
	ZeroExt
	SignExt
	Ult
	Ule
	Slt
	Sle

	Select
	Store

	FAdd
	FSub
	FMul
	FDiv
	FFma
	FSqrt
	FRound // to an integral value
	FEq
	FLt
	FLe
	FIsNaN
	FToF // from the format From to another
	FToU // to an unsigned integer: the nearest one in range, 0 for NaN
	FToS // to a signed integer, likewise
	UToF
	SToF

	numOps
)

// opInfo is what is known of an operation. Its name is SMT-LIB's where SMT-LIB has it.
type opInfo struct {
	name string
	// eval computes the result on constants, which may have bits beyond the width of the
	// result; nil where that takes more than numbers.
	eval func(t *Term, a [3]uint64) uint64
	// float says that the operation takes numbers in a format.
	float bool
}

func truth(holds bool) uint64 {
	if holds {
		return 1
	}
	return 0
}

// ops is the table of operations. A row that is missing makes the table's test fail.
var ops = [numOps]opInfo{
	Const: {name: "const"},
	Var:   {name: "var"},
	Fill:  {name: "fill"},

	Not: {name: "not", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] ^ 1 }},
	And: {name: "and", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] & a[1] }},
	Eq:  {name: "=", eval: func(_ *Term, a [3]uint64) uint64 { return truth(a[0] == a[1]) }},
	Ite: {name: "ite"},

	BvNot:   {name: "bvnot", eval: func(_ *Term, a [3]uint64) uint64 { return ^a[0] }},
	BvNeg:   {name: "bvneg", eval: func(_ *Term, a [3]uint64) uint64 { return -a[0] }},
	BvAnd:   {name: "bvand", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] & a[1] }},
	BvOr:    {name: "bvor", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] | a[1] }},
	BvXor:   {name: "bvxor", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] ^ a[1] }},
	BvAdd:   {name: "bvadd", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] + a[1] }},
	BvSub:   {name: "bvsub", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] - a[1] }},
	BvMul:   {name: "bvmul", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] * a[1] }},
	BvMulHi: {name: "umulhi", eval: mulHi},
	BvUDiv: {name: "bvudiv", eval: func(_ *Term, a [3]uint64) uint64 {
		if a[1] == 0 {
			return ^uint64(0)
		}
		return a[0] / a[1]
	}},
	BvURem: {name: "bvurem", eval: func(_ *Term, a [3]uint64) uint64 {
		if a[1] == 0 {
			return a[0]
		}
		return a[0] % a[1]
	}},
	BvSDiv: {name: "bvsdiv", eval: signedly(func(x, y int64) int64 {
		switch {
		case y == 0 && x < 0:
			return 1
		case y == 0:
			return -1
		case y == -1: // overflows in Go too
			return -x
		}
		return x / y
	})},
	BvSRem: {name: "bvsrem", eval: signedly(func(x, y int64) int64 {
		switch y {
		case 0:
			return x
		case -1:
			return 0
		}
		return x % y
	})},
	BvShl:   {name: "bvshl", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] << min(a[1], MaxWidth) }},
	BvLshr:  {name: "bvlshr", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] >> min(a[1], MaxWidth) }},
	BvAshr:  {name: "bvashr", eval: func(t *Term, a [3]uint64) uint64 { return uint64(signed(a[0], t.sort.Width) >> min(a[1], MaxWidth-1)) }},
	Concat:  {name: "concat", eval: func(t *Term, a [3]uint64) uint64 { return a[0]<<t.args[1].sort.Width | a[1] }},
	Extract: {name: "extract", eval: func(t *Term, a [3]uint64) uint64 { return a[0] >> t.value }},
	ZeroExt: {name: "zero_extend", eval: func(_ *Term, a [3]uint64) uint64 { return a[0] }},
	SignExt: {name: "sign_extend", eval: func(t *Term, a [3]uint64) uint64 { return uint64(signed(a[0], t.args[0].sort.Width)) }},
	Ult:     {name: "bvult", eval: func(_ *Term, a [3]uint64) uint64 { return truth(a[0] < a[1]) }},
	Ule:     {name: "bvule", eval: func(_ *Term, a [3]uint64) uint64 { return truth(a[0] <= a[1]) }},
	Slt:     {name: "bvslt", eval: signedly(func(x, y int64) int64 { return int64(truth(x < y)) })},
	Sle:     {name: "bvsle", eval: signedly(func(x, y int64) int64 { return int64(truth(x <= y)) })},

	Select: {name: "select"},
	Store:  {name: "store"},

	FAdd:   {name: "fp.add", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.add(a[0], a[1], t.mode) }},
	FSub:   {name: "fp.sub", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.sub(a[0], a[1], t.mode) }},
	FMul:   {name: "fp.mul", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.mul(a[0], a[1], t.mode) }},
	FDiv:   {name: "fp.div", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.div(a[0], a[1], t.mode) }},
	FFma:   {name: "fp.fma", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.fma(a[0], a[1], a[2], t.mode) }},
	FSqrt:  {name: "fp.sqrt", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.sqrt(a[0], t.mode) }},
	FRound: {name: "fp.roundToIntegral", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.integral(a[0], t.mode) }},
	FEq:    {name: "fp.eq", float: true, eval: func(t *Term, a [3]uint64) uint64 { return truth(t.format.compare(a[0], a[1]) == equal) }},
	FLt:    {name: "fp.lt", float: true, eval: func(t *Term, a [3]uint64) uint64 { return truth(t.format.compare(a[0], a[1]) == less) }},
	FLe: {name: "fp.leq", float: true, eval: func(t *Term, a [3]uint64) uint64 {
		c := t.format.compare(a[0], a[1])
		return truth(c == less || c == equal)
	}},
	FIsNaN: {name: "fp.isNaN", float: true, eval: func(t *Term, a [3]uint64) uint64 { return truth(t.format.isNaN(a[0])) }},
	FToF:   {name: "to_fp", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.convert(t.from, a[0], t.mode) }},
	FToU:   {name: "fp.to_ubv", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.toInteger(a[0], t.sort.Width, false, t.mode) }},
	FToS:   {name: "fp.to_sbv", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.toInteger(a[0], t.sort.Width, true, t.mode) }},
	UToF:   {name: "to_fp_unsigned", float: true, eval: func(t *Term, a [3]uint64) uint64 { return t.format.fromInteger(false, a[0], t.mode) }},
	SToF: {name: "to_fp", float: true, eval: func(t *Term, a [3]uint64) uint64 {
		x := signed(a[0], t.args[0].sort.Width)
		if x < 0 {
			return t.format.fromInteger(true, -uint64(x), t.mode)
		}
		return t.format.fromInteger(false, uint64(x), t.mode)
	}},
}

// signedly makes an operation of two numbers in two's complement.
func signedly(f func(x, y int64) int64) func(*Term, [3]uint64) uint64 {
	return func(t *Term, a [3]uint64) uint64 {
		n := t.args[0].sort.Width
		return uint64(f(signed(a[0], n), signed(a[1], n)))
	}
}

func mulHi(t *Term, a [3]uint64) uint64 {
	hi, lo := bits.Mul64(a[0], a[1])
	if n := t.sort.Width; n < MaxWidth {
		return hi<<(MaxWidth-n) | lo>>n
	}
	return hi
}

// String returns the operation's name.
func (o Op) String() string { return ops[o].name }
