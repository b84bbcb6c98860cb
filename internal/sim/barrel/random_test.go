package barrel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/simtest"
)

// randomMachine draws numbers for a small and odd machine.
func randomMachine(t testing.TB, src kernelgen.Source) *machine.Machine {
	m := predictable(t)
	pick := func(n *machine.Number, values ...int64) { n.Value = values[src.IntN(len(values))] }
	pick(&m.SM.Count, 1, 2, 5)
	pick(&m.SM.CTAs, 1, 2, 8)
	pick(&m.SM.WarpSize, 4, 8, 32)
	pick(&m.SM.Dispatch, 1, 8, 30)
	pick(&m.SM.Barrier, 4, 20)
	pick(&m.Memory.Segment, 32, 128, 1024)
	pick(&m.Shared.Banks, 1, 4, 32, 64)
	pick(&m.Shared.BankBytes, 4, 8, 16)
	if src.IntN(4) == 0 {
		m.Memory.Requests.Value = machine.ByAccess
	}
	for _, class := range isa.Classes() {
		timing := m.Timing(class)
		timing.Initiation = 1 + int64(src.IntN(4))
		timing.Latency = timing.Initiation + int64(src.IntN(30))*int64(src.IntN(2))
		m.Classes[class.String()] = timing
	}
	return m
}

// TestRandom runs random kernels on random machines. Every run must agree in every
// bit with the twin, leave in memory what an execution without time leaves, and
// execute as many instructions.
func TestRandom(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			src := rand.New(rand.NewPCG(seed, 1))
			c := kernelgen.New(src, kernelgen.Options{
				Statements: 4 + src.IntN(12), Depth: 1 + src.IntN(3), Trips: 1 + src.IntN(4),
				Threads: 60, CTAs: 9, Irreducible: src.IntN(2) == 0,
			})
			g, prepare := simtest.Load(t, c.Job, c.Module)
			code := simtest.Decode(t, g)
			m := randomMachine(t, src)
			s, err := New(sim.Config{Code: code, Machine: m, RegsPerThread: 20, Ipoints: simtest.EveryThird(code)})
			if err != nil {
				t.Fatal(err)
			}
			o := compareWithTwin(t, s, prepare)
			functional := o.CheckWithoutTime(t, code, prepare, int(m.SM.WarpSize.Value))
			if o.Counters.WarpInstrs != functional.WarpInstrs || o.Counters.ThreadInstrs != functional.ThreadInstrs {
				t.Errorf("%d instructions of warps and %d of threads, without time %+v", o.Counters.WarpInstrs, o.Counters.ThreadInstrs, functional)
			}
		})
	}
}

// TestRacing runs a kernel whose results depend on the order of its warps: the twin
// must see the same order across SMs.
func TestRacing(t *testing.T) {
	code := compile(t, `
		atom.global.add.u32 %r1, [%buf], 1;
		and.b32 %r2, %r1, 3;
	again:
		setp.eq.u32 %p1, %r2, 0;
		@%p1 bra done;
		sub.u32 %r2, %r2, 1;
		ld.global.u32 %r3, [%buf];
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
		ret;`)
	s := newSim(t, predictable(t), code)
	for range 2 {
		compareWithTwin(t, s, func(mem *emu.Memory) emu.Launch { return launch(t, mem, 20, 64) })
	}
}

// TestWaitsForAnotherSM runs CTAs that wait until all of the first wave have begun.
func TestWaitsForAnotherSM(t *testing.T) {
	code := compile(t, `
		setp.ne.u32 %p1, %t, 0;
		@%p1 bra wait;
		red.global.add.u32 [%buf], 1;
	wait:
		ld.volatile.global.u32 %r1, [%buf];
		setp.lt.u32 %p2, %r1, 14;
		@%p2 bra wait;
		ret;`)
	compareWithTwin(t, newSim(t, predictable(t), code), func(mem *emu.Memory) emu.Launch { return launch(t, mem, 14, 32) })
}
