package emu

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/vec"
)

// plainFuncs are the functions in Go that those of the processor stand for.
func plainFuncs() [vec.NumOps]aluFunc {
	return [vec.NumOps]aluFunc{
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

func plainTests() [vec.NumTests]func(a, b *vector) uint32 {
	return [vec.NumTests]func(a, b *vector) uint32{
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
		var v [3]vector
		for k := range v {
			for i := range v[k] {
				v[k][i] = laneValue().Draw(t, "lane")
			}
		}
		for op, plain := range plainFuncs() {
			var got, want vector
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

func plainAccesses() [vec.NumAccesses]func(x, addr, base *vector, mask uint32, offset uint64, r *region) (apart uint64, ok bool) {
	return [vec.NumAccesses]func(x, addr, base *vector, mask uint32, offset uint64, r *region) (apart uint64, ok bool){
		vec.Load32: gather32, vec.Load64: gather64, vec.Store32: scatter32, vec.Store64: scatter64,
	}
}

// TestMaskedAccesses checks that accesses leave alone what belongs to lanes that take no
// part, and that only the others decide whether they are possible. Each lane has 8 bytes
// of its own.
func TestMaskedAccesses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		access := vec.Access(rapid.IntRange(0, vec.NumAccesses-1).Draw(t, "access"))
		mask := rapid.Uint32Min(1).Draw(t, "mask")
		stores := access == vec.Store32 || access == vec.Store64
		word := uint64(1<<32 - 1)
		if access == vec.Load64 || access == vec.Store64 {
			word = ^uint64(0)
		}
		r := region{base: abi.SharedBase, size: 8 * lanes, data: make([]byte, 8*lanes)}
		var x, base, addr vector
		for i := range x {
			x[i] = rapid.Uint64().Draw(t, "value") & word
			binary.LittleEndian.PutUint64(r.data[8*i:], ^x[i]&word)
			base[i] = abi.SharedBase + 8*uint64(i)
			if mask>>i&1 == 0 {
				base[i] = 0 // no address of the region
			}
		}
		before := x
		apart, ok := plainAccesses()[access](&x, &addr, &base, mask, 0, &r)
		if !ok {
			t.Fatal("the access is not possible")
		}
		differ := uint64(0)
		for i := range x {
			if mask>>i&1 != 0 {
				differ |= addr[i] ^ addr[bits.TrailingZeros32(mask)]
			}
			register, memory := before[i], ^before[i]&word
			switch in := mask>>i&1 != 0; {
			case in && stores:
				memory = register
			case in:
				register = memory
			}
			if got := binary.LittleEndian.Uint64(r.data[8*i:]); got != memory || x[i] != register {
				t.Fatalf("lane %d: register %x, memory %x, want %x and %x", i, x[i], got, register, memory)
			}
		}
		if apart != differ {
			t.Fatalf("addresses differ in %x, want %x", apart, differ)
		}
	})
}

// TestFastAccesses compares the processor's accesses with those in Go: results,
// memory, addresses, and whether they are possible.
func TestFastAccesses(t *testing.T) {
	if vec.FastAccess(vec.Load32) == nil {
		t.Skip("the processor has no vector instructions that are used")
	}
	plain := plainAccesses()
	rapid.Check(t, func(t *rapid.T) {
		access := rapid.IntRange(0, vec.NumAccesses-1).Draw(t, "access")
		bytes := uint64(4)
		if a := vec.Access(access); a == vec.Load64 || a == vec.Store64 {
			bytes = 8
		}
		size := rapid.Uint64Range(bytes, 300).Draw(t, "size")
		start := rapid.SampledFrom([]uint64{abi.SharedBase, abi.GlobalBase, abi.GlobalBase + 256}).Draw(t, "start")
		offset := rapid.SampledFrom([]uint64{0, 8, 1<<64 - 16}).Draw(t, "offset")
		var memory [2]region
		for k := range memory {
			memory[k] = region{base: start, size: size, data: make([]byte, size)}
		}
		var x [2]vector
		var base vector
		for i := range base {
			memory[0].data[i%int(size)] = byte(i)
			base[i] = start - offset + rapid.Uint64Range(0, (size-bytes)/bytes).Draw(t, "element")*bytes
			x[0][i] = rapid.Uint64().Draw(t, "value")
		}
		if rapid.Bool().Draw(t, "wrong") {
			lane := rapid.IntRange(0, lanes-1).Draw(t, "lane")
			base[lane] += rapid.SampledFrom([]uint64{1, 2, 4, 1 << 63, -bytes, size - bytes + 1, size}).Draw(t, "by")
		}
		copy(memory[1].data, memory[0].data)
		x[1] = x[0]
		var addr [2]vector
		gotApart, got := vec.FastAccess(vec.Access(access))(&x[0], &addr[0], &base, offset, &memory[0].data[0], start, size-bytes, bytes-1)
		wantApart, want := plain[access](&x[1], &addr[1], &base, 1<<lanes-1, offset, &memory[1])
		switch {
		case got != want:
			t.Fatalf("access %d is possible: %v, want %v", access, got, want)
		case got && (gotApart != wantApart || x[0] != x[1] || addr[0] != addr[1] || string(memory[0].data) != string(memory[1].data)):
			t.Fatalf("access %d differs", access)
		}
	})
}
