// Package semantics computes what is known of a launch before it runs: results of
// instructions from known sources, special registers, addresses of variables, and
// the contents of memory that no instruction can write.
//
// It is the part of internal/emu that analyses share with it, the meaning of
// operations, and hides the rest: nothing here executes a kernel, follows control
// or writes memory. An analysis that imports semantics and not emu stays evidence about
// the simulator in everything but single results, which emu's tests check against
// oracles of their own.
//
// semantics imports abi, alu, isa and emu.
package semantics

import (
	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
)

// Vector holds the values of a register in 32 lanes, with the bits beyond the
// register's width zero.
type Vector = alu.Vector

// Lanes is a source or a result of an instruction: numbers, or truth values where
// the operand is a predicate.
type Lanes = alu.Lanes

// VectorLanes is the number of lanes of a Vector.
const VectorLanes = len(Vector{})

// MaxWidth is the largest number of lanes of a warp.
const MaxWidth = alu.MaxWidth

// Launch is what is known of a launch. It does not change, and may be shared by
// goroutines while nobody writes to the memory of the grid that it was made of.
type Launch struct {
	grid *emu.Grid
	pure []*alu.Pure // of each instruction; nil for those that are not pure
}

// New returns what is known of a launch that is ready to run: the contents of its
// parameters and constant memory are those that the grid has now. An error names
// the instruction that cannot be executed.
func New(g *emu.Grid) (*Launch, error) {
	k := g.Code().Kernel()
	l := &Launch{grid: g, pure: make([]*alu.Pure, len(k.Instrs))}
	for pc := range k.Instrs {
		in := &k.Instrs[pc]
		if !alu.IsPure(in.Op) {
			continue
		}
		p, err := alu.NewPure(k, in)
		if err != nil {
			return nil, err
		}
		l.pure[pc] = p
	}
	return l, nil
}

// Kernel returns the kernel that is launched.
func (l *Launch) Kernel() *isa.Kernel { return l.grid.Code().Kernel() }

// Grid returns the CTAs of the launch in x, y and z.
func (l *Launch) Grid() [3]int { return l.grid.Launch().Grid }

// Width returns the number of lanes of a warp.
func (l *Launch) Width() int { return l.grid.Width() }

// Warps returns the number of warps of a CTA.
func (l *Launch) Warps() int { return l.grid.Warps() }

// SharedBytes returns the bytes of shared memory of a CTA, static and dynamic.
func (l *Launch) SharedBytes() int { return l.grid.SharedBytes() }

// Threads returns the lanes of a warp of a CTA that hold threads.
func (l *Launch) Threads(warp int) uint64 {
	n := min(l.grid.Threads()-warp*l.Width(), l.Width())
	return ^uint64(0) >> (MaxWidth - n)
}

// Pure reports whether Eval computes an instruction: it has results, and they
// depend on nothing but its sources; for operations with the effect isa.Crosslane,
// on those of all lanes that take part.
func (l *Launch) Pure(pc int) bool { return l.pure[pc] != nil }

// Constant returns the value of a source that no instruction assigns, an immediate,
// an address or a special register, in a lane of a warp of the CTA at ctaid. It is
// false for other operands and for special registers that change while a warp runs.
func (l *Launch) Constant(o isa.Operand, ctaid [3]int, warp, lane int) (uint64, bool) {
	return l.grid.Constant(o, ctaid, warp, lane)
}

// ReadOnly returns n bytes from addr in the parameters or in a variable of constant
// memory, which no instruction can write; nil if they do not lie there.
func (l *Launch) ReadOnly(addr uint64, n int) []byte { return l.grid.ReadOnly(addr, n) }

// InConstants reports whether some of the addresses from lo to hi lie in a variable in
// constant memory, and whether all of them lie in one.
func (l *Launch) InConstants(lo, hi uint64) (some, all bool) { return l.grid.InConstants(lo, hi) }

// Contents returns n bytes from addr in a buffer as they are when the launch begins; nil
// if they do not lie in one.
func (l *Launch) Contents(addr uint64, n int) []byte { return l.grid.Contents(addr, n) }

// Space returns the space in which a generic address lies: Global also for constant
// memory, Generic for addresses at which nothing is.
func Space(addr uint64) isa.Space {
	switch {
	case addr >= abi.GlobalBase:
		return isa.Global
	case addr >= abi.ParamBase:
		return isa.Param
	case addr >= abi.LocalBase:
		return isa.Local
	case addr >= abi.SharedBase:
		return isa.Shared
	}
	return isa.Generic
}

// Evaluator computes instructions of one launch. It may be used by one goroutine
// at a time.
type Evaluator struct {
	launch *Launch
	alu    *alu.Evaluator
}

// Evaluator returns a new evaluator.
func (l *Launch) Evaluator() *Evaluator {
	return &Evaluator{launch: l, alu: alu.NewEvaluator(l.Width())}
}

// Eval computes the results of the pure instruction pc from its sources for the
// lanes of mask; of other lanes the results are undefined. Sources are in the order
// of Instr.Src, and immediates among them need no value. A result's vectors must not
// be those of a source. It is an error if the instruction fails for these sources.
func (e *Evaluator) Eval(pc int, mask uint64, dst, src []Lanes) error {
	return e.alu.Do(e.launch.pure[pc], mask, dst, src)
}
