package core

import (
	"math/bits"

	"warpbound/internal/machine"
)

// Cache is the tags of a set-associative cache with least recently used replacement, and
// what is known of each line.
type Cache[T any] struct {
	lines []Line[T] // set after set, in each the one used last first
	ways  int
	mask  uint64 // sets - 1

	used []uint64 // by set, one bit each: a line was put there since the last reset
}

// Line is a line of a cache.
type Line[T any] struct {
	Number uint64 // address by bytes of a line
	Valid  bool
	State  T
}

// NewCache returns an empty cache.
func NewCache[T any](sets, ways machine.Number) Cache[T] {
	return Cache[T]{
		lines: make([]Line[T], sets.Value*ways.Value), ways: int(ways.Value), mask: uint64(sets.Value - 1),
		used: make([]uint64, (sets.Value+63)/64),
	}
}

// Reset empties the cache: it goes through the sets that have been used.
func (c *Cache[T]) Reset() {
	for word, sets := range c.used {
		for ; sets != 0; sets &= sets - 1 {
			first := (word*64 + bits.TrailingZeros64(sets)) * c.ways
			clear(c.lines[first : first+c.ways])
		}
	}
	clear(c.used)
}

// Set returns the lines of the set to which a line belongs, the one used last first.
func (c *Cache[T]) Set(number uint64) []Line[T] {
	first := int(number&c.mask) * c.ways
	return c.lines[first : first+c.ways]
}

// Find returns a line, nil if it is not there.
func (c *Cache[T]) Find(number uint64) *T {
	set := c.Set(number)
	for i := range set {
		if l := &set[i]; l.Valid && l.Number == number {
			return &l.State
		}
	}
	return nil
}

// Use makes a line the one used last and returns it, nil if it is not there.
func (c *Cache[T]) Use(number uint64) *T {
	set := c.Set(number)
	for i := range set {
		if l := set[i]; l.Valid && l.Number == number {
			copy(set[1:i+1], set[:i])
			set[0] = l
			return &set[0].State
		}
	}
	return nil
}

// Insert puts a line that is not there in place of the least recently used one, which it
// returns, as the one used last.
func (c *Cache[T]) Insert(number uint64, state T) (victim Line[T]) {
	at := number & c.mask
	c.used[at/64] |= 1 << (at % 64)
	set := c.Set(number)
	victim = set[len(set)-1]
	copy(set[1:], set)
	set[0] = Line[T]{number, true, state}
	return victim
}

// Drop takes a line out.
func (c *Cache[T]) Drop(number uint64) {
	set := c.Set(number)
	for i := range set {
		if l := &set[i]; l.Valid && l.Number == number {
			copy(set[i:], set[i+1:])
			set[len(set)-1] = Line[T]{}
			return
		}
	}
}

// Take makes the lines of the cache those of another one of the same size.
func (c *Cache[T]) Take(other *Cache[T]) {
	copy(c.lines, other.lines)
	copy(c.used, other.used)
}

// Keep takes all lines out but those that it is told to keep, which stay in the first places: no line displaces one while a
// place is free.
func (c *Cache[T]) Keep(keep func(*T) bool) {
	for first := 0; first < len(c.lines); first += c.ways {
		set := c.lines[first : first+c.ways]
		n := 0
		for _, l := range set {
			if l.Valid && keep(&l.State) {
				set[n] = l
				n++
			}
		}
		clear(set[n:])
	}
}

// Each visits what is known of the lines that are there.
func (c *Cache[T]) Each(visit func(*T)) {
	for i := range c.lines {
		if c.lines[i].Valid {
			visit(&c.lines[i].State)
		}
	}
}
