package barrel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
)

// randomMachine draws numbers for a small and odd machine.
func randomMachine(t testing.TB, src kernelgen.Source) *machine.Machine {
	m := predictable(t)
	pick := func(n *machine.Number, values ...int64) { simtest.Pick(src, n, values...) }
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
	simtest.RandomTimings(src, m)
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
			code, prepare := simtest.Random(t, src)
			m := randomMachine(t, src)
			cfg := sim.Config{Code: code, Machine: m, RegsPerThread: 20, Ipoints: simtest.EveryThird(code)}
			o := compareWithTwin(t, simtest.Make(t, create, cfg), cfg, prepare)
			o.CheckWithoutTime(t, code, prepare, int(m.SM.WarpSize.Value))
			simtest.Chain(t, o, create, cfg, prepare, func(s simtest.Simulator) { s.(*Sim).sms[0].reasons.log.Limit = 1 })
		})
	}
}

// TestRacing runs a kernel whose results depend on the order of its warps: the twin
// must see the same order across SMs.
func TestRacing(t *testing.T) {
	cfg := simtest.Config(predictable(t), simtest.Compile(t, simtest.Racing))
	s := simtest.Make(t, create, cfg)
	for range 2 {
		compareWithTwin(t, s, cfg, launch(t, 20, 64))
	}
}

// TestWaitsForAnotherSM runs CTAs that wait until all of the first wave have begun.
func TestWaitsForAnotherSM(t *testing.T) {
	code := simtest.Compile(t, `
		setp.ne.u32 %p1, %t, 0;
		@%p1 bra wait;
		red.global.add.u32 [%buf], 1;
	wait:
		ld.volatile.global.u32 %r1, [%buf];
		setp.lt.u32 %p2, %r1, 14;
		@%p2 bra wait;
		ret;`)
	cfg := simtest.Config(predictable(t), code)
	compareWithTwin(t, simtest.Make(t, create, cfg), cfg, launch(t, 14, 32))
}
