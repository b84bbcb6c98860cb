package sim

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/emu"
)

// TestDistinct counts addresses, of which some are equal and some differ only in a word or above it.
func TestDistinct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		acc := emu.Access{Kind: emu.Atomic}
		addr := &acc.Addr
		unit := rapid.SampledFrom([]uint64{1, 4, 256}).Draw(t, "unit")
		for i := range addr {
			addr[i] = rapid.Uint64Range(0, 40).Draw(t, "address") * unit
		}
		lanes := rapid.Uint64().Draw(t, "lanes")
		set := make(map[uint64]bool)
		for i := range addr {
			if lanes>>i&1 != 0 {
				set[addr[i]] = true
				acc.AddrDiff |= addr[i] ^ addr[bits.TrailingZeros64(lanes)]
			}
		}
		if got := Distinct(&acc, lanes); got != int64(len(set)) {
			t.Errorf("%d different addresses of %d", got, len(set))
		}
	})
}
