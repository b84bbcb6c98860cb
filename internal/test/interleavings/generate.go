package interleavings

import (
	"math/bits"
	"math/rand/v2"
)

// Features are what random programs have beside arithmetic, branches on the lane and the warp, and
// outputs.
type Features uint32

// The features.
const (
	EarlyExits        Features = 1 << iota // threads exit in branches
	DataBranches                           // branches on what threads compute
	Loops                                  // loops with numbers of iterations that differ
	WarpSyncs                              // operations with .sync of all lanes, where these have not diverged
	GuardedSyncs                           // those of lanes or warps that a guard says instead of a branch
	DivergedSyncs                          // of the lanes of a path
	ScatteredSyncs                         // of all lanes of a warp, which come to it at different places
	ComputedMasks                          // membermasks that differ among the lanes of an instruction
	WrongMasks                             // membermasks and operations for which some lanes never come
	Elections                              // elect.sync
	AlignedBarriers                        // where all threads come together
	CountedBarriers                        // aligned ones for a number of threads, with arrivals
	BarrierReductions                      // some of the barriers reduce a predicate
	DivergedBarriers                       // barriers that are not aligned, to which the threads of a warp come apart
	DivergedArrivals                       // arrivals of which that is so, for a number of threads
	CrossedBarriers                        // of either, where others of the warp come to another barrier or to none
	MissingArrivals                        // barriers to which some warps never come
	MbarrierPhases                         // mbarriers at which all threads of the CTA arrive, and then wait in a loop
	DivergedMbarriers                      // those at which some lanes arrive where others of the warp wait
	MissingPhases                          // mbarriers of the first kind at which too few threads arrive
	MissingHandovers                       // and of the second
	SharedWords                            // accesses to shared words, which race
	SharedFlags                            // loops that wait for other threads to write a shared word
	SharedQueues                           // loops behind which each lane lets the next one go on
	AllFeatures       Features = 1<<iota - 1
)

// General registers are 0 to 2. The others have what control needs.
const (
	generalRegs = 3
	maskReg     = 3
	counterReg  = 4
	flagReg     = 5 // of guards, free after each of them
)

// place says which threads come to a place in the program, apart from those that exited before.
type place struct {
	lanes, warps uint8 // as far as conditions on lanes and warps say
	all          bool  // of these each comes, and comes once
	alike        bool  // the threads of a warp do not evaluate a condition before it differently
}

// generator makes a program.
type generator struct {
	*rand.Rand
	features   Features
	statements []func(*place) bool // that emit one and report whether it can be there
	program    *Program
	visible    int  // accesses to shared memory that are left, on which the number of states depends
	depth      int  // of the branches and loops around
	looping    bool // counterReg is in use
}

// Random returns a random program, which may have some features.
func Random(src *rand.Rand, features Features) *Program {
	shape := &Program{Warps: 1 + src.IntN(MaxWarps), Lanes: 2 + src.IntN(MaxLanes-1)}
	g := &generator{Rand: src, features: features, visible: 3, program: shape}
	g.statements = []func(*place) bool{g.arithmetic, g.output, g.branch, g.branch}
	for _, s := range []struct {
		emit func(*place) bool
		of   Features
	}{
		{g.exit, EarlyExits},
		{g.loop, Loops},
		{g.sync, WarpSyncs | GuardedSyncs | DivergedSyncs | ComputedMasks | WrongMasks},
		{g.scattered, ScatteredSyncs | DivergedBarriers | DivergedArrivals},
		{g.barrier, AlignedBarriers | CountedBarriers},
		{g.exchange, CountedBarriers},
		{g.phase, MbarrierPhases | DivergedMbarriers},
		{g.access, SharedWords},
		{g.flag, SharedFlags},
		{g.queue, SharedQueues},
	} {
		if g.has(s.of) {
			g.statements = append(g.statements, s.emit, s.emit)
		}
	}
	if g.has(MbarrierPhases|DivergedMbarriers|SharedWords|SharedFlags|SharedQueues) && g.program.Warps*g.program.Lanes > MaxLanes {
		if g.IntN(4) == 0 {
			g.visible = 1
		} else {
			g.program.Warps = 1
		}
	}
	for range generalRegs {
		g.emit(Instr{Op: Add, D: g.general(), A: g.operand(), B: g.operand()})
	}
	here := place{lanes: 1<<g.program.Lanes - 1, warps: 1<<g.program.Warps - 1, all: true, alike: true}
	g.block(&here, 3+g.IntN(5))
	for i := range Outputs {
		g.emit(Instr{Op: Output, A: Reg(i % generalRegs), Object: i})
	}
	g.emit(Instr{Op: Exit})
	return g.program
}

// has reports whether the program may have one of some features.
func (g *generator) has(f Features) bool { return g.features&f != 0 }

func (g *generator) emit(in Instr) int {
	g.program.Instrs = append(g.program.Instrs, in)
	return len(g.program.Instrs) - 1
}

// land makes branches go to the next instruction.
func (g *generator) land(branches ...int) {
	for _, i := range branches {
		g.program.Instrs[i].Target = len(g.program.Instrs)
	}
}

func (g *generator) general() int { return g.IntN(generalRegs) }

// operand returns a source.
func (g *generator) operand() Operand {
	switch g.IntN(6) {
	case 0:
		return Imm(uint32(g.IntN(4)))
	case 1:
		return Operand{Kind: Lane}
	case 2:
		return Operand{Kind: Warp}
	}
	return Reg(g.general())
}

// block emits statements for the threads that come to a place, from which some may exit.
func (g *generator) block(here *place, statements int) {
	for range statements {
		g.statement(here)
	}
}

// statement emits one statement.
func (g *generator) statement(here *place) {
	for !g.statements[g.IntN(len(g.statements))](here) {
	}
}

func (g *generator) arithmetic(*place) bool {
	g.emit(Instr{Op: Move + Op(g.IntN(int(Equal-Move)+1)), D: g.general(), A: Reg(g.general()), B: g.operand()})
	return true
}

func (g *generator) output(*place) bool {
	g.emit(Instr{Op: Output, A: Reg(g.general()), Object: g.IntN(Outputs)})
	return true
}

// condition emits a condition and returns the threads for which it holds and the others.
func (g *generator) condition(here place) (yes, no place) {
	yes, no = here, here
	switch k := g.IntN(4); {
	case k == 0 && here.warps == 3:
		g.emit(Instr{Op: Equal, D: flagReg, A: Operand{Kind: Warp}, B: Imm(1)})
		yes.warps, no.warps = 2, 1
	case k == 1 && g.has(DataBranches):
		g.emit(Instr{Op: And, D: flagReg, A: Reg(g.general()), B: Imm(1)})
		yes.all, no.all, yes.alike, no.alike = false, false, false, false
	default:
		bound := 1 + g.IntN(g.program.Lanes-1)
		less := uint8(1)<<bound - 1
		g.emit(Instr{Op: Less, D: flagReg, A: Operand{Kind: Lane}, B: Imm(uint32(bound))})
		yes.lanes, no.lanes = here.lanes&less, here.lanes&^less
		yes.alike, no.alike = false, false
	}
	return yes, no
}

// paths emits a branch on flagReg with two paths, the first of which is for the threads in which it
// is not zero, or is with not. The second may be nil.
func (g *generator) paths(not bool, first, second func()) {
	g.depth++
	branch := g.emit(Instr{Op: Branch, Guard: Guard{Set: true, Not: !not, Reg: flagReg}})
	first()
	if second != nil {
		over := g.emit(Instr{Op: Branch})
		g.land(branch)
		branch = over
		second()
	}
	g.land(branch)
	g.depth--
}

// fork emits a condition and both paths of a branch on it, of which the second may be nil.
func (g *generator) fork(here *place, first, second func(*place)) {
	yes, no := g.condition(*here)
	not := g.IntN(2) == 0
	if not {
		yes, no = no, yes
	}
	if second == nil {
		g.paths(not, func() { first(&yes) }, nil)
	} else {
		g.paths(not, func() { first(&yes) }, func() { second(&no) })
	}
	here.lanes, here.warps = yes.lanes|no.lanes, yes.warps|no.warps
}

func (g *generator) branch(here *place) bool {
	if g.depth > 1 {
		return false
	}
	path := func(there *place) { g.block(there, 1+g.IntN(2)) }
	if g.IntN(2) == 0 {
		g.fork(here, path, nil)
	} else {
		g.fork(here, path, path)
	}
	return true
}

// exit lets the threads of a path exit. Those that are known to be there do not come to any later
// place.
func (g *generator) exit(here *place) bool {
	if g.depth == 0 || g.IntN(2) > 0 {
		return false
	}
	g.emit(Instr{Op: Exit})
	if here.all {
		here.lanes = 0
	}
	return true
}

// loop emits a loop with as many iterations as the lane or a register says.
func (g *generator) loop(here *place) bool {
	if g.looping || g.depth > 1 {
		return false
	}
	g.looping = true
	g.depth++
	inside := *here
	switch g.IntN(3) {
	case 0:
		g.emit(Instr{Op: Move, D: counterReg, A: Imm(2)})
	case 1:
		g.emit(Instr{Op: And, D: counterReg, A: Operand{Kind: Lane}, B: Imm(1)})
		g.emit(Instr{Op: Add, D: counterReg, A: Reg(counterReg), B: Imm(1)})
		inside.all, inside.alike = false, false
	case 2:
		g.emit(Instr{Op: And, D: counterReg, A: Reg(g.general()), B: Imm(1)})
		g.emit(Instr{Op: Add, D: counterReg, A: Reg(counterReg), B: Imm(1)})
		inside.all, inside.alike = false, false
	}
	head := len(g.program.Instrs)
	g.block(&inside, 1+g.IntN(2))
	g.emit(Instr{Op: Add, D: counterReg, A: Reg(counterReg), B: Imm(1<<32 - 1)})
	g.emit(Instr{Op: Branch, Guard: Guard{Set: true, Reg: counterReg}, Target: head})
	here.lanes, here.warps = inside.lanes, inside.warps
	g.depth--
	g.looping = false
	return true
}

// warpOp returns an operation with .sync of some members.
func (g *generator) warpOp(members Operand) Instr {
	op := ShflIdx + Op(g.IntN(int(WarpSync-ShflIdx)+1))
	in := Instr{Op: op, Members: members, A: Reg(g.general()), D: g.general(), P: flagReg}
	if in.Op == Elect && !g.has(Elections) {
		in.Op = VoteBallot
	}
	if in.Op <= ShflBfly {
		in.B = Imm(uint32(g.IntN(g.program.Lanes)))
	}
	return in
}

// membersOf returns the membermask of some lanes, which may name lanes that there are not.
func (g *generator) membersOf(lanes uint8) uint32 {
	if int(lanes) == 1<<g.program.Lanes-1 && g.IntN(2) == 0 {
		return 1<<32 - 1
	}
	return uint32(lanes)
}

// sync emits an operation with .sync.
func (g *generator) sync(here *place) bool {
	whole := uint8(1)<<g.program.Lanes - 1
	switch k := g.IntN(5); {
	case k == 0 && g.has(WrongMasks) && here.all && here.lanes != 0:
		g.emit(g.warpOp(Imm(uint32(here.lanes) | uint32(g.IntN(1<<g.program.Lanes)))))
	case k == 1 && g.has(ComputedMasks) && here.all && here.alike:
		g.emit(Instr{Op: MatchAny, D: maskReg, A: Reg(g.general()), Members: Imm(g.membersOf(whole))})
		g.emit(g.warpOp(Reg(maskReg)))
	case k == 2 && g.has(GuardedSyncs) && here.all && here.alike:
		yes, _ := g.condition(*here)
		if !yes.all || yes.lanes == 0 {
			g.emit(Instr{Op: Output, A: Reg(flagReg)}) // of the condition
			return true
		}
		in := g.warpOp(Imm(g.membersOf(yes.lanes)))
		in.P = maskReg
		in.Guard = Guard{Set: true, Reg: flagReg}
		g.emit(in)
	case here.all && here.alike && g.has(WarpSyncs):
		g.emit(g.warpOp(Imm(g.membersOf(whole))))
	case here.all && !here.alike && here.lanes != 0 && g.has(DivergedSyncs):
		g.emit(g.warpOp(Imm(g.membersOf(here.lanes))))
	default:
		return false
	}
	return true
}

// scattered emits an operation that all threads at a place execute, on both paths of a branch.
func (g *generator) scattered(here *place) bool {
	if !here.all || here.lanes == 0 || g.depth > 1 {
		return false
	}
	var in, other Instr
	switch k := g.IntN(3); {
	case k == 0 && g.has(ScatteredSyncs):
		in = g.warpOp(Imm(g.membersOf(here.lanes)))
		other = in
		other.A, other.D = Reg(g.general()), g.general()
	case k == 1 && g.has(DivergedBarriers) && here.alike && here.warps == 1<<g.program.Warps-1:
		in = g.barrierOp(0)
		in.Aligned = false
		other = in
		other.A, other.D = Reg(g.general()), g.general()
	case k == 2 && g.has(DivergedArrivals) && here.alike && here.warps == 1<<g.program.Warps-1:
		in = Instr{Op: BarrierSync + Op(g.IntN(2)), Object: g.IntN(Barriers), Count: g.program.Warps}
		other = in
	default:
		return false
	}
	wrong := classOf(in.Op) == ofBarrier && g.has(CrossedBarriers) || classOf(in.Op) == ofWarp && g.has(WrongMasks)
	if wrong && g.IntN(3) == 0 {
		if classOf(in.Op) == ofBarrier {
			other.Object = g.IntN(Barriers)
		} else {
			other = g.warpOp(in.Members)
		}
	}
	path := func(op Instr) func(*place) {
		return func(there *place) {
			if g.IntN(2) == 0 {
				g.arithmetic(there)
			}
			g.emit(op)
			if g.IntN(2) == 0 {
				g.output(there)
			}
		}
	}
	if wrong && g.IntN(4) == 0 {
		g.fork(here, path(in), nil)
	} else {
		g.fork(here, path(in), path(other))
	}
	return true
}

// barrierOp returns a barrier for a number of warps or for all threads.
func (g *generator) barrierOp(count int) Instr {
	in := Instr{Op: BarrierSync, Object: g.IntN(Barriers), Count: count, A: Reg(g.general()), D: g.general()}
	in.Aligned = g.IntN(2) == 0
	if g.has(BarrierReductions) && g.IntN(2) == 0 {
		in.Op = BarrierPopc + Op(g.IntN(3))
	}
	return in
}

// barrier emits a barrier to which the threads of each warp come together.
func (g *generator) barrier(here *place) bool {
	every := bits.OnesCount8(here.warps) == g.program.Warps
	switch {
	case !here.all || !here.alike:
		return false
	case every && g.has(AlignedBarriers) && g.IntN(2) == 0:
		g.emit(g.barrierOp(0))
	case g.has(CountedBarriers):
		count := bits.OnesCount8(here.warps)
		if g.has(MissingArrivals) && g.IntN(4) == 0 {
			count++
		}
		g.emit(g.barrierOp(count))
	case !every && g.has(MissingArrivals):
		g.emit(g.barrierOp(0))
	default:
		return false
	}
	return true
}

// exchange emits barriers for which one warp waits while the other arrives and goes on, in turn.
func (g *generator) exchange(here *place) bool {
	if !here.all || !here.alike || here.warps != 3 || g.depth > 0 {
		return false
	}
	aligned, rounds := g.IntN(2) == 0, 1+g.IntN(2)
	turns := func(first, second Op) func() {
		return func() {
			for i := range rounds {
				g.emit(Instr{Op: [2]Op{first, second}[i], Object: i, Count: 2, Aligned: aligned})
			}
		}
	}
	g.emit(Instr{Op: Move, D: flagReg, A: Operand{Kind: Warp}})
	g.paths(g.IntN(2) == 0, turns(BarrierArrive, BarrierSync), turns(BarrierSync, BarrierArrive))
	return true
}

// phase emits an mbarrier, arrivals at it, and loops that wait until its phases are complete.
func (g *generator) phase(here *place) bool {
	threads := bits.OnesCount8(here.warps) * bits.OnesCount8(here.lanes)
	if g.depth > 0 || threads == 0 || threads > MaxLanes || g.mbarriersUsed() == Mbarriers || g.visible == 0 {
		return false
	}
	g.visible--
	if g.has(MbarrierPhases) && (!g.has(DivergedMbarriers) || g.IntN(2) == 0) {
		g.rendezvous(threads)
	} else {
		g.handover(bits.OnesCount8(here.warps), here.lanes)
	}
	return true
}

// initialise emits an mbarrier for a number of arrivals, or for one more with a feature, and
// returns its number. The first of some lanes initialises it.
func (g *generator) initialise(arrivals int, lanes uint8, missing Features) int {
	object := g.mbarriersUsed()
	if g.has(missing) && g.IntN(3) == 0 {
		arrivals++
	}
	g.emit(Instr{Op: Equal, D: flagReg, A: Operand{Kind: Lane}, B: Imm(uint32(bits.TrailingZeros8(lanes)))})
	g.emit(Instr{Op: Equal, D: maskReg, A: Operand{Kind: Warp}, B: Imm(0)})
	g.emit(Instr{Op: And, D: flagReg, A: Reg(flagReg), B: Reg(maskReg)})
	g.emit(Instr{Op: Init, Object: object, Count: arrivals, Guard: Guard{Set: true, Reg: flagReg}})
	g.emit(Instr{Op: BarrierSync, Aligned: true})
	return object
}

// await emits a loop that waits for a phase of an mbarrier, by the state of the last arrival or
// else by its parity.
func (g *generator) await(object int, parity uint32, byState bool) {
	test := Instr{Op: TestParity + Op(2*g.IntN(2)), D: flagReg, Object: object, A: Imm(parity)}
	if byState {
		test.Op--
	}
	head := g.emit(test)
	g.emit(Instr{Op: Branch, Guard: Guard{Set: true, Not: true, Reg: flagReg}, Target: head})
}

// rendezvous lets all threads arrive at an mbarrier and wait for each other, once or twice.
func (g *generator) rendezvous(threads int) {
	object := g.initialise(threads, 1<<MaxLanes-1, MissingPhases)
	for phase := range 1 + g.IntN(2) {
		g.emit(Instr{Op: Arrive, Object: object})
		g.await(object, uint32(phase), g.IntN(2) == 0)
	}
}

// handover lets the first lane of each warp arrive at an mbarrier, and the others wait.
func (g *generator) handover(warps int, lanes uint8) {
	first := bits.TrailingZeros8(lanes)
	object := g.initialise(warps, lanes, MissingHandovers)
	arrive := func() { g.emit(Instr{Op: Arrive, Object: object}) }
	wait := func() { g.await(object, 0, false) }
	g.emit(Instr{Op: Less, D: flagReg, A: Operand{Kind: Lane}, B: Imm(uint32(first + 1))})
	if g.IntN(2) == 0 {
		g.paths(false, arrive, wait)
	} else {
		g.paths(true, wait, arrive)
	}
}

// mbarriersUsed returns how many mbarriers the program has.
func (g *generator) mbarriersUsed() int {
	n := 0
	for i := range g.program.Instrs {
		if in := &g.program.Instrs[i]; in.Op == Init {
			n = max(n, in.Object+1)
		}
	}
	return n
}

// access emits an access to a shared word.
func (g *generator) access(*place) bool {
	if g.visible == 0 || g.looping {
		return false
	}
	g.visible--
	g.emit(Instr{Op: Load + Op(g.IntN(3)), D: g.general(), A: Reg(g.general()), Object: g.IntN(Words)})
	return true
}

// flag emits a loop in which threads wait until others have written a shared word.
func (g *generator) flag(here *place) bool {
	if g.visible < 2 || g.depth > 0 || g.program.Warps*g.program.Lanes > MaxLanes {
		return false
	}
	g.visible -= 2
	word := g.IntN(Words)
	set := func(*place) { g.emit(Instr{Op: Store, A: Imm(1), Object: word}) }
	wait := func(*place) {
		head := g.emit(Instr{Op: Load, D: flagReg, Object: word})
		g.emit(Instr{Op: Branch, Guard: Guard{Set: true, Not: true, Reg: flagReg}, Target: head})
	}
	if g.IntN(2) == 0 {
		set, wait = wait, set
	}
	g.fork(here, set, wait)
	return true
}

// queue emits a loop in which each lane waits until a shared word is its number, behind which it
// lets the next lane go on.
func (g *generator) queue(*place) bool {
	if g.visible < 2 || g.depth > 0 || g.program.Warps > 1 {
		return false
	}
	g.visible -= 2
	word := g.IntN(Words)
	head := g.emit(Instr{Op: Load, D: flagReg, Object: word})
	g.emit(Instr{Op: Equal, D: flagReg, A: Reg(flagReg), B: Operand{Kind: Lane}})
	g.emit(Instr{Op: Branch, Guard: Guard{Set: true, Not: true, Reg: flagReg}, Target: head})
	g.emit(Instr{Op: Add, D: maskReg, A: Operand{Kind: Lane}, B: Imm(1)})
	g.emit(Instr{Op: Store, A: Reg(maskReg), Object: word})
	return true
}
