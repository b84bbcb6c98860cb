package integrated

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

// randomKernel makes the code of a random kernel and what fills a memory with its inputs.
func randomKernel(t testing.TB, src kernelgen.Source) (*emu.Code, simtest.Prepare) {
	t.Helper()
	c := kernelgen.New(src, kernelgen.Options{
		Statements: 4 + src.IntN(12), Depth: 1 + src.IntN(3), Trips: 1 + src.IntN(4),
		Threads: 60, CTAs: 9, Irreducible: src.IntN(2) == 0,
	})
	g, prepare := simtest.Load(t, c.Job, c.Module)
	return simtest.Decode(t, g), prepare
}

func pick(src kernelgen.Source, n *machine.Number, values ...int64) {
	n.Value = values[src.IntN(len(values))]
}

// randomMachine draws numbers for a small and odd machine.
func randomMachine(t testing.TB, src kernelgen.Source) *machine.Machine {
	m := fermi(t)
	pick(src, &m.SM.Count, 1, 2, 5)
	pick(src, &m.SM.CTAs, 1, 2, 8)
	pick(src, &m.SM.WarpSize, 4, 8, 32)
	pick(src, &m.L1.Sets, 1, 4, 128)
	pick(src, &m.L1.Ways, 1, 2, 4)
	pick(src, &m.L1.Line, 32, 128)
	pick(src, &m.Shared.Banks, 1, 4, 32, 64)
	pick(src, &m.Shared.BankBytes, 4, 8, 16)
	randomTimes(src, m)
	return m
}

// randomTimes draws all numbers on which the order of a core's accesses does not depend.
func randomTimes(src kernelgen.Source, m *machine.Machine) {
	pick(src, &m.SM.Dispatch, 1, 8, 30)
	pick(src, &m.SM.Barrier, 4, 20)
	pick(src, &m.Interconnect.Slot, 1, 3)
	pick(src, &m.Interconnect.Latency, 1, 8, 21)
	pick(src, &m.Interconnect.Credits, 1, 4, 128)
	pick(src, &m.LLC.Sets, 1, 4, 128)
	pick(src, &m.LLC.Ways, 1, 2, 32)
	pick(src, &m.LLC.Latency, 1, 24)
	pick(src, &m.LLC.Atomic, 0, 9)
	pick(src, &m.DRAM.Banks, 1, 16)
	pick(src, &m.DRAM.Row, 128, 4096)
	pick(src, &m.DRAM.Slot, 1, 4)
	pick(src, &m.DRAM.Open, 1, 40)
	pick(src, &m.DRAM.Conflict, 40, 104)
	pick(src, &m.Regulator.Quota, 1, 2, 7, 32, 1000)
	pick(src, &m.Regulator.Wait, 0, 64, 500)
	pick(src, &m.Regulator.Reset, 1, 4)
	m.Regulator.Switch.Value = []machine.Switch{machine.On, machine.On, machine.Off}[src.IntN(3)]
	for _, class := range isa.Classes() {
		timing := m.Timing(class)
		timing.Initiation = 1 + int64(src.IntN(4))
		timing.Latency = timing.Initiation + int64(src.IntN(30))*int64(src.IntN(2))
		m.Classes[class.String()] = timing
	}
}

func randomConfig(m *machine.Machine, code *emu.Code) sim.Config {
	return sim.Config{Code: code, Machine: m, RegsPerThread: 20, Ipoints: simtest.EveryThird(code), MaxCycles: 100_000_000}
}

// list is a stream of the CPU.
type list struct {
	accesses []sim.CPUAccess
	at       int
}

func (l *list) Reset() { l.at = 0 }

func (l *list) Next() (sim.CPUAccess, bool, error) {
	if l.at == len(l.accesses) {
		return sim.CPUAccess{}, false, nil
	}
	l.at++
	return l.accesses[l.at-1], true, nil
}

// randomStream draws a stream that uses memory of the kernel too; none at all in one of four
// cases.
func randomStream(src kernelgen.Source) sim.CPUStream {
	if src.IntN(4) == 0 {
		return nil
	}
	l := &list{}
	gaps := []int{1, 10, 1000}[src.IntN(3)]
	for range src.IntN(300) {
		base := []uint64{emu.GlobalBase, sim.CPUBase}[src.IntN(2)]
		l.accesses = append(l.accesses, sim.CPUAccess{
			Gap: int64(src.IntN(gaps)), Address: base + uint64(src.IntN(1<<12)), Store: src.IntN(3) == 0,
		})
	}
	return l
}

// checkIntervals checks that access n of an SM is in interval n div quota, and that the CPU
// sends no more than its quota in one.
func (o *observation) checkIntervals(t testing.TB, m *machine.Machine) {
	t.Helper()
	if !m.Regulated() {
		return
	}
	cpu := map[int64]int64{}
	for _, a := range o.accesses {
		if a.Core == m.Cores()-1 {
			cpu[a.Interval]++
			if cpu[a.Interval] > m.Regulator.Quota.Value {
				t.Fatalf("the CPU has sent %d accesses in interval %d", cpu[a.Interval], a.Interval)
			}
		} else if a.Interval != a.Number/m.Regulator.Quota.Value {
			t.Fatalf("access %d of core %d is in interval %d", a.Number, a.Core, a.Interval)
		}
	}
}

// order is what each SM accesses, one after the other, and how its loads fare in the L1.
func (o *observation) order(m *machine.Machine) string {
	byCore := make([][]sim.LLCAccess, m.Cores()-1)
	for _, a := range o.accesses {
		if a.Core < len(byCore) {
			a.Interval, a.Cycle, a.Hit = 0, 0, false
			byCore[a.Core] = append(byCore[a.Core], a)
		}
	}
	text := fmt.Sprint(byCore)
	for _, c := range o.Cores[:len(byCore)] {
		text += fmt.Sprint(c.L1Misses, c.L1Hits+c.L1Merged)
	}
	return text
}

// TestRandom runs random kernels on random machines beside random streams of the CPU. Every
// run must agree in every bit with the twin, leave in memory what
// an execution without time leaves, execute as many instructions, and divide the accesses
// into intervals by their numbers. With other times the order of each SM must be the same.
func TestRandom(t *testing.T) {
	for seed := range uint64(60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			src := rand.New(rand.NewPCG(seed, 6))
			code, prepare := randomKernel(t, src)
			m := randomMachine(t, src)
			cfg := randomConfig(m, code)
			cfg.CPU = randomStream(src)
			o := compareWithTwin(t, cfg, prepare)
			functional := o.CheckWithoutTime(t, code, prepare, int(m.SM.WarpSize.Value))
			if o.Counters.WarpInstrs != functional.WarpInstrs || o.Counters.ThreadInstrs != functional.ThreadInstrs {
				t.Errorf("%d instructions of warps and %d of threads, without time %+v", o.Counters.WarpInstrs, o.Counters.ThreadInstrs, functional)
			}
			o.checkIntervals(t, m)
			want := o.order(m)
			for range 3 {
				other := fermi(t)
				other.SM.Count, other.SM.CTAs, other.SM.WarpSize, other.L1 = m.SM.Count, m.SM.CTAs, m.SM.WarpSize, m.L1
				randomTimes(src, other)
				cfg := randomConfig(other, code)
				cfg.CPU = randomStream(src)
				again := observe(t, cfg, prepare)
				again.checkIntervals(t, other)
				if got := again.order(other); got != want {
					t.Errorf("with other times the order of accesses is\n%s, not\n%s", got, want)
				}
			}
		})
	}
}

// TestMonotone: where it is certain which accesses hit, because an SM has the shared cache for
// itself, no run becomes shorter when anything takes longer.
func TestMonotone(t *testing.T) {
	for seed := range uint64(30) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			src := rand.New(rand.NewPCG(seed, 7))
			code, prepare := randomKernel(t, src)
			m := randomMachine(t, src)
			m.SM.Count.Value = 1
			before := observe(t, randomConfig(m, code), prepare).Cycles
			for range 8 {
				more := func(n *machine.Number) { n.Value += int64(src.IntN(50) * src.IntN(2)) }
				more(&m.SM.Dispatch)
				more(&m.SM.Barrier)
				more(&m.Interconnect.Latency)
				more(&m.LLC.Latency)
				more(&m.LLC.Atomic)
				more(&m.Regulator.Reset)
				longer := int64(src.IntN(50))
				m.DRAM.Open.Value += longer
				m.DRAM.Conflict.Value += longer + int64(src.IntN(50))
				for _, class := range isa.Classes() {
					timing := m.Timing(class)
					longer := int64(src.IntN(2))
					timing.Initiation += longer
					timing.Latency += longer + int64(src.IntN(20))
					m.Classes[class.String()] = timing
				}
				after := observe(t, randomConfig(m, code), prepare).Cycles
				if after < before {
					t.Fatalf("%d cycles, %d before everything took longer", after, before)
				}
				before = after
			}
		})
	}
}

// TestSteadyState: once storage has grown, a run allocates nothing.
func TestSteadyState(t *testing.T) {
	code := compile(t, stride+"ld.global.u32 %r1, [%rd1]; atom.global.add.u32 %r2, [%buf], %r1; bar.sync 0; st.global.u32 [%rd1], %r2; ret;")
	s, err := New(config(regulated(t, true, 3), code))
	if err != nil {
		t.Fatal(err)
	}
	var mem emu.Memory
	l := launch(t, 40, 96)(&mem)
	runOnce := func() {
		if _, err := s.Run(t.Context(), l, &mem, nil); err != nil {
			t.Fatal(err)
		}
	}
	runOnce()
	if n := testing.AllocsPerRun(2, runOnce); n > 0 {
		t.Errorf("%v allocations in a run", n)
	}
}

// TestRacing runs a kernel whose results depend on the order of its warps and on the clock:
// the twin must see the same order across SMs.
func TestRacing(t *testing.T) {
	code := compile(t, `
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
		ret;`)
	compareWithTwin(t, config(regulated(t, true, 3), code), launch(t, 20, 64))
}
