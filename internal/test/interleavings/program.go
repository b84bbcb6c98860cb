// Package interleavings executes small programs of a few threads in every order in which devices
// from sm_70 on can, as a second opinion on what the emulator makes of diverged warps, barriers and
// their deadlocks.
//
// Explore follows all interleavings of a Program and gives its results, whether threads can come
// where not all of them ever end, and whether anything is left undefined. Random makes programs,
// and Program.PTX prints them for others to execute. What instructions do is written from the
// manual (PTX ISA 9.0), section Parallel Synchronization and Communication Instructions if no other
// is named.
//
// interleavings is imported by tests alone. It imports nothing of this project: least of all the
// emulator, or what that shares with others.
package interleavings

// Limits of programs.
const (
	MaxWarps  = 2
	MaxLanes  = 4 // of a warp
	Registers = 6 // of a thread, with 32 bits
	Outputs   = 3 // words of global memory that belong to each thread
	Words     = 2 // shared words, which are zero at first
	Barriers  = 2 // named barriers that programs use
	Mbarriers = 2 // mbarrier objects

	maxThreads = MaxWarps * MaxLanes
)

// Program is what all threads of one CTA execute. It begins with the first instruction and must not
// run past the last. Registers are zero at first.
type Program struct {
	Warps, Lanes int // warps of the CTA and lanes of each, up to MaxWarps and MaxLanes
	Instrs       []Instr
}

// Instr is an instruction. Which fields count depends on Op.
type Instr struct {
	Op      Op
	Guard   Guard
	D, P    int     // registers of the result and of what is 1 where a second result holds
	A, B    Operand // sources
	Members Operand // membermask of an operation with .sync
	Object  int     // number of the barrier, the mbarrier, the shared word or the output
	Count   int     // warps that a barrier is for, 0 for all threads; arrivals that an mbarrier expects
	Aligned bool    // of a barrier
	Target  int     // index of the instruction to which a branch goes
}

// Guard lets only threads execute an instruction in which a register is not zero, or with Not those
// in which it is.
type Guard struct {
	Set, Not bool
	Reg      int
}

// OperandKind says where a source comes from.
type OperandKind uint8

// The kinds of sources.
const (
	Immediate OperandKind = iota
	Register
	Lane // index of the thread in its warp
	Warp // index of the warp
)

// Operand is a source.
type Operand struct {
	Kind  OperandKind
	Value uint32 // the immediate, or the number of the register
}

// Imm returns an immediate source.
func Imm(x uint32) Operand { return Operand{Immediate, x} }

// Reg returns a source that is a register.
func Reg(r int) Operand { return Operand{Register, uint32(r)} }

// Op is an operation. Operations that differ in a qualifier are different ones.
type Op uint8

// The operations. D is the result of each that has one.
const (
	Move  Op = iota // A
	Add             // A + B
	And             // A & B
	Xor             // A ^ B
	Less            // 1 if A < B, otherwise 0
	Equal           // 1 if A = B, otherwise 0

	Branch // to Target
	Exit
	Output // A to the thread's own word Object of global memory

	Load      // shared word Object
	Store     // A to shared word Object
	AtomicAdd // shared word Object, to which it adds A

	ShflIdx // A of lane B; P is 1
	ShflUp  // A of the lane B below, with P = 1, or its own
	ShflDown
	ShflBfly
	VoteAll // 1 if A is not zero in all members
	VoteAny
	VoteUni
	VoteBallot // the members in which A is not zero
	MatchAny   // the members with the same A
	MatchAll   // all members with P = 1 if A is the same in all, otherwise 0
	ReduxAdd
	ReduxMin
	ReduxMax
	ReduxAnd
	ReduxOr
	ReduxXor
	Elect // the lane that is elected, in which P is 1
	WarpSync

	BarrierSync // at barrier Object, for Count warps
	BarrierArrive
	BarrierPopc // the number of threads in which A is not zero
	BarrierAnd
	BarrierOr

	Init       // mbarrier Object, for Count arrivals
	Arrive     // at mbarrier Object; the state is kept for TestState
	TestState  // 1 if the phase of the state is complete
	TestParity // 1 if the phase of parity A is
	TryState
	TryParity
)

// class says who takes part in an operation.
type class uint8

const (
	ofThread  class = iota // nothing that another thread sees, but that it has exited
	ofMemory               // shared words and mbarriers
	ofWarp                 // with .sync
	ofBarrier              // a CTA barrier
)

// classOf returns who takes part in an operation.
func classOf(op Op) class {
	switch {
	case op >= ShflIdx && op <= WarpSync:
		return ofWarp
	case op >= BarrierSync && op <= BarrierOr:
		return ofBarrier
	case op >= Load && op <= AtomicAdd, op >= Init:
		return ofMemory
	}
	return ofThread
}
