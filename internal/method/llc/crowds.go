package llc

import (
	"math"
	"math/bits"
	"slices"
)

// crowds are the lines that may be used of each set of a cache with least recently used replacement, in whatever order. They
// tell how often a line is displaced.
//
// Between two fetches of a line it was displaced. From its last use before that on, at least as many other lines of the set
// were used as there are ways. A line that is used t times in all is among these for at most t of the times. So if a
// line is displaced m times, the sum over the others of min(t, m) is at least m times the ways.
type crowds struct {
	sets    []crowd
	ways    int64
	unknown []int64 // by pool: uses of which it is not known of which of its lines they are
	others  int64   // uses of lines that are not added, any
}

type crowd struct {
	uses  []int64      // of its lines, after sort in ascending order
	sums  []int64      // of so many of the first ones
	pools []poolOfASet // that have lines in the set
}

// poolOfASet is how many lines of a set are in a pool.
type poolOfASet struct{ pool, lines int }

func newCrowds(sets, ways int64) *crowds { return &crowds{sets: make([]crowd, sets), ways: ways} }

// clear takes all lines out.
func (c *crowds) clear() {
	for i := range c.sets {
		s := &c.sets[i]
		s.uses, s.sums, s.pools = s.uses[:0], s.sums[:0], s.pools[:0]
	}
	c.unknown, c.others = c.unknown[:0], 0
}

// add adds a line and how often it is used, at most, and the pools it is in.
func (c *crowds) add(line uint64, uses int64, pools uint64) {
	s := &c.sets[line%uint64(len(c.sets))]
	s.uses = append(s.uses, uses)
	for ; pools != 0; pools &= pools - 1 {
		pool := bits.TrailingZeros64(pools)
		i := slices.IndexFunc(s.pools, func(p poolOfASet) bool { return p.pool == pool })
		if i < 0 {
			i = len(s.pools)
			s.pools = append(s.pools, poolOfASet{pool: pool})
		}
		s.pools[i].lines++
	}
}

// sort ends the additions.
func (c *crowds) sort() {
	for i := range c.sets {
		s := &c.sets[i]
		slices.Sort(s.uses)
		s.sums = append(s.sums[:0], 0)
		for k, n := range s.uses {
			s.sums = append(s.sums, saturate(s.sums[k], n, 1))
		}
	}
}

// evictions returns how often a line that was added with so many uses, and that is in some pools, is displaced before its
// next use, at most.
func (c *crowds) evictions(line uint64, uses int64, pools uint64) int64 {
	s := &c.sets[line%uint64(len(c.sets))]
	if int64(len(s.uses)) <= c.ways && c.others == 0 {
		return 0
	}
	all := uses
	for ; pools != 0; pools &= pools - 1 {
		all = saturate(all, c.unknown[bits.TrailingZeros64(pools)], 1)
	}
	lo, hi := int64(0), max(all-1, 0) // lo is possible, hi + 1 is not
	for lo < hi {
		m := lo + (hi-lo+1)/2
		if c.possible(s, uses, m) {
			lo = m
		} else {
			hi = m - 1
		}
	}
	return lo
}

// possible reports whether a line that was added to a set with so many uses can be displaced m times.
func (c *crowds) possible(s *crowd, uses, m int64) bool {
	fewer, _ := slices.BinarySearch(s.uses, m)
	others := saturate(s.sums[fewer], int64(len(s.uses)-fewer), m)
	if others == math.MaxInt64 {
		return true
	}
	others -= min(uses, m)
	for _, p := range s.pools {
		others = saturate(others, min(c.unknown[p.pool], saturate(0, m, int64(p.lines))), 1)
	}
	others = saturate(others, c.others, 1)
	return others >= saturate(0, m, c.ways)
}
