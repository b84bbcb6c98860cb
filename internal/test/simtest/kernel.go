package simtest

import (
	"slices"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/emutest"
	"warpbound/internal/trace"
)

// Prologue is the number of instructions before the body that Compile is given: two moves and a
// load of a parameter.
const Prologue = 3

// Compile makes code of the body of a kernel, which begins on line 13. The kernel has one
// parameter, the address of a buffer, which the body finds in %buf, and registers %r, %rd, %f,
// %fd and %p to use; %t is the thread's index in its CTA and %c that of the CTA. There are 1024
// bytes at table in constant memory, 16384 at sh in shared and 64 at frame in local memory.
func Compile(t testing.TB, body string) *emu.Code {
	t.Helper()
	return emutest.Code(t, `.version 8.0
.target sm_90
.address_size 64
.const .align 4 .b8 table[1024];
.visible .entry k(.param .u64 p)
{
.reg .pred %p<16>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<64>; .reg .f64 %fd<64>;
.reg .u32 %t, %c; .reg .u64 %buf;
.shared .align 16 .b8 sh[16384]; .local .align 16 .b8 frame[64];
mov.u32 %t, %tid.x;
mov.u32 %c, %ctaid.x;
ld.param.u64 %buf, [p];
`+body+"\n}\n")
}

// Config makes an Ipoint of every instruction.
func Config(m *machine.Machine, code *emu.Code) sim.Config {
	return sim.Config{Code: code, Machine: m, RegsPerThread: 16, Ipoints: emutest.EveryInstr(code), MaxCycles: 10_000_000}
}

// Launch is a launch of so many CTAs of so many threads with a buffer of so many bytes (see
// emutest.Launch).
func Launch(t testing.TB, bytes, ctas, threads int) Prepare {
	return func(mem *emu.Memory) emu.Launch {
		t.Helper()
		return emutest.Launch(t, mem, bytes, ctas, threads)
	}
}

// CheckSolo compares when the first warp issued the instructions of the body, and last when it
// retired, in cycles from a cycle on.
func (o *Observation) CheckSolo(t testing.TB, body string, from int64, want []int64) {
	t.Helper()
	at := append(o.Issues(0, 0, Prologue), o.At(0, 0, trace.Exit))
	for i := range at {
		at[i] -= from
	}
	if !slices.Equal(at, want) {
		t.Errorf("%s\nissues and retires at %v, want %v", body, at, want)
	}
}

// Racing is the body of a kernel whose results depend on the order of its warps and on the
// clock, across SMs.
const Racing = `
	atom.global.add.u32 %r1, [%buf], 1;
	and.b32 %r2, %r1, 3;
again:
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra done;
	sub.u32 %r2, %r2, 1;
	ld.volatile.global.u32 %r3, [%buf];
	add.u32 %r4, %r4, %r3;
	bra again;
done:
	mul.wide.u32 %rd1, %r1, 4;
	add.u64 %rd2, %buf, %rd1;
	mov.u32 %r5, %clock;
	add.u32 %r4, %r4, %r5;
	st.global.u32 [%rd2+4], %r4;
	mov.u32 %r6, %smid;
	st.global.u32 [%rd2+8192], %r6;
	ret;`

// Random makes the code of a random kernel and what fills a memory with its inputs.
func Random(t testing.TB, src kernelgen.Source) (*emu.Code, Prepare) {
	t.Helper()
	c := kernelgen.New(src, kernelgen.Options{
		Statements: 4 + src.IntN(12), Depth: 1 + src.IntN(3), Trips: 1 + src.IntN(4),
		Threads: 60, CTAs: 9, Irreducible: src.IntN(2) == 0,
	})
	g, prepare := Load(t, c.Job, c.Module)
	return Decode(t, g), prepare
}

// Pick draws one of some values for a number of a machine.
func Pick(src kernelgen.Source, n *machine.Number, values ...int64) {
	n.Value = values[src.IntN(len(values))]
}

// RandomTimings draws the times of all classes of instructions.
func RandomTimings(src kernelgen.Source, m *machine.Machine) {
	for _, class := range isa.Classes() {
		timing := m.Timing(class)
		timing.Initiation = 1 + int64(src.IntN(4))
		timing.Latency = timing.Initiation + int64(src.IntN(30))*int64(src.IntN(2))
		m.Classes[class.String()] = timing
	}
}
