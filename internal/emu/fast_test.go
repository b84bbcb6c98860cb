package emu

import (
	"encoding/binary"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
	"warpbound/internal/vec"
)

// transfers are the functions that access an element for each lane, and those of the processor
// for all lanes.
type transfers[L vec.Lane] struct {
	store bool
	each  transfer[L]
	all   func(x *vec.Of[L], addr, base *vec.Vector, offset uint64, data *byte, start, last, align uint64) (addrDiff uint64, ok bool)
}

// TestMaskedAccesses checks that accesses leave alone what belongs to lanes that take no
// part, and that only the others decide whether they are possible. Each lane has 8 bytes
// of its own.
func TestMaskedAccesses(t *testing.T) {
	t.Run("load32", func(t *testing.T) { testMasked(t, transfers[uint32]{each: loadEach[uint32]}) })
	t.Run("load64", func(t *testing.T) { testMasked(t, transfers[uint64]{each: loadEach[uint64]}) })
	t.Run("store32", func(t *testing.T) { testMasked(t, transfers[uint32]{store: true, each: storeEach[uint32]}) })
	t.Run("store64", func(t *testing.T) { testMasked(t, transfers[uint64]{store: true, each: storeEach[uint64]}) })
}

func testMasked[L vec.Lane](t *testing.T, f transfers[L]) {
	rapid.Check(t, func(t *rapid.T) {
		mask := rapid.Uint32Min(1).Draw(t, "mask")
		r := region{base: abi.SharedBase, size: 8 * lanes, data: make([]byte, 8*lanes)}
		var x vec.Of[L]
		var base, addr vec.Vector
		for i := range x {
			x[i] = L(rapid.Uint64().Draw(t, "value"))
			binary.LittleEndian.PutUint64(r.data[8*i:], uint64(^x[i]))
			base[i] = abi.SharedBase + 8*uint64(i)
			if mask>>i&1 == 0 {
				base[i] = 0 // no address of the region
			}
		}
		before := x
		addrDiff, ok := f.each(&x, &addr, &base, mask, 0, &r)
		if !ok {
			t.Fatal("the access is not possible")
		}
		differ := uint64(0)
		for i := range x {
			if mask>>i&1 != 0 {
				differ |= addr[i] ^ addr[bits.TrailingZeros32(mask)]
			}
			register, memory := before[i], ^before[i]
			switch in := mask>>i&1 != 0; {
			case in && f.store:
				memory = register
			case in:
				register = memory
			}
			if got := L(binary.LittleEndian.Uint64(r.data[8*i:])); got != memory || x[i] != register {
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
	if vec.WordAccess(false) == nil {
		t.Skip("the processor has no vector instructions that are used")
	}
	t.Run("load32", func(t *testing.T) { testFast(t, transfers[uint32]{each: loadEach[uint32], all: vec.WordAccess(false)}) })
	t.Run("load64", func(t *testing.T) { testFast(t, transfers[uint64]{each: loadEach[uint64], all: vec.WideAccess(false)}) })
	t.Run("store32", func(t *testing.T) {
		testFast(t, transfers[uint32]{store: true, each: storeEach[uint32], all: vec.WordAccess(true)})
	})
	t.Run("store64", func(t *testing.T) {
		testFast(t, transfers[uint64]{store: true, each: storeEach[uint64], all: vec.WideAccess(true)})
	})
}

func testFast[L vec.Lane](t *testing.T, f transfers[L]) {
	rapid.Check(t, func(t *rapid.T) {
		bytes := uint64(bits.Len64(uint64(^L(0)))) / 8
		size := rapid.Uint64Range(bytes, 300).Draw(t, "size")
		shape := rapid.SampledFrom([]string{"any", "one", "row", "nearly a row"}).Draw(t, "shape")
		if shape != "any" {
			size += lanes * bytes
		}
		start := rapid.SampledFrom([]uint64{abi.SharedBase, abi.GlobalBase, abi.GlobalBase + 256}).Draw(t, "start")
		offset := rapid.SampledFrom([]uint64{0, 8, 1<<64 - 16}).Draw(t, "offset")
		var memory [2]region
		for k := range memory {
			memory[k] = region{base: start, size: size, data: make([]byte, size)}
		}
		for i := range memory[0].data {
			memory[0].data[i] = byte(7 * i)
		}
		var x [2]vec.Of[L]
		var base vec.Vector
		first := rapid.Uint64Range(0, size/bytes-1).Draw(t, "first")
		if shape != "any" && shape != "one" {
			first %= size/bytes - lanes + 1
		}
		for i := range base {
			element := first
			switch shape {
			case "any":
				element = rapid.Uint64Range(0, size/bytes-1).Draw(t, "element")
			case "row", "nearly a row":
				element += uint64(i)
			}
			base[i] = start - offset + element*bytes
			x[0][i] = L(rapid.Uint64().Draw(t, "value"))
		}
		if shape == "nearly a row" { // the ends stay
			i, j := rapid.IntRange(1, lanes-2).Draw(t, "i"), rapid.IntRange(1, lanes-2).Draw(t, "j")
			base[i], base[j] = base[j], base[i]
		}
		if rapid.Bool().Draw(t, "wrong") {
			lane := rapid.IntRange(0, lanes-1).Draw(t, "lane")
			base[lane] += rapid.SampledFrom([]uint64{1, 2, 4, 1 << 63, -bytes, size - bytes + 1, size}).Draw(t, "by")
		}
		copy(memory[1].data, memory[0].data)
		x[1] = x[0]
		var addr [2]vec.Vector
		addr[0] = base // in place
		gotDiff, got := f.all(&x[0], &addr[0], &addr[0], offset, &memory[0].data[0], start, size-bytes, bytes-1)
		wantDiff, want := f.each(&x[1], &addr[1], &base, 1<<lanes-1, offset, &memory[1])
		switch {
		case got != want:
			t.Fatalf("the access is possible: %v, want %v", got, want)
		case got && (gotDiff != wantDiff || x[0] != x[1] || addr[0] != addr[1] || string(memory[0].data) != string(memory[1].data)):
			t.Fatal("the access differs")
		}
	})
}

// TestNumbers compares sets of parts of addresses with a look at every lane.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var acc Access
		for i := range acc.Addr {
			acc.Addr[i] = rapid.Uint64().Draw(t, "address")
		}
		lanes := rapid.Uint64().Draw(t, "lanes") >> rapid.SampledFrom([]int{0, 32, 60}).Draw(t, "fewer")
		shift := rapid.IntRange(0, 63).Draw(t, "shift")
		last := rapid.SampledFrom([]uint64{0, 1, 15, 31, 62, 63}).Draw(t, "last")
		want := uint64(0)
		for i, a := range acc.Addr {
			if lanes>>i&1 != 0 {
				want |= 1 << (a >> shift & last)
			}
		}
		if got := acc.Numbers(lanes, shift, last); got != want {
			t.Fatalf("got %x, want %x", got, want)
		}
	})
}
