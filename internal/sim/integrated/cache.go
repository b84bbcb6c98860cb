package integrated

import (
	"warpbound/internal/machine"
	"warpbound/internal/sim/core"
)

// fetch is the number of the access that brings a line of an L1.
type fetch int64

// newL1 returns the tags of the L1 of a core.
func newL1(m *machine.Machine) core.Cache[fetch] { return core.NewCache[fetch](m.L1.Sets, m.L1.Ways) }

// newLLC returns the tags of the shared cache.
func newLLC(m *machine.Machine) core.Cache[shared] {
	return core.NewCache[shared](m.LLC.Sets, m.LLC.Ways)
}

// shared is what is known of a line of the shared cache.
type shared struct {
	arrives int64  // when it is there; never while no core reads it yet
	readers uint64 // cores that read it from the DRAM, unless it is there
	dirty   bool
}
