package alu

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/vec"
)

// plainFuncs are the functions in Go that those of the processor stand for.
func plainFuncs() [vec.NumOps]Func {
	return [vec.NumOps]Func{
		vec.Copy32: copyLow[uint32], vec.Extend32: extendWord,
		vec.Add32: add[uint32], vec.Add64: add[uint64], vec.Sub32: sub[uint32], vec.Sub64: sub[uint64],
		vec.Mul32: mul[uint32], vec.MulWideS32: mulWideSigned[int32, uint64], vec.MulWideU32: mulWide[uint32, uint64],
		vec.Mad32: mad[uint32], vec.MadWideS32: madWideSigned[int32, uint64], vec.MadWideU32: madWide[uint32, uint64],
		vec.And32: bitAnd[uint32], vec.And64: bitAnd[uint64], vec.Or32: bitOr[uint32], vec.Or64: bitOr[uint64],
		vec.Xor32: bitXor[uint32], vec.Xor64: bitXor[uint64], vec.Shl32: shl[uint32], vec.Shl64: shl[uint64],
		vec.ShrS32: shrSigned[int32, uint32], vec.ShrU32: shr[uint32], vec.ShrU64: shr[uint64],
		vec.MinS32: minimumSigned[int32, uint32], vec.MinU32: minimum[uint32],
		vec.MaxS32: maximumSigned[int32, uint32], vec.MaxU32: maximum[uint32],
		vec.AddF32: add32, vec.AddF64: add64, vec.SubF32: sub32, vec.SubF64: sub64, vec.MulF32: mul32, vec.MulF64: mul64,
		vec.DivF32: div32, vec.SqrtF32: sqrt32, vec.FmaF32: fma32, vec.FmaF64: fma64,
	}
}

func plainTests() [vec.NumTests]func(a, b *Vector) uint32 {
	return [vec.NumTests]func(a, b *Vector) uint32{
		vec.Eq32: eq[uint32], vec.LtS32: lt[int32], vec.LtU32: lt[uint32], vec.LeS32: le[int32], vec.LeU32: le[uint32],
		vec.Eq64: eq[uint64], vec.LtS64: lt[int64], vec.LtU64: lt[uint64], vec.LeS64: le[int64], vec.LeU64: le[uint64],
		vec.EqF32: eq32, vec.LtF32: lt32, vec.LeF32: le32,
	}
}

// laneValue draws what is special to some operation, or anything; the upper half
// may hold what an operation on the lower one must not see.
func laneValue() *rapid.Generator[uint64] {
	words := []uint64{
		0, 1, 2, 31, 32, 33, 63, 64, 1<<31 - 1, 1 << 31, 1<<32 - 1, // integers and amounts
		0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00001, 0xff800001, 1, 0x807fffff, 0x00800000, 0x7f7fffff, // floats
		0x33800000, 0x3f800001, // products and sums that are ties
	}
	word := rapid.OneOf(rapid.SampledFrom(words), rapid.Map(rapid.Uint32(), func(x uint32) uint64 { return uint64(x) }))
	pair := rapid.Custom(func(t *rapid.T) uint64 { return word.Draw(t, "low") | word.Draw(t, "high")<<32 })
	double := rapid.Map(rapid.Float64(), math.Float64bits)
	doubles := rapid.SampledFrom([]uint64{1 << 63, 0x7ff0 << 48, 0xfff0 << 48, 0x7ff8 << 48, 0xfff8<<48 | 1, 0x3ff0 << 48, 1<<52 | 1})
	return rapid.OneOf(word, pair, double, doubles)
}

// TestFastFunctions compares the processor's functions with those in Go, bit by
// bit.
func TestFastFunctions(t *testing.T) {
	if vec.Fast(vec.Copy32) == nil {
		t.Skip("the processor has no vector instructions that are used")
	}
	rapid.Check(t, func(t *rapid.T) {
		var v [3]Vector
		for k := range v {
			for i := range v[k] {
				v[k][i] = laneValue().Draw(t, "lane")
			}
		}
		for op, plain := range plainFuncs() {
			var got, want Vector
			vec.Fast(vec.Op(op))(&got, &v[0], &v[1], &v[2])
			plain(&want, &v[0], &v[1], &v[2])
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("operation %d of 0x%x, 0x%x, 0x%x is 0x%x, want 0x%x", op, v[0][i], v[1][i], v[2][i], got[i], want[i])
				}
			}
			c := v[2]
			vec.Fast(vec.Op(op))(&c, &v[0], &v[1], &c)
			if c != want {
				t.Fatalf("operation %d in place of its third source differs", op)
			}
		}
		for test, plain := range plainTests() {
			if got, want := vec.FastTest(vec.Test(test))(&v[0], &v[1]), plain(&v[0], &v[1]); got != want {
				t.Fatalf("test %d of %x and %x is %032b, want %032b", test, v[0], v[1], got, want)
			}
		}
	})
}
