// Package vec computes on the lanes of registers: on Words, which hold 32 bits for each of
// 32 lanes, and on Vectors, which hold 64, with the vector instructions of the processor:
// AVX2 and FMA on amd64. Where it has none, or the build tag purego is set, there is no
// such function (nil) and the caller computes lane by lane; results are the same in every bit.
//
// Floating-point operations round to nearest; NaN results are canonical (all bits of exponent
// and fraction set, sign clear).
//
// vec imports nothing of the project.
package vec

import "math/bits"

// Lanes is the number of lanes of Words and of a Vector.
const Lanes = 32

// Lane is the type of the value of one lane.
type Lane interface{ uint32 | uint64 }

// Of holds one value for each lane.
type Of[L Lane] [Lanes]L

// Words are the lanes of a register of up to 32 bits, a Vector those of a wider one.
type (
	Words  = Of[uint32]
	Vector = Of[uint64]
)

// Fill assigns x to every lane.
func (v *Of[L]) Fill(x L) {
	for i := range v {
		v[i] = x
	}
}

// choose gives d the lanes of mask from a and the others from b.
func choose[L Lane](d, a, b *Of[L], mask uint32) {
	_, _, _ = *d, *a, *b
	for i := range d {
		d[i] = b[i] ^ (a[i]^b[i])&-L(mask&1)
		mask >>= 1
	}
}

// extend copies words, extended by zeros.
func extend(d *Vector, a *Words) {
	for i, x := range a {
		d[i] = uint64(x)
	}
}

// extendSigned copies words, extended by their signs.
func extendSigned(d *Vector, a *Words) {
	for i, x := range a {
		d[i] = uint64(int64(int32(x)))
	}
}

// truncate copies the lower halves of lanes.
func truncate(d *Words, a *Vector) {
	for i, x := range a {
		d[i] = uint32(x)
	}
}

// equal returns the lanes that have the value x.
func equal(a *Words, x uint32) (mask uint32) {
	for i, y := range a {
		if y == x {
			mask |= 1 << i
		}
	}
	return mask
}

// markEach returns the set of the numbers that the lanes of mask have in the bits from shift up that last has.
func markEach(a *Vector, mask uint32, shift int, last uint64) (set uint64) {
	for ; mask != 0; mask &= mask - 1 {
		set |= 1 << (a[bits.TrailingZeros32(mask)%Lanes] >> shift & last)
	}
	return set
}

// joinEach puts b above so many low bits of a.
func joinEach(d, a, b *Words, bits int) {
	for i := range d {
		d[i] = a[i]&(1<<bits-1) | b[i]<<bits
	}
}

// partEach gives so many bits of a, from shift up.
func partEach(d, a *Words, shift, bits int) {
	for i := range d {
		d[i] = a[i] >> shift & (1<<bits - 1)
	}
}

// signedPartEach gives so many bits of a, from shift up, extended by their sign.
func signedPartEach(d, a *Words, shift, bits int) {
	for i := range d {
		d[i] = uint32(int32(a[i]<<(32-shift-bits)) >> (32 - bits))
	}
}

// matchEach gives every lane of mask the mask of those that have the same numbers in a and in b, other lanes anything.
func matchEach(d, a, b *Words, mask uint32) {
	x, y := *a, *b
	for left := mask; left != 0; {
		first, same := bits.TrailingZeros32(left)%Lanes, uint32(0)
		for m := left; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros32(m) % Lanes; x[i] == x[first] && y[i] == y[first] {
				same |= 1 << i
			}
		}
		left &^= same
		for m := same; m != 0; m &= m - 1 {
			d[bits.TrailingZeros32(m)%Lanes] = same
		}
	}
}

// A function computes d of up to three sources, lane by lane; d may be one of them. WordFunc
// works on registers of up to 32 bits and Func on wider ones.
type (
	WordFunc func(d, a, b, c *Words)
	Func     func(d, a, b, c *Vector)

	// WideningFunc computes wide results of narrow sources, and of a wide one (c).
	WideningFunc func(d *Vector, a, b *Words, c *Vector)

	// ShiftFunc shifts a by the amounts b.
	ShiftFunc func(d, a *Vector, b *Words)
)

// A test compares lane by lane: bit i of the result is set if the comparison holds in lane i.
type (
	WordTestFunc func(a, b *Words) uint32
	TestFunc     func(a, b *Vector) uint32
)

// ShuffleMode says which lane a lane reads in a shuffle.
type ShuffleMode uint8

// The modes: b lanes below and above, the one whose number differs in the bits of b, and that of number b.
const (
	ShuffleUp ShuffleMode = iota
	ShuffleDown
	ShuffleButterfly
	ShuffleIndex
)

// ShuffleFunc moves a between lanes. The bits from 8 up of c, five, say in which bits lanes of one segment agree, and
// the low five bits the last lane of a segment that may be read, the first for ShuffleUp. A lane gets its own value where
// that which it reads is out of range or not in mask. inRange has the lanes that read one in range.
type ShuffleFunc func(d, a, b, c *Words, mask uint32) (inRange uint32)

// WordOp is an operation on Words.
type WordOp uint8

// The operations on Words. The letter before the number at the end of a name tells how
// operands are read: S as signed integers, U as unsigned ones, F as floating-point numbers.
const (
	Copy32 WordOp = iota // d = a
	Add32                // d = a + b
	Sub32
	Mul32 // d = a * b
	Mad32 // d = a*b + c
	And32 // d = a & b
	Or32
	Xor32
	Shl32 // d = a << b
	ShrS32
	ShrU32
	FieldU32 // d = c bits of a from bit b on; of b and c the lowest byte counts
	MinS32
	MinU32
	MaxS32
	MaxU32
	AddF32
	SubF32
	MulF32
	DivF32
	SqrtF32
	FmaF32     // d = a*b + c, rounded once
	NumWordOps = iota
)

// Op is an operation on Vectors.
type Op uint8

// The operations on Vectors, named like those on Words.
const (
	Copy64 Op = iota // d = a
	Add64            // d = a + b
	Sub64
	And64 // d = a & b
	Or64
	Xor64
	AddF64
	SubF64
	MulF64
	FmaF64 // d = a*b + c, rounded once
	NumOps = iota
)

// WideningOp is an operation with wide results of narrow sources.
type WideningOp uint8

// The operations with wide results.
const (
	ExtendS32  WideningOp = iota // d = a, extended by its sign
	ExtendU32                    // d = a, extended by zeros
	MulWideS32                   // d = a * b
	MulWideU32
	MadWideS32 // d = a*b + c
	MadWideU32
	NumWideningOps = iota
)

// ShiftOp is a shift of Vectors.
type ShiftOp uint8

// The shifts of Vectors. An amount beyond the width counts as the width.
const (
	Shl64 ShiftOp = iota
	ShrU64
	NumShiftOps = iota
)

// WordTest is a comparison of Words.
type WordTest uint8

// The comparisons of Words. Those of floating-point numbers do not hold for NaN.
const (
	Eq32  WordTest = iota // a == b
	LtS32                 // a < b
	LtU32
	LeS32 // a <= b
	LeU32
	EqF32
	LtF32
	LeF32
	NumWordTests = iota
)

// Test is a comparison of Vectors.
type Test uint8

// The comparisons of Vectors.
const (
	Eq64  Test = iota // a == b
	LtS64             // a < b
	LtU64
	LeS64 // a <= b
	LeU64
	NumTests = iota
)

// An access loads one element for each lane into x, or stores those in x in ascending order
// of the lanes. The address of a lane is base + offset; all are put into addr, which may be
// base. The element at the address start is that at data. If an address less start is more
// than last, or has a bit of align set, nothing is loaded or stored and ok is false. Neither
// last nor start + last may be 2^63 or more. addrDiff has the bits in which addresses differ
// from that of the first lane.
type (
	WordAccessFunc func(x *Words, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)
	AccessFunc     func(x, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)
)
