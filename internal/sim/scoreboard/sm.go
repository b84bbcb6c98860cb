package scoreboard

import (
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// sm is a streaming multiprocessor. In a round, SMs share nothing that changes but what the
// kernel itself keeps in memory: goroutines may play them at a time.
type sm struct {
	// What the others look at between rounds comes first. It is in cache lines of its own.
	_          [64]byte
	sim        *Sim
	index      int
	next       int64 // when it has to be looked at, were it not for in
	free       int   // slots for CTAs
	dispatchAt int64
	in         inbox
	out        outbox
	_          [64]byte

	wheel  wheel // what arrives at the SM
	perCTA int   // warps
	ctas   []ctaSlot
	party  *emu.Party // that executes them, nil if one goroutine simulates all SMs
	warps  []warp     // those of slot k begin at k*perCTA
	steps  [][]step   // of the plan
	scheds []scheduler

	// The pipelines by group: when the first of each accepts the next instruction, the second, never if there is
	// none, and the others in ascending order. There is a place for every index of 8 bits, so that none has to be checked.
	accepts [1 << 8]int64
	seconds [1 << 8]int64
	others  [][]int64
	many    bool  // there are others
	memory  uint8 // the group of the load/store unit
	policy  machine.Policy

	calendars bool // the schedulers use the calendar: if they are greedy and there is room for all warps
	calendar  calendar
	changed   uint64 // fields of the schedulers that have to say anew why nothing issues, if they use the calendar

	lsu    lsu
	icache readCache // of instructions
	ccache readCache // of parameters and constants

	env     emu.Env
	eff     emu.Effect
	count   sim.Counters
	reasons *reasons // nil unless the chain of causes is wanted
	turns   []int64  // by instruction, how often another path of a warp went on after it; nil if threads are not scheduled independently
}

// inbox is what has been sent to an SM since it was played last.
type inbox struct {
	packets []request // heads of packets that arrive at its port, in the order in which they were sent
	first   int64     // when the first of them arrives, never if there is none
}

// outbox is what an SM has done in a round for others to know.
type outbox struct {
	packets []request      // to the memory, where their heads arrive in a later round, in the order in which they were sent
	records []trace.Record // if a trace is wanted
	changed bool           // memory, or something else that other warps can see
	recurs  bool           // a warp does, see emu.Effect
	done    int            // CTAs that have ended
	end     int64          // cycle of the last retirement so far
	err     error          // that ends the run
}

// reserve keeps the first free pipeline of a group busy until a cycle.
func (m *sm) reserve(pipe uint8, until int64) {
	if m.many {
		others := m.others[pipe]
		for i := len(others) - 1; i >= 0; i-- {
			t := others[i]
			others[i], until = max(t, until), min(t, until)
		}
	}
	second := m.seconds[pipe]
	m.seconds[pipe], m.accepts[pipe] = max(second, until), min(second, until)
}

// ctaSlot is room for a CTA; left is the number of its warps that have not
// retired, 0 in an empty slot.
type ctaSlot struct {
	emu  emu.CTA
	left int
}

func (m *sm) init(s *Sim, index int) {
	m.sim, m.index, m.steps = s, index, s.plan.steps
	m.scheds = make([]scheduler, s.cfg.Machine.SM.Schedulers.Value)
	for i := range m.scheds {
		m.scheds[i].dice = newRNG(s.cfg.Machine.SM.PolicySeed.Value, ofScheduler, index*len(m.scheds)+i)
	}
	m.memory, m.policy = s.plan.lsu, s.cfg.Machine.SM.Policy.Value
	for _, n := range s.plan.pipes {
		m.others = append(m.others, make([]int64, max(n-2, 0)))
		m.many = m.many || n > 2
	}
	m.lsu.init(s)
	ic, cc := &s.cfg.Machine.ICache, &s.cfg.Machine.CCache
	m.icache.init(ic.Sets.Value, ic.Ways.Value, ic.Line.Value, ic.Miss.Value)
	if ic.Stream.Value > 0 {
		m.icache.stream, m.icache.last = uint64(ic.Stream.Value), uint64((int64(len(m.steps[0]))-1)/ic.Line.Value)
	}
	m.ccache.init(cc.Sets.Value, cc.Ways.Value, cc.Line.Value, cc.Miss.Value)
	m.env.SM, m.env.SMs = index, len(s.sms)
	if s.cfg.Machine.IndependentThreads() {
		m.turns = make([]int64, s.cfg.Code.Len())
	}
	m.layOut()
	if s.log != nil {
		m.reasons = newReasons(m)
	}
}

// reset empties the SM and makes room for as many CTAs as it can hold at a time.
func (m *sm) reset(occ machine.Occupancy) {
	m.next, m.dispatchAt = never, 0
	m.wheel.reset()
	m.perCTA, m.free = occ.Warps, min(occ.CTAs, m.sim.grid.CTAs())
	if m.free > len(m.ctas) {
		m.ctas = make([]ctaSlot, m.free) // none is moved: warps know their CTA
	}
	for i := range m.ctas {
		m.ctas[i].left = 0
	}
	for len(m.warps) < m.free*m.perCTA {
		m.warps = append(m.warps, warp{})
	}
	for i := range m.warps {
		m.warps[i].state = free
	}
	m.calendars = m.policy == machine.GTO && len(m.lsu.queues) == 0 && m.free*m.perCTA <= m.places() && !m.sim.everyCycle && m.reasons == nil
	m.calendar.reset()
	m.changed = 0
	for i := range m.scheds {
		m.scheds[i].reset()
	}
	clear(m.accepts[:])
	for i, n := range m.sim.plan.pipes {
		m.seconds[i] = 0
		if n == 1 {
			m.seconds[i] = never
		}
		clear(m.others[i])
	}
	m.lsu.reset(occ.Ways)
	m.icache.cache.reset()
	m.ccache.cache.reset()
	m.count = sim.Counters{}
	clear(m.turns)
	m.reasons.reset()
	m.in = inbox{packets: m.in.packets[:0], first: never}
	m.out = outbox{packets: m.out.packets[:0], records: m.out.records[:0]}
}

// play performs what happens from the cycle start until before end. An error is in m.out.
func (m *sm) play(start, end int64) {
	m.open()
	if m.calendars {
		m.playRipe(end)
		return
	}
	everyCycle := m.sim.everyCycle
	if everyCycle {
		m.next = start
	}
	for m.next < end {
		now := m.next
		if m.wheel.next <= now {
			m.arrive(now)
		}
		if m.lsu.next <= now {
			m.stepLSU(now)
		}
		m.next = never // unless a scheduler wakes another
		next := int64(never)
		scheds := m.scheds
		for i := range scheds {
			s := &scheds[i]
			s.passed = now
			if s.next <= now || everyCycle && len(s.warps) > 0 {
				if m.stepScheduler(s, now); m.out.err != nil {
					return
				}
			}
			next = min(next, s.next)
		}
		m.next = min(m.next, next, m.lsu.next, m.wheel.next)
		if everyCycle {
			m.next = now + 1
		}
	}
}

// open takes what is in the inbox.
func (m *sm) open() {
	if len(m.in.packets) == 0 {
		return
	}
	for i := range m.in.packets {
		q := &m.in.packets[i]
		m.wheel.send(m.wheel.alloc(*q), atSM, q.at)
	}
	m.next = min(m.next, m.in.first)
	m.in = inbox{packets: m.in.packets[:0], first: never}
}

// due returns when the SM has to be looked at.
func (m *sm) due() int64 { return min(m.next, m.in.first) }

// arrive delivers what arrives in the cycle now.
func (m *sm) arrive(now int64) {
	for r := m.wheel.due(now); r != none; {
		next := m.wheel.reqs[r].next
		m.deliver(r, now)
		r = next
	}
}

// deliver lets a request arrive where it was sent.
func (m *sm) deliver(r int32, now int64) {
	q := &m.wheel.reqs[r]
	if q.stage == atSM {
		behind := m.lsu.inFree > now
		m.lsu.inFree = max(m.lsu.inFree, now) + int64(q.reply)
		m.reasons.receives(q, m.lsu.inFree, behind)
		m.wheel.send(r, atEnd, m.lsu.inFree)
		return
	}
	to, kind, target, by := q.stage, q.kind, q.target, q.cause
	m.wheel.release(r)
	switch {
	case to == begin:
		m.start(int(target), now, by)
	case to == leave:
		m.settle(target, now, m.reasons.leave(target, now))
	default:
		m.answered(kind, target, now, by)
	}
}

// record appends a trace record.
func (m *sm) record(now int64, cta, warp int, ip trace.Ipoint) {
	m.out.records = append(m.out.records, trace.Record{
		Cycle: now, SM: int32(m.index), CTA: int32(cta), Warp: int32(warp), Ipoint: ip,
	})
}

// finish accounts for the cycles up to the end of the run.
func (m *sm) finish(end int64) {
	for i := range m.scheds {
		m.scheds[i].account(end)
	}
}

// wake has a scheduler look at its warps again: in this cycle, unless it had its
// chance already.
func (m *sm) wake(s *scheduler, now int64) {
	if m.calendars {
		m.changed |= s.field
		return
	}
	if s.passed == now {
		now++
	}
	s.next = min(s.next, now)
	m.next = min(m.next, now)
}

// stepScheduler issues an instruction if a warp of the scheduler can.
func (m *sm) stepScheduler(s *scheduler, now int64) {
	if s.from < now {
		s.account(now)
	}
	i := s.pick(m, now)
	if i < 0 {
		return
	}
	s.next = now + 1
	s.count.Issued++
	s.from = now + 1
	if w := s.warps[i]; w.next.run == 0 {
		m.step(s, w, w.next, now)
	} else {
		m.compute(w, w.next, now)
	}
}
