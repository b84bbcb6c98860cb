package emu

import (
	"math/bits"

	"warpbound/internal/alu"
)

// written notes which bytes of a region were written, a bit for each. A region
// without one is not watched: it has contents from the start.
type written struct {
	bits []uint64
	left int // bytes that were not
}

// reset begins anew with n bytes that nothing has written.
func (s *written) reset(n int) {
	s.bits = sized(s.bits, (n+63)/64)
	clear(s.bits)
	s.left = n
}

// add notes that n bytes from at on were written, which lie in one group of 64.
func (s *written) add(at uint64, n int) {
	word, mask := &s.bits[at/64], alu.LowBits(n)<<(at%64)
	s.left -= bits.OnesCount64(mask &^ *word)
	*word |= mask
}

// lacks returns how many of n bytes from at on, which lie in one group of 64, were
// not written.
func (s *written) lacks(at uint64, n int) int {
	return bits.OnesCount64(alu.LowBits(n) << (at % 64) &^ s.bits[at/64])
}
