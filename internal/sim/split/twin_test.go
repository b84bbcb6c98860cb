package split

import (
	"slices"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// twin executes a launch by the letter of docs/machine-model/split.md: it visits every cycle of every
// port and every part of a wavefront in it. It adds up the sums of Lemma 2 and checks them
// and the theorem (sums_test.go).
type twin struct {
	cfg   sim.Config
	graph *cfg.Graph
	grid  *emu.Grid
	occ   int
	tr    *trace.Run
	count sim.Counters
	cus   []*twinCU

	simds, splits int   // SIMDs of a CU, split contexts of a wavefront
	q             int64 // cycles of a pass
	maximum       int64 // the greatest m(x) so far
	known         int64 // the greatest m(x) of the run, -1 if not known
}

type twinCU struct {
	index  int
	begun  int // CTAs
	slots  []*twinCTA
	fronts []*twinFront // by number; nil if there is none
	ports  []*twinPort
	guests []*twinPart  // parts that execute on other SIMDs than their wavefronts, in the order in which they came
	queue  []twinAccess // all accesses so far
	cache  []twinLine   // from the one used last on
	free   int64        // cycles before this one in which the memory served nothing
	worst  sums         // of all wavefronts
	memory int64        // the sum of all m(x)
	ended  bool
}

type twinCTA struct {
	cta    emu.CTA
	slot   int
	fronts []*twinFront
	start  int64
	free   int64 // twinCU.free then
}

// twinFront is a wavefront.
type twinFront struct {
	cta     *twinCTA
	index   int // in the CTA
	x       int
	parts   []*twinPart // by context; nil if unused
	retires int64       // -1 while it has not exited
	retired bool
}

type twinPart struct {
	front    *twinFront
	context  int
	warp     *emu.Warp // nil if it has no lanes
	mask     uint64
	simd     int // where it executes
	parent   *twinPart
	children []*twinPart

	ready  int64 // never if not known
	why    sim.Stall
	state  sim.Stall       // what it waits for while ready is never
	met    int64           // since when it is where it merges; -1 if it is not
	left   int             // passes of its instruction
	then   func(end int64) // what happens when the last one is over
	busy   sim.Stall       // the port, with them
	hard   func()          // what the hardware does next, instead of an instruction
	comes  *twinPart       // the child that begins with the next branch
	served []int64         // when each of its posted accesses is
	sums   *sums
	delays int64 // the greatest latency - initiation of its posted accesses
}

type twinPort struct {
	last, freeAt int64
	turn         map[int]int // by ID: the context that issued last
	busy         sim.Stall
	count        sim.SchedulerCounters
}

type twinAccess struct{ begin, end int64 }

// twinLine is a line of the L1, which is there from a cycle on.
type twinLine struct {
	number uint64
	at     int64
}

// runTwin executes a launch and returns what Sim.Run does. The greatest m(x) of the run is known
// from an earlier one, or -1: then nothing is checked.
func runTwin(t testing.TB, c sim.Config, l emu.Launch, mem *emu.Memory, tr *trace.Run, known int64) (*sim.Result, int64) {
	t.Helper()
	fatal := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	occ, err := c.Fit(l)
	fatal(err)
	m := c.Machine
	grid, err := emu.NewGrid(c.Code, l, mem, int(m.SM.WarpSize.Value))
	fatal(err)
	graph, err := cfg.Build(c.Code.Kernel())
	fatal(err)
	w := &twin{
		cfg: c, graph: graph, grid: grid, occ: occ.CTAs, tr: tr,
		simds: int(m.SM.Schedulers.Value), splits: int(m.Split.SIMDs.Value), q: m.Split.Pass.Value, known: known,
	}
	if m.Split.Mode.Value == machine.SplitNone {
		w.splits = 0
	}
	for i := range m.SM.Count.Value {
		u := &twinCU{index: int(i), slots: make([]*twinCTA, occ.CTAs), fronts: make([]*twinFront, w.simds*m.Contexts())}
		ports := w.simds * (1 + w.splits)
		if m.Split.Mode.Value.Dynamic() {
			ports = w.simds
		}
		for range ports {
			u.ports = append(u.ports, &twinPort{last: -1, turn: map[int]int{}})
		}
		w.cus = append(w.cus, u)
	}
	for _, u := range w.cus {
		w.begin(u, 0)
	}
	now := int64(0)
	for ; slices.ContainsFunc(w.cus, func(u *twinCU) bool { return !u.over() }); now++ {
		for _, u := range w.cus {
			fatal(w.cycle(u, now))
		}
	}
	now-- // the cycle of the last retirement is no longer one of the run
	slices.SortStableFunc(tr.Records, trace.Compare)
	tr.End = now
	r := &sim.Result{Cycles: now, Occupancy: occ, Counters: w.count}
	for _, u := range w.cus {
		var ports []sim.SchedulerCounters
		for _, p := range u.ports {
			total := p.count.Issued
			for _, n := range p.count.Stalls {
				total += n
			}
			p.count.Stalls[sim.StallIdle] -= total - now // the port was visited in that cycle too
			ports = append(ports, p.count)
		}
		r.Schedulers = append(r.Schedulers, ports)
	}
	return r, w.maximum
}

func (u *twinCU) over() bool {
	return !slices.ContainsFunc(u.slots, func(c *twinCTA) bool { return c != nil })
}

// begin fills the free slots of a CU with the CTAs that are distributed to it.
func (w *twin) begin(u *twinCU, now int64) {
	for k := range u.slots {
		g := u.index + u.begun*len(w.cus)
		if u.slots[k] != nil || g >= w.grid.CTAs() {
			continue
		}
		u.begun++
		c := &twinCTA{slot: k, start: now, free: u.free}
		w.grid.StartCTA(&c.cta, g)
		for i := range c.cta.Warps {
			f := &twinFront{cta: c, index: i, x: k*len(c.cta.Warps) + i, parts: make([]*twinPart, 1+w.splits), retires: -1}
			f.parts[0] = &twinPart{
				front: f, simd: f.x % w.simds, warp: &c.cta.Warps[i], mask: c.cta.Warps[i].Alive(), met: -1,
				ready: now + w.cfg.Machine.SM.Dispatch.Value, why: sim.StallIdle, sums: w.dispatched(),
			}
			c.fronts = append(c.fronts, f)
			u.fronts[f.x] = f
			w.record(u, f, now, trace.Start)
		}
		u.slots[k] = c
	}
}

func (w *twin) record(u *twinCU, f *twinFront, now int64, ip trace.Ipoint) {
	w.tr.Records = append(w.tr.Records, trace.Record{Cycle: now, SM: int32(u.index), CTA: int32(f.cta.cta.Index), Warp: int32(f.index), Ipoint: ip})
}

// cycle performs one cycle of a CU.
func (w *twin) cycle(u *twinCU, now int64) error {
	for k, c := range u.slots {
		if c == nil {
			continue
		}
		for _, f := range c.fronts {
			if f.retires == now && !f.retired {
				f.retired, u.fronts[f.x] = true, nil
				w.record(u, f, now, trace.Exit)
				if err := w.checkFront(u, f, now); err != nil {
					return err
				}
			}
		}
		if !slices.ContainsFunc(c.fronts, func(f *twinFront) bool { return !f.retired }) {
			u.slots[k] = nil
		}
	}
	w.begin(u, now)
	if u.over() {
		if err := w.checkCU(u, now); err != nil {
			return err
		}
	}
	for i := range u.ports {
		if err := w.portCycle(u, i, now); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(u.queue, func(a twinAccess) bool { return a.begin <= now && now < a.end }) {
		u.free++
	}
	for len(u.queue) > 1 && u.queue[0].end <= now {
		u.queue = u.queue[1:]
	}
	return nil
}

// portCycle performs one cycle of a port.
func (w *twin) portCycle(u *twinCU, i int, now int64) error {
	p := u.ports[i]
	if now < p.freeAt {
		p.count.Stalls[p.busy]++
		return nil
	}
	candidates := w.circle(u, i)
	for _, v := range candidates {
		if v.ready > now {
			continue
		}
		if guest := slices.Index(u.guestsOn(i), v); guest >= 0 {
			p.last = int64(w.cfg.Machine.Contexts() + guest)
		} else {
			p.last, p.turn[v.front.x/w.simds] = int64(v.front.x/w.simds), v.context+1
		}
		instr := false
		if v.left == 0 {
			var err error
			if instr, err = w.issue(u, i, v, now); err != nil {
				return err
			}
		}
		if p.busy = v.busy; instr {
			p.count.Issued++
		} else {
			p.count.Stalls[p.busy]++
		}
		p.freeAt = now + w.q
		v.ready = now + w.q
		if v.left--; v.left == 0 {
			v.then(now + w.q)
		}
		return nil
	}
	why, soonest := sim.StallIdle, int64(never)
	for _, v := range candidates {
		switch {
		case v.ready < soonest:
			why, soonest = v.why, v.ready
		case soonest == never && why == sim.StallIdle:
			why = v.state
		}
	}
	p.count.Stalls[why]++
	return nil
}

// guestsOn returns the parts of wavefronts of other SIMDs that execute on one, in the order in which they came.
func (u *twinCU) guestsOn(simd int) []*twinPart {
	return slices.DeleteFunc(slices.Clone(u.guests), func(v *twinPart) bool { return v.simd != simd })
}

// circle returns the parts that issue through a port in the order of their turns.
func (w *twin) circle(u *twinCU, i int) []*twinPart {
	dws := len(u.ports) == w.simds
	simd, context := i/(1+w.splits), i%(1+w.splits)
	if dws {
		simd = i
	}
	n := w.cfg.Machine.Contexts()
	guests := u.guestsOn(i)
	var all []*twinPart
	begin, ids := int(u.ports[i].last)+1, n+len(guests)
	if begin >= ids {
		begin = 0
	}
	for k := range ids {
		id := (begin + k) % ids
		if id >= n {
			all = append(all, guests[id-n])
			continue
		}
		f := u.fronts[id*w.simds+simd]
		switch {
		case f == nil:
		case dws:
			for j := range f.parts {
				if v := f.parts[(u.ports[i].turn[id]+j)%len(f.parts)]; v != nil && !slices.Contains(u.guests, v) {
					all = append(all, v)
				}
			}
		case f.parts[context] != nil:
			all = append(all, f.parts[context])
		}
	}
	return all
}
