package integrated

import (
	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/sim"
)

// access is one access of a core to the shared cache.
type access struct {
	line     uint64
	kind     emu.AccessKind
	extra    int64 // cycles for further operations on one address
	interval int64
	at       int64 // of its last step, or from when on the next is possible
	ready    int64 // when its answer is; never while that is not known
	reads    bool  // waits for its turn at the DRAM

	cause     causes.ID // the event that it follows from, if the chain of causes is wanted
	displaces bool      // a dirty line,
	displaced uint64    // this one
}

// turns are the cycles in which a core may use something that is divided by time.
type turns struct{ first, period int64 }

// from returns the first turn that is not before a cycle.
func (t turns) from(at int64) int64 {
	if at <= t.first {
		return t.first
	}
	return at + (t.period-(at-t.first)%t.period)%t.period
}

// port is what joins a core with the shared cache: all accesses are queued, sent, served
// and answered in one order, and numbered in it from 0. Those that need the DRAM read it in
// that order too.
type port struct {
	sim   *Sim
	index int
	slots turns // of the interconnect, in each direction
	dram  turns
	way   int64 // cycles from core to cache and back

	ring []access // a power of two, by number

	queued, sent, served, read, answered int64 // accesses so far; read: considered for the DRAM

	sendAt, serveAt, readAt, answerAt int64 // of the next such step
	next                              int64 // the first of these

	lastSent, lastRead, lastAnswer int64 // turns used
	inInterval                     int64 // accesses sent in this interval

	count   sim.CoreCounters
	reasons *reasons // nil unless the chain of causes is wanted
}

func newPort(s *Sim, index int) port {
	m := s.m
	cores, i := int64(m.Cores()), int64(index)
	slot, read := m.Interconnect.Slot.Value, m.DRAM.Slot.Value
	return port{
		sim: s, index: index, way: m.Interconnect.Latency.Value,
		slots: turns{i * slot, cores * slot}, dram: turns{i * read, cores * read},
		ring: make([]access, 16),
	}
}

func (p *port) reset() {
	p.queued, p.sent, p.served, p.read, p.answered = 0, 0, 0, 0, 0
	p.sendAt, p.serveAt, p.readAt, p.answerAt, p.next = never, never, never, never, never
	p.lastSent, p.lastRead, p.lastAnswer, p.inInterval = -1, -1, -1, 0
	p.count = sim.CoreCounters{}
}

func (p *port) access(number int64) *access { return &p.ring[number&int64(len(p.ring)-1)] }

// pending is how many accesses are not answered.
func (p *port) pending() int64 { return p.queued - p.answered }

// enqueue takes an access that can be sent from a cycle on, and returns its number.
func (p *port) enqueue(a access) int64 {
	if p.pending() == int64(len(p.ring)) {
		larger := make([]access, 2*len(p.ring))
		for n := p.answered; n < p.queued; n++ {
			larger[n&int64(len(larger)-1)] = *p.access(n)
		}
		p.ring = larger
	}
	*p.access(p.queued) = a
	p.queued++
	if p.sendAt == never {
		p.scheduleSend()
	}
	return p.queued - 1
}

// step sends and serves what is to be in a cycle.
func (p *port) step(now int64) {
	if p.sendAt == now {
		p.send(now)
	}
	if p.serveAt == now {
		p.serve(now)
	}
}

// plan notes when something happens next.
func (p *port) plan() { p.next = min(p.sendAt, p.serveAt, p.readAt, p.answerAt) }

func (p *port) scheduleSend() {
	p.sendAt = never
	if p.sent < p.queued && !p.sim.regulator.throttles(p) {
		p.sendAt = p.slots.from(max(p.access(p.sent).at, p.lastSent+1, p.sim.regulator.began))
	}
	p.plan()
}

func (p *port) send(now int64) {
	a := p.access(p.sent)
	p.count.Throttled += now - p.slots.from(max(a.at, p.lastSent+1))
	p.reasons.send(p, a, now)
	a.at, a.interval = now, p.sim.regulator.interval
	p.lastSent = now
	p.sent++
	p.inInterval++
	p.sim.regulator.underWay++
	if p.serveAt == never {
		p.serveAt = now + p.way
	}
	p.scheduleSend()
}

// serve looks the next access up in the shared cache.
func (p *port) serve(now int64) {
	s, a, number := p.sim, p.access(p.served), p.served
	hit := s.lookUp(p, a, now)
	if s.run.Config.Access != nil {
		s.run.Config.Access(&sim.LLCAccess{
			Core: p.index, Number: number, Interval: a.interval, Line: a.line, Write: a.kind != emu.Load, Hit: hit, Cycle: now,
		})
	}
	p.reasons.serve(a, now)
	p.served++
	p.serveAt = never
	if p.served < p.sent {
		p.serveAt = p.access(p.served).at + p.way
	}
	a.at, a.ready = now+s.m.LLC.Latency.Value, never
	if !a.reads {
		a.ready = a.at + a.extra
	}
	p.scheduleRead()
	p.scheduleAnswer()
	p.plan()
}

// lookUp changes the tags of the shared cache and reports whether the line was there. The
// access reads the DRAM if the line is not there yet, unless the core reads it already: since
// answers keep their order, this one is not before that of the reading access.
func (s *Sim) lookUp(p *port, a *access, now int64) bool {
	l := s.llc.Use(a.line)
	hit := l != nil
	if !hit {
		victim := s.llc.Insert(a.line, shared{arrives: never})
		a.displaces, a.displaced = victim.Valid && victim.State.dirty, victim.Number
		l = s.llc.Find(a.line)
	}
	own := uint64(1) << p.index
	a.reads = l.arrives > now && l.readers&own == 0
	if a.reads {
		l.readers |= own
	}
	l.dirty = l.dirty || a.kind != emu.Load
	switch {
	case !hit:
		p.count.Misses++
	case a.reads:
		p.count.Joined++
		fallthrough
	default:
		p.count.Hits++
	}
	return hit
}

// scheduleRead finds the next access that needs the DRAM.
func (p *port) scheduleRead() {
	for p.read < p.served && !p.access(p.read).reads {
		p.read++
	}
	p.readAt = never
	if p.read < p.served {
		p.readAt = p.dram.from(max(p.access(p.read).at, p.lastRead+1))
	}
}

// readDRAM reads the line of the next access, unless another core's access has brought it.
func (p *port) readDRAM(now int64) {
	s, a := p.sim, p.access(p.read)
	p.reasons.reads(p, a, now)
	l := s.llc.Find(a.line)
	switch {
	case l != nil && l.arrives <= now:
		a.ready = now
	case l != nil:
		l.arrives = min(l.arrives, s.dram.read(a.line, now, &s.run.Count))
		a.ready = l.arrives
	default:
		a.ready = s.dram.read(a.line, now, &s.run.Count)
	}
	a.ready += a.extra
	if a.displaces {
		s.dram.write(a.displaced, &s.run.Count)
	}
	p.lastRead = now
	p.read++
	p.scheduleRead()
	p.scheduleAnswer()
	p.plan()
}

func (p *port) scheduleAnswer() {
	p.answerAt = never
	if p.answered < p.served {
		if a := p.access(p.answered); a.ready < never {
			p.answerAt = p.slots.from(max(a.ready, p.lastAnswer+1)) + p.way
		}
	}
}

// arrive hands the answer of an access to the core.
func (p *port) arrive(now int64) {
	p.reasons.arrive(p, p.access(p.answered), now)
	p.lastAnswer = now - p.way
	p.answered++
	p.sim.regulator.underWay--
	p.scheduleAnswer()
	p.plan()
	if p.index < len(p.sim.sms) {
		p.sim.sms[p.index].next = now
	} else {
		p.sim.cpu.resume(now)
	}
}
