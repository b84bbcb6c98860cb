package split

import (
	"slices"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/emu/emutest"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/simtest"
	"warpbound/internal/splitting"
	"warpbound/internal/trace"
)

// compile makes code of the body of a kernel. The kernel has one parameter, the address of a
// buffer, which the body finds in %buf, and registers %r, %rd, %f, %fd and %p to use; %t is
// the thread's index in its CTA and %c that of the CTA. The instructions before the body are
// the prologue. Branches that the body marks split.
func compile(t testing.TB, body string) *emu.Code {
	t.Helper()
	code := emutest.Code(t, `.version 6.3
.target sm_70
.address_size 64
.const .align 4 .b8 table[1024];
.visible .entry k(.param .u64 p)
{
.reg .pred %p<16>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<64>; .reg .f64 %fd<64>;
.reg .u32 %t, %c; .reg .u64 %buf;
.shared .align 16 .b8 sh[16384];
mov.u32 %t, %tid.x;
mov.u32 %c, %ctaid.x;
ld.param.u64 %buf, [p];
`+body+"\n}\n")
	g, err := cfg.Build(code.Kernel())
	if err != nil {
		t.Fatal(err)
	}
	marked, warnings := splitting.Marked(g)
	if len(marked) == 0 {
		return code
	}
	for _, w := range warnings {
		t.Error(w)
	}
	return insert(t, g, marked)
}

// insert makes code that splits at branches.
func insert(t testing.TB, g *cfg.Graph, branches []int) *emu.Code {
	t.Helper()
	r, err := splitting.Insert(g, branches)
	if err != nil {
		t.Fatal(err)
	}
	return simtest.Decode(t, r.Graph)
}

const (
	prologue = 3       // instructions
	bufBytes = 1 << 18 // of the buffer
)

// gcn3 returns a machine that the caller may change.
func gcn3(t testing.TB, mode machine.SplitMode, simds int) *machine.Machine {
	t.Helper()
	m, err := machine.Builtin("gcn3-split")
	if err != nil {
		t.Fatal(err)
	}
	if m, err = m.WithSplit(mode, simds); err != nil {
		t.Fatal(err)
	}
	return m
}

func newSim(t testing.TB, m *machine.Machine, code *emu.Code) *Sim {
	t.Helper()
	s, err := New(sim.Config{Code: code, Machine: m, RegsPerThread: 16, Ipoints: emutest.EveryInstr(code), MaxCycles: 1_000_000})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// launch is a launch of so many CTAs of so many threads (see emutest.Launch).
func launch(t testing.TB, ctas, threads int) simtest.Prepare {
	return func(mem *emu.Memory) emu.Launch {
		t.Helper()
		return emutest.Launch(t, mem, bufBytes, ctas, threads)
	}
}

// checkSolo runs the body with one wavefront and compares when its instructions issue,
// counted from the first, and last when the wavefront retires.
func checkSolo(t *testing.T, m *machine.Machine, body string, want ...int64) *simtest.Observation {
	t.Helper()
	o := simtest.Observe(t, newSim(t, m, compile(t, body)), launch(t, 1, 64))
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
