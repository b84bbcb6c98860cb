package scoreboard

import (
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// icache is the instruction cache of an SM. Lines have numbers, from 0 for that of the kernel's first instruction on. A
// line is in its set from the cycle on in which it is asked for, so that whoever comes later waits for the same arrival.
type icache struct {
	cache   cache
	arrives []int64 // by index of the line: when it has come
	miss    int64   // cycles
}

// init prepares the cache, if the machine has one.
func (c *icache) init(m *machine.Machine) {
	if n := m.ICache.Sets.Value * m.ICache.Ways.Value; n > 0 {
		c.cache = newCache(m.ICache.Sets.Value, m.ICache.Ways.Value, 1, machine.Linear)
		c.arrives, c.miss = make([]int64, n), m.ICache.Miss.Value
	}
}

// ask returns the cycle from which on a line is there that is asked for in the cycle now.
func (c *icache) ask(line uint64, now int64) int64 {
	i := c.cache.find(line)
	if i != none {
		c.cache.touch(i)
		return c.arrives[i]
	}
	i = c.cache.victim(line)
	c.cache.claim(i, line, valid, none)
	c.arrives[i] = now + c.miss
	return c.arrives[i]
}

// fetch makes a warp ask for a line in the cycle at, unless it is in that line already. It returns when the warp may issue there
// if it might, but for the line, in the cycle at, and what it waits for until then. Line is none where no line begins.
func (m *sm) fetch(w *warp, line int32, at int64, why sim.Stall) (int64, sim.Stall) {
	if line == none {
		return at, why
	}
	if line != w.line {
		w.line, w.arrives = line, m.icache.ask(uint64(line), at)
	}
	if w.arrives > at {
		return w.arrives, sim.StallBranch
	}
	return at, why
}
