package scoreboard

import (
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// sm is a streaming multiprocessor.
type sm struct {
	sim   *Sim
	index int
	next  int64 // when it has to be looked at
	wheel wheel // what arrives at the SM

	perCTA     int // warps
	free       int // slots for CTAs
	dispatchAt int64
	ctas       []ctaSlot
	warps      []warp // those of slot k begin at k*perCTA
	steps      []step // of the plan
	scheds     []scheduler

	units []unit // by group of pipelines

	lsu lsu

	env   emu.Env
	eff   emu.Effect
	count sim.Counters
	out   outbox
}

// outbox is what an SM has done in a round for others to know: in a round, SMs share
// nothing that changes but what the kernel itself keeps in memory.
type outbox struct {
	packets []packet       // to the memory, in the order in which they were sent
	records []trace.Record // if a trace is wanted
	done    int            // CTAs that have ended
	end     int64          // cycle of the last retirement so far
}

// packet is a request whose head arrives at its partition in a cycle that belongs to a
// later round.
type packet struct {
	request request
	at      int64
}

// unit is a group of pipelines: when they accept the next instruction, the first of
// them and the others in ascending order.
type unit struct {
	free   int64
	others []int64
}

func (u *unit) reset() {
	u.free = 0
	clear(u.others)
}

// reserve keeps the first free pipeline busy until a cycle.
func (u *unit) reserve(until int64) {
	for i := len(u.others) - 1; i >= 0; i-- {
		t := u.others[i]
		u.others[i], until = max(t, until), min(t, until)
	}
	u.free = until
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
	m.units = make([]unit, len(s.plan.pipes))
	for i, n := range s.plan.pipes {
		m.units[i].others = make([]int64, n-1)
	}
	m.lsu.init(s)
	m.env.SM, m.env.SMs = index, len(s.sms)
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
	for i := range m.scheds {
		m.scheds[i].reset()
	}
	for i := range m.units {
		m.units[i].reset()
	}
	m.lsu.reset()
	m.count = sim.Counters{}
	m.out = outbox{packets: m.out.packets[:0], records: m.out.records[:0]}
}

// play performs what happens from the cycle start until before end.
func (m *sm) play(start, end int64) error {
	s := m.sim
	if s.everyCycle {
		m.next = start
	}
	for m.next < end {
		now := m.next
		m.env.Cycle = s.cfg.Clock(m.index, now)
		if s.timer {
			m.env.Time = uint64(now/s.nsDen*s.nsNum + now%s.nsDen*s.nsNum/s.nsDen)
		}
		if err := m.step(now); err != nil {
			return err
		}
		if s.everyCycle {
			m.next = now + 1
		}
	}
	return nil
}

// step performs the work of one cycle.
func (m *sm) step(now int64) error {
	if m.wheel.next <= now {
		for r := m.wheel.due(now); r != none; {
			next := m.wheel.reqs[r].next
			m.deliver(r, now)
			r = next
		}
	}
	if m.lsu.next <= now {
		m.stepLSU(now)
	}
	for i := range m.scheds {
		s := &m.scheds[i]
		s.passed = now
		if m.sim.everyCycle && len(s.warps) > 0 {
			s.next = now
		}
		if s.next <= now {
			if err := m.stepScheduler(s, now); err != nil {
				return err
			}
		}
	}
	next := min(m.lsu.next, m.wheel.next)
	for i := range m.scheds {
		next = min(next, m.scheds[i].next)
	}
	m.next = next
	return nil
}

// deliver lets a request arrive where it was sent.
func (m *sm) deliver(r int32, now int64) {
	q := &m.wheel.reqs[r]
	if q.stage == atSM {
		m.lsu.inFree = max(m.lsu.inFree, now) + int64(q.reply)
		m.wheel.send(r, atEnd, m.lsu.inFree)
		return
	}
	to, kind, target := q.stage, q.kind, q.target
	m.wheel.release(r)
	switch {
	case to == begin:
		m.start(int(target), now)
	case to == leave:
		m.settle(target, now)
	default:
		m.answered(kind, target, now)
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
	if s.passed == now {
		now++
	}
	s.next = min(s.next, now)
	m.next = min(m.next, now)
}

// stepScheduler issues an instruction if a warp of the scheduler can.
func (m *sm) stepScheduler(s *scheduler, now int64) error {
	s.account(now)
	i := s.pick(m, now)
	if i < 0 {
		return nil
	}
	s.count.Issued++
	s.from = now + 1
	s.next = now + 1
	return m.issue(s, &m.warps[s.warps[i].warp], now)
}
