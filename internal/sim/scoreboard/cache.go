package scoreboard

import (
	"math/bits"

	"warpbound/internal/machine"
)

// lineState is the state of a line of a cache.
type lineState uint8

const (
	invalid lineState = iota
	valid
	dirty   // valid, and newer than what is behind the cache
	fetched // on its way
)

// cacheLine is one line of a cache.
type cacheLine struct {
	tag   uint64 // address of the line
	used  int64  // number of the last use
	state lineState
	mshr  int32 // of a fetched line
}

// cache is the tag array of a set-associative cache with least recently used
// replacement.
type cache struct {
	lines  []cacheLine // set after set
	tags   []uint64    // complements of those of lines, 0 for those that are invalid: large caches are made without a look at each line
	ways   int
	room   int    // ways that there is room for
	mask   uint64 // sets - 1
	shift  int    // log2 of the bytes of a line
	fermi  bool   // sets are chosen as machine.Fermi says
	hashed int    // log2 of the sets if they are chosen as machine.Hashed says, else 0
	uses   int64

	claimed []uint64 // by set, one bit each: a line was put there since the last reset
}

func newCache(sets, ways, line int64, index machine.Index) cache {
	c := cache{
		fermi: index == machine.Fermi,
		lines: make([]cacheLine, sets*ways), tags: make([]uint64, sets*ways), ways: int(ways), room: int(ways),
		mask: uint64(sets - 1), shift: bits.TrailingZeros64(uint64(line)),
		claimed: make([]uint64, (sets+63)/64),
	}
	if index == machine.Hashed {
		c.hashed = bits.TrailingZeros64(uint64(sets))
	}
	return c
}

// reset makes all lines invalid: it goes through the sets that have been used.
func (c *cache) reset() {
	for word, sets := range c.claimed {
		for ; sets != 0; sets &= sets - 1 {
			base := (word*64 + bits.TrailingZeros64(sets)) * c.ways
			clear(c.lines[base : base+c.ways])
			clear(c.tags[base : base+c.ways])
		}
	}
	clear(c.claimed)
	c.uses = 0
}

// resetTo is reset to so many ways, or to all if they are 0.
func (c *cache) resetTo(ways int) {
	c.reset()
	c.ways = c.room
	if ways > 0 {
		c.ways = ways
	}
}

// set returns the index of the first line of the set that an address maps to.
func (c *cache) set(addr uint64) int {
	set := addr >> c.shift
	if c.fermi {
		set ^= addr>>13&7 | addr>>17&1<<3 | addr>>19&1<<4
	}
	if c.hashed > 0 {
		for rest := set >> c.hashed; rest != 0; rest >>= c.hashed {
			set ^= rest
		}
	}
	return int(set&c.mask) * c.ways
}

// find returns the index of the line at addr, none if it is neither present nor
// fetched.
func (c *cache) find(addr uint64) int32 {
	base := c.set(addr)
	for i, tag := range c.tags[base : base+c.ways] {
		if tag == ^addr {
			return int32(base + i)
		}
	}
	return none
}

// victim returns the index of the line that makes room for one at addr: an
// invalid one, otherwise the least recently used, none if all are fetched.
func (c *cache) victim(addr uint64) int32 {
	base := c.set(addr)
	lines := c.lines[base : base+c.ways]
	best, oldest := int32(none), int64(never)
	for i := range lines {
		switch l := &lines[i]; {
		case l.state == invalid:
			return int32(base + i)
		case l.used < oldest && l.state != fetched:
			best, oldest = int32(base+i), l.used
		}
	}
	return best
}

// touch makes a line the most recently used.
func (c *cache) touch(i int32) {
	c.uses++
	c.lines[i].used = c.uses
}

// claim puts the line at addr in place of another.
func (c *cache) claim(i int32, addr uint64, state lineState, mshr int32) {
	c.lines[i] = cacheLine{tag: addr, state: state, mshr: mshr}
	c.tags[i] = ^addr
	set := int(i) / c.ways
	c.claimed[set/64] |= 1 << (set % 64)
	c.touch(i)
}

// drop makes a line invalid.
func (c *cache) drop(i int32) {
	c.lines[i].state = invalid
	c.tags[i] = 0
}
