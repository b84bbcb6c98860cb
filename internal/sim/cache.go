package sim

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
	lines []cacheLine // set after set
	ways  int
	mask  uint64 // sets - 1
	shift int    // log2 of the bytes of a line
	fermi bool   // sets are chosen as machine.Fermi says
	uses  int64
}

func newCache(sets, ways, line int64, index machine.Index) cache {
	return cache{
		fermi: index == machine.Fermi,
		lines: make([]cacheLine, sets*ways), ways: int(ways),
		mask: uint64(sets - 1), shift: bits.TrailingZeros64(uint64(line)),
	}
}

func (c *cache) reset() {
	clear(c.lines)
	c.uses = 0
}

// set returns the index of the first line of the set that an address maps to.
func (c *cache) set(addr uint64) int {
	set := addr >> c.shift
	if c.fermi {
		set ^= addr>>13&7 | addr>>17&1<<3 | addr>>19&1<<4
	}
	return int(set&c.mask) * c.ways
}

// find returns the index of the line at addr, none if it is neither present nor
// fetched.
func (c *cache) find(addr uint64) int32 {
	base := c.set(addr)
	for i, l := range c.lines[base : base+c.ways] {
		if l.tag == addr && l.state != invalid {
			return int32(base + i)
		}
	}
	return none
}

// victim returns the index of the line that makes room for one at addr: an
// invalid one, otherwise the least recently used, none if all are fetched.
func (c *cache) victim(addr uint64) int32 {
	base := c.set(addr)
	best := int32(none)
	for i := base; i < base+c.ways; i++ {
		switch l := &c.lines[i]; {
		case l.state == invalid:
			return int32(i)
		case l.state == fetched:
		case best == none || l.used < c.lines[best].used:
			best = int32(i)
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
	c.touch(i)
}
