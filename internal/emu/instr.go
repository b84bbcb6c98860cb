package emu

import (
	"warpbound/internal/alu"
	"warpbound/internal/vec"
)

// lanes is the number of lanes of a vector. A warp of up to 32 lanes has one
// vector per register, a wider one has two.
const lanes = vec.Lanes

// none stands where there is no instruction.
const none = -1

// instr is a decoded instruction. One that computes is what package alu makes of it; of all
// others op says what is done.
type instr struct {
	alu.Instr
	guard   alu.Predicate
	op      operation
	control bool       // op sets the next pc
	branch  bool       // it is a branch
	changes bool       // see canChangeOthers
	plain   bool       // one function computes it for a vector of lanes, and it has no guard
	reads   []volatile // special registers among the sources that change while the warp runs
}

// operation is what an instruction does that is not for package alu to say.
// It works on a warp, which knows its code, which holds instructions: that is the only circle
// among the files of this package.
type operation interface {
	// exec executes the instruction for the lanes of mask. It is called with an
	// empty mask only if the instruction is a control instruction.
	exec(w *Warp, mask uint64, eff *Effect) error
}

// nop does nothing.
type nop struct{}

func (nop) exec(*Warp, uint64, *Effect) error { return nil }
