package emu

import (
	"math/bits"

	"warpbound/internal/alu"
)

// written notes which bytes of a region were written, a bit for each. A region
// without one is not watched in this way: it has contents from the start, or is local memory.
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

// ownWritten notes which bytes of their own memory the lanes of a warp have written: for each byte
// a mask of lanes.
type ownWritten struct {
	lanes []uint64
	left  int // bytes of all lanes that were not
}

// reset begins anew with n bytes of each of so many lanes, which nothing has written.
func (s *ownWritten) reset(n, lanes int) {
	s.lanes = sized(s.lanes, n)
	clear(s.lanes)
	s.left = n * lanes
}

// add notes that lanes wrote n bytes from at on.
func (s *ownWritten) add(at uint64, n int, lanes uint64) {
	for i, mask := range s.lanes[at:][:n] {
		if more := lanes &^ mask; more != 0 {
			s.left -= bits.OnesCount64(more)
			s.lanes[at:][i] = mask | lanes
		}
	}
}

// lacks returns how many of n bytes from at on a lane has not written.
func (s *ownWritten) lacks(at uint64, n, lane int) (count int) {
	for _, mask := range s.lanes[at:][:n] {
		count += int(^mask >> lane & 1)
	}
	return count
}

// has reports whether all of lanes have written n bytes from at on.
func (s *ownWritten) has(at uint64, n int, lanes uint64) bool {
	written := lanes
	for _, mask := range s.lanes[at:][:n] {
		written &= mask
	}
	return written == lanes
}
