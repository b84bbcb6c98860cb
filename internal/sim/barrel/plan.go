package barrel

import (
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
)

// kind tells apart how instructions are timed.
type kind uint8

const (
	kindPlain   kind = iota // the warp goes on after the latency
	kindControl             // likewise
	kindFence               // and when its accesses are served
	kindLoad                // the warp goes on when the access is served
	kindPosted              // the warp goes on when the port takes the next instruction
)

// step is the timing of one instruction.
type step struct {
	kind       kind
	latency    int64 // cycles
	initiation int64 // cycles, for each request of an access
}

// makeSteps looks every instruction up in the machine.
func makeSteps(code *emu.Code, m *machine.Machine) []step {
	steps := make([]step, code.Len())
	for pc := range steps {
		in := code.Instr(pc)
		t := m.Timing(in.Class())
		steps[pc] = step{kind: kindOf(in), latency: t.Latency, initiation: t.Initiation}
	}
	return steps
}

func kindOf(in *isa.Instr) kind {
	switch info := in.Op.Info(); {
	case in.Op == isa.Fence:
		return kindFence
	case in.Op == isa.St, in.Op == isa.Red, in.Op == isa.Atom && !hasResult(in):
		return kindPosted
	case info.Unit == isa.UnitMem:
		return kindLoad
	case info.Unit == isa.UnitCtl:
		return kindControl
	}
	return kindPlain
}

// hasResult reports whether the instruction writes a register.
func hasResult(in *isa.Instr) bool {
	for _, o := range in.Dst {
		if o.Kind == isa.KindReg {
			return true
		}
	}
	return false
}
