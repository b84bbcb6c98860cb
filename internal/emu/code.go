package emu

import (
	"strings"

	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// Code is a kernel made ready for execution. It does not change and may be
// shared.
type Code struct {
	kernel    *isa.Kernel
	graph     *cfg.Graph
	instrs    []instr
	runs      []int32        // of each instruction: see Run
	heads     []bool         // of each instruction: see Head
	awaits    []bool         // of each instruction: a barrier can be reached from its block
	joins     []bool         // the same, or an instruction that names lanes which take part
	learns    bool           // a warp can learn what others have done without a barrier of the CTA
	registers []alu.Slot     // of each register that is no predicate
	slots     []alu.MaskSlot // of each predicate
	words     int            // of a warp's registers of up to 32 bits
	vectors   int            // of its wider ones
	masks     int            // predicates of a warp
	constants []constant     // contents of the places after those, of either kind

	offsets     []uint64 // of the kernel's variables in shared or local memory
	paramBytes  int
	sharedBytes int        // static
	dynamicBase uint64     // address of dynamic shared memory
	localBytes  int        // per thread
	checked     bool       // see Checked
	raced       bool       // see WithRaces
	lockStep    bool       // the same
	turns       Turns      // of WithThreads, zero without it
	decisive    []decisive // of WithThreads, by block
	deciding    []decisive // the same with what decides the results of atomic operations in loops
	everywhere  decisive   // all such registers
	wordMasks   int32      // an instruction whose lane masks have 32 bits, or none
}

// Len returns the number of instructions.
func (c *Code) Len() int { return len(c.instrs) }

// Instr returns an instruction.
func (c *Code) Instr(pc int) *isa.Instr { return &c.kernel.Instrs[pc] }

// Kernel returns the kernel that the code was made of.
func (c *Code) Kernel() *isa.Kernel { return c.kernel }

// ParamBytes returns the size of the parameter block in bytes.
func (c *Code) ParamBytes() int { return c.paramBytes }

// SharedBytes returns the bytes of shared memory that the kernel declares for
// each CTA.
func (c *Code) SharedBytes() int { return c.sharedBytes }

// DynamicSharedOffset returns the offset of the first byte of the dynamic shared
// memory of a launch in the window of shared memory, which is its address there.
func (c *Code) DynamicSharedOffset() uint64 { return c.dynamicBase - abi.SharedBase }

// LocalBytes returns the bytes of local memory of each thread.
func (c *Code) LocalBytes() int { return c.localBytes }

// sharedUnit returns the bytes in which the kernel's target allocates shared
// memory, as the PTX manual states them under %total_smem_size.
func (c *Code) sharedUnit() uint64 {
	number := strings.TrimPrefix(c.kernel.Target, "sm_")
	if len(number) == 2 && number[0] >= '3' && number[0] <= '7' {
		return 256
	}
	return 128
}

// constant is a source that no instruction assigns: an immediate, the address of
// a variable, or a special register that does not change while a CTA runs. It
// has a place among the registers, so that instructions read it like one.
type constant struct {
	wide    bool // it has a Vector, otherwise Words
	isVar   bool
	isParam bool
	v       int32       // the variable, if isVar
	special isa.Special // the special register, if it is one
	value   uint64      // the immediate; what is added to the address; or the offset of the parameter
	bytes   int         // of the parameter, up to 8
	bits    int         // to which a signed parameter is extended, 0 for others
}

// scope tells how far a special register keeps its value.
type scope uint8

const (
	ofGrid scope = iota // lanes may differ, warps do not
	ofWarp              // the same in every CTA
	ofCTA
	ofStep
)

func specialScope(s isa.Special) scope {
	switch s {
	case isa.TidX, isa.TidY, isa.TidZ, isa.WarpID:
		return ofWarp
	case isa.CtaidX, isa.CtaidY, isa.CtaidZ, isa.ClusteridX, isa.ClusteridY, isa.ClusteridZ:
		return ofCTA
	case isa.Clock, isa.Clock64, isa.ClockHi, isa.GlobalTimer, isa.GlobalTimerLo, isa.GlobalTimerHi, isa.SmID, isa.NsmID:
		return ofStep
	}
	return ofGrid
}

// volatile is a special register that is read anew for every instruction.
type volatile struct {
	special isa.Special
	slot    alu.Slot
}
