package emu

import "warpbound/internal/vec"

// lanes is the number of lanes of a vector. A warp of up to 32 lanes has one
// vector per register, a wider one has two.
const lanes = vec.Lanes

// vector holds the values of a register in 32 lanes: unsigned, with the bits
// beyond the register's width zero.
type vector = vec.Vector

// slot is the place of a vector in a warp's table of vectors. The first takes
// results that are dropped, and stands for sources that an operation lacks.
type slot int32

const (
	slotSink slot = iota
	slotRegs
)

// maskSlot is the place of a predicate in Warp.preds. The first is always true,
// the second takes results that are dropped.
type maskSlot int32

const (
	maskTrue maskSlot = iota
	maskSink
	maskRegs
)

// predicate is a predicate source: a mask and what to complement in it.
type predicate struct {
	slot maskSlot
	not  uint64 // all ones or zero
}

// none stands where there is no instruction.
const none = -1

// instr is a decoded instruction. Either alu computes the destination d from
// the sources a, b and c in every lane, or op says what is done.
type instr struct {
	alu        aluFunc
	d, a, b, c slot
	guard      predicate
	op         operation
	control    bool       // op sets the next pc
	reads      []volatile // special registers among the sources that change while the warp runs
}

// aluFunc computes a result for every lane from up to three sources. The result
// may be one of the sources. Sources that an operation does not have are not
// read.
//
// The functions that run most dereference their vectors first, so that the
// compiler checks them for nil outside of the loop.
type aluFunc func(d, a, b, c *vector)

// operation is what an instruction does that is no aluFunc. A result may have the
// vector of a source (see allocate): an operation reads what it needs of a lane,
// and of other lanes, before it writes there.
type operation interface {
	// exec executes the instruction for the lanes of mask. It is called with an
	// empty mask only if the instruction is a control instruction.
	exec(w *Warp, mask uint64, eff *Effect) error
}

// nop does nothing.
type nop struct{}

func (nop) exec(*Warp, uint64, *Effect) error { return nil }
