// Package sim is the contract of all cycle-level simulators: what they are given
// (Config), what they return (Result, with its Counters), what they tell while
// they run (Step, LLCAccess), and how a run that is given up says where its warps
// were (StuckError). Each core has a simulator of its own, in a package below this
// one.
//
// sim must not import one of them, and like them neither a method nor ipet: what
// follows this contract is evidence that is independent of the static methods.
package sim

import (
	"errors"
	"fmt"

	"warpbound/diag"
	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/trace"
)

// MaxCycles is the largest limit of a run in cycles.
const MaxCycles = 1 << 40

// DefaultCycles is the limit of a run in cycles if none is given: about a second
// of a GPU, so that an endless loop is found in minutes.
const DefaultCycles = 1 << 30

// ErrCycleLimit is the cause of the error of a run that reached its limit.
var ErrCycleLimit error = &diag.LimitError{Err: errors.New("cycle limit reached")}

// Config is what stays the same over many runs.
type Config struct {
	Code          *emu.Code
	Machine       *machine.Machine
	RegsPerThread int

	// Ipoints holds the Ipoint of the block that begins at each instruction;
	// negative where none does. Nil means that no block is instrumented.
	Ipoints []trace.Ipoint

	// Observe, unless nil, is called after every instruction that a warp executes: in the
	// order of cycles for the warps of one SM.
	Observe func(*Step)

	// Chain asks for the chain of causes of each run (Result.Chain). One goroutine simulates a run then, instruction
	// by instruction; all else that comes out is the same.
	Chain bool
	// Waited, unless nil and only with Chain, is told of each instruction that Observe is, right before or after that, what its warp
	// waited for last.
	Waited func(causes.Kind)

	// Access, unless nil, is called for every access to the cache that the cores of an
	// integrated machine share, in the order in which the cache serves them.
	Access func(*LLCAccess)

	// CPU is what the CPU of an integrated machine does; nil for nothing.
	CPU CPUStream

	// Clocks holds what the clock of each SM shows in cycle 0; nil for 0 on all. %clock and
	// %clock64 read it.
	Clocks []uint64

	// MaxCycles is the limit of a run in cycles; 0 stands for DefaultCycles.
	MaxCycles int64

	// Workers is how many goroutines may simulate one run together; one if it is less. The result
	// is the same in every bit.
	Workers int
}

// Check returns an error if the simulator of machines with the core cannot use
// the configuration.
func (c *Config) Check(core machine.Core) error {
	if c.Machine.Core != core {
		return fmt.Errorf("%s has %s; this is a simulator of %s cores", c.Machine.Name, c.Machine.Core.Named(), core)
	}
	if c.Ipoints != nil && len(c.Ipoints) != c.Code.Len() {
		return fmt.Errorf("%d ipoints for %d instructions", len(c.Ipoints), c.Code.Len())
	}
	if n := c.Machine.SM.Count.Value; c.Clocks != nil && int64(len(c.Clocks)) != n {
		return fmt.Errorf("%d clocks for %d SMs", len(c.Clocks), n)
	}
	if c.MaxCycles < 0 || c.MaxCycles > MaxCycles {
		return fmt.Errorf("a limit of %d cycles is not between 0 and %d", c.MaxCycles, int64(MaxCycles))
	}
	return nil
}

// Clock returns what the clock of an SM shows in a cycle.
func (c *Config) Clock(sm int, cycle int64) uint64 {
	if c.Clocks == nil {
		return uint64(cycle)
	}
	return c.Clocks[sm] + uint64(cycle)
}

// Limit returns the limit of a run in cycles.
func (c *Config) Limit() int64 {
	if c.MaxCycles == 0 {
		return DefaultCycles
	}
	return c.MaxCycles
}

// Fit returns the occupancy of a launch of the kernel. It is an error if the launch does not
// fit the machine (machine.Machine.Fit).
func (c *Config) Fit(launch emu.Launch) (machine.Occupancy, error) {
	return c.Machine.Fit(machine.Launch{
		Grid: launch.Grid, Block: launch.Block, Registers: c.RegsPerThread,
		StaticShared: c.Code.SharedBytes(), DynamicShared: launch.DynamicShared, Local: c.Code.LocalBytes(),
	})
}
