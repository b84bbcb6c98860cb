package sim

import (
	"math/bits"

	"warpbound/internal/emu"
)

// WordBytes is the size of a word of memory, by which accesses are counted.
const WordBytes = 4

// Serialised returns how many lanes of an atomic access follow another one on the same address,
// 0 for other accesses.
func Serialised(acc *emu.Access, lanes uint64) int64 {
	switch {
	case acc.Kind != emu.Atomic || lanes == 0:
		return 0
	case acc.AddrDiff == 0:
		return int64(bits.OnesCount64(lanes)) - 1
	}
	return int64(bits.OnesCount64(lanes)) - Distinct(acc, lanes)
}

// Distinct counts the different addresses of some lanes of an access.
func Distinct(acc *emu.Access, lanes uint64) int64 {
	addr := &acc.Addr
	if diff := acc.AddrDiff; diff/WordBytes < 64 && diff%WordBytes == 0 {
		words := uint64(0)
		for set := lanes; set != 0; set &= set - 1 {
			words |= 1 << (addr[bits.TrailingZeros64(set)%emu.MaxWidth] / WordBytes % 64)
		}
		return int64(bits.OnesCount64(words))
	}
	var first, next [emu.MaxWidth]uint8 // lists of lanes plus one, by the lowest bits of the word
	n := int64(0)
	for set := lanes; set != 0; set &= set - 1 {
		i := bits.TrailingZeros64(set)
		list := addr[i] / WordBytes % emu.MaxWidth
		at := first[list]
		for at != 0 && addr[at-1] != addr[i] {
			at = next[at-1]
		}
		if at == 0 {
			next[i], first[list] = first[list], uint8(i)+1
			n++
		}
	}
	return n
}
