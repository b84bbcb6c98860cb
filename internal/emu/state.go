package emu

import (
	"warpbound/internal/alu"
	"warpbound/internal/race"
	"warpbound/internal/vec"
)

// Here are all types of what a launch is while it is executed: a grid, the CTAs in its slots
// and their warps, which know each other. What works on them is in the other files.

// Grid is one launch being executed, and then another: its storage is used again.
// It may be used by one goroutine at a time.
type Grid struct {
	code   *Code
	launch Launch
	mem    *Memory
	width  int
	chunks int   // vectors of a register
	shape  shape // of a CTA
	params region
	vars   []uint64 // addresses of the kernel's variables
	fixed  []place  // of each constant, warp of a CTA and chunk; none if they differ by CTA
	dims   dims     // for which these are
	run    state    // of Run
	epoch  int64    // of the run: see Change

	reads   []UninitialisedRead // by instruction, if the code is checked
	objects bool                // there is global memory without contents, if the code is checked

	undefined *undefinedList // what the manual leaves undefined

	races   *race.Detector   // nil unless the code was made by WithRaces
	partial []PartialBarrier // by instruction, the same
}

// shape is what launches of a kernel must have in common to use the same slots.
type shape struct {
	warps  int
	shared int // bytes
}

// dims is what the special registers depend on that do not differ by CTA.
type dims struct {
	grid, block [3]int
	dynamic     int // bytes of shared memory
	shape       shape
}

// state is what Run works with. A Grid keeps it, so that launches after the first
// allocate nothing.
type state struct {
	cta CTA
	env Env
	eff Effect
}

// CTA is a slot in which one CTA after another is executed. The zero CTA is an
// empty slot.
type CTA struct {
	Index int // of the CTA in the grid, x fastest
	Warps []Warp
	Party *Party // that executes the slot's CTAs beside other parties; nil if one goroutine executes all

	grid     *Grid
	shape    shape // for which it is laid out
	live     int   // warps that have not exited
	stalled  int   // warps that wait at a barrier
	barriers [barriers]barrier
	cluster  cluster
	shared   region
	local    []byte       // of all threads
	words    []vec.Words  // of all warps
	vectors  []vec.Vector // the same
	places   []place      // of the constants that differ by CTA, in their order
	scratch  alu.Scratch
	masks    []uint64 // predicates of all warps
	races    race.CTA // if the grid looks for them
	absent   int      // threads that do not arrive with their warps, the same

	gathered  alu.Gathered // what lanes give to an operation that they execute together
	mbarriers []mbarrier   // those that are initialised
	changes   int          // of mbarriers, and waits that are over
	looked    []uint64     // the state of the warp that was looked at last, see recurrence
}

// barriers is the number of barriers of a CTA.
const barriers = 16

// barrier is the state of one barrier of a CTA. Barriers count warps, as they do
// on devices before sm_70: a warp arrives with all its threads at once.
type barrier struct {
	waiting uint64 // warps that wait
	arrived int    // warps that have arrived, those that do not wait included
	warps   uint64 // which these are
	expect  int    // warps that it takes; 0 for all that have not exited
	atMost  bool   // it takes no more than those that have not exited
	reduces bool   // the last arrival was for a reduction
	threads int    // that took part in a reduction
	votes   int    // of them with the predicate true
}

// cluster is the state of the barrier of a cluster, which consists of one CTA.
// Its two halves are instructions of their own: a warp arrives, goes on, and
// waits later until all have arrived.
type cluster struct {
	phase   int    // how often all have arrived
	waiting uint64 // warps that wait
}

// Warp is the state of one warp: registers, predicates, and a stack of entries
// (pc, rpc, lanes), the last of which runs. It starts with one entry for all
// lanes at the first instruction and without rpc.
//
//   - A branch whose active lanes agree sets the pc of the entry.
//   - If they disagree, let r be the start of the block at which the flow graph lets
//     lanes reconverge that diverge in the branch's block (cfg.Flow.Reconverge). The pc
//     of the entry becomes r; if r is its rpc already, the entry is dropped, because
//     its lanes are awaited further below. Then an entry (t, r, lanes that go to t) is
//     pushed for each distinct target t other than r, of which the last runs first:
//     targets from which a barrier can be reached before the others; among these, those
//     of an indexed branch in their order and last the instruction that follows.
//   - An entry whose pc has become its rpc is dropped, and the one below runs.
//   - Lanes that exit are taken out of every entry, and entries without lanes
//     are dropped. Where lanes do not reconverge there is no r: the entry is dropped
//     and those that are pushed have no rpc and last until all their lanes have
//     exited.
//
// So the stack is never deeper than branches are nested. In a kernel whose lanes reconverge
// AtSyncs it has one entry, the running one, and the other lanes are in the frames of the
// synchronisation stack.
type Warp struct {
	// What every instruction needs comes first.
	code  *Code
	stack []entry
	regs  alu.Registers // Full is alive, zero in warp-splits
	cta   *CTA

	branches int // since it was looked whether the warp recurs

	room [4]entry // of the stack, while it suffices

	alive   uint64        // lanes that hold threads that have not exited
	index   int           // in the CTA
	waiting bool          // at a barrier
	arrived int32         // the barrier instruction at which it waits
	reduces []parkedGroup // lanes that get the result of the barrier at which it has arrived last
	passed  uint16        // barriers at which it has arrived, and has waited at none since
	phase   int           // of the cluster's barrier at which it has arrived
	local   region
	out     uint64      // lanes that are with warp-splits, see Detach
	parent  *Warp       // of a warp-split: that it was detached from
	returns bool        // of a warp-split: its lanes reconverge with others of the parent before they exit
	syncs   []syncFrame // see syncFrame

	recurrence recurrence

	own *ownWritten // of local memory, nil unless the code is checked; warp-splits share it

	// With Code.WithThreads:
	since  int // branches since another path ran
	spent  int // branches since the lanes diverged or some ceased to wait
	spin   spin
	parked uint64        // lanes that wait for others of the warp, see threadWait
	groups []parkedGroup // what parkedGroups returned last
	joined []parkedGroup // that execute one operation together

	polls  int  // looks at mbarriers in vain since the CTA had as many changes as
	seen   int  // says
	polled bool // since Polled was asked
}

// entry is an element of the reconvergence stack.
type entry struct {
	pc, rpc int32
	lanes   uint64
}

// syncFrame is a frame (l_id, done, l_next, todo) of the synchronisation stack of a warp,
// whose lanes reconverge AtSyncs: those of a branch, in the machine of Hirvisalo (WCET 2014,
// Section 4) and of Coutinho, Sampaio, Pereira and Meira (PACT 2011).
//
//   - A branch with a guard pushes a frame (pc, none, target, none), also if its lanes
//     agree; but not if it is the branch of the frame on top, which is that of a loop
//     executed again. If the lanes disagree on the next instruction, those that take the
//     branch are added to todo and the others run on.
//   - A sync with lanes in todo puts the running lanes into done, and those of todo run
//     on from the target. A sync without pops the frame, and the lanes of done and the
//     running ones go on together behind it.
//
// So every path of a branch executes the sync. A program that does otherwise is at
// fault with ErrSync: a sync without a frame, a thread that ends with one, paths that
// come to different syncs, and lanes that come back to their branch while others wait
// at its sync.
type syncFrame struct {
	branch int32
	next   int32  // the target
	met    int32  // the sync at which the lanes of done wait
	done   uint64 // lanes
	todo   uint64 // lanes
	out    uint64 // lanes that a warp-split brings to the sync or has brought there
}
