package barrel

import (
	"slices"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/emu/emutest"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/simtest"
	"warpbound/internal/trace"
)

// compile makes code of the body of a kernel. The kernel has one parameter, the
// address of a buffer, which the body finds in %buf, and registers %r, %rd, %f, %fd
// and %p to use; %t is the thread's index in its CTA and %c that of the CTA. The
// instructions before the body are the prologue.
func compile(t testing.TB, body string) *emu.Code {
	t.Helper()
	return emutest.Code(t, `.version 6.3
.target sm_70
.address_size 64
.const .align 4 .b8 table[1024];
.visible .entry k(.param .u64 p)
{
.reg .pred %p<16>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<64>; .reg .f64 %fd<64>;
.reg .u32 %t, %c; .reg .u64 %buf;
.shared .align 16 .b8 sh[16384];
.local .align 16 .b8 frame[64];
mov.u32 %t, %tid.x;
mov.u32 %c, %ctaid.x;
ld.param.u64 %buf, [p];
`+body+"\n}\n")
}

const (
	prologue      = 3       // instructions
	prologueTime  = 4       // cycles on predictable-rr: two moves and the parameter
	bufBytes      = 1 << 18 // of the buffer
	dispatch      = 8       // cycles on predictable-rr
	loadLatency   = 100
	sharedLatency = 8
)

// predictable returns a machine that the caller may change.
func predictable(t testing.TB) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin("predictable-rr")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func config(m *machine.Machine, code *emu.Code) sim.Config {
	return sim.Config{Code: code, Machine: m, RegsPerThread: 16, Ipoints: emutest.EveryInstr(code), MaxCycles: 1_000_000}
}

func newSim(t testing.TB, m *machine.Machine, code *emu.Code) *Sim {
	t.Helper()
	s, err := New(config(m, code))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// launch is a launch of so many CTAs of so many threads over mem (see emutest.Launch).
func launch(t testing.TB, mem *emu.Memory, ctas, threads int) emu.Launch {
	t.Helper()
	return emutest.Launch(t, mem, bufBytes, ctas, threads)
}

// observe runs a launch and checks what holds of every run.
func observe(t testing.TB, s *Sim, ctas, threads int) *simtest.Observation {
	t.Helper()
	return simtest.Observe(t, s, func(mem *emu.Memory) emu.Launch { return launch(t, mem, ctas, threads) })
}

// checkSolo runs the body with one warp and compares when its instructions issue,
// counted from the first, and last when the warp retires.
func checkSolo(t *testing.T, m *machine.Machine, body string, want ...int64) *simtest.Observation {
	t.Helper()
	o := observe(t, newSim(t, m, compile(t, body)), 1, int(m.SM.WarpSize.Value))
	at := append(o.Issues(0, 0, prologue), o.At(0, 0, trace.Exit))
	first := at[0]
	for i := range at {
		at[i] -= first
	}
	if !slices.Equal(at, want) {
		t.Errorf("%s\nissues and retires at %v, want %v", body, at, want)
	}
	return o
}
