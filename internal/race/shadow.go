package race

import "math/bits"

// shadow holds what is known of a memory, a page of lines at a time.
type shadow struct {
	pages map[uint64]*page
	last  *page
	at    uint64 // of last
}

// pageLines is the number of lines of a page.
const pageLines = 64

type page [pageLines]line

// cell is what is known of a word: accesses, from the oldest on.
type cell struct {
	records []record
	chain   *chain // nil if there was no strong write
}

// line returns that of the word at an address.
func (s *shadow) line(addr uint64) *line {
	number := addr / lineBytes
	at := number / pageLines
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
	return &s.last[number%pageLines]
}

// cell returns that of the word at an address, whose line has a cell for each word from now on.
func (s *shadow) cell(addr uint64) *cell {
	l := s.line(addr)
	l.divideIntoCells()
	return &l.cells[addr/4%lineWords]
}

// forgetAll forgets all accesses, and keeps the pages for others.
func (s *shadow) forgetAll() {
	for _, p := range s.pages {
		for i := range p {
			p[i] = line{records: p[i].records[:0]}
		}
	}
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
