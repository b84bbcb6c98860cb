package split

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/simtest"
	"warpbound/internal/splitting"
	"warpbound/internal/trace"
)

// twin executes a launch by the letter of docs/machine-model.md: it visits every cycle of every
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
	most          int64 // the greatest m(x) so far
	known         int64 // the greatest m(x) of the run, -1 if not known
}

type twinCU struct {
	index  int
	begun  int // CTAs
	slots  []*twinCTA
	fronts []*twinFront // by number; nil if there is none
	ports  []*twinPort
	queue  []twinAccess // all accesses so far
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
	occ, err := sim.Fit(c.Machine, c.Code, l, c.RegsPerThread)
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
		if m.Split.Mode.Value == machine.DWS {
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
	return r, w.most
}

func (u *twinCU) over() bool {
	return !slices.ContainsFunc(u.slots, func(c *twinCTA) bool { return c != nil })
}

// begin fills the free slots of a CU with the CTAs that are dealt to it.
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
				front: f, warp: &c.cta.Warps[i], mask: c.cta.Warps[i].Alive(), met: -1,
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
		p.last, p.turn[v.front.x/w.simds] = int64(v.front.x/w.simds), v.context+1
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

// circle returns the parts that issue through a port in the order of their turns.
func (w *twin) circle(u *twinCU, i int) []*twinPart {
	dws := len(u.ports) == w.simds
	simd, context := i/(1+w.splits), i%(1+w.splits)
	if dws {
		simd = i
	}
	n := w.cfg.Machine.Contexts()
	var all []*twinPart
	for k := range n {
		id := (int(u.ports[i].last) + 1 + k) % n
		f := u.fronts[id*w.simds+simd]
		switch {
		case f == nil:
		case dws:
			for j := range f.parts {
				if v := f.parts[(u.ports[i].turn[id]+j)%len(f.parts)]; v != nil {
					all = append(all, v)
				}
			}
		case f.parts[context] != nil:
			all = append(all, f.parts[context])
		}
	}
	return all
}

// issue begins what a part does next and reports whether it is an instruction.
func (w *twin) issue(u *twinCU, port int, v *twinPart, now int64) (bool, error) {
	v.left, v.busy = 1, sim.StallUnit
	if v.hard != nil {
		hard := v.hard
		v.hard = nil
		hard()
		return false, nil
	}
	f, m := v.front, w.cfg.Machine
	pc := v.warp.PC()
	in := w.cfg.Code.Instr(pc)
	switch in.Op {
	case isa.Split:
		v.comes = w.split(v, w.stay(v.warp, pc+1))
	case isa.Merge:
		w.merge(v)
	}
	own := v.mask
	if v.comes != nil {
		own |= v.comes.mask // the branch takes the others away
	}
	if out := v.warp.Active() &^ own; out != 0 {
		return false, fmt.Errorf("instruction %d: lanes %#x are not of the split mask %#x", pc, out, own)
	}
	if ip := w.cfg.Ipoints[pc]; ip >= 0 {
		w.record(u, f, now, ip)
	}
	var stay uint64
	hardware := m.Split.Mode.Value == machine.DWS && in.Op == isa.Bra && splitting.Splittable(w.graph, w.graph.BlockOf(pc)) == nil && slices.Contains(f.parts, nil)
	if hardware {
		stay = w.stay(v.warp, pc)
	}
	var eff emu.Effect
	env := emu.Env{Cycle: uint64(now), Time: uint64(m.Nanoseconds(now)), SM: u.index, SMs: int(m.SM.Count.Value)}
	if err := v.warp.Step(&env, &eff); err != nil {
		return false, err
	}
	w.count.WarpInstrs++
	w.count.ThreadInstrs += int64(bits.OnesCount64(eff.Mask))
	if eff.Diverged {
		w.count.DivergentBranches++
	}
	if eff.Diverged && hardware {
		v.comes = w.split(v, stay)
	}
	if v.comes != nil && eff.Diverged {
		v.comes.warp = new(emu.Warp)
		v.warp.Detach(v.comes.warp)
	}

	class := in.Class()
	timing := m.Timing(class)
	access := class == isa.MemParam || class == isa.MemShared || class == isa.MemGlobal || class == isa.MemAtomic
	v.left = int(timing.Initiation / w.q)
	k := int64(0)
	if access {
		v.left, v.busy = int(m.Split.Address.Value/w.q), sim.StallLSU
		if eff.Access.Kind != emu.NoAccess {
			k = simtest.Requests(m, &eff, &w.count)
		}
	}
	posted := eff.Access.Kind == emu.Store || in.Op == isa.Red || in.Op == isa.Atom && !slices.ContainsFunc(in.Dst, func(o isa.Operand) bool { return o.Kind == isa.KindReg })
	x := cost{passes: int64(v.left), m: k * timing.Initiation, d: timing.Latency - timing.Initiation}
	v.then = func(end int64) {
		v.ready, v.why = end+timing.Latency-timing.Initiation, sim.StallALU
		switch {
		case access && k == 0:
			v.ready, v.why, x.d = end, sim.StallMemory, 0
		case access:
			a := twinAccess{begin: end}
			if n := len(u.queue); n > 0 {
				a.begin = max(end, u.queue[n-1].end)
			}
			a.end = a.begin + k*timing.Initiation
			u.queue = append(u.queue, a)
			served := a.begin + (k-1)*timing.Initiation + timing.Latency
			v.ready, v.why = served, sim.StallMemory
			if posted {
				v.ready = a.end
				v.served = append(v.served, served)
				v.delays = max(v.delays, x.d)
				x.d = 0
			}
		case in.Op == isa.Fence:
			v.why = sim.StallFence
			for _, s := range v.served {
				v.ready = max(v.ready, s)
			}
			x.d = max(x.d, v.delays)
		case in.Op == isa.Split:
			v.ready, v.why, x.d = end+m.Split.Split.Value, sim.StallSplit, m.Split.Split.Value
		case in.Op == isa.Merge:
			v.ready, v.why, x.d = end+m.Split.Merge.Value, sim.StallSplit, m.Split.Merge.Value
		case class == isa.Control:
			v.why = sim.StallBranch
		}
		if eff.WarpDone {
			f.retires = end
			for _, s := range v.served {
				f.retires = max(f.retires, s)
			}
			v.ready, v.state, x.d = never, sim.StallDrain, v.delays
		}
		w.add(u, v, x)
		if in.Op == isa.Bra {
			w.depart(u, v)
		}
		if eff.Arrived && v.warp.AtBarrier() {
			v.ready, v.state = never, sim.StallBarrier
		}
		by := *v.sums
		for _, other := range f.cta.fronts {
			if eff.Released>>other.index&1 != 0 {
				o := other.parts[0]
				o.ready, o.why = end-w.q+m.SM.Barrier.Value, sim.StallBarrier
				o.sums = w.letGo(by, x.d)
			}
		}
		w.arrive(u, v)
	}
	return true, nil
}

// stay returns the lanes that stay when a wavefront splits at a branch.
func (w *twin) stay(warp *emu.Warp, pc int) uint64 {
	in, taken := w.cfg.Code.Instr(pc), uint64(0)
	active := warp.Active()
	for lane := range emu.MaxWidth {
		if active>>lane&1 != 0 && (warp.Register(in.Guard.Reg, lane) != 0) != in.Guard.Not {
			taken |= 1 << lane
		}
	}
	stay := taken
	if w.graph.Blocks[w.graph.Reconverge(w.graph.BlockOf(pc))].Start == pc+1 {
		stay = active &^ taken
	}
	if stay == 0 || stay == active {
		return ^uint64(0)
	}
	return stay
}

// split gives the lanes of a part that do not stay a context.
func (w *twin) split(v *twinPart, stay uint64) *twinPart {
	f := v.front
	at := slices.Index(f.parts, nil)
	child := &twinPart{
		front: f, context: at, mask: v.mask &^ stay, parent: v, ready: never, state: sim.StallSplit, met: -1,
		served: slices.Clone(v.served), delays: v.delays,
	}
	v.mask &= stay
	v.children = append(v.children, child)
	f.parts[at] = child
	w.count.Splits++
	return child
}

// depart lets the part begin that split off at a branch.
func (w *twin) depart(u *twinCU, v *twinPart) {
	child := v.comes
	if child == nil {
		return
	}
	v.comes = nil
	begin := func() {
		child.sums = w.apart(v)
		child.why = v.why
		if child.warp == nil {
			child.met = v.ready
		} else {
			child.ready = v.ready
		}
	}
	if w.cfg.Machine.Split.Mode.Value == machine.PWS {
		begin()
		return
	}
	v.hard = func() {
		v.then = func(end int64) {
			v.ready, v.why = end+w.cfg.Machine.Split.Split.Value, sim.StallSplit
			w.add(u, v, cost{passes: 1, d: w.cfg.Machine.Split.Split.Value})
			begin()
			w.arrive(u, v)
		}
	}
}

// arrive lets a part wait that is where it merges, and its wavefront go on if both are.
func (w *twin) arrive(u *twinCU, v *twinPart) {
	if v.hard != nil || v.ready == never {
		return
	}
	p := v
	switch {
	case v.warp.Held():
	case v.parent != nil && v.warp.Home():
		p = v.parent
	default:
		return
	}
	v.met, v.ready, v.state = v.ready, never, sim.StallSplit
	child := p.children[len(p.children)-1]
	if p.met < 0 || child.met < 0 || len(child.children) > 0 {
		return
	}
	p.ready, p.why, p.met = max(p.met, child.met), sim.StallSplit, -1
	if w.cfg.Machine.Split.Mode.Value == machine.DWS {
		p.hard = func() {
			w.merge(p)
			p.then = func(end int64) {
				p.ready, p.why = end+w.cfg.Machine.Split.Merge.Value, sim.StallSplit
				w.add(u, p, cost{passes: 1, d: w.cfg.Machine.Split.Merge.Value})
				w.arrive(u, p)
			}
		}
	}
}

// merge makes one of a part and its latest child.
func (w *twin) merge(p *twinPart) {
	child := p.children[len(p.children)-1]
	p.children = p.children[:len(p.children)-1]
	p.front.parts[child.context] = nil
	p.mask |= child.mask
	p.served = append(p.served, child.served...)
	p.delays = max(p.delays, child.delays)
	if child.warp != nil {
		p.warp.Join(child.warp)
	}
	w.together(p, child)
}
