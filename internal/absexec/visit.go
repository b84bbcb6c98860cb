package absexec

import "warpbound/internal/isa"

// Visitor is told what a warp executes, in the order of its program.
type Visitor interface {
	// Step is called for every instruction that the warp may execute. The step and
	// what it refers to are valid until the call returns.
	Step(*Step)
	// Fork is called at a branch of which it is known that all lanes go the same way,
	// and not which. Alternatives follow, each begun by Alternative, up to Join; the
	// warp executes one of them. Within it Step.Must means that this is the one.
	Fork(pc int)
	Alternative()
	Join()
	// Repeat is called before an iteration of a loop that stands for so many: the steps up to
	// Repeated are what the warp executes in each of them. They may nest, and may lie in
	// alternatives as alternatives may lie in them.
	Repeat(times int)
	Repeated()
}

// Step is one instruction that a warp issues, or may issue.
type Step struct {
	PC    int
	Instr *isa.Instr
	// Box is the box of CTAs, and of iterations of the loops around that are summarised.
	Box Box
	// Certain is set if the warp surely issues the instruction. Otherwise it does if a
	// lane of Active is there.
	Certain bool
	// Back is set if control has come back to the header of the innermost loop around the instruction since it entered that loop.
	Back   bool
	Active uint64 // lanes for which it is issued at most
	// The lanes that execute it, which have the guard holding: those of Must do in
	// every execution, only those of May can.
	Must, May uint64
	// Missing are the lanes that may be elsewhere, or have exited, when others execute a barrier,
	// or an operation of a warp that waits for them if they have not: where threads are scheduled
	// independently, the others wait for them there.
	Missing uint64
	// Access is what the instruction does to memory; nil if nothing.
	Access *Access

	by *execution // that tells of it
}

// Access is a load, a store or an atomic operation of the lanes that execute a step.
type Access struct {
	Space isa.Space // as the instruction names it; Generic if the addresses tell
	Bytes int       // per lane, all elements of a vector together
	Known uint64    // lanes of Step.May whose address is known
	// Lanes holds for each space the lanes of Known that access it: for a generic
	// access that of the address.
	Lanes [isa.Param + 1]uint64

	addr *value
}

// Address returns the address that a lane of Known accesses: base in the first CTA of
// the box, and step bytes more, as a two's complement, from one CTA to the next along x,
// y and z. It is exact: nothing wraps around within the box.
func (a *Access) Address(lane int) (base uint64, step [Axes]uint64) {
	l := a.addr.lane(lane)
	return l.base, l.step
}

// Moves reports whether addresses depend on the CTA. If not, the steps are zero.
func (a *Access) Moves() bool { return a.addr.moves() }
