package scoreboard

import (
	"math/bits"

	"warpbound/internal/abi"
	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// readCache is a cache of an SM for what a launch does not change: instructions, or parameters and constants. All misses take
// the same time. A line is in its set from the cycle on in which it is asked for, so that whoever comes later waits for the
// same arrival.
type readCache struct {
	cache   cache
	arrives []int64 // by index of the line: when it has come
	miss    int64   // cycles; 0 if the machine has no such cache
	shift   int     // log2 of the size of a line
	stream  uint64  // lines that are fetched along with the one that is asked for,
	last    uint64  // none behind this one

	// If the chain of causes is wanted:
	by     []causes.ID  // by index of the line: why it was asked for
	asker  causes.ID    // why the next one is
	latest causes.Since // when all is there that was asked for since then
}

// init prepares the cache, if the machine has one.
func (c *readCache) init(sets, ways, line, miss int64) {
	if sets > 0 {
		c.cache = newCache(sets, ways, 1, machine.Linear)
		c.arrives, c.miss, c.shift = make([]int64, sets*ways), miss, bits.TrailingZeros64(uint64(line))
	}
}

// ask returns the cycle from which on a line is there that is asked for in the cycle now. Lines have numbers.
func (c *readCache) ask(line uint64, now int64) int64 {
	i := c.cache.find(line)
	if i != none {
		c.cache.touch(i)
	} else {
		i = c.cache.victim(line)
		c.cache.claim(i, line, valid, none)
		c.arrives[i] = now + c.miss
		if c.by != nil {
			c.by[i] = c.asker
		}
	}
	if c.by != nil {
		c.latest = causes.Later(c.latest, causes.Since{At: c.arrives[i], Cause: c.by[i]})
	}
	return c.arrives[i]
}

// askAhead is ask, and asks for the lines that follow, too.
func (c *readCache) askAhead(line uint64, now int64) int64 {
	at := c.ask(line, now)
	latest := c.latest
	for next := line + 1; next <= min(line+c.stream, c.last); next++ {
		c.ask(next, now)
	}
	c.latest = latest
	return at
}

// fetch makes a warp ask for a line of instructions in the cycle at, unless it is in that line already. It returns when the warp
// may issue there if it might, but for the line, in the cycle at, and what it waits for until then. Line is none where no line begins.
func (m *sm) fetch(w *warp, line int32, at int64, why sim.Stall) (int64, sim.Stall) {
	if line == none {
		return at, why
	}
	if line != w.line {
		m.reasons.fetches(w)
		w.line, w.arrives = line, m.icache.askAhead(uint64(line), at)
		m.reasons.fetched(w)
	}
	if w.arrives > at {
		return w.arrives, sim.StallBranch
	}
	return at, why
}

// constants returns when all is there that an access wants of parameters and constants which issues in the cycle now.
func (m *sm) constants(st *step, now int64) int64 {
	c, acc := &m.ccache, &m.eff.Access
	switch {
	case c.miss == 0:
		return now
	case st.more != nil && st.more.constant != none:
		return c.ask(uint64(st.more.constant), now)
	case acc.Kind == emu.NoAccess || acc.Space != isa.Param && acc.Space != isa.Const:
		return now
	}
	over, last := now, ^uint64(0)
	for lanes := m.eff.Mask; lanes != 0; lanes &= lanes - 1 {
		at := acc.Addr[bits.TrailingZeros64(lanes)]
		for line := at >> c.shift; line <= (at+uint64(acc.Bytes)-1)>>c.shift; line++ {
			if line != last {
				over, last = max(over, c.ask(line, now)), line
			}
		}
	}
	return over
}

// parameterLine returns the number of the line of the constant cache that an instruction loads from which names a place of the
// parameters, none for all others. Such a load looks the line up whether or not its guard holds in some lane.
func parameterLine(in *isa.Instr, m *machine.Machine) int32 {
	if m.CCache.Line.Value == 0 || in.Op != isa.Ld || in.Space != isa.Param {
		return none
	}
	at := in.Src[0]
	if at.Kind != isa.KindVarAddr || at.Var != isa.ParamVar || at.Reg != isa.NoReg {
		return none
	}
	return int32(int64(abi.ParamAddress(int(at.Imm))) / m.CCache.Line.Value)
}
