package alu

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/vec"
)

// The functions in Go that those of the processor stand for.

func plainWords() [vec.NumWordOps]WordFunc {
	return [vec.NumWordOps]WordFunc{
		vec.Copy32: copyAll[uint32], vec.Add32: add[uint32, uint32], vec.Sub32: sub[uint32, uint32],
		vec.Mul32: mul[uint32, uint32], vec.Mad32: mad[uint32, uint32],
		vec.And32: bitAnd[uint32, uint32], vec.Or32: bitOr[uint32, uint32], vec.Xor32: bitXor[uint32, uint32],
		vec.Shl32: shl[uint32], vec.ShrS32: shrSigned[int32, uint32], vec.ShrU32: shr[uint32], vec.FieldU32: bfe[uint32, uint32],
		vec.MinS32: minimumSigned[uint32, int32, uint32], vec.MinU32: minimum[uint32, uint32],
		vec.MaxS32: maximumSigned[uint32, int32, uint32], vec.MaxU32: maximum[uint32, uint32],
		vec.AddF32: add32, vec.SubF32: sub32, vec.MulF32: mul32, vec.DivF32: div32, vec.SqrtF32: sqrt32, vec.FmaF32: fma32,
	}
}

func plainVectors() [vec.NumOps]Func {
	return [vec.NumOps]Func{
		vec.Copy64: copyAll[uint64], vec.Add64: add[uint64, uint64], vec.Sub64: sub[uint64, uint64],
		vec.And64: bitAnd[uint64, uint64], vec.Or64: bitOr[uint64, uint64], vec.Xor64: bitXor[uint64, uint64],
		vec.AddF64: add64, vec.SubF64: sub64, vec.MulF64: mul64, vec.FmaF64: fma64,
	}
}

func plainWidening() [vec.NumWideningOps]vec.WideningFunc {
	return [vec.NumWideningOps]vec.WideningFunc{
		vec.ExtendS32: extendWordS32,
		vec.ExtendU32: func(d *Vector, a, _ *Words, _ *Vector) {
			for i, x := range a {
				d[i] = uint64(x)
			}
		},
		vec.MulWideS32: mulWideS32, vec.MulWideU32: mulWideU32, vec.MadWideS32: madWideS32, vec.MadWideU32: madWideU32,
	}
}

func plainWordTests() [vec.NumWordTests]vec.WordTestFunc {
	return [vec.NumWordTests]vec.WordTestFunc{
		vec.Eq32: eq[uint32, uint32], vec.LtS32: lt[uint32, int32], vec.LtU32: lt[uint32, uint32],
		vec.LeS32: le[uint32, int32], vec.LeU32: le[uint32, uint32],
		vec.EqF32: eq32, vec.LtF32: lt32, vec.LeF32: le32,
	}
}

func plainTests() [vec.NumTests]vec.TestFunc {
	return [vec.NumTests]vec.TestFunc{
		vec.Eq64: eq[uint64, uint64], vec.LtS64: lt[uint64, int64], vec.LtU64: lt[uint64, uint64],
		vec.LeS64: le[uint64, int64], vec.LeU64: le[uint64, uint64],
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

// sources draws values for three sources, wide and as words.
func sources(t *rapid.T) (v [3]Vector, w [3]Words) {
	for k := range v {
		for i := range v[k] {
			v[k][i] = laneValue().Draw(t, "lane")
			w[k][i] = uint32(v[k][i])
		}
	}
	return v, w
}

// agree fails if what the processor's function number op computes is not what that in Go does.
func agree[L vec.Lane](t *rapid.T, what string, op int, got, want *vec.Of[L]) {
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s %d in lane %d is 0x%x, want 0x%x", what, op, i, got[i], want[i])
		}
	}
}

// TestFastFunctions compares the processor's functions with those in Go, bit by
// bit.
func TestFastFunctions(t *testing.T) {
	if vec.Word(vec.Add32) == nil {
		t.Skip("the processor has no vector instructions that are used")
	}
	rapid.Check(t, func(t *rapid.T) {
		v, w := sources(t)
		for op, plain := range plainWords() {
			var got, want Words
			f := vec.Word(vec.WordOp(op))
			f(&got, &w[0], &w[1], &w[2])
			plain(&want, &w[0], &w[1], &w[2])
			agree(t, "operation on words", op, &got, &want)
			c := w[2]
			f(&c, &w[0], &w[1], &c)
			agree(t, "operation on words, in place of its third source,", op, &c, &want)
		}
		for op, plain := range plainVectors() {
			var got, want Vector
			f := vec.Wide(vec.Op(op))
			f(&got, &v[0], &v[1], &v[2])
			plain(&want, &v[0], &v[1], &v[2])
			agree(t, "operation on vectors", op, &got, &want)
			c := v[2]
			f(&c, &v[0], &v[1], &c)
			agree(t, "operation on vectors, in place of its third source,", op, &c, &want)
		}
		for op, plain := range plainWidening() {
			var got, want Vector
			f := vec.Widening(vec.WideningOp(op))
			f(&got, &w[0], &w[1], &v[2])
			plain(&want, &w[0], &w[1], &v[2])
			agree(t, "widening operation", op, &got, &want)
			c := v[2]
			f(&c, &w[0], &w[1], &c)
			agree(t, "widening operation, in place of its third source,", op, &c, &want)
		}
		for op, plain := range [vec.NumShiftOps]vec.ShiftFunc{vec.Shl64: shl64, vec.ShrU64: shrU64} {
			var got, want Vector
			vec.Shift(vec.ShiftOp(op))(&got, &v[0], &w[1])
			plain(&want, &v[0], &w[1])
			agree(t, "shift", op, &got, &want)
		}
		var low, truncated Words
		for i, x := range v[0] {
			low[i] = uint32(x)
		}
		vec.Truncate(&truncated, &v[0])
		agree(t, "truncation", 0, &truncated, &low)
	})
}

// TestFastTests does the same for comparisons.
func TestFastTests(t *testing.T) {
	if vec.Word(vec.Add32) == nil {
		t.Skip("the processor has no vector instructions that are used")
	}
	rapid.Check(t, func(t *rapid.T) {
		v, w := sources(t)
		for test, plain := range plainWordTests() {
			if got, want := vec.WordTests(vec.WordTest(test))(&w[0], &w[1]), plain(&w[0], &w[1]); got != want {
				t.Fatalf("test %d of %x and %x is %032b, want %032b", test, w[0], w[1], got, want)
			}
		}
		for test, plain := range plainTests() {
			if got, want := vec.WideTests(vec.Test(test))(&v[0], &v[1]), plain(&v[0], &v[1]); got != want {
				t.Fatalf("test %d of %x and %x is %032b, want %032b", test, v[0], v[1], got, want)
			}
		}
	})
}

// TestSelect checks that exactly the lanes of a mask are taken from the first source.
func TestSelect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := sources(t)
		mask := rapid.Uint32().Draw(t, "mask")
		wantV, wantW := v[1], w[1]
		for i := range wantV {
			if mask>>i&1 != 0 {
				wantV[i], wantW[i] = v[0][i], w[0][i]
			}
		}
		vec.SelectVector(&v[2], &v[0], &v[1], mask)
		vec.SelectWords(&w[2], &w[0], &w[1], mask)
		agree(t, "selected vector", 0, &v[2], &wantV)
		agree(t, "selected words", 0, &w[2], &wantW)
		vec.SelectVector(&v[1], &v[0], &v[1], mask)
		vec.SelectWords(&w[1], &w[0], &w[1], mask)
		agree(t, "merged vector", 0, &v[1], &wantV)
		agree(t, "merged words", 0, &w[1], &wantW)
	})
}
