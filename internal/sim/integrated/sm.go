package integrated

import (
	"math/bits"

	"warpbound/internal/emu"
	"warpbound/internal/sim"
	"warpbound/internal/sim/inorder"
	"warpbound/internal/trace"
)

// sm is a streaming multiprocessor.
type sm struct {
	sim   *Sim
	index int
	port  *port
	l1    cache[fetch]
	next  int64 // when something happens by itself; never if it waits for an answer, or is done
	wave  int   // that it executes
	left  int   // warps of it that have not retired
	alive int   // of those, warps that have not exited

	ctas  []emu.CTA // by slot
	warps []warp    // those of slot k begin at k*Grid.Warps
	last  int       // the warp that issued last

	portFree int64 // when the port takes the next instruction

	from   int64     // the first cycle that is not accounted for
	reason sim.Stall // why the port is idle from then on
	count  sim.SchedulerCounters
}

// warpState says whether a warp takes its turn.
type warpState uint8

const (
	absent    warpState = iota // it has retired, or there is none
	running                    // takes its turn
	atBarrier                  // is passed over
	exited                     // likewise; retires when its accesses are over
)

// warp is the timing state of a warp.
type warp struct {
	emu    *emu.Warp
	state  warpState
	why    sim.Stall // what it waits for until it is ready
	pc     int       // of the instruction that it issued last
	ready  int64     // from when on it can issue, or retire if it has exited,
	until  int64     // if the port has so many answers
	served int64     // when its posted accesses on the SM are over,
	posted int64     // and with how many answers those to the shared cache
}

// reset begins the first wave.
func (m *sm) reset() {
	s := m.sim
	slots, perCTA := s.waves.Used(m.index), s.grid.Warps()
	if slots > cap(m.ctas) {
		m.ctas = make([]emu.CTA, slots) // none is moved: warps know their CTA
	}
	for len(m.warps) < slots*perCTA {
		m.warps = append(m.warps, warp{})
	}
	m.ctas, m.warps = m.ctas[:slots], m.warps[:slots*perCTA]
	m.portFree, m.from, m.reason = 0, 0, sim.StallIdle
	m.count = sim.SchedulerCounters{}
	m.l1.reset()
	m.begin(0, 0)
}

// begin dispatches the CTAs of a wave, if there are any: all at once.
func (m *sm) begin(wave int, now int64) {
	s := m.sim
	perCTA := s.grid.Warps()
	m.wave, m.left, m.last, m.next = wave, 0, len(m.warps)-1, never
	for slot := range m.ctas {
		index := s.waves.CTA(wave, m.index, slot)
		if index >= s.waves.CTAs {
			break
		}
		c := &m.ctas[slot]
		s.grid.StartCTA(c, index)
		s.started++
		m.next = now + s.cfg.Machine.SM.Dispatch.Value
		for i := range perCTA {
			m.warps[slot*perCTA+i] = warp{emu: &c.Warps[i], state: running, why: sim.StallIdle, ready: m.next}
			m.left++
			s.record(now, m, index, i, trace.Start)
		}
	}
	m.alive = m.left
}

// active reports whether the SM may still have accesses to send.
func (m *sm) active() bool {
	s := m.sim
	return m.alive > 0 || m.port.sent < m.port.queued || m.left > 0 && s.waves.CTA(m.wave+1, m.index, 0) < s.waves.CTAs
}

// step performs what happens in a cycle: retirements, then an issue.
func (m *sm) step(now int64) error {
	m.next = never
	if m.left > m.alive {
		m.retire(now)
		if m.left == 0 {
			m.begin(m.wave+1, now)
			return nil
		}
	}
	if m.portFree > now {
		m.wakeAt(m.portFree)
		return nil
	}
	m.account(now)
	id := m.turn()
	if id < 0 {
		m.reason = sim.StallDrain
		return nil
	}
	w := &m.warps[id]
	if w.ready > now {
		m.wakeAt(w.ready)
		m.reason = w.why
		return nil
	}
	if m.port.answered < w.until {
		m.reason = w.why
		return nil
	}
	if m.port.pending() >= m.sim.cfg.Machine.Interconnect.Credits.Value {
		m.reason = sim.StallLSU
		return nil
	}
	m.last = id
	err := m.issue(id, now)
	m.wakeAt(m.portFree)
	return err
}

func (m *sm) wakeAt(at int64) { m.next = min(m.next, at) }

// account attributes the cycles before now that were not attributed yet.
func (m *sm) account(now int64) {
	if now > m.from {
		m.count.Stalls[m.reason] += now - m.from
		m.from = now
	}
}

// turn returns the warp whose turn it is: the first that has neither exited nor waits at a
// barrier, in a circle after the one that issued last; none if it is negative.
func (m *sm) turn() int {
	for k, id := 0, m.last; k < len(m.warps); k++ {
		if id++; id == len(m.warps) {
			id = 0
		}
		if m.warps[id].state == running {
			return id
		}
	}
	return -1
}

// retire ends the warps that have exited and whose accesses are over.
func (m *sm) retire(now int64) {
	s := m.sim
	perCTA := s.grid.Warps()
	for id := range m.warps {
		w := &m.warps[id]
		switch {
		case w.state != exited:
		case w.ready > now:
			m.wakeAt(w.ready)
		case m.port.answered >= w.until:
			m.account(now)
			m.reason = sim.StallIdle
			w.state = absent
			m.left--
			s.end = max(s.end, now)
			slot := id / perCTA
			s.record(now, m, m.ctas[slot].Index, id%perCTA, trace.Exit)
			if m.retired(slot) {
				s.done++
			}
		}
	}
}

// retired reports whether all warps of a CTA have.
func (m *sm) retired(slot int) bool {
	perCTA := m.sim.grid.Warps()
	for i := range perCTA {
		if m.warps[slot*perCTA+i].state != absent {
			return false
		}
	}
	return true
}

// issue executes the next instruction of a warp and works out when the port and the warp
// are free again.
func (m *sm) issue(id int, now int64) error {
	s, w := m.sim, &m.warps[id]
	perCTA := s.grid.Warps()
	slot, index := id/perCTA, id%perCTA
	w.pc = w.emu.PC()
	if s.cfg.Ipoints != nil {
		if ip := s.cfg.Ipoints[w.pc]; ip >= 0 {
			s.record(now, m, m.ctas[slot].Index, index, ip)
		}
	}
	s.env.Cycle, s.env.Time, s.env.SM = uint64(now), uint64(s.cfg.Machine.Nanoseconds(now)), m.index
	eff := &s.eff
	if s.cfg.Observe != nil {
		at := sim.Step{Cycle: now, SM: m.index, CTA: m.ctas[slot].Index, Warp: index}
		if err := s.cfg.Execute(w.emu, &s.env, eff, at); err != nil {
			return err
		}
	} else if err := w.emu.Step(&s.env, eff); err != nil {
		return err
	}
	s.count.WarpInstrs++
	s.count.ThreadInstrs += int64(bits.OnesCount64(eff.Mask))
	if eff.Diverged {
		s.count.DivergentBranches++
	}

	m.hold(w, id, &s.steps[w.pc], now)
	switch {
	case eff.WarpDone:
		w.state, w.ready, w.until = exited, max(m.portFree, w.served), w.posted
		m.alive--
	case w.emu.AtBarrier():
		w.state = atBarrier
	}
	for set := eff.Released; set != 0; set &= set - 1 {
		other := &m.warps[slot*perCTA+bits.TrailingZeros64(set)]
		other.state, other.why = running, sim.StallBarrier
		other.ready, other.until = now+s.cfg.Machine.SM.Barrier.Value, 0
	}
	return nil
}

// hold keeps the port for as long as an instruction takes it, and the warp until its next
// instruction may follow.
func (m *sm) hold(w *warp, id int, st *step, now int64) {
	service, busy := st.Initiation, sim.StallUnit
	w.ready, w.until, w.why = now+st.Latency, 0, sim.StallALU
	switch st.Kind {
	case inorder.Control:
		w.why = sim.StallBranch
	case inorder.Fence:
		w.ready, w.until, w.why = max(w.ready, w.served), w.posted, sim.StallFence
	case inorder.Load, inorder.Posted:
		busy, w.why = sim.StallLSU, sim.StallMemory
		onChip := m.gather(id)
		requests := onChip + int64(len(m.sim.lines))
		service *= max(requests, 1)
		answers := m.access(st, now, onChip)
		served := now + service - st.Initiation + st.Latency
		w.ready = now + service
		if requests > 0 && st.Kind == inorder.Load {
			w.ready, w.until = served, answers
		} else if requests > 0 {
			w.served, w.posted = max(w.served, served), max(w.posted, answers)
		}
	}
	m.portFree, m.from = now+service, now+service
	m.count.Issued++
	m.count.Stalls[busy] += service - 1
}

// access looks the lines of the current instruction up in the L1, one after the other behind
// its requests to what lies on the SM, and hands to the port what must go to the shared
// cache. It returns how many answers the port has when the access is over.
func (m *sm) access(st *step, now, onChip int64) (answers int64) {
	s, kind := m.sim, m.sim.eff.Access.Kind
	for i := range s.lines {
		a := &s.lines[i]
		leaves := now + (onChip+int64(i))*st.Initiation + st.Latency
		request := access{line: a.number, kind: kind, at: leaves}
		switch {
		case kind == emu.Load && (a.local || !st.volatile):
			answers = max(answers, m.port.load(&m.l1, request)+1)
			continue
		case kind == emu.Store:
			m.l1.use(a.number)
		case kind == emu.Atomic:
			m.l1.drop(a.number)
			request.extra = (a.operations - 1) * s.cfg.Machine.LLC.Atomic.Value
		}
		answers = m.port.enqueue(request) + 1
	}
	return answers
}

// load looks a line up in an L1 and returns the number of the access that fetches it.
func (p *port) load(l1 *cache[fetch], request access) int64 {
	if at := l1.use(request.line); at != nil {
		if int64(*at) < p.answered {
			p.count.L1Hits++
		} else {
			p.count.L1Merged++
		}
		return int64(*at)
	}
	p.count.L1Misses++
	number := p.enqueue(request)
	l1.insert(request.line, fetch(number))
	return number
}
