package split

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/kernelgen"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/splitting"
	"warpbound/internal/synthetic"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/simtest"
)

// randomMachine draws numbers for a small and odd machine.
func randomMachine(t testing.TB, src *rand.Rand, mode machine.SplitMode) *machine.Machine {
	m := gcn3(t, mode, src.IntN(1+machine.MaxSplitSIMDs))
	pick := func(n *machine.Number, values ...int64) { simtest.Pick(src, n, values...) }
	pick(&m.SM.Count, 1, 2, 3)
	pick(&m.SM.CTAs, 1, 2, 8)
	pick(&m.SM.WarpSize, 4, 8, 32, 64)
	pick(&m.SM.Dispatch, 1, 8, 30)
	pick(&m.SM.Schedulers, 1, 2, 4)
	pick(&m.Split.Pass, 1, 2, 4)
	q := m.Split.Pass.Value
	pick(&m.SM.Barrier, q, q+1, 20)
	pick(&m.Split.Address, q, 3*q)
	pick(&m.Split.Split, 0, 1, 8)
	pick(&m.Split.Merge, 0, 4, 9)
	pick(&m.Memory.Segment, 32, 64, 1024)
	pick(&m.Shared.Banks, 1, 4, 32)
	for _, class := range isa.Classes() {
		timing := m.Timing(class)
		timing.Initiation = 1 + int64(src.IntN(4))
		switch {
		case class == isa.Control || class == isa.Sync:
			timing.Initiation = q
		case class < isa.MemParam:
			timing.Initiation *= q
		}
		timing.Latency = timing.Initiation + int64(src.IntN(30))*int64(src.IntN(2))
		m.Classes[class.String()] = timing
	}
	if src.IntN(2) == 0 {
		cached(m, 1<<src.IntN(4), 1+int64(src.IntN(3)), 1+src.Int64N(m.Timing(isa.MemGlobal).Latency))
	}
	return m
}

// cached gives a machine an L1.
func cached(m *machine.Machine, sets, ways, hit int64) {
	m.L1.Sets.Value, m.L1.Ways.Value, m.L1.Hit.Value = sets, ways, hit
}

// randomSplits returns the kernel with wavefronts splitting at random branches that can, and how
// many parts split off at a time at most if all do.
func randomSplits(t testing.TB, src *rand.Rand, g *cfg.Graph, maximum int) *emu.Code {
	t.Helper()
	var branches []int
	for b := range g.Blocks {
		if g.Last(b).Op == isa.Bra && splitting.Splittable(g, b) == nil && src.IntN(3) > 0 && len(branches) < maximum {
			branches = append(branches, b)
		}
	}
	return insert(t, g, branches)
}

// TestRandom runs random kernels on random machines in all modes. Every run must agree in every
// bit with the twin, obey the theorem, and leave in memory what an execution without time
// leaves.
func TestRandom(t *testing.T) {
	var splits, hits, merged atomic.Int64
	seeds := effort.Draw(t, 200)
	t.Run("all", func(t *testing.T) {
		for _, seed := range seeds {
			for _, mode := range machine.Modes() {
				t.Run(fmt.Sprint(seed, mode), func(t *testing.T) {
					t.Parallel()
					c := checkRandom(t, rand.New(rand.NewPCG(seed, 1)), mode, seed%3 == 0)
					splits.Add(c.Splits)
					hits.Add(c.L1Hits)
					merged.Add(c.L1Merged)
				})
			}
		}
	})
	if !effort.Many() {
		return
	}
	if splits := splits.Load(); splits < int64(15*len(seeds)/2) {
		t.Errorf("%d splits are too few to tell", splits)
	}
	if hits.Load() < int64(5*len(seeds)) || merged.Load() < int64(len(seeds)/2) {
		t.Errorf("%d hits and %d of lines under way are too few to tell", hits.Load(), merged.Load())
	}
}

// checkRandom does so with one kernel, of PTX or of mini-SIMT code, and returns what was counted.
func checkRandom(t *testing.T, src *rand.Rand, mode machine.SplitMode, simt bool) sim.Counters {
	t.Helper()
	generate := kernelgen.New
	if simt {
		generate = kernelgen.NewSIMT
	}
	c := generate(src, kernelgen.Options{
		Statements: 4 + src.IntN(12), Depth: 1 + src.IntN(4), Trips: 1 + src.IntN(4),
		Threads: 60, CTAs: 9, Split: true, Machine: "gcn3-split", Irreducible: src.IntN(4) == 0,
	})
	g, prepare := simtest.Load(t, c.Job, c.Module)
	m := randomMachine(t, src, mode)
	code := simtest.Decode(t, g)
	if mode == machine.PWS {
		code = randomSplits(t, src, g, int(m.Split.SIMDs.Value))
	}
	cfg := sim.Config{Code: code, Machine: m, RegsPerThread: 20, Ipoints: simtest.EveryThird(code)}
	o := compare(t, cfg, prepare)
	simtest.Chain(t, o, create, cfg, prepare, func(s simtest.Simulator) { s.(*Sim).cus[0].reasons.log.Limit = 1 })
	return o.Counters
}

// compare runs a launch in the simulator, in the twin, and without time. It returns what the
// simulator shows.
func compare(t testing.TB, c sim.Config, prepare simtest.Prepare) *simtest.Observation {
	t.Helper()
	var s *Sim
	c.Observe = func(at *sim.Step) { checkMasks(t, s, at) }
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	o := simtest.Observe(t, s, prepare)
	known := int64(-1)
	for range 2 {
		other := &simtest.Observation{}
		l := prepare(&other.Mem)
		other.Result, known = runTwin(t, c, l, &other.Mem, &other.Trace, known)
		if c.Machine.Split.Mode.Value == machine.DWSIdle {
			known = -1 // the sums of the lemma do not hold
		}
		other.Check(t, l)
		simtest.Same(t, "by the letter of the rules", o, other)
	}
	o.CheckWithoutTime(t, c.Code, prepare, int(c.Machine.SM.WarpSize.Value))
	return o
}

// checkMasks checks the split masks of the wavefront that has executed an instruction: parts have
// different lanes, and the active ones are among those of the part. At a branch they are its
// child's too, which takes them away.
func checkMasks(t testing.TB, s *Sim, at *sim.Step) {
	u := &s.cus[at.SM]
	for x := range u.fronts {
		if sl, warp := u.cta(x); sl.cta.Index != at.CTA || warp != at.Warp {
			continue
		}
		f, all := &u.fronts[x], uint64(0)
		for i, p := range f.parts[:f.n] {
			st := &u.warpSplits[u.warpSplit(x, i)]
			if p.mask&all != 0 {
				t.Errorf("part %d has lanes %#x of others", i, p.mask&all)
			}
			if st.state == atMerge && st.warp == nil && p.mask != 0 {
				t.Errorf("part %d without a warp has lanes %#x", i, p.mask)
			}
			all |= p.mask
		}
		own := f.parts[at.Split].mask
		if child := u.warpSplits[u.warpSplit(x, at.Split)].child; child != none {
			own |= f.parts[child].mask
		}
		if other := at.Active &^ own; other != 0 {
			t.Errorf("instruction %d on part %d: lanes %#x are not of the split mask %#x", at.PC, at.Split, other, own)
		}
		return
	}
	t.Errorf("no wavefront %d of CTA %d", at.Warp, at.CTA)
}

// TestSynthetic does the same with if-else of which each work-item takes another path, for
// every number of split SIMDs, in use or idle.
func TestSynthetic(t *testing.T) {
	const groups, wavefronts, iterations = 5, 2, 2
	b, err := synthetic.New(synthetic.Config{
		Instructions: 80, Divergent: 100, Memory: 10, Nesting: 3, Iterations: iterations,
		WorkItems: wavefronts * 64, Groups: groups, Marked: synthetic.AllMarked, Seed: 1, Machine: "gcn3-split",
	})
	if err != nil {
		t.Fatal(err)
	}
	g, prepare := simtest.Load(t, b.Job, b.Module)
	marked := splitting.Marked(g)
	if len(marked) != machine.MaxSplitSIMDs {
		t.Fatalf("%d branches are marked", len(marked))
	}
	cycles := map[string]int64{}
	check := func(mode machine.SplitMode, simds, used int) {
		t.Run(fmt.Sprint(mode, simds, used), func(t *testing.T) {
			m, code := gcn3(t, mode, simds), simtest.Decode(t, g)
			if mode == machine.PWS {
				code = insert(t, g, marked[:used])
				if m, err = m.Reuse(used); err != nil {
					t.Fatal(err)
				}
			}
			if mode == machine.DWSIdle {
				m.SM.Schedulers.Value = 16 // for two wavefronts, and four on one CU
			}
			o := compare(t, sim.Config{Code: code, Machine: m, RegsPerThread: 20, Ipoints: simtest.EveryThird(code)}, prepare)
			if want := int64(groups * wavefronts * iterations * used); o.Counters.Splits != want {
				t.Errorf("%d splits, want %d", o.Counters.Splits, want)
			}
			cycles[fmt.Sprint(mode, used)] = o.Cycles
		})
	}
	for simds := range machine.MaxSplitSIMDs + 1 {
		check(machine.PWS, simds, simds)
		if used := simds / 2; used < simds {
			check(machine.PWS, simds, used)
		}
	}
	check(machine.SplitNone, 7, 0)
	check(machine.DWS, 7, 7)
	check(machine.DWSIdle, 7, 7)
	if idle, shared := cycles["dws-idle7"], cycles["dws7"]; idle >= shared {
		t.Errorf("%d cycles with idle SIMDs, %d without", idle, shared)
	}
	if all, none := cycles["pws7"], cycles["none0"]; all >= none {
		t.Errorf("%d cycles if wavefronts split in 8, %d if they do not", all, none)
	}
}
