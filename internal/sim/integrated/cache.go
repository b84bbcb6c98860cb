package integrated

import (
	"math/bits"

	"warpbound/internal/machine"
)

// cache is the tags of a set-associative cache with least recently used replacement, and
// what is known of each line.
type cache[T any] struct {
	lines []line[T] // set after set, in each the one used last first
	ways  int
	mask  uint64 // sets - 1

	used []uint64 // by set, one bit each: a line was put there since the last reset
}

// line is a line of a cache.
type line[T any] struct {
	number uint64 // address by bytes of a line
	valid  bool
	state  T
}

func newCache[T any](sets, ways machine.Number) cache[T] {
	return cache[T]{
		lines: make([]line[T], sets.Value*ways.Value), ways: int(ways.Value), mask: uint64(sets.Value - 1),
		used: make([]uint64, (sets.Value+63)/64),
	}
}

// reset empties the cache: it goes through the sets that have been used.
func (c *cache[T]) reset() {
	for word, sets := range c.used {
		for ; sets != 0; sets &= sets - 1 {
			first := (word*64 + bits.TrailingZeros64(sets)) * c.ways
			clear(c.lines[first : first+c.ways])
		}
	}
	clear(c.used)
}

// set returns the lines of the set to which a line belongs.
func (c *cache[T]) set(number uint64) []line[T] {
	first := int(number&c.mask) * c.ways
	return c.lines[first : first+c.ways]
}

// find returns a line, nil if it is not there.
func (c *cache[T]) find(number uint64) *T {
	set := c.set(number)
	for i := range set {
		if l := &set[i]; l.valid && l.number == number {
			return &l.state
		}
	}
	return nil
}

// use makes a line the one used last and returns it, nil if it is not there.
func (c *cache[T]) use(number uint64) *T {
	set := c.set(number)
	for i := range set {
		if l := set[i]; l.valid && l.number == number {
			copy(set[1:i+1], set[:i])
			set[0] = l
			return &set[0].state
		}
	}
	return nil
}

// insert puts a line that is not there in place of the least recently used one, which it
// returns, as the one used last.
func (c *cache[T]) insert(number uint64, state T) (victim line[T]) {
	at := number & c.mask
	c.used[at/64] |= 1 << (at % 64)
	set := c.set(number)
	victim = set[len(set)-1]
	copy(set[1:], set)
	set[0] = line[T]{number, true, state}
	return victim
}

// drop takes a line out.
func (c *cache[T]) drop(number uint64) {
	set := c.set(number)
	for i := range set {
		if l := &set[i]; l.valid && l.number == number {
			copy(set[i:], set[i+1:])
			set[len(set)-1] = line[T]{}
			return
		}
	}
}

// fetch is the number of the access that brings a line of an L1.
type fetch int64

// newL1 returns the tags of the L1 of a core.
func newL1(m *machine.Machine) cache[fetch] { return newCache[fetch](m.L1.Sets, m.L1.Ways) }

// shared is what is known of a line of the shared cache.
type shared struct {
	arrives int64  // when it is there; never while no core reads it yet
	readers uint64 // cores that read it from the DRAM, unless it is there
	dirty   bool
}
