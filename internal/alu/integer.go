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
func funcFor(in *isa.Instr, width int) lanewise {
	switch in.Op {
	case isa.Mov:
		return copyOf(in)
	case isa.Cvta, isa.CvtaTo:
		if in.Type != isa.U32 && in.Type != isa.U64 {
			return lanewise{}
		}
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
	if f := bitFor(in); !f.none() {
		return f
	}
	return integerFor(in)
}

// copyOf returns the function that copies a value of the instruction's type.
func copyOf(in *isa.Instr) lanewise {
	if !in.HasOnly(0) {
		return lanewise{}
	}
	return move(in.Type.Bits(), in.Type.Bits() > 32)
}

// integerFor returns the function of an integer operation.
//
// Division by zero gives all ones, and so does its remainder: PTX leaves both
// open, and devices do so.
func integerFor(in *isa.Instr) lanewise {
	t := in.Type
	switch {
	case in.Op == isa.Dp4a || in.Op == isa.Dp2a || in.Op == isa.Dp2aHi:
		return dotFor(in)
	case t == isa.U16x2 || t == isa.S16x2:
		return pairFor(in)
	case t.Class() != isa.Unsigned && t.Class() != isa.Signed:
		return lanewise{}
	case len(in.Src) > 2 && (in.Op == isa.Min || in.Op == isa.Max):
		return lanewise{}
	case in.Sat || in.Relu:
		return clampedFor(in)
	case !in.HasOnly(0):
		return lanewise{}
	}
	switch in.Op {
	case isa.Add, isa.Cvta:
		return sized3(t, add[uint32, uint16], fastWord(vec.Add32, add[uint32, uint32]), fastWide(vec.Add64, add[uint64, uint64]))
	case isa.Sub, isa.CvtaTo:
		return sized3(t, sub[uint32, uint16], fastWord(vec.Sub32, sub[uint32, uint32]), fastWide(vec.Sub64, sub[uint64, uint64]))
	case isa.Mul:
		return sized3(t, mul[uint32, uint16], fastWord(vec.Mul32, mul[uint32, uint32]), mul[uint64, uint64])
	case isa.Mad:
		return sized3(t, mad[uint32, uint16], fastWord(vec.Mad32, mad[uint32, uint32]), mad[uint64, uint64])
	case isa.MulWide:
		return typed(t, mulWide16, nil, nil, mulWideS16, nil, nil)
	case isa.MadWide:
		return typed(t, madWide16, nil, nil, madWideS16, nil, nil)
	case isa.MulHi:
		return typed(t, mulHi[uint32, uint16], mulHi[uint32, uint32], mulHi64,
			mulHiSigned[uint32, int16, uint16], mulHiSigned[uint32, int32, uint32], mulHiSigned64)
	case isa.MadHi:
		return typed(t, madHi[uint32, uint16], madHi[uint32, uint32], madHi64,
			madHiSigned[uint32, int16, uint16], madHiSigned[uint32, int32, uint32], madHiSigned64)
	case isa.Mul24:
		return typed(t, nil, mul24, nil, nil, mul24Signed, nil)
	case isa.Mad24:
		return typed(t, nil, mad24, nil, nil, mad24Signed, nil)
	case isa.Mul24Hi:
		return typed(t, nil, mul24Hi, nil, nil, mul24HiSigned, nil)
	case isa.Mad24Hi:
		return typed(t, nil, mad24Hi, nil, nil, mad24HiSigned, nil)
	case isa.Div:
		return typed(t, div[uint32, uint16], div[uint32, uint32], div[uint64, uint64],
			divSigned[uint32, int16, uint16], divSigned[uint32, int32, uint32], divSigned[uint64, int64, uint64])
	case isa.Rem:
		return typed(t, rem[uint32, uint16], rem[uint32, uint32], rem[uint64, uint64],
			remSigned[uint32, int16, uint16], remSigned[uint32, int32, uint32], remSigned[uint64, int64, uint64])
	case isa.Min:
		return typed(t, minimum[uint32, uint16], fastWord(vec.MinU32, minimum[uint32, uint32]), minimum[uint64, uint64],
			minimumSigned[uint32, int16, uint16], fastWord(vec.MinS32, minimumSigned[uint32, int32, uint32]), minimumSigned[uint64, int64, uint64])
	case isa.Max:
		return typed(t, maximum[uint32, uint16], fastWord(vec.MaxU32, maximum[uint32, uint32]), maximum[uint64, uint64],
			maximumSigned[uint32, int16, uint16], fastWord(vec.MaxS32, maximumSigned[uint32, int32, uint32]), maximumSigned[uint64, int64, uint64])
	case isa.Sad:
		return typed(t, sad[uint32, uint16], sad[uint32, uint32], sad[uint64, uint64],
			sadSigned[uint32, int16, uint16], sadSigned[uint32, int32, uint32], sadSigned[uint64, int64, uint64])
	case isa.Abs:
		return typed(t, nil, nil, nil, abs[uint32, int16, uint16], abs[uint32, int32, uint32], abs[uint64, int64, uint64])
	case isa.Neg:
		return typed(t, nil, nil, nil, neg[uint32, uint16], neg[uint32, uint32], neg[uint64, uint64])
	}
	return lanewise{}
}

// clampedFor returns the function of an operation that clamps to the range of
// its type, or to what is not negative.
func clampedFor(in *isa.Instr) lanewise {
	if in.Type != isa.S32 || !in.HasOnly(isa.ModSat) && !in.HasOnly(isa.ModRelu) {
		return lanewise{}
	}
	var f WordFunc
	switch {
	case in.Op == isa.Add && in.Sat:
		f = addSat
	case in.Op == isa.Sub && in.Sat:
		f = subSat
	case in.Op == isa.MadHi && in.Sat:
		f = madHiSat
	case in.Op == isa.Mad24Hi && in.Sat:
		f = mad24HiSat
	case in.Op == isa.Min && in.Relu:
		f = minRelu
	case in.Op == isa.Max && in.Relu:
		f = maxRelu
	}
	return lanewise{word: f}
}

// sized3 chooses by the width of a type.
func sized3(t isa.Type, f16, f32 WordFunc, f64 Func) lanewise {
	switch t.Bits() {
	case 16:
		return lanewise{word: f16}
	case 32:
		return lanewise{word: f32}
	case 64:
		return lanewise{wide: f64}
	}
	return lanewise{}
}

// typed chooses by the width and the signedness of a type.
func typed(t isa.Type, u16, u32 WordFunc, u64 Func, s16, s32 WordFunc, s64 Func) lanewise {
	if t.IsSigned() {
		return sized3(t, s16, s32, s64)
	}
	return sized3(t, u16, u32, u64)
}

func add[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = L(U(a[i]) + U(b[i]))
	}
}

func sub[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = L(U(a[i]) - U(b[i]))
	}
}

func mul[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = L(U(a[i]) * U(b[i]))
	}
}

func mad[L vec.Lane, U unsigned](d, a, b, c *vec.Of[L]) {
	_, _, _, _ = *d, *a, *b, *c
	for i := range d {
		d[i] = L(U(a[i])*U(b[i]) + U(c[i]))
	}
}

// The products of 16 bits have 32, those of 32 bits are wide.

func mulWide16(d, a, b, _ *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint32(uint16(a[i])) * uint32(uint16(b[i]))
	}
}

func mulWideS16(d, a, b, _ *Words) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint32(int32(int16(a[i])) * int32(int16(b[i])))
	}
}

func madWide16(d, a, b, c *Words) {
	_, _, _, _ = *d, *a, *b, *c
	for i := range d {
		d[i] = uint32(uint16(a[i]))*uint32(uint16(b[i])) + c[i]
	}
}

func madWideS16(d, a, b, c *Words) {
	_, _, _, _ = *d, *a, *b, *c
	for i := range d {
		d[i] = uint32(int32(int16(a[i]))*int32(int16(b[i]))) + c[i]
	}
}

func mulWideU32(d *Vector, a, b *Words, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(a[i]) * uint64(b[i])
	}
}

func mulWideS32(d *Vector, a, b *Words, _ *Vector) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = uint64(int64(int32(a[i])) * int64(int32(b[i])))
	}
}

func madWideU32(d *Vector, a, b *Words, c *Vector) {
	_, _, _, _ = *d, *a, *b, *c
	for i := range d {
		d[i] = uint64(a[i])*uint64(b[i]) + c[i]
	}
}

func madWideS32(d *Vector, a, b *Words, c *Vector) {
	_, _, _, _ = *d, *a, *b, *c
	for i := range d {
		d[i] = uint64(int64(int32(a[i]))*int64(int32(b[i]))) + c[i]
	}
}

func mulHi[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	n := bits.Len64(uint64(^U(0)))
	for i := range d {
		d[i] = L(U(uint64(U(a[i])) * uint64(U(b[i])) >> n))
	}
}

func mulHiSigned[L vec.Lane, S signed, U unsigned](d, a, b, _ *vec.Of[L]) {
	n := bits.Len64(uint64(^U(0)))
	for i := range d {
		d[i] = L(U(int64(S(a[i])) * int64(S(b[i])) >> n))
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

func madHi[L vec.Lane, U unsigned](d, a, b, c *vec.Of[L]) {
	n := bits.Len64(uint64(^U(0)))
	for i := range d {
		d[i] = L(U(uint64(U(a[i]))*uint64(U(b[i]))>>n) + U(c[i]))
	}
}

func madHiSigned[L vec.Lane, S signed, U unsigned](d, a, b, c *vec.Of[L]) {
	n := bits.Len64(uint64(^U(0)))
	for i := range d {
		d[i] = L(U(int64(S(a[i]))*int64(S(b[i]))>>n) + U(c[i]))
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

func div[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	for i := range d {
		q := ^U(0)
		if y := U(b[i]); y != 0 {
			q = U(a[i]) / y
		}
		d[i] = L(q)
	}
}

func divSigned[L vec.Lane, S signed, U unsigned](d, a, b, _ *vec.Of[L]) {
	for i := range d {
		q := S(-1)
		if y := S(b[i]); y != 0 {
			q = S(a[i]) / y
		}
		d[i] = L(U(q))
	}
}

func rem[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	for i := range d {
		r := ^U(0)
		if y := U(b[i]); y != 0 {
			r = U(a[i]) % y
		}
		d[i] = L(r)
	}
}

func remSigned[L vec.Lane, S signed, U unsigned](d, a, b, _ *vec.Of[L]) {
	for i := range d {
		r := S(-1)
		if y := S(b[i]); y != 0 {
			r = S(a[i]) % y
		}
		d[i] = L(U(r))
	}
}

func minimum[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = L(min(U(a[i]), U(b[i])))
	}
}

func minimumSigned[L vec.Lane, S signed, U unsigned](d, a, b, _ *vec.Of[L]) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = L(U(min(S(a[i]), S(b[i]))))
	}
}

func maximum[L vec.Lane, U unsigned](d, a, b, _ *vec.Of[L]) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = L(max(U(a[i]), U(b[i])))
	}
}

func maximumSigned[L vec.Lane, S signed, U unsigned](d, a, b, _ *vec.Of[L]) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = L(U(max(S(a[i]), S(b[i]))))
	}
}

func sad[L vec.Lane, U unsigned](d, a, b, c *vec.Of[L]) {
	for i := range d {
		x, y := U(a[i]), U(b[i])
		d[i] = L(U(c[i]) + max(x, y) - min(x, y))
	}
}

func sadSigned[L vec.Lane, S signed, U unsigned](d, a, b, c *vec.Of[L]) {
	for i := range d {
		x, y := S(a[i]), S(b[i])
		d[i] = L(U(c[i]) + U(max(x, y)) - U(min(x, y)))
	}
}

func abs[L vec.Lane, S signed, U unsigned](d, a, _, _ *vec.Of[L]) {
	for i := range d {
		x := S(a[i])
		d[i] = L(U(max(x, -x)))
	}
}

func neg[L vec.Lane, U unsigned](d, a, _, _ *vec.Of[L]) {
	for i := range d {
		d[i] = L(-U(a[i]))
	}
}
