package ipet

import "math/bits"

// steps is a set of small numbers, one bit for each.
type steps []uint64

func (s steps) add(i int) { s[i/64] |= 1 << (i % 64) }

// next returns the first member from i on, or -1.
func (s steps) next(i int) int {
	w := i / 64
	if w >= len(s) {
		return -1
	}
	if rest := s[w] >> (i % 64); rest != 0 {
		return i + bits.TrailingZeros64(rest)
	}
	for w++; w < len(s); w++ {
		if s[w] != 0 {
			return w*64 + bits.TrailingZeros64(s[w])
		}
	}
	return -1
}

// previous returns the last member up to i, or -1.
func (s steps) previous(i int) int {
	if i < 0 {
		return -1
	}
	w := i / 64
	if rest := s[w] << (63 - i%64); rest != 0 {
		return i - bits.LeadingZeros64(rest)
	}
	for w--; w >= 0; w-- {
		if s[w] != 0 {
			return w*64 + 63 - bits.LeadingZeros64(s[w])
		}
	}
	return -1
}
