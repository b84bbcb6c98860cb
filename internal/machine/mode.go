package machine

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/suggest"
)

// Mode is a pair of clocks that a GPU is guaranteed to keep, such as one of the power modes of an embedded module. A machine need not
// have any.
type Mode struct {
	Name string `toml:"name"`
	Core Number `toml:"core"`
	DRAM Number `toml:"dram"` // zero but of a machine with a scoreboard
}

// LowestMode stands for the mode whose clocks are the lowest.
const LowestMode = "lowest"

// InMode returns the machine with the clocks of one of its modes: of the lowest one if the name says so, and as it is if that
// is empty, or if it says so and there are no modes. It also returns the name of the mode, empty for none.
func (m *Machine) InMode(name string) (*Machine, string, error) {
	if name == "" || name == LowestMode && len(m.Modes) == 0 {
		return m, "", nil
	}
	if len(m.Modes) == 0 {
		return nil, "", fmt.Errorf("there is no mode %q: %s states none", name, m.Name)
	}
	is := func(o Mode) bool { return o.Name == name }
	if name == LowestMode {
		is = m.lowest
	}
	at := slices.IndexFunc(m.Modes, is)
	switch {
	case at < 0 && name == LowestMode:
		return nil, "", fmt.Errorf("no mode of %s has both the lowest core clock and the lowest DRAM clock, so that none is known to be the slowest: choose one of %s (--mode)",
			m.Name, strings.Join(m.modeNames(), ", "))
	case at < 0:
		return nil, "", fmt.Errorf("%s has no mode %q%s", m.Name, name, suggest.HintOf(m.Name+" has", name, m.modeNames()))
	}
	other, mode := *m, m.Modes[at]
	other.Clock.Core = mode.Core
	if m.Core == Scoreboard {
		other.Clock.DRAM = mode.DRAM
	}
	return &other, mode.Name, nil
}

// lowest reports whether no other mode has a lower clock.
func (m *Machine) lowest(o Mode) bool {
	return !slices.ContainsFunc(m.Modes, func(p Mode) bool { return p.Core.Value < o.Core.Value || p.DRAM.Value < o.DRAM.Value })
}

func (m *Machine) modeNames() []string {
	var names []string
	for _, o := range m.Modes {
		names = append(names, o.Name)
	}
	return names
}

// clocks returns the clocks of a mode with their paths in a file, of which at is the part that is the mode's.
func (m *Machine) clocks(at string, o *Mode) []clock {
	all := []clock{{at + ".core", o.Core}}
	if m.Core == Scoreboard {
		all = append(all, clock{at + ".dram", o.DRAM})
	}
	return all
}

type clock struct {
	path string
	Number
}

// modes checks that modes have names that differ, and clocks with which the machine is one.
func (c *checker) modes() {
	var known []string
	for i := range c.m.Modes {
		o := &c.m.Modes[i]
		at := fmt.Sprintf("mode.%d", i)
		switch {
		case strings.TrimSpace(o.Name) == "" || strings.ContainsAny(o.Name, "\n\t\r") || o.Name == LowestMode:
			c.errorf(at+".name", "a mode needs a name of its own, such as \"15W\", not %q", o.Name)
		case slices.Contains(known, o.Name):
			c.errorf(at+".name", "there is another mode %q", o.Name)
		}
		known = append(known, o.Name)
		if c.m.Core != Scoreboard && c.has(at+".dram") {
			c.errorf(at+".dram", "%s has no clock.dram", c.m.Core.Named())
		}
		clocks := c.m.clocks(at, o)
		for _, n := range clocks {
			c.number(n.path, c.m.clockField(n.path[len(at)+1:]), n.Number)
		}
		if c.errs.Len() == 0 && c.m.Core == Scoreboard {
			with := *c.m
			with.Clock = Clock{Core: o.Core, DRAM: o.DRAM}
			core, mem := with.ClockRatio()
			c.require(max(core, mem) <= maxRatio, at+".dram", "the ratio of the clocks, reduced to %d:%d, has a term beyond %d", core, mem, maxRatio)
			c.require(with.leavesSome(), at+".dram", "dram.background leaves the kernel nothing of the %d bytes per second that the buses move at most in mode %s", with.Peak(), o.Name)
		}
	}
}

// clockField is the field of [clock] of that name.
func (m *Machine) clockField(name string) field {
	for path, f := range m.fields() {
		if path == "clock."+name {
			return f
		}
	}
	return field{}
}
