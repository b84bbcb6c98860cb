package integrated

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

// compile makes code of the body of a kernel. The kernel has one parameter, the address of a
// buffer, which the body finds in %buf, and registers %r, %rd and %p to use; %t is the
// thread's index in its CTA and %c that of the CTA. The instructions before the body are the
// prologue.
func compile(t testing.TB, body string) *emu.Code {
	t.Helper()
	return emutest.Code(t, `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p)
{
.reg .pred %p<16>; .reg .b32 %r<64>; .reg .b64 %rd<64>;
.reg .u32 %t, %c; .reg .u64 %buf;
.shared .align 16 .b8 sh[16384];
.local .align 16 .b8 frame[64];
mov.u32 %t, %tid.x;
mov.u32 %c, %ctaid.x;
ld.param.u64 %buf, [p];
`+body+"\n}\n")
}

const (
	prologue = 3       // instructions
	begin    = 42      // when a warp alone begins its body: dispatch 8, two moves of 4, a parameter of 26
	bufBytes = 1 << 20 // of the buffer
)

// fermi returns the machine, which the caller may change.
func fermi(t testing.TB) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin("integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// regulated returns the machine with another regulator.
func regulated(t testing.TB, on bool, quota int64) *machine.Machine {
	t.Helper()
	m, err := fermi(t).WithLLC(machine.LLCOptions{Quota: &quota, Regulated: &on})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// observation is all that a run shows, with its accesses to the shared cache.
type observation struct {
	*simtest.Observation
	accesses []sim.LLCAccess
}

// observe runs a launch.
func observe(t testing.TB, cfg sim.Config, prepare simtest.Prepare) *observation {
	t.Helper()
	o := &observation{}
	cfg.Access = func(a *sim.LLCAccess) { o.accesses = append(o.accesses, *a) }
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	o.Observation = simtest.Observe(t, s, prepare)
	return o
}

func config(m *machine.Machine, code *emu.Code) sim.Config {
	return sim.Config{Code: code, Machine: m, RegsPerThread: 16, Ipoints: emutest.EveryInstr(code), MaxCycles: 10_000_000}
}

func launch(t testing.TB, ctas, threads int) simtest.Prepare {
	return func(mem *emu.Memory) emu.Launch { return emutest.Launch(t, mem, bufBytes, ctas, threads) }
}

// run compiles a body and runs it in so many CTAs of so many threads.
func run(t testing.TB, m *machine.Machine, body string, ctas, threads int) *observation {
	t.Helper()
	return observe(t, config(m, compile(t, body)), launch(t, ctas, threads))
}

// checkSolo runs the body with one warp and compares when its instructions issue, counted
// from the first, and last when the warp retires.
func checkSolo(t *testing.T, m *machine.Machine, body string, want ...int64) *observation {
	t.Helper()
	o := run(t, m, body, 1, 32)
	at := append(o.Issues(0, 0, prologue), o.At(0, 0, trace.Exit))
	if at[0] != begin {
		t.Errorf("%s\nbegins at %d", body, at[0])
	}
	if !slices.Equal(at, want) {
		t.Errorf("%s\nissues and retires at %v, want %v", body, at, want)
	}
	return o
}
