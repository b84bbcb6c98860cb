// Package vec computes on vectors of 32 lanes with the vector instructions of
// the processor: AVX2 and FMA on amd64. Where it has none, or the build tag
// purego is set, Fast, FastTest and FastAccess return nil and the caller computes lane by
// lane; results are the same in every bit.
//
// A lane has 64 bits. Operations on 32 bits read the lower half of each lane and
// clear the upper half of the result. Floating-point operations round to nearest;
// NaN results are canonical (all bits of exponent and fraction set, sign clear).
//
// vec imports nothing of the project.
package vec

import "math/bits"

// Lanes is the number of lanes of a vector.
const Lanes = 32

// Vector holds one value for each lane.
type Vector [Lanes]uint64

// Fill assigns x to every lane.
func (v *Vector) Fill(x uint64) {
	for i := range v {
		v[i] = x
	}
}

// Merge copies the lanes of mask from src.
func (v *Vector) Merge(src *Vector, mask uint32) {
	for ; mask != 0; mask &= mask - 1 {
		i := bits.TrailingZeros32(mask) % Lanes
		v[i] = src[i]
	}
}

// Func computes d of up to three vectors, lane by lane. d may be one of them.
type Func func(d, a, b, c *Vector)

// TestFunc compares lane by lane: bit i of the result is set if the comparison
// holds in lane i.
type TestFunc func(a, b *Vector) uint32

// Op is an operation on vectors.
type Op uint8

// The operations. The number at the end of a name is the width of the operands,
// a letter before it tells how they are read: S as signed integers, U as unsigned
// ones, F as floating-point numbers.
const (
	Copy32   Op = iota // d = a
	Extend32           // d = a, extended to 64 bits by its sign
	Add32              // d = a + b
	Add64
	Sub32 // d = a - b
	Sub64
	Mul32 // d = a * b
	MulWideS32
	MulWideU32
	Mad32 // d = a*b + c
	MadWideS32
	MadWideU32
	And32 // d = a & b
	And64
	Or32 // d = a | b
	Or64
	Xor32 // d = a ^ b
	Xor64
	Shl32 // d = a << b; the amount is the lower half of b
	Shl64
	ShrS32 // d = a >> b
	ShrU32
	ShrU64
	MinS32
	MinU32
	MaxS32
	MaxU32
	AddF32
	AddF64
	SubF32
	SubF64
	MulF32
	MulF64
	DivF32
	SqrtF32
	FmaF32 // d = a*b + c, rounded once
	FmaF64
	NumOps = iota
)

// Test is a comparison of vectors.
type Test uint8

// The comparisons, named like operations. Those of floating-point numbers do not
// hold for NaN.
const (
	Eq32  Test = iota // a == b
	LtS32             // a < b
	LtU32
	LeS32 // a <= b
	LeU32
	Eq64
	LtS64
	LtU64
	LeS64
	LeU64
	EqF32
	LtF32
	LeF32
	NumTests = iota
)

// AccessFunc loads one element for each lane into x, or stores those in x in
// ascending order of the lanes. The address of a lane is base + offset; all are
// put into addr. The element at the address start is that at data. If an address
// less start is more than last, or has a bit of align set, nothing is loaded or
// stored and ok is false. Neither last nor start + last may be 2^63 or more. more. addrDiff has
// the bits in which addresses differ from that of the first lane.
type AccessFunc func(x, addr, base *Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)

// Access tells apart the functions that access memory.
type Access uint8

// The accesses, by the width of elements.
const (
	Load32 Access = iota
	Load64
	Store32
	Store64
	NumAccesses = iota
)
