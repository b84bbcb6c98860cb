package race

import "math/bits"

// shadow holds what is known of the words of a memory, a page at a time.
type shadow struct {
	pages map[uint64]*page
	last  *page
	at    uint64 // of last
}

// pageWords is the number of words of a page.
const pageWords = 256

type page [pageWords]cell

// cell is what is known of a word: accesses, from the oldest on.
type cell struct {
	records []record
	chain   *chain // nil if there was no strong write
}

// cell returns that of the word at an address.
func (s *shadow) cell(addr uint64) *cell {
	word := addr / 4
	at := word / pageWords
	if s.last == nil || s.at != at {
		p := s.pages[at]
		if p == nil {
			if s.pages == nil {
				s.pages = map[uint64]*page{}
			}
			p = new(page)
			s.pages[at] = p
		}
		s.last, s.at = p, at
	}
	return &s.last[word%pageWords]
}

// first returns the lowest lane of a set.
func first(lanes uint64) int { return bits.TrailingZeros64(lanes) }

// lowest returns the lowest byte of a set.
func lowest(set uint8) int { return bits.TrailingZeros8(set) }

// mask returns the bits of a set of the bytes of a word.
func mask(set uint8) uint32 {
	m := uint32(0)
	for ; set != 0; set &= set - 1 {
		m |= 0xff << (8 * lowest(set))
	}
	return m
}
