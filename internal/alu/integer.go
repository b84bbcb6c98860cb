package alu

import (
	"math/bits"

	"warpbound/internal/isa"
	"warpbound/internal/vec"
)

// unsigned and signed are the types in which integer operations compute.
type (
	unsigned interface {
		uint8 | uint16 | uint32 | uint64
	}
	signed interface {
		int8 | int16 | int32 | int64
	}
)

// funcFor returns the function of an instruction, nil if it has none on its type.
// The first result has a register of width bits.
func funcFor(in *isa.Instr, width int) Func {
	switch in.Op {
	case isa.Mov:
		return copyOf(in)
	case isa.Cvta, isa.CvtaTo:
		if in.Type != isa.U32 && in.Type != isa.U64 {
			return nil
		}
		return copyOf(in)
	case isa.Cvt:
		return convert(in, width)
	case isa.CvtPack:
		return clampAndJoin(in)
	}
	if in.Type.IsFloat() {
		return floatFor(in)
	}
	if in.Op >= isa.VAdd && in.Op <= isa.VMad {
		return videoFor(in)
	}
	if f := bitFor(in); f != nil {
		return f
	}
	return integerFor(in)
}

// copyOf returns the function that copies a value of the instruction's type.
func copyOf(in *isa.Instr) Func {
	if !in.HasOnly(0) {
		return nil
	}
	return move(in.Type.Bits())
}

// integerFor returns the function of an integer operation.
//
// Division by zero gives all ones, and so does its remainder: PTX leaves both
// open, and devices do so.
func integerFor(in *isa.Instr) Func {
	t := in.Type
	switch {
	case in.Op == isa.Dp4a || in.Op == isa.Dp2a || in.Op == isa.Dp2aHi:
		return dotFor(in)
	case t == isa.U16x2 || t == isa.S16x2:
		return pairFor(in)
	case t.Class() != isa.Unsigned && t.Class() != isa.Signed:
		return nil
	case len(in.Src) > 2 && (in.Op == isa.Min || in.Op == isa.Max):
		return nil
	case in.Sat || in.Relu:
		return clampedFor(in)
	case !in.HasOnly(0):
		return nil
	}
	switch in.Op {
	case isa.Add:
		return sized3(t, add[uint16], fast(vec.Add32, add[uint32]), fast(vec.Add64, add[uint64]))
	case isa.Sub:
		return sized3(t, sub[uint16], fast(vec.Sub32, sub[uint32]), fast(vec.Sub64, sub[uint64]))
	case isa.Mul:
		return sized3(t, mul[uint16], fast(vec.Mul32, mul[uint32]), mul[uint64])
	case isa.Mad:
		return sized3(t, mad[uint16], fast(vec.Mad32, mad[uint32]), mad[uint64])
	case isa.MulWide:
		return typed(t, mulWide[uint16, uint32], fast(vec.MulWideU32, mulWide[uint32, uint64]), nil,
			mulWideSigned[int16, uint32], fast(vec.MulWideS32, mulWideSigned[int32, uint64]), nil)
	case isa.MadWide:
		return typed(t, madWide[uint16, uint32], fast(vec.MadWideU32, madWide[uint32, uint64]), nil,
			madWideSigned[int16, uint32], fast(vec.MadWideS32, madWideSigned[int32, uint64]), nil)
	case isa.MulHi:
		return typed(t, mulHi[uint16], mulHi[uint32], mulHi64,
			mulHiSigned[int16, uint16], mulHiSigned[int32, uint32], mulHiSigned64)
	case isa.MadHi:
		return typed(t, madHi[uint16], madHi[uint32], madHi64,
			madHiSigned[int16, uint16], madHiSigned[int32, uint32], madHiSigned64)
	case isa.Mul24:
		return typed(t, nil, mul24, nil, nil, mul24Signed, nil)
	case isa.Mad24:
		return typed(t, nil, mad24, nil, nil, mad24Signed, nil)
	case isa.Mul24Hi:
		return typed(t, nil, mul24Hi, nil, nil, mul24HiSigned, nil)
	case isa.Mad24Hi:
		return typed(t, nil, mad24Hi, nil, nil, mad24HiSigned, nil)
	case isa.Div:
		return typed(t, div[uint16], div[uint32], div[uint64],
			divSigned[int16, uint16], divSigned[int32, uint32], divSigned[int64, uint64])
	case isa.Rem:
		return typed(t, rem[uint16], rem[uint32], rem[uint64],
			remSigned[int16, uint16], remSigned[int32, uint32], remSigned[int64, uint64])
	case isa.Min:
		return typed(t, minimum[uint16], fast(vec.MinU32, minimum[uint32]), minimum[uint64],
			minimumSigned[int16, uint16], fast(vec.MinS32, minimumSigned[int32, uint32]), minimumSigned[int64, uint64])
	case isa.Max:
		return typed(t, maximum[uint16], fast(vec.MaxU32, maximum[uint32]), maximum[uint64],
			maximumSigned[int16, uint16], fast(vec.MaxS32, maximumSigned[int32, uint32]), maximumSigned[int64, uint64])
	case isa.Sad:
		return typed(t, sad[uint16], sad[uint32], sad[uint64],
			sadSigned[int16, uint16], sadSigned[int32, uint32], sadSigned[int64, uint64])
	case isa.Abs:
		return typed(t, nil, nil, nil, abs[int16, uint16], abs[int32, uint32], abs[int64, uint64])
	case isa.Neg:
		return typed(t, nil, nil, nil, neg[uint16], neg[uint32], neg[uint64])
	}
	return nil
}

// clampedFor returns the function of an operation that clamps to the range of
// its type, or to what is not negative.
func clampedFor(in *isa.Instr) Func {
	if in.Type != isa.S32 || !in.HasOnly(isa.ModSat) && !in.HasOnly(isa.ModRelu) {
		return nil
	}
	switch {
	case in.Op == isa.Add && in.Sat:
		return addSat
	case in.Op == isa.Sub && in.Sat:
		return subSat
	case in.Op == isa.MadHi && in.Sat:
		return madHiSat
	case in.Op == isa.Mad24Hi && in.Sat:
		return mad24HiSat
	case in.Op == isa.Min && in.Relu:
		return minRelu
	case in.Op == isa.Max && in.Relu:
		return maxRelu
	}
	return nil
}

// sized3 chooses by the width of a type.
func sized3(t isa.Type, f16, f32, f64 Func) Func {
	switch t.Bits() {
	case 16:
		return f16
	case 32:
		return f32
	case 64:
		return f64
	}
	return nil
}

// typed chooses by the width and the signedness of a type.
func typed(t isa.Type, u16, u32, u64, s16, s32, s64 Func) Func {
	if t.IsSigned() {
		return sized3(t, s16, s32, s64)
	}
	return sized3(t, u16, u32, u64)
}

func add[U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(a[i]) + U(b[i]))
	}
}

func sub[U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(a[i]) - U(b[i]))
	}
}

func mul[U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(a[i]) * U(b[i]))
	}
}

func mad[U unsigned](d, a, b, c *Vector) {
	_, _, _, _ = *d, *a, *b, *c
	for i := range d {
		d[i] = uint64(U(a[i])*U(b[i]) + U(c[i]))
	}
}

func mulWide[U, W unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(W(U(a[i])) * W(U(b[i])))
	}
}

func mulWideSigned[S signed, W unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(W(int64(S(a[i])) * int64(S(b[i]))))
	}
}

func madWide[U, W unsigned](d, a, b, c *Vector) {
	for i := range d {
		d[i] = uint64(W(U(a[i]))*W(U(b[i])) + W(c[i]))
	}
}

func madWideSigned[S signed, W unsigned](d, a, b, c *Vector) {
	for i := range d {
		d[i] = uint64(W(int64(S(a[i]))*int64(S(b[i]))) + W(c[i]))
	}
}

func mulHi[U unsigned](d, a, b, _ *Vector) {
	n := bits.Len64(uint64(^U(0)))
	for i := range d {
		d[i] = uint64(U(uint64(U(a[i])) * uint64(U(b[i])) >> n))
	}
}

func mulHiSigned[S signed, U unsigned](d, a, b, _ *Vector) {
	n := bits.Len64(uint64(^U(0)))
	for i := range d {
		d[i] = uint64(U(int64(S(a[i])) * int64(S(b[i])) >> n))
	}
}

func mulHi64(d, a, b, _ *Vector) {
	for i := range d {
		d[i], _ = bits.Mul64(a[i], b[i])
	}
}

// high64 returns the high half of a signed product: that of the unsigned one
// less what the signs' weights added to it.
func high64(x, y uint64) uint64 {
	hi, _ := bits.Mul64(x, y)
	return hi - uint64(int64(x)>>63)&y - uint64(int64(y)>>63)&x
}

func mulHiSigned64(d, a, b, _ *Vector) {
	for i := range d {
		d[i] = high64(a[i], b[i])
	}
}

func madHi[U unsigned](d, a, b, c *Vector) {
	n := bits.Len64(uint64(^U(0)))
	for i := range d {
		d[i] = uint64(U(uint64(U(a[i]))*uint64(U(b[i]))>>n) + U(c[i]))
	}
}

func madHiSigned[S signed, U unsigned](d, a, b, c *Vector) {
	n := bits.Len64(uint64(^U(0)))
	for i := range d {
		d[i] = uint64(U(int64(S(a[i]))*int64(S(b[i]))>>n) + U(c[i]))
	}
}

func madHi64(d, a, b, c *Vector) {
	for i := range d {
		hi, _ := bits.Mul64(a[i], b[i])
		d[i] = hi + c[i]
	}
}

func madHiSigned64(d, a, b, c *Vector) {
	for i := range d {
		d[i] = high64(a[i], b[i]) + c[i]
	}
}

func div[U unsigned](d, a, b, _ *Vector) {
	for i := range d {
		q := ^U(0)
		if y := U(b[i]); y != 0 {
			q = U(a[i]) / y
		}
		d[i] = uint64(q)
	}
}

func divSigned[S signed, U unsigned](d, a, b, _ *Vector) {
	for i := range d {
		q := S(-1)
		if y := S(b[i]); y != 0 {
			q = S(a[i]) / y
		}
		d[i] = uint64(U(q))
	}
}

func rem[U unsigned](d, a, b, _ *Vector) {
	for i := range d {
		r := ^U(0)
		if y := U(b[i]); y != 0 {
			r = U(a[i]) % y
		}
		d[i] = uint64(r)
	}
}

func remSigned[S signed, U unsigned](d, a, b, _ *Vector) {
	for i := range d {
		r := S(-1)
		if y := S(b[i]); y != 0 {
			r = S(a[i]) % y
		}
		d[i] = uint64(U(r))
	}
}

func minimum[U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(min(U(a[i]), U(b[i])))
	}
}

func minimumSigned[S signed, U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(min(S(a[i]), S(b[i]))))
	}
}

func maximum[U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(max(U(a[i]), U(b[i])))
	}
}

func maximumSigned[S signed, U unsigned](d, a, b, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(U(max(S(a[i]), S(b[i]))))
	}
}

func sad[U unsigned](d, a, b, c *Vector) {
	for i := range d {
		x, y := U(a[i]), U(b[i])
		d[i] = uint64(U(c[i]) + max(x, y) - min(x, y))
	}
}

func sadSigned[S signed, U unsigned](d, a, b, c *Vector) {
	for i := range d {
		x, y := S(a[i]), S(b[i])
		d[i] = uint64(U(c[i]) + U(max(x, y)) - U(min(x, y)))
	}
}

func abs[S signed, U unsigned](d, a, _, _ *Vector) {
	for i := range d {
		x := S(a[i])
		d[i] = uint64(U(max(x, -x)))
	}
}

func neg[U unsigned](d, a, _, _ *Vector) {
	for i := range d {
		d[i] = uint64(-U(a[i]))
	}
}
