// Package core is what the simulators of cores share that have one instruction of each
// warp under way (docs/machine-model/barrel.md): how the instructions of a kernel
// are timed, into how many requests memory divides an access, what a run executes and what
// comes out of it, and for what a port uses its cycles. Cores that execute their CTAs
// in waves also share what an SM holds, and those with caches their tags.
//
// When warps issue is for the simulators to say: core must not import one, but only sim for
// what goes in and what comes out. Like those it must import neither a method nor ipet.
package core

import (
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// Kind tells apart how instructions are timed.
type Kind uint8

// The kinds.
const (
	Plain   Kind = iota // the warp goes on after the latency
	Control             // likewise
	Fence               // and when its accesses are served
	Load                // the warp goes on when the access is served
	Posted              // an access that the warp does not wait for
)

// Step is the timing of one instruction.
type Step struct {
	Kind       Kind
	Latency    int64 // cycles
	Initiation int64 // cycles, for each request of an access
}

// Plan looks every instruction up in the machine.
func Plan(code *emu.Code, m *machine.Machine) []Step {
	steps := make([]Step, code.Len())
	for pc := range steps {
		in := code.Instr(pc)
		t := m.Timing(in.Class())
		steps[pc] = Step{Kind: kindOf(in), Latency: t.Latency, Initiation: t.Initiation}
	}
	return steps
}

func kindOf(in *isa.Instr) Kind {
	switch info := in.Op.Info(); {
	case in.Op == isa.Fence:
		return Fence
	case in.Op == isa.St, in.Op == isa.StMatrix, in.Op == isa.Red, in.Op == isa.Atom && !in.HasResult():
		return Posted
	case info.Unit == isa.UnitMem:
		return Load
	case info.Unit == isa.UnitCtl:
		return Control
	}
	return Plain
}
