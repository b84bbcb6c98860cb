package llc

import (
	"math/bits"
	"slices"

	"warpbound/internal/saturating"
)

// crowds are the lines that may be used of each set of a cache with least recently used replacement, in whatever order. They
// tell how often a line is displaced.
//
// Between two fetches of a line it was displaced. From its last use before that on, at least as many other lines of the set
// were used as there are ways. A line that is used t times in all is among these for at most t of the times. So if a
// line is displaced m times, the sum over the others of min(t, m) is at least m times the ways.
type crowds struct {
	sets    []crowd
	ways    saturating.Int
	unknown []saturating.Int // by pool: uses of which it is not known of which of its lines they are
	others  saturating.Int   // uses of lines that are not added, any
}

type crowd struct {
	uses  []saturating.Int // of its lines, after sort in ascending order
	sums  []saturating.Int // of so many of the first ones
	pools []poolOfASet     // that have lines in the set
}

// poolOfASet is how many lines of a set are in a pool.
type poolOfASet struct{ pool, lines int }

func newCrowds(sets, ways int64) *crowds {
	return &crowds{sets: make([]crowd, sets), ways: saturating.Of(ways)}
}

// clear takes all lines out.
func (c *crowds) clear() {
	for i := range c.sets {
		s := &c.sets[i]
		s.uses, s.sums, s.pools = s.uses[:0], s.sums[:0], s.pools[:0]
	}
	c.unknown, c.others = c.unknown[:0], 0
}

// add adds a line and how often it is used, at most, and the pools it is in.
func (c *crowds) add(line uint64, uses saturating.Int, pools uint64) {
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
			s.sums = append(s.sums, s.sums[k].Add(n))
		}
	}
}

// evictions returns how often a line that was added with so many uses, and that is in some pools, is displaced before its
// next use, at most.
func (c *crowds) evictions(line uint64, uses saturating.Int, pools uint64) saturating.Int {
	s := &c.sets[line%uint64(len(c.sets))]
	if saturating.Of(len(s.uses)) <= c.ways && c.others == 0 {
		return 0
	}
	all := uses
	for ; pools != 0; pools &= pools - 1 {
		all = all.Add(c.unknown[bits.TrailingZeros64(pools)])
	}
	lo, hi := saturating.Int(0), max(all, 1).Sub(1) // lo is possible, hi + 1 is not
	for lo < hi {
		m := lo.Add(hi.Sub(lo).DivUp(2))
		if c.possible(s, uses, m) {
			lo = m
		} else {
			hi = m.Sub(1)
		}
	}
	return lo
}

// possible reports whether a line that was added to a set with so many uses can be displaced m times.
func (c *crowds) possible(s *crowd, uses, m saturating.Int) bool {
	fewer, _ := slices.BinarySearch(s.uses, m)
	others := s.sums[fewer].AddMul(saturating.Of(len(s.uses)-fewer), m)
	if others == saturating.Max {
		return true
	}
	others = others.Sub(min(uses, m))
	for _, p := range s.pools {
		others = others.Add(min(c.unknown[p.pool], m.Mul(saturating.Of(p.lines))))
	}
	others = others.Add(c.others)
	return others >= m.Mul(c.ways)
}
