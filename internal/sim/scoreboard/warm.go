package scoreboard

import (
	"warpbound/internal/emu"
	"warpbound/internal/machine"
)

// Continue makes the next run begin with what the L2 holds after the last run of a simulator of the same machine,
// which may be s itself. Lines that were still on their way then are not there. L1 caches begin empty, as GPUs
// empty them when a kernel is launched, and so does the DRAM without open rows.
func (s *Sim) Continue(before *Sim) {
	if s.kept == nil {
		for i := range s.mem.parts {
			c := &s.mem.parts[i].cache
			s.kept = append(s.kept, newCache(int64(len(c.lines)/c.ways), int64(c.ways), 1<<c.shift, machine.Linear))
		}
	}
	for i := range s.kept {
		s.kept[i].take(&before.mem.parts[i].cache)
	}
	s.warm = true
}

// warmUp fills the L2 with what was kept, if a run is to begin with that, else with what the host has copied to the GPU, if
// copies go through it.
func (s *Sim) warmUp(mem *emu.Memory) {
	switch {
	case s.warm:
		for i := range s.kept {
			s.mem.parts[i].cache.take(&s.kept[i])
		}
	case s.cfg.Machine.WarmCopies():
		for addr, bytes := range mem.Filled {
			s.mem.copy(s.cfg.Machine, addr, bytes)
		}
	}
}

// copy puts the lines of a buffer into the L2.
func (mem *memory) copy(m *machine.Machine, addr, bytes uint64) {
	line := uint64(m.L2.Line.Value)
	for at := addr &^ (line - 1); at < addr+bytes; at += line {
		part, within := locate(m, at)
		c := &mem.parts[part].cache
		c.claim(c.victim(within), within, valid, none)
	}
}

// take makes the lines of the cache those of another one of the same size, but for lines that are fetched.
func (c *cache) take(other *cache) {
	copy(c.lines, other.lines)
	copy(c.tags, other.tags)
	copy(c.claimed, other.claimed)
	c.uses = other.uses
	for i := range c.lines {
		if c.lines[i].state == fetched {
			c.drop(int32(i))
		}
	}
}
