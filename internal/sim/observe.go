package sim

import "warpbound/internal/emu"

// Step is one instruction that a warp executed.
type Step struct {
	Cycle         int64 // in which it issued
	SM, CTA, Warp int   // the CTA in the grid, the warp in the CTA
	Split         int   // the split SIMD on which the part of a split wavefront executes, from 1; else 0
	PC            int
	Active        uint64      // lanes that the warp ran with
	Executed      uint64      // of those, lanes whose guard held
	Alive         uint64      // lanes that have not exited before it
	Counters      *Counters   // of its SM or of the run, as they were before it; valid during the call only
	After         *emu.Warp   // as the instruction left it; likewise
	Effect        *emu.Effect // what it did; likewise
}

// Execute performs a warp's next instruction. at is when and where, the rest of it is filled
// in; Config.Observe is told if it is set, and must be.
func (c *Config) Execute(w *emu.Warp, env *emu.Env, eff *emu.Effect, at Step) error {
	at.PC, at.Active, at.Alive, at.After = w.PC(), w.Active(), w.Alive(), w
	if err := w.Step(env, eff); err != nil {
		return err
	}
	at.Executed, at.Effect = eff.Mask, eff
	c.Observe(&at)
	return nil
}

// LLCAccess is one access of a core to the cache that the cores of an integrated machine share.
type LLCAccess struct {
	Core     int    // an SM, or the CPU as the last
	Number   int64  // of the access in the order of its core, from 0
	Interval int64  // in which it was sent, from 0
	Line     uint64 // number of the line: address by bytes of a line
	Write    bool   // a store or an atomic operation
	Hit      bool   // the line was there, or another access was fetching it
	Cycle    int64  // in which the tags were looked up
}

// CPUAccess is one access of the CPU of an integrated machine.
type CPUAccess struct {
	Gap     int64  // cycles from the end of the access before, or from the beginning
	Address uint64 // as the caches see it
	Store   bool
}

// CPUStream is the accesses of a CPU.
type CPUStream interface {
	// Reset goes back to the first access.
	Reset()

	// Next returns the next access, or false if there is none.
	Next() (CPUAccess, bool, error)
}
