package absexec

import (
	"maps"
	"slices"

	"warpbound/internal/isa"
)

// state is what is known of the registers and the local memory of a warp. Entries
// of the stack whose lanes were surely disjoint when they parted share one; each
// changes its own lanes only.
type state struct {
	regs  []*value           // by register
	local map[uint64][]place // by address divided by granule
}

func newState(regs int) *state {
	return &state{regs: slices.Repeat([]*value{unknown}, regs), local: make(map[uint64][]place)}
}

func (s *state) clone() *state {
	return &state{regs: slices.Clone(s.regs), local: maps.Clone(s.local)}
}

// merge returns the state of lanes that come together: those of here in s, and those of
// from in t, some of them perhaps in either: a choice tells.
func (s *state) merge(t *state, here, from uint64, by choice) *state {
	if s == t {
		return s
	}
	m := &state{regs: make([]*value, len(s.regs)), local: make(map[uint64][]place, len(s.local))}
	for r := range m.regs {
		m.regs[r] = merge(s.regs[r], t.regs[r], here, from, by)
	}
	m.mergeLocal(s, t, here, from, by)
	return m
}

// write assigns v to a register in the lanes of mask, for certain in those of must. Lanes
// that are not in owners do not matter.
func (s *state) write(r isa.Reg, v *value, must, mask, owners uint64) {
	s.regs[r] = assign(s.regs[r], v, must, mask, owners)
}

// assign returns a register with the value old after v was assigned to it so.
func assign(old, v *value, must, mask, owners uint64) *value {
	if owners&^must == 0 {
		return v
	}
	w := mix(old, v, must)
	if perhaps := mask &^ must; perhaps != 0 {
		w = weaken(w, v, perhaps)
	}
	return w
}
