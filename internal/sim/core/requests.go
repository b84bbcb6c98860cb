package core

import (
	"math/bits"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

const (
	wordShift = 2 // log2 of sim.WordBytes

	// maxPieces is the largest number of words that a warp accesses at once: 32
	// bytes in each lane.
	maxPieces = emu.MaxWidth * 32 / sim.WordBytes
)

// Counter counts the requests into which memory divides the accesses of warps.
type Counter struct {
	single  bool // an access is one request
	segment int  // log2 of the bytes of a segment of global memory
	bank    int  // log2 of the bytes of a bank of shared memory
	banks   int  // a power of two

	seen [maxPieces]uint64 // different numbers of the current access
	n    int               // of them
	bulk []uint64          // pieces of a bulk copy
}

// newCounter returns a counter of the requests on a machine.
func newCounter(m *machine.Machine) Counter {
	log := func(n machine.Number) int { return bits.TrailingZeros64(uint64(n.Value)) }
	return Counter{
		single:  m.Memory.Requests.Value == machine.ByAccess,
		segment: log(m.Memory.Segment), bank: log(m.Shared.BankBytes), banks: int(m.Shared.Banks.Value),
	}
}

// Count returns the requests of the access that an instruction made, 0 if it made
// none, and adds what it finds to the counters of the run.
func (c *Counter) Count(eff *emu.Effect, counters *sim.Counters) int64 {
	acc := &eff.Access
	switch {
	case acc.Kind == emu.NoAccess:
		return 0
	case acc.Space != isa.Generic:
		return c.Space(acc.Space, acc, eff.Mask, counters)
	}
	total := int64(0)
	for space, lanes := range acc.Lanes {
		if lanes != 0 {
			total += c.Space(isa.Space(space), acc, lanes, counters)
		}
	}
	if c.single {
		return 1
	}
	return total
}

// Pieces returns the numbers of the different pieces of 1<<shift bytes, at least a word,
// that some lanes touch, in the order of the first lane that touches each. They are valid
// until the next call of c.
func (c *Counter) Pieces(acc *emu.Access, lanes uint64, shift int) []uint64 {
	c.n = 0
	if acc.Bulk {
		return c.bulkPieces(acc, lanes, shift)
	}
	c.pieces(acc, lanes, shift)
	return c.seen[:c.n]
}

// Space counts the requests of some lanes to one space.
func (c *Counter) Space(space isa.Space, acc *emu.Access, lanes uint64, counters *sim.Counters) int64 {
	c.n = 0
	k := int64(1)
	switch {
	case c.single:
	case space == isa.Shared && acc.Kind == emu.Atomic:
		k = c.collisions(acc, lanes)
	case space == isa.Shared:
		k = c.conflicts(acc, lanes)
	case space == isa.Const || space == isa.Param:
		k = c.addresses(acc, lanes)
	case space == isa.Local:
		k = c.pieces(acc, lanes, wordShift)
	case acc.Bulk:
		k = int64(len(c.bulkPieces(acc, lanes, c.segment)))
	case acc.Kind == emu.Atomic:
		k = int64(bits.OnesCount64(lanes))
	default:
		k = c.pieces(acc, lanes, c.segment)
	}
	switch space {
	case isa.Shared:
		counters.SharedConflicts += k - 1
	case isa.Const, isa.Param:
		counters.ConstReplays += k - 1
	default:
		counters.Transactions += k
	}
	return k
}

// add enters a number and reports whether it is new.
func (c *Counter) add(x uint64) bool {
	for i := c.n - 1; i >= 0; i-- {
		if c.seen[i] == x {
			return false
		}
	}
	c.seen[c.n] = x
	c.n++
	return true
}

// addresses counts the different addresses of the lanes.
func (c *Counter) addresses(acc *emu.Access, lanes uint64) int64 {
	if acc.AddrDiff == 0 {
		return 1
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		c.add(acc.Addr[bits.TrailingZeros64(lanes)])
	}
	return int64(c.n)
}

// pieces counts the different pieces of memory that the lanes' bytes touch. A piece
// has 1<<shift bytes, at least a word.
func (c *Counter) pieces(acc *emu.Access, lanes uint64, shift int) int64 {
	if first, last := extent(acc, lanes, shift); acc.AddrDiff>>shift == 0 && first == last {
		c.add(first) // all lanes' bytes, which are aligned to their number
		return int64(c.n)
	}
	for ; lanes != 0; lanes &= lanes - 1 {
		first, last := extent(acc, lanes, shift)
		for piece := first; piece <= last; piece++ {
			c.add(piece)
		}
	}
	return int64(c.n)
}

// bulkPieces returns the pieces of a bulk copy, those of each lane.
func (c *Counter) bulkPieces(acc *emu.Access, lanes uint64, shift int) []uint64 {
	c.bulk = c.bulk[:0]
	for ; lanes != 0; lanes &= lanes - 1 {
		first, last := extent(acc, lanes, shift)
		for piece := first; piece <= last; piece++ {
			c.bulk = append(c.bulk, piece)
		}
	}
	return c.bulk
}

// extent returns the first and the last piece of 1<<shift bytes that the lowest of
// the lanes touches.
func extent(acc *emu.Access, lanes uint64, shift int) (first, last uint64) {
	a := acc.Addr[bits.TrailingZeros64(lanes)]
	return a >> shift, (a + uint64(acc.Bytes) - 1) >> shift
}

// conflicts returns the most different words that one bank has to deliver.
func (c *Counter) conflicts(acc *emu.Access, lanes uint64) int64 {
	if acc.AddrDiff>>c.bank < uint64(c.banks) && acc.Bytes>>c.bank <= c.banks {
		return 1 // the words lie in one row of the banks
	}
	low, high := ^uint64(0), uint64(0)
	for set := lanes; set != 0; set &= set - 1 {
		first, last := extent(acc, set, c.bank)
		low, high = min(low, first), max(high, last)
	}
	if high-low < uint64(c.banks) {
		return 1 // the words lie in different banks
	}
	var words [emu.MaxWidth]int64 // by bank
	maximum := int64(0)
	for set := lanes; set != 0; set &= set - 1 {
		first, last := extent(acc, set, c.bank)
		for word := first; word <= last; word++ {
			if c.add(word) {
				bank := word % uint64(c.banks)
				words[bank]++
				maximum = max(maximum, words[bank])
			}
		}
	}
	return maximum
}

// collisions returns the most lanes that touch one bank: atomic operations on a
// bank are performed one after the other.
func (c *Counter) collisions(acc *emu.Access, lanes uint64) int64 {
	var users [emu.MaxWidth]int64 // by bank
	maximum := int64(0)
	for set := lanes; set != 0; set &= set - 1 {
		first, last := extent(acc, set, c.bank)
		last = min(last, first+uint64(c.banks)-1) // each bank once
		for word := first; word <= last; word++ {
			bank := word % uint64(c.banks)
			users[bank]++
			maximum = max(maximum, users[bank])
		}
	}
	return maximum
}
