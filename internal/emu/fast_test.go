package emu

import (
	"encoding/binary"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/vec"
)

func plainAccesses() [vec.NumAccesses]func(x, addr, base *vec.Vector, mask uint32, offset uint64, r *region) (addrDiff uint64, ok bool) {
	return [vec.NumAccesses]func(x, addr, base *vec.Vector, mask uint32, offset uint64, r *region) (addrDiff uint64, ok bool){
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
		var x, base, addr vec.Vector
		for i := range x {
			x[i] = rapid.Uint64().Draw(t, "value") & word
			binary.LittleEndian.PutUint64(r.data[8*i:], ^x[i]&word)
			base[i] = abi.SharedBase + 8*uint64(i)
			if mask>>i&1 == 0 {
				base[i] = 0 // no address of the region
			}
		}
		before := x
		addrDiff, ok := plainAccesses()[access](&x, &addr, &base, mask, 0, &r)
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
		if addrDiff != differ {
			t.Fatalf("addresses differ in %x, want %x", addrDiff, differ)
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
		var x [2]vec.Vector
		var base vec.Vector
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
		var addr [2]vec.Vector
		gotDiff, got := vec.FastAccess(vec.Access(access))(&x[0], &addr[0], &base, offset, &memory[0].data[0], start, size-bytes, bytes-1)
		wantDiff, want := plain[access](&x[1], &addr[1], &base, 1<<lanes-1, offset, &memory[1])
		switch {
		case got != want:
			t.Fatalf("access %d is possible: %v, want %v", access, got, want)
		case got && (gotDiff != wantDiff || x[0] != x[1] || addr[0] != addr[1] || string(memory[0].data) != string(memory[1].data)):
			t.Fatalf("access %d differs", access)
		}
	})
}
