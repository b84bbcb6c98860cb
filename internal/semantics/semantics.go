// Package semantics computes what is known of a launch before it runs: results of
// instructions from known sources, special registers, addresses of variables, and
// the contents of memory that no instruction can write.
//
// Analyses share package alu with the emulator, the meaning of operations, and are told where a
// device may make something else of an instruction. They see of a launch what an Image shows of it.
// Nothing here executes a kernel, follows control or writes memory: an analysis that imports
// semantics and not emu stays evidence about the simulator in everything but single results, which
// alu's tests check against oracles of their own.
//
// semantics imports abi, alu, isa and diag. It must not import the emulator, a simulator or
// anything that knows time.
package semantics

import (
	"warpbound/diag"
	"warpbound/internal/abi"
	"warpbound/internal/alu"
	"warpbound/internal/isa"
)

// Image is a launch that is ready to run, as a grid of the emulator is: its extent, the
// values that its instructions find and no instruction assigns, and its memory.
type Image interface {
	// Kernel returns the kernel that is launched.
	Kernel() *isa.Kernel

	// GridDim returns the CTAs of the launch in x, y and z.
	GridDim() [3]int

	// Threads returns the number of threads of a CTA, Warps that of its warps, Width the
	// number of lanes of a warp.
	Threads() int
	Warps() int
	Width() int

	// SharedBytes returns the bytes of shared memory of a CTA, static and dynamic.
	SharedBytes() int

	// Constant returns the value of a source that no instruction assigns, an immediate,
	// an address or a special register, in a lane of a warp of the CTA at ctaid. It is
	// false for other operands and for special registers that change while a warp runs.
	Constant(o isa.Operand, ctaid [3]int, warp, lane int) (uint64, bool)

	// ReadOnly returns n bytes from addr in the parameters or in a variable of constant
	// memory, which no instruction can write; nil if they do not lie there.
	ReadOnly(addr uint64, n int) []byte

	// InConstants reports whether some of the addresses from lo to hi lie in a variable in
	// constant memory, and whether all of them lie in one.
	InConstants(lo, hi uint64) (some, all bool)

	// Contents returns n bytes from addr in a buffer or a variable in global or constant
	// memory as they are when the launch begins; nil if they do not lie in one.
	Contents(addr uint64, n int) []byte

	// Regions returns where the buffers and variables in global and constant memory lie when the
	// launch begins, by ascending address.
	Regions() []abi.Region
	// LocalBytes returns the bytes of local memory of a thread.
	LocalBytes() int
}

// Launch is what is known of a launch. It does not change, and may be shared by
// goroutines while nobody writes to the memory of the image that it was made of.
type Launch struct {
	image Image
	pure  []*alu.Pure // of each instruction; nil for those that are not pure
}

// New returns what is known of a launch that is ready to run: the contents of its
// parameters and constant memory are those that the image has now. An error names
// the instruction that cannot be computed, or whose effect is not modelled.
func New(m Image) (*Launch, error) {
	k := m.Kernel()
	l := &Launch{image: m, pure: make([]*alu.Pure, len(k.Instrs))}
	for pc := range k.Instrs {
		in := &k.Instrs[pc]
		if obstacle := in.Obstacle(); obstacle != "" {
			return nil, diag.Errorf(in.Pos, "cannot compute %s: %s", k.Format(in), obstacle)
		}
		if !alu.IsPure(in.Op) {
			continue
		}
		p, err := alu.NewPure(k, in)
		if err != nil {
			return nil, diag.Errorf(in.Pos, "cannot compute %s: %w", k.Format(in), err)
		}
		l.pure[pc] = p
	}
	return l, nil
}

// Kernel returns the kernel that is launched.
func (l *Launch) Kernel() *isa.Kernel { return l.image.Kernel() }

// Grid returns the CTAs of the launch in x, y and z.
func (l *Launch) Grid() [3]int { return l.image.GridDim() }

// Width returns the number of lanes of a warp.
func (l *Launch) Width() int { return l.image.Width() }

// Warps returns the number of warps of a CTA.
func (l *Launch) Warps() int { return l.image.Warps() }

// SharedBytes returns the bytes of shared memory of a CTA, static and dynamic.
func (l *Launch) SharedBytes() int { return l.image.SharedBytes() }

// Threads returns the lanes of a warp of a CTA that hold threads.
func (l *Launch) Threads(warp int) uint64 {
	n := min(l.image.Threads()-warp*l.Width(), l.Width())
	return ^uint64(0) >> (alu.MaxWidth - n)
}

// Pure reports whether Eval computes an instruction: it has results, and they
// depend on nothing but its sources; for operations with the effect isa.Crosslane,
// on those of all lanes that take part.
func (l *Launch) Pure(pc int) bool { return l.pure[pc] != nil }

// Constant returns the value of a source that no instruction assigns, an immediate,
// an address or a special register, in a lane of a warp of the CTA at ctaid. It is
// false for other operands and for special registers that change while a warp runs.
func (l *Launch) Constant(o isa.Operand, ctaid [3]int, warp, lane int) (uint64, bool) {
	return l.image.Constant(o, ctaid, warp, lane)
}

// ReadOnly returns n bytes from addr in the parameters or in a variable of constant
// memory, which no instruction can write; nil if they do not lie there.
func (l *Launch) ReadOnly(addr uint64, n int) []byte { return l.image.ReadOnly(addr, n) }

// InConstants reports whether some of the addresses from lo to hi lie in a variable in
// constant memory, and whether all of them lie in one.
func (l *Launch) InConstants(lo, hi uint64) (some, all bool) { return l.image.InConstants(lo, hi) }

// Contents returns n bytes from addr in a buffer as they are when the launch begins; nil
// if they do not lie in one.
func (l *Launch) Contents(addr uint64, n int) []byte { return l.image.Contents(addr, n) }

// Regions returns where global and constant memory are when the launch begins, by ascending address. An access that
// lies in none of them fails, unless the kernel allocates memory.
func (l *Launch) Regions() []abi.Region { return l.image.Regions() }

// LocalBytes returns the bytes of local memory of a thread.
func (l *Launch) LocalBytes() int { return l.image.LocalBytes() }

// Space returns the space in which a generic address lies: Global also for constant
// memory, Generic for addresses at which nothing is.
func Space(addr uint64) isa.Space {
	switch {
	case addr >= abi.GlobalBase:
		return isa.Global
	case abi.InWindow(abi.ParamBase, addr):
		return isa.Param
	case abi.InWindow(abi.LocalBase, addr):
		return isa.Local
	case abi.InWindow(abi.SharedBase, addr):
		return isa.Shared
	}
	return isa.Generic
}

// Evaluator computes instructions of one launch. It may be used by one goroutine
// at a time.
type Evaluator struct {
	launch *Launch
	eval   *alu.Evaluator
}

// Evaluator returns a new evaluator.
func (l *Launch) Evaluator() *Evaluator {
	return &Evaluator{launch: l, eval: alu.NewEvaluator(l.Width())}
}

// Eval computes the results of the pure instruction pc from its sources for the
// lanes of mask; of other lanes the results are undefined. Sources are in the order
// of Instr.Src, and immediates among them need no value. A result's vectors must not
// be those of a source. It is an error if the instruction fails for these sources.
//
// In the lanes of unsettled the results are those of the emulator, and others are possible: see
// alu.Pure.Unsettled.
func (e *Evaluator) Eval(pc int, mask uint64, dst, src []alu.Lanes) (unsettled uint64, err error) {
	p := e.launch.pure[pc]
	if err := e.eval.Do(p, mask, dst, src); err != nil {
		return 0, err
	}
	return p.Unsettled(mask, dst, src), nil
}
