// Package emu executes kernels of package isa: it says what every instruction
// does to the registers of a warp and to memory, and nothing of when.
//
// Decode flattens a kernel once into a Code, which any number of goroutines may
// share. A Grid is one launch of it over a Memory; its CTAs are started in slots
// that are used again, and their warps execute one instruction per Step, which
// reports what it did in an Effect. Run executes a whole launch without timing.
//
// A warp is a vector of up to 64 lanes with a reconvergence stack (see Warp).
// A register is a contiguous vector of lanes, a predicate register one mask.
// Lanes that are masked off or have exited keep their registers, and what the
// vector holds for them is never read by another lane unless that is an error of
// the program.
//
// The paths of a diverged branch may be executed as units of their own, which share the
// warp's registers, in any order (see Detach).
//
// Functions of the CUDA runtime are executed thread by thread: vprintf writes to
// Launch.Out, malloc takes from a heap of HeapBytes in global memory, and a failed
// assertion is a Fault.
//
// What an instruction makes of its sources is for package alu to say; here are warps and
// their stacks, barriers, the exchange with memory, and the coordinates of threads.
//
// Memory lies where package abi says. All addresses of a kernel are generic ones: see
// isa.Operand.
//
// emu imports abi, alu, isa, cfg, diag, race and vec. It must not import the simulator, a machine,
// traces or a method: it knows no time.
package emu

import (
	"io"

	"warpbound/diag"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// MaxWidth is the largest number of lanes of a warp.
const MaxWidth = alu.MaxWidth

// Launch is how a kernel is started.
type Launch struct {
	Grid, Block   [3]int // CTAs of the grid and threads of a CTA in x, y and z
	Params        []byte // the parameter block; its length must be Code.ParamBytes
	DynamicShared int    // bytes of shared memory per CTA beyond what the kernel declares

	// Vars holds the addresses of variables that lie in memory already (Memory.Define), by
	// the places that declare them. All others get new buffers.
	Vars map[diag.Pos]uint64

	Out io.Writer // where what the kernel prints goes; nil if nowhere
}

// Env is what an instruction can learn of the machine that executes it. The
// caller of Step keeps it up to date.
type Env struct {
	Cycle uint64 // %clock, %clock64
	Time  uint64 // %globaltimer, in nanoseconds
	SM    int    // %smid
	SMs   int    // %nsmid
}

// AccessKind tells what an instruction does to memory.
type AccessKind uint8

// The kinds of accesses.
const (
	NoAccess AccessKind = iota
	Load
	Store
	Atomic
)

// Access is what one warp instruction did to memory. Addr[i] is valid for the
// lanes i of Effect.Mask: the lowest address that the lane accessed, Bytes of
// them. An address of local memory is the thread's own.
type Access struct {
	Kind  AccessKind
	Space isa.Space             // where all lanes accessed; Generic if they accessed several spaces
	Bytes int                   // per lane, all elements of a vector together
	Lanes [isa.Param + 1]uint64 // for each space: the lanes that accessed it
	Addr  [MaxWidth]uint64

	Bulk     bool   // a bulk copy, of which each lane may access any number of bytes
	AddrDiff uint64 // the bits in which addresses differ from that of another lane

	// Near[i] is the lowest address in shared memory of a copy between global and shared memory, also of lanes that read nothing
	// and write zeros there. The shared memory of copies takes no part in timing.
	Near [MaxWidth]uint64
}

// Effect is what one Step did. A caller keeps one and passes it to every Step.
type Effect struct {
	PC       int    // the instruction executed
	Mask     uint64 // lanes that executed it: active and with the guard holding
	Diverged bool   // the lanes of a branch went different ways
	Turned   bool   // another path of a diverged warp goes on than would without WithThreads
	// Looked are the registers at which was looked to see whether the warp spins. Which path goes on depends on them.
	Looked []isa.Reg
	// LookedLocal says that the local memory of the lanes was looked at, too.
	LookedLocal bool

	// Separate is set by WithThreads at a barrier or an operation of a warp if lanes of Mask wait
	// there for others of the warp, or have had to, or if such ones go on now since others have
	// exited. Results of lanes that wait are written when the last of those that they wait for has
	// come.
	Separate bool

	// Changed says that something may have changed that other warps can see, such as memory, or
	// that the warp has read what will be another thing the next time, such as a clock. Then
	// Grid.Change must be called before Warp.Recurs is asked.
	Changed bool
	// Recurs is set by a branch, though not by each, if Warp.Recurs is true behind it.
	Recurs bool

	// Unsettled are the lanes in which a device may have another result: see WithUnsettled.
	Unsettled uint64

	// Arrived is set if the warp is at a CTA barrier now, also if it was
	// released at once. Released holds the warps of the CTA, by index, that
	// waited at a barrier or arrived just now and may go on: those of a barrier
	// that this arrival or exit satisfied.
	Arrived  bool
	Released uint64

	WarpDone bool // the last lane of the warp has exited
	CTADone  bool // the last warp of the CTA has exited

	Access Access // valid if Access.Kind is not NoAccess
}
