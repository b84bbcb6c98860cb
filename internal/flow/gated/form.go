package gated

import (
	"warpbound/internal/cfg"
	"warpbound/internal/isa"
)

// ID names a value of a Form: its index in Form.Values.
type ID int32

// None stands where there is no value.
const None ID = -1

// The truth values are the first two values of every form.
const (
	False ID = iota
	True
)

// Kind tells how a value is made.
type Kind uint8

// The kinds of values.
const (
	Truth   Kind = iota // False or True
	Initial             // what a register holds before anything writes it: zero
	Result              // of an instruction
	Gamma
	Mu
	Eta
)

// Value is one value. Fields that its kind does not use are zero.
type Value struct {
	Kind  Kind
	Reg   isa.Reg // the register that holds it; isa.NoReg for truth values
	Block int     // in which it is made: Result; at the start of which: Gamma, Mu. The header for those of a loop

	// Instr is the instruction of which it is the Result or whose guard chooses,
	// and Dst the number of the destination; Instr is -1 for any other value.
	Instr, Dst int

	Loop int // of a Mu or an Eta: index in Form.Loops

	// By chooses one of the arguments of a Gamma: the first if it is true, or a number
	// that is not zero, and else the second; the one that it numbers if Indexed. An argument that
	// is None is never chosen. An Eta takes its argument from the iteration in which
	// By, its loop's Leave, is true. A Mu has two: what it is at first and next.
	By      ID
	Indexed bool
	Args    []ID
}

// Loop is what belongs to a loop of Form.Graph.Loops, in the order of its Loops.
type Loop struct {
	Mus  []ID
	Next []ID // the gammas at the end of an iteration that Mus and Leave are made of, each before those that use it
	Etas []ID

	// Leave tells at the end of an iteration, from the values in it, whether it was
	// the last for a thread that executes more behind the loop. None if no thread
	// does.
	Leave ID
}

// Form is the gated single-assignment form of a kernel. It does not change.
type Form struct {
	Graph  *cfg.Graph
	Values []Value
	Loops  []Loop

	starts  [][]ID // by block
	reads   [][]ID // by instruction
	writes  [][]ID // by instruction
	guarded [][]ID // by instruction
	homes   []int  // by value: the innermost loop in which it changes, or -1
	numbers []int  // by value: among those of its register
}

// Start returns the values made where a block starts, each before those that use
// it: gammas and, for the header of a loop, then the mus.
func (f *Form) Start(block int) []ID { return f.starts[block] }

// Reads returns the values of the registers that an instruction reads, in the
// order of isa.Instr.Reads. There are none for instructions that no complete run
// executes.
func (f *Form) Reads(instr int) []ID { return f.reads[instr] }

// Writes returns the results of an instruction, one for each destination: None
// for one that is no register.
func (f *Form) Writes(instr int) []ID { return f.writes[instr] }

// Guarded returns the gammas of an instruction under a guard: what the registers of its
// destinations hold behind it, where anything reads them.
func (f *Form) Guarded(instr int) []ID { return f.guarded[instr] }

// Home returns the innermost loop in each of whose iterations a value is made
// anew, as an index in Form.Loops, or -1.
func (f *Form) Home(v ID) int { return f.homes[v] }

// Selectors returns what the branch or the end at the end of a block depends on:
// the value of its guard and that of the index of an indexed branch, each None if
// there is none.
func (f *Form) Selectors(block int) (guard, index ID) {
	guard, index = None, None
	at := f.Graph.Blocks[block].End - 1
	reads := f.reads[at]
	if len(reads) == 0 {
		return guard, index
	}
	in := &f.Graph.Kernel.Instrs[at]
	if in.Guard.Set {
		guard, reads = reads[0], reads[1:]
	}
	if in.Op == isa.BrxIdx && len(reads) > 0 {
		index = reads[0]
	}
	return guard, index
}
