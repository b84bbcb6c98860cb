package barrel

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
	"warpbound/internal/trace"
)

// twin executes a launch by the letter of the rules: it visits every cycle of every
// SM and every warp in it, and counts requests byte by byte. It checks the theorem of
// docs/machine-model/barrel.md on every wave.
type twin struct {
	cfg   sim.Config
	grid  *emu.Grid
	occ   int
	tr    *trace.Run
	count sim.Counters
	sms   []*twinSM
}

type twinSM struct {
	index    int
	wave     int
	begun    int64       // when the warps of the wave were ready
	interval map[int]int // by CTA: how many barriers it has passed
	ctas     []*emu.CTA
	warps    []*twinWarp // by slot
	last     int         // slot that issued last
	portFree int64
	portBusy sim.Stall // with what
	over     bool
	count    sim.SchedulerCounters
}

type twinWarp struct {
	emu       *emu.Warp
	cta, warp int
	ready     int64
	why       sim.Stall
	served    []int64 // when each of its posted accesses is
	retires   int64   // -1 while it has not exited
	retired   bool

	service int64         // of all of its instructions
	delay   map[int]int64 // by interval between barriers of the CTA: of all of its instructions
}

// runTwin executes a launch and returns what Sim.Run does.
func runTwin(t testing.TB, cfg sim.Config, l emu.Launch, mem *emu.Memory, tr *trace.Run) *sim.Result {
	t.Helper()
	occ, err := cfg.Fit(l)
	if err != nil {
		t.Fatal(err)
	}
	grid, err := emu.NewGrid(cfg.Code, l, mem, int(cfg.Machine.SM.WarpSize.Value))
	if err != nil {
		t.Fatal(err)
	}
	w := &twin{cfg: cfg, grid: grid, occ: occ.CTAs, tr: tr}
	for i := range cfg.Machine.SM.Count.Value {
		m := &twinSM{index: int(i), wave: -1}
		w.sms = append(w.sms, m)
		w.nextWave(m, 0)
	}
	now := int64(0)
	for ; slices.ContainsFunc(w.sms, func(m *twinSM) bool { return !m.over }); now++ {
		for _, m := range w.sms {
			if err := w.cycle(m, now); err != nil {
				t.Fatal(err)
			}
		}
	}
	now-- // the cycle of the last retirement is no longer one of the run
	slices.SortStableFunc(tr.Records, trace.Compare)
	tr.End = now
	r := &sim.Result{Cycles: now, Occupancy: occ, Counters: w.count}
	for _, m := range w.sms {
		total := m.count.Issued
		for _, n := range m.count.Stalls {
			total += n
		}
		m.count.Stalls[sim.StallIdle] -= total - now // the SM was visited in that cycle too
		r.Schedulers = append(r.Schedulers, []sim.SchedulerCounters{m.count})
	}
	return r
}

// nextWave begins the next wave of an SM, whose warps are ready when the dispatch
// is over.
func (w *twin) nextWave(m *twinSM, now int64) {
	m.wave++
	m.ctas, m.warps, m.last = nil, nil, -1
	m.begun, m.interval = now+w.cfg.Machine.SM.Dispatch.Value, map[int]int{}
	sms := int(w.cfg.Machine.SM.Count.Value)
	for i := range w.occ * sms {
		cta := m.wave*sms*w.occ + i
		if i%sms != m.index || cta >= w.grid.CTAs() {
			continue
		}
		c := &emu.CTA{}
		w.grid.StartCTA(c, cta)
		m.ctas = append(m.ctas, c)
		for k := range c.Warps {
			m.warps = append(m.warps, &twinWarp{
				emu: &c.Warps[k], cta: cta, warp: k, retires: -1,
				ready: m.begun, why: sim.StallIdle, delay: map[int]int64{},
			})
			w.record(m, m.warps[len(m.warps)-1], now, trace.Start)
		}
		m.interval[cta] = 0
	}
	m.over = len(m.warps) == 0
}

func (w *twin) record(m *twinSM, v *twinWarp, now int64, ip trace.Ipoint) {
	w.tr.Records = append(w.tr.Records, trace.Record{Cycle: now, SM: int32(m.index), CTA: int32(v.cta), Warp: int32(v.warp), Ipoint: ip})
}

// cycle performs one cycle of an SM.
func (w *twin) cycle(m *twinSM, now int64) error {
	for _, v := range m.warps {
		if v.retires == now && !v.retired {
			v.retired = true
			w.record(m, v, now, trace.Exit)
		}
	}
	if !m.over && !slices.ContainsFunc(m.warps, func(v *twinWarp) bool { return !v.retired }) {
		if bound := m.bound(); now-m.begun > bound {
			return fmt.Errorf("wave %d of SM %d took %d cycles, more than the bound of %d", m.wave, m.index, now-m.begun, bound)
		}
		w.nextWave(m, now)
	}
	if now < m.portFree {
		m.count.Stalls[m.portBusy]++
		return nil
	}
	n := len(m.warps)
	for k := 1; k <= n; k++ {
		i := (m.last + k) % n
		v := m.warps[i]
		if v.retires < 0 && !v.emu.AtBarrier() && v.ready <= now {
			m.last = i
			m.count.Issued++
			return w.issue(m, i, now)
		}
	}
	m.count.Stalls[m.idle()]++
	return nil
}

// idle says why an SM does not issue: what the warp waits for that will be ready
// first, the first of several in the circle.
func (m *twinSM) idle() sim.Stall {
	if m.over {
		return sim.StallIdle
	}
	var first *twinWarp
	n := len(m.warps)
	for k := 1; k <= n; k++ {
		v := m.warps[(m.last+k)%n]
		if v.retires < 0 && !v.emu.AtBarrier() && (first == nil || v.ready < first.ready) {
			first = v
		}
	}
	if first == nil {
		return sim.StallDrain
	}
	return first.why
}

func (w *twin) issue(m *twinSM, slot int, now int64) error {
	v := m.warps[slot]
	pc := v.emu.PC()
	if ip := w.cfg.Ipoints[pc]; ip >= 0 {
		w.record(m, v, now, ip)
	}
	var eff emu.Effect
	env := emu.Env{Cycle: uint64(now), Time: uint64(w.cfg.Machine.Nanoseconds(now)), SM: m.index, SMs: int(w.cfg.Machine.SM.Count.Value)}
	if err := v.emu.Step(&env, &eff); err != nil {
		return err
	}
	w.count.WarpInstrs++
	w.count.ThreadInstrs += int64(bits.OnesCount64(eff.Mask))
	w.count.SerialisedAtomics += simtest.Serialised(&eff)
	if eff.Diverged {
		w.count.DivergentBranches++
	}
	in := w.cfg.Code.Instr(pc)
	timing := w.cfg.Machine.Timing(in.Class())
	init, latency := timing.Initiation, timing.Latency

	service, ready := init, now+latency
	v.why, m.portBusy = sim.StallALU, sim.StallUnit
	switch class := in.Class(); {
	case class == isa.MemParam || class == isa.MemShared || class == isa.MemGlobal || class == isa.MemAtomic:
		v.why, m.portBusy = sim.StallMemory, sim.StallLSU
		if eff.Access.Kind == emu.NoAccess {
			ready = now + init
			break
		}
		k := simtest.Requests(w.cfg.Machine, &eff, &w.count)
		service = k * init
		served := now + (k-1)*init + latency
		if eff.Access.Kind == emu.Store || in.Op == isa.Red || in.Op == isa.Atom && !slices.ContainsFunc(in.Dst, func(o isa.Operand) bool { return o.Kind == isa.KindReg }) {
			ready = now + service
			v.served = append(v.served, served)
		} else {
			ready = served
		}
	case in.Op == isa.Fence:
		v.why = sim.StallFence
		for _, s := range v.served {
			ready = max(ready, s)
		}
	case class == isa.Control:
		v.why = sim.StallBranch
	}
	v.ready, m.portFree = ready, now+service
	if eff.WarpDone {
		v.retires = now + service
		for _, s := range v.served {
			v.retires = max(v.retires, s)
		}
		ready = v.retires
	}
	v.service += service
	if waits := eff.Arrived && in.Barrier != isa.BarrierArrive; !waits {
		v.delay[m.interval[v.cta]] += ready - (now + service)
	}
	if eff.Released != 0 {
		m.interval[v.cta]++
	}
	for _, other := range m.warps {
		if other.cta == v.cta && eff.Released>>other.warp&1 != 0 {
			other.ready, other.why = now+w.cfg.Machine.SM.Barrier.Value, sim.StallBarrier
			other.delay[m.interval[v.cta]] += w.cfg.Machine.SM.Barrier.Value - service
		}
	}
	return nil
}

// bound composes the services and the delays of the wave.
func (m *twinSM) bound() int64 {
	services, delays := int64(0), map[int]int64{} // by CTA
	for cta, last := range m.interval {
		for i := range last + 1 {
			maximum := int64(0)
			for _, v := range m.warps {
				if v.cta == cta {
					maximum = max(maximum, v.delay[i])
				}
			}
			delays[cta] += maximum
		}
	}
	longest := int64(0)
	for _, v := range m.warps {
		services += v.service
		longest = max(longest, delays[v.cta])
	}
	return services + longest
}

// compareWithTwin runs a launch in the simulator of a configuration and in the twin, and checks that
// both show the same and leave the same memory. prepare fills a memory.
func compareWithTwin(t testing.TB, s simtest.Simulator, cfg sim.Config, prepare simtest.Prepare) *simtest.Observation {
	t.Helper()
	o := simtest.Observe(t, s, prepare)
	other := &simtest.Observation{}
	l := prepare(&other.Mem)
	other.Result = runTwin(t, cfg, l, &other.Mem, &other.Trace)
	other.Check(t, l)
	simtest.Same(t, "by the letter of the rules", o, other)
	return o
}
