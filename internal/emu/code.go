package emu

import "warpbound/internal/isa"

// lanes is the number of lanes of a vector. A warp of up to 32 lanes has one
// vector per register, a wider one has two.
const lanes = 32

// vector holds the values of a register in 32 lanes: unsigned, with the bits
// beyond the register's width zero.
type vector [lanes]uint64

// aluFunc computes a result for every lane from up to three sources. The result
// may be one of the sources. Sources that an operation does not have are not
// read.
type aluFunc func(d, a, b, c *vector)

// alu4Func is an aluFunc of four sources.
type alu4Func func(d, a, b, c, e *vector)

// testFunc compares two sources in every lane; bit i of the result is that of
// lane i.
type testFunc func(a, b *vector) uint32

// Code is a kernel made ready for execution. It does not change and may be
// shared.
type Code struct {
	kernel    *isa.Kernel
	instrs    []instr
	regs      []slot     // where each register of the kernel is
	vectors   int        // vectors of a warp that hold registers
	preds     int        // masks of a warp
	constants []constant // sources that are no registers, in slots from vectors on

	offsets       []uint64 // of the kernel's variables in shared or local memory
	paramBytes    int
	sharedBytes   int    // static
	dynamicBase   uint64 // address of dynamic shared memory
	localBytes    int    // per thread
	needsWidth32  int32  // an instruction whose lane masks have 32 bits, or -1
	addressMask   uint64
	usesDynamic   bool
	maxStackDepth int
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

// DynamicSharedBase returns the address of the first byte of the dynamic shared
// memory of a launch.
func (c *Code) DynamicSharedBase() uint64 { return c.dynamicBase }

// LocalBytes returns the bytes of local memory of each thread.
func (c *Code) LocalBytes() int { return c.localBytes }
