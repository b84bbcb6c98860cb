package integrated

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/internal/abi"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/simtest"
)

// randomMachine draws numbers for a small and odd machine.
func randomMachine(t testing.TB, src kernelgen.Source) *machine.Machine {
	m := fermi(t)
	simtest.Pick(src, &m.SM.Count, 1, 2, 5)
	simtest.Pick(src, &m.SM.CTAs, 1, 2, 8)
	simtest.Pick(src, &m.SM.WarpSize, 4, 8, 32)
	simtest.Pick(src, &m.L1.Sets, 1, 4, 128)
	simtest.Pick(src, &m.L1.Ways, 1, 2, 4)
	simtest.Pick(src, &m.L1.Line, 32, 128)
	simtest.Pick(src, &m.Shared.Banks, 1, 4, 32, 64)
	simtest.Pick(src, &m.Shared.BankBytes, 4, 8, 16)
	randomTimes(src, m)
	return m
}

// randomTimes draws all numbers on which the order of a core's accesses does not depend.
func randomTimes(src kernelgen.Source, m *machine.Machine) {
	simtest.Pick(src, &m.SM.Dispatch, 1, 8, 30)
	simtest.Pick(src, &m.SM.Barrier, 4, 20)
	simtest.Pick(src, &m.Interconnect.Slot, 1, 3)
	simtest.Pick(src, &m.Interconnect.Latency, 1, 8, 21)
	simtest.Pick(src, &m.Interconnect.Credits, 1, 4, 128)
	simtest.Pick(src, &m.LLC.Sets, 1, 4, 128)
	simtest.Pick(src, &m.LLC.Ways, 1, 2, 32)
	simtest.Pick(src, &m.LLC.Latency, 1, 24)
	simtest.Pick(src, &m.LLC.Atomic, 0, 9)
	simtest.Pick(src, &m.DRAM.Banks, 1, 16)
	simtest.Pick(src, &m.DRAM.Row, 128, 4096)
	simtest.Pick(src, &m.DRAM.Slot, 1, 4)
	simtest.Pick(src, &m.DRAM.Open, 1, 40)
	simtest.Pick(src, &m.DRAM.Conflict, 40, 104)
	simtest.Pick(src, &m.Regulator.Quota, 1, 2, 7, 32, 1000)
	simtest.Pick(src, &m.Regulator.Wait, 0, 64, 500)
	simtest.Pick(src, &m.Regulator.Reset, 1, 4)
	m.Regulator.Switch.Value = []machine.Switch{machine.On, machine.On, machine.Off}[src.IntN(3)]
	simtest.RandomTimings(src, m)
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
		base := []uint64{abi.GlobalBase, abi.CPUBase}[src.IntN(2)]
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
	for _, seed := range effort.Draw(t, 300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			src := rand.New(rand.NewPCG(seed, 6))
			code, prepare := simtest.Random(t, src)
			m := randomMachine(t, src)
			cfg := randomConfig(m, code)
			cfg.CPU = randomStream(src)
			o := compareWithTwin(t, cfg, prepare)
			o.CheckWithoutTime(t, code, prepare, int(m.SM.WarpSize.Value))
			o.checkIntervals(t, m)
			simtest.Chain(t, o.Observation, create, cfg, prepare, func(s simtest.Simulator) { s.(*Sim).log.Limit = 1 })
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
	for _, seed := range effort.Draw(t, 150) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			src := rand.New(rand.NewPCG(seed, 7))
			code, prepare := simtest.Random(t, src)
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
	code := simtest.Compile(t, stride+"ld.global.u32 %r1, [%rd1]; atom.global.add.u32 %r2, [%buf], %r1; bar.sync 0; st.global.u32 [%rd1], %r2; ret;")
	s := simtest.Make(t, create, simtest.Config(regulated(t, true, 3), code))
	if n := simtest.Allocations(t, s, launch(t, 40, 96)); n > 0 {
		t.Errorf("%v allocations in a run", n)
	}
}

// TestRacing runs a kernel whose results depend on the order of its warps and on the clock:
// the twin must see the same order across SMs.
func TestRacing(t *testing.T) {
	code := simtest.Compile(t, simtest.Racing)
	compareWithTwin(t, simtest.Config(regulated(t, true, 3), code), launch(t, 20, 64))
}
