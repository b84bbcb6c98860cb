package llc

import (
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/saturating"
)

// TestCrowds compares how often lines can be displaced with how often they are, in a cache with least recently used
// replacement that lines of random numbers of uses use in random order. Some uses are of any line of a pool.
func TestCrowds(t *testing.T) {
	builtin := fermi(t)
	tight := 0
	rapid.Check(t, func(t *rapid.T) {
		m := *builtin
		m.L1.Sets.Value, m.L1.Ways.Value = rapid.Int64Range(1, 2).Draw(t, "sets"), rapid.Int64Range(1, 3).Draw(t, "ways")
		number := func(maximum int, name string) int { return rapid.IntRange(0, maximum).Draw(t, name) }
		lines := uint64(1 + number(7, "lines"))
		c := newCrowds(m.L1.Sets.Value, m.L1.Ways.Value)
		for range 2 { // the second time in what is left of the first
			c.clear()
			var order []uint64
			uses, pools := make(map[uint64]saturating.Int), make(map[uint64]uint64)
			for _, name := range []string{"uses of the first pool", "uses of the second pool"} {
				c.unknown = append(c.unknown, saturating.Of(number(4, name)))
			}
			c.others = saturating.Of(number(2, "others"))
			for line := range lines {
				uses[line], pools[line] = saturating.Of(number(8, "uses")), uint64(number(3, "pools"))
				if uses[line] > 0 || pools[line] != 0 {
					c.add(line, uses[line], pools[line])
				}
				for range uses[line] {
					order = append(order, line)
				}
			}
			c.sort()
			for pool, n := range c.unknown {
				for range n {
					if line := uint64(number(int(lines)-1, "of the pool")); pools[line]>>pool&1 != 0 {
						order = append(order, line)
					}
				}
			}
			for i := range c.others {
				order = append(order, 100+uint64(i.Int64()))
			}
			order = rapid.Permutation(order).Draw(t, "order")
			l1, fetches := newTags(&m), make(map[uint64]int64)
			for _, line := range order {
				if _, hit := l1.use(line); !hit {
					l1.insert(line, 0)
					fetches[line]++
				}
			}
			for line := range lines {
				bound := 1 + c.evictions(line, uses[line], pools[line]).Int64()
				if fetches[line] > bound {
					t.Fatalf("line %d is fetched %d times, the bound is %d", line, fetches[line], bound)
				}
				if fetches[line] == bound && bound > 1 {
					tight++
				}
			}
		}
	})
	if tight == 0 {
		t.Error("no bound of lines that are displaced is attained")
	}
}

// TestCrowdOfTwo has a set of one way, with two lines, one of which is used seldom.
func TestCrowdOfTwo(t *testing.T) {
	c := newCrowds(1, 1)
	c.add(0, 100, 0)
	c.add(1, 3, 0)
	c.sort()
	if often, seldom := c.evictions(0, 100, 0), c.evictions(1, 3, 0); often != 3 || seldom != 2 {
		t.Errorf("the line that is used often is displaced %d times, the other one %d times", often, seldom)
	}
}
