package integrated

import (
	"slices"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/test/simtest"
	"warpbound/internal/trace"
)

// twin executes a launch by the letter of the rules: it visits every cycle of every core, looks at
// all accesses that are not answered in each, and finds lines byte by byte. It shares no code with the simulator.
type twin struct {
	cfg   sim.Config
	m     *machine.Machine
	grid  *emu.Grid
	occ   int
	tr    *trace.Run
	count sim.Counters
	out   []sim.LLCAccess
	cores []*twinCore
	cpuAt int64 // when the CPU's next access may be; not while it waits
	cpuOn *twinAccess
	next  sim.CPUAccess
	left  bool

	llc  map[uint64]*twinLine
	open map[uint64]uint64 // row by bank
	from map[uint64]int64  // when it was open
	uses int64

	interval, done, closed, ends int64
}

type twinCore struct {
	index    int
	accesses []*twinAccess // that are not answered
	number   int64         // of the first of them
	l1       map[uint64]*twinLine
	sent     int64 // in this interval
	count    sim.CoreCounters

	// Of an SM.
	wave     int
	ctas     []*emu.CTA
	warps    []*twinWarp // by slot
	last     int
	portFree int64
	busy     sim.Stall
	over     bool
	stalls   sim.SchedulerCounters
}

type twinWarp struct {
	emu       *emu.Warp
	cta, warp int
	ready     int64
	waits     []*twinAccess
	why       sim.Stall
	over      int64 // of its posted accesses on the SM
	posted    []*twinAccess
	exited    bool
	retired   bool
}

type twinAccess struct {
	line                                    uint64
	kind                                    emu.AccessKind
	extra, leaves, blocked, sent, tags, ask int64
	interval                                int64
	reads, asked                            bool
	ready, slot                             int64
	victim                                  *twinLine
	answered                                bool
}

type twinLine struct {
	number uint64
	used   int64
	by     *twinAccess // in an L1
	there  int64       // in the LLC, never while no core has read it
	asks   map[int]bool
	dirty  bool
}

// runTwin executes a launch and returns what Sim.Run does, and the accesses.
func runTwin(t testing.TB, cfg sim.Config, l emu.Launch, mem *emu.Memory, tr *trace.Run) (*sim.Result, []sim.LLCAccess) {
	t.Helper()
	occ, err := cfg.Fit(l)
	if err != nil {
		t.Fatal(err)
	}
	grid, err := emu.NewGrid(cfg.Code, l, mem, int(cfg.Machine.SM.WarpSize.Value))
	if err != nil {
		t.Fatal(err)
	}
	w := &twin{
		cfg: cfg, m: cfg.Machine, grid: grid, occ: occ.CTAs, tr: tr, llc: map[uint64]*twinLine{},
		open: map[uint64]uint64{}, from: map[uint64]int64{}, done: -1, closed: -1, ends: -1,
	}
	for i := range cfg.Machine.Cores() {
		w.cores = append(w.cores, &twinCore{index: i, wave: -1, l1: map[uint64]*twinLine{}, over: true})
	}
	for _, c := range w.sms() {
		w.nextWave(c, 0)
	}
	if cfg.CPU != nil {
		cfg.CPU.Reset()
		w.takeCPU(t)
		w.cpuAt = w.next.Gap
	}
	now := int64(0)
	for ; ; now++ {
		if now > cfg.MaxCycles {
			t.Fatal("the twin does not end")
		}
		if w.cycle(t, now); !slices.ContainsFunc(w.sms(), func(c *twinCore) bool { return !c.over }) {
			break
		}
	}
	slices.SortStableFunc(tr.Records, trace.Compare)
	tr.End = now
	r := &sim.Result{Cycles: now, Occupancy: occ}
	if w.m.Regulated() {
		r.Intervals = w.interval + 1
	}
	for _, c := range w.cores {
		r.Cores = append(r.Cores, c.count)
		w.count.L2Hits += c.count.Hits
		w.count.L2Misses += c.count.Misses
		w.count.L2Merged += c.count.Joined
		if c == w.cpu() {
			continue
		}
		w.count.L1Hits += c.count.L1Hits
		w.count.L1Misses += c.count.L1Misses
		w.count.L1Merged += c.count.L1Merged
		total := c.stalls.Issued
		for _, n := range c.stalls.Stalls {
			total += n
		}
		c.stalls.Stalls[sim.StallIdle] -= total - now // the SM was visited in that cycle too
		r.Schedulers = append(r.Schedulers, []sim.SchedulerCounters{c.stalls})
	}
	w.count.L2WriteBacks = w.count.DRAMWrites
	r.Counters = w.count
	return r, w.out
}

func (w *twin) cpu() *twinCore { return w.cores[len(w.cores)-1] }
func (w *twin) sms() []*twinCore {
	return w.cores[:w.m.Cores()-1]
}

func (w *twin) takeCPU(t testing.TB) {
	var err error
	if w.next, w.left, err = w.cfg.CPU.Next(); err != nil {
		t.Fatal(err)
	}
}

// turn reports whether a cycle is one in which a core may use what has slots of so many cycles.
func (w *twin) turn(core int, slot, now int64) bool {
	return now%(int64(w.m.Cores())*slot) == int64(core)*slot
}

func (w *twin) cycle(t testing.TB, now int64) {
	for _, c := range w.cores {
		if len(c.accesses) > 0 && c.accesses[0].slot >= 0 && c.accesses[0].slot+w.m.Interconnect.Latency.Value == now {
			c.accesses[0].answered = true
			c.accesses = c.accesses[1:]
			c.number++
		}
	}
	for _, c := range w.sms() {
		w.stepSM(t, c, now)
	}
	w.stepCPU(t, now)
	if w.ends == now {
		w.interval++
		w.done, w.closed, w.ends = -1, -1, -1
		for _, c := range w.cores {
			c.sent = 0
		}
	}
	for _, c := range w.cores {
		w.send(c, now)
	}
	for _, c := range w.cores {
		for n, a := range c.accesses {
			if a.sent >= 0 && a.sent+w.m.Interconnect.Latency.Value == now {
				w.tags(c, c.number+int64(n), a, now)
			}
		}
	}
	for _, c := range w.cores {
		w.dram(c, now)
	}
	for _, c := range w.cores {
		w.answer(c, now)
	}
	if w.m.Regulated() {
		w.coordinate(now)
	}
}

func (w *twin) send(c *twinCore, now int64) {
	i := slices.IndexFunc(c.accesses, func(a *twinAccess) bool { return a.sent < 0 })
	if i < 0 || !w.turn(c.index, w.m.Interconnect.Slot.Value, now) || c.accesses[i].leaves > now {
		return
	}
	a := c.accesses[i]
	if w.m.Regulated() && (c.sent == w.m.Regulator.Quota.Value || c == w.cpu() && w.closed >= 0) {
		if a.blocked < 0 {
			a.blocked = now
		}
		return
	}
	if a.blocked >= 0 {
		c.count.Throttled += now - a.blocked
	}
	a.sent, a.interval = now, w.interval
	c.sent++
}

func (w *twin) tags(c *twinCore, number int64, a *twinAccess, now int64) {
	l, hit := w.llc[a.line]
	w.out = append(w.out, sim.LLCAccess{
		Core: c.index, Number: number, Interval: a.interval, Line: a.line, Write: a.kind != emu.Load, Hit: hit, Cycle: now,
	})
	if !hit {
		l = &twinLine{number: a.line, there: never, asks: map[int]bool{}}
		a.victim = evict(w.llc, w.m.LLC, a.line)
		w.llc[a.line] = l
		c.count.Misses++
	} else {
		c.count.Hits++
	}
	w.uses++
	l.used = w.uses
	l.dirty = l.dirty || a.kind != emu.Load
	a.tags, a.ask = now, now+w.m.LLC.Latency.Value
	if l.there <= now || l.asks[c.index] {
		a.ready = a.ask + a.extra
		return
	}
	if hit {
		c.count.Joined++
	}
	l.asks[c.index] = true
	a.reads = true
}

// evict takes the line used longest ago out of a full set.
func evict(lines map[uint64]*twinLine, shape machine.LLC, number uint64) *twinLine {
	var oldest *twinLine
	n := int64(0)
	for other, l := range lines {
		if other%uint64(shape.Sets.Value) == number%uint64(shape.Sets.Value) {
			n++
			if oldest == nil || l.used < oldest.used {
				oldest = l
			}
		}
	}
	if n < shape.Ways.Value {
		return nil
	}
	delete(lines, oldest.number)
	return oldest
}

func (w *twin) dram(c *twinCore, now int64) {
	d := &w.m.DRAM
	i := slices.IndexFunc(c.accesses, func(a *twinAccess) bool { return a.reads && !a.asked })
	if i < 0 || !w.turn(c.index, d.Slot.Value, now) || c.accesses[i].ask > now {
		return
	}
	a := c.accesses[i]
	a.asked = true
	l := w.llc[a.line]
	if l == nil || l.there > now {
		w.count.DRAMReads++
		row := a.line * uint64(w.m.L1.Line.Value) / uint64(d.Row.Value)
		bank := row % uint64(d.Banks.Value)
		if got, ok := w.open[bank]; ok && got == row {
			w.count.RowHits++
		} else {
			w.count.RowMisses++
			w.open[bank], w.from[bank] = row, now+d.Conflict.Value-d.Open.Value
		}
		a.ready = max(now, w.from[bank]) + d.Open.Value
		if l != nil {
			l.there = min(l.there, a.ready)
			a.ready = l.there
		}
	} else {
		a.ready = now
	}
	a.ready += a.extra
	if a.victim != nil && a.victim.dirty {
		w.count.DRAMWrites++
		delete(w.open, a.victim.number*uint64(w.m.L1.Line.Value)/uint64(d.Row.Value)%uint64(d.Banks.Value))
	}
}

func (w *twin) answer(c *twinCore, now int64) {
	i := slices.IndexFunc(c.accesses, func(a *twinAccess) bool { return a.slot < 0 })
	if i >= 0 && w.turn(c.index, w.m.Interconnect.Slot.Value, now) && c.accesses[i].ready >= 0 && c.accesses[i].ready <= now {
		c.accesses[i].slot = now
	}
}

func (w *twin) coordinate(now int64) {
	unsent := func(c *twinCore) bool {
		return slices.ContainsFunc(c.accesses, func(a *twinAccess) bool { return a.sent < 0 })
	}
	quota := w.m.Regulator.Quota.Value
	if w.done < 0 {
		for _, c := range w.sms() {
			living := slices.ContainsFunc(c.warps, func(v *twinWarp) bool { return !v.exited })
			more := !c.over && (c.wave+1)*len(w.sms())*w.occ+c.index < w.grid.CTAs()
			if c.sent < quota && (living || more || unsent(c)) {
				return
			}
		}
		w.done = now
	}
	if w.closed < 0 && ((!w.left && !unsent(w.cpu())) || w.cpu().sent == quota || now >= w.done+w.m.Regulator.Wait.Value) {
		w.closed = now
	}
	if w.closed < 0 || w.ends >= 0 {
		return
	}
	for _, c := range w.cores {
		if slices.ContainsFunc(c.accesses, func(a *twinAccess) bool { return a.sent >= 0 }) {
			return
		}
	}
	w.ends = now + w.m.Regulator.Reset.Value
}

// enqueue gives a core one access more.
func (c *twinCore) enqueue(line uint64, kind emu.AccessKind, leaves, extra int64) *twinAccess {
	a := &twinAccess{line: line, kind: kind, leaves: leaves, extra: extra, blocked: -1, sent: -1, tags: -1, ready: -1, slot: -1}
	c.accesses = append(c.accesses, a)
	return a
}

// unanswered counts the accesses of a core.
func (c *twinCore) unanswered() int64 {
	return int64(len(c.accesses))
}

// load looks a line up in the core's L1 and returns the access that brings it.
func (w *twin) load(c *twinCore, line uint64, leaves int64) *twinAccess {
	w.uses++
	if l, ok := c.l1[line]; ok {
		l.used = w.uses
		if l.by.answered {
			c.count.L1Hits++
		} else {
			c.count.L1Merged++
		}
		return l.by
	}
	c.count.L1Misses++
	evict(c.l1, machine.LLC{Sets: w.m.L1.Sets, Ways: w.m.L1.Ways}, line)
	a := c.enqueue(line, emu.Load, leaves, 0)
	c.l1[line] = &twinLine{number: line, used: w.uses, by: a}
	return a
}

func (w *twin) stepCPU(t testing.TB, now int64) {
	if !w.left {
		return
	}
	if w.cpuOn != nil {
		if !w.cpuOn.answered {
			return
		}
		w.cpuOn, w.cpuAt = nil, now+w.next.Gap
	}
	if now < w.cpuAt {
		return
	}
	line, over := w.next.Address/uint64(w.m.L1.Line.Value), now+w.m.CPU.Hit.Value
	if w.next.Store {
		if l, ok := w.cpu().l1[line]; ok {
			w.uses++
			l.used = w.uses
		}
		w.cpuOn = w.cpu().enqueue(line, emu.Store, over, 0)
	} else if a := w.load(w.cpu(), line, over); !a.answered {
		w.cpuOn = a
	}
	w.takeCPU(t)
	w.cpuAt = over + w.next.Gap
}

// compareWithTwin runs a launch in the simulator and in the twin, and checks that both show
// the same.
func compareWithTwin(t testing.TB, cfg sim.Config, prepare simtest.Prepare) *observation {
	t.Helper()
	o := observe(t, cfg, prepare)
	other := &simtest.Observation{}
	l := prepare(&other.Mem)
	var accesses []sim.LLCAccess
	other.Result, accesses = runTwin(t, cfg, l, &other.Mem, &other.Trace)
	other.Check(t, l)
	simtest.Same(t, "by the letter of the rules", o.Observation, other)
	if !slices.Equal(o.accesses, accesses) {
		i := 0
		for i < min(len(accesses), len(o.accesses)) && accesses[i] == o.accesses[i] {
			i++
		}
		t.Errorf("%d accesses, by the letter of the rules %d; from %d on %+v and %+v", len(o.accesses), len(accesses), i, o.accesses[i:min(i+2, len(o.accesses))], accesses[i:min(i+2, len(accesses))])
	}
	return o
}
