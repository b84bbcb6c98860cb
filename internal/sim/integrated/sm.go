package integrated

import (
	"math/bits"

	"warpbound/internal/emu"
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
)

// sm is a streaming multiprocessor.
type sm struct {
	core.Resident
	core.Account // of the issue port

	sim   *Sim
	index int
	port  *port
	l1    core.Cache[fetch]
	next  int64 // when something happens by itself; never if it waits for an answer, or is done
	alive int   // warps of the wave that have not exited

	warps []warp
	last  int // the warp that issued last

	portFree int64 // when the port takes the next instruction

	reasons *reasons // nil unless the chain of causes is wanted
}

// warp is the timing state of a warp. One that is running takes its turn; the others are passed
// over.
type warp struct {
	core.Warp
	ready  int64 // from when on it can issue, or retire if it has exited,
	until  int64 // if the port has so many answers
	served int64 // when its posted accesses on the SM are over,
	posted int64 // and with how many answers those to the shared cache
}

// reset begins the first wave.
func (m *sm) reset() {
	n := m.Resident.Reset()
	for len(m.warps) < n {
		m.warps = append(m.warps, warp{})
	}
	m.warps = m.warps[:n]
	m.portFree = 0
	m.Account.Reset()
	m.l1.Reset()
	m.reasons.reset()
	m.begin(0)
}

// begin dispatches the next wave, if there is one.
func (m *sm) begin(now int64) {
	m.last, m.next = len(m.warps)-1, never
	m.alive = m.Dispatch(now)
	if m.alive == 0 {
		return
	}
	m.next = now + m.sim.m.SM.Dispatch.Value
	m.reasons.begin(m.alive, now, m.next)
	for id := range m.alive {
		m.warps[id] = warp{Warp: m.Begin(id), ready: m.next}
	}
}

// active reports whether the SM may still have accesses to send.
func (m *sm) active() bool {
	return m.alive > 0 || m.port.sent < m.port.queued || m.Left > 0 && m.More()
}

// step performs what happens in a cycle: retirements, then an issue.
func (m *sm) step(now int64) error {
	m.next = never
	if m.Left > m.alive {
		m.retire(now)
		if m.Left == 0 {
			m.begin(now)
			return nil
		}
	}
	if m.portFree > now {
		m.wakeAt(m.portFree)
		return nil
	}
	m.Idle(now)
	id := m.turn()
	if id < 0 {
		m.Reason = sim.StallDrain
		return nil
	}
	w := &m.warps[id]
	if w.ready > now {
		m.wakeAt(w.ready)
		m.Reason = w.Why
		return nil
	}
	if m.port.answered < w.until {
		m.Reason = w.Why
		return nil
	}
	if m.port.pending() >= m.sim.m.Interconnect.Credits.Value {
		m.Reason = sim.StallLSU
		return nil
	}
	m.last = id
	err := m.issue(id, now)
	m.wakeAt(m.portFree)
	return err
}

func (m *sm) wakeAt(at int64) { m.next = min(m.next, at) }

// turn returns the warp whose turn it is: the first that has neither exited nor waits at a
// barrier, in a circle after the one that issued last; none if it is negative.
func (m *sm) turn() int {
	for k, id := 0, m.last; k < len(m.warps); k++ {
		if id++; id == len(m.warps) {
			id = 0
		}
		if m.warps[id].State == core.Running {
			return id
		}
	}
	return -1
}

// retire ends the warps that have exited and whose accesses are over.
func (m *sm) retire(now int64) {
	for id := range m.warps {
		w := &m.warps[id]
		switch {
		case w.State != core.Exited:
		case w.ready > now:
			m.wakeAt(w.ready)
		case m.port.answered >= w.until:
			m.Idle(now)
			m.Reason = sim.StallIdle
			m.reasons.retire(id, now)
			m.Retire(id, &w.Warp, now)
		}
	}
}

// issue executes the next instruction of a warp and works out when the port and the warp
// are free again.
func (m *sm) issue(id int, now int64) error {
	w, eff := &m.warps[id], &m.sim.run.Effect
	first, err := m.Execute(id, &w.Warp, now)
	if err != nil {
		return err
	}
	m.reasons.issue(id, now)
	m.hold(w, id, &m.sim.steps[w.PC], now)
	switch {
	case eff.WarpDone:
		w.State, w.ready, w.until = core.Exited, max(m.portFree, w.served), w.posted
		m.alive--
		m.reasons.exit(id, m.portFree)
	case w.Emu.AtBarrier():
		w.State = core.AtBarrier
	}
	for set := eff.Released; set != 0; set &= set - 1 {
		number := first + bits.TrailingZeros64(set)
		other := &m.warps[number]
		other.State, other.Why = core.Running, sim.StallBarrier
		other.ready, other.until = now+m.sim.m.SM.Barrier.Value, 0
		m.reasons.ready(number, other.ready, sim.StallBarrier)
	}
	return nil
}

// hold keeps the port for as long as an instruction takes it, and the warp until its next
// instruction may follow.
func (m *sm) hold(w *warp, id int, st *step, now int64) {
	service, busy := st.Initiation, sim.StallUnit
	w.ready, w.until, w.Why = now+st.Latency, 0, sim.StallALU
	switch st.Kind {
	case core.Control:
		w.Why = sim.StallBranch
	case core.Fence:
		m.reasons.fence(id, w.ready)
		w.ready, w.until, w.Why = max(w.ready, w.served), w.posted, sim.StallFence
	case core.Load, core.Posted:
		busy, w.Why = sim.StallLSU, sim.StallMemory
		onChip := m.gather(id)
		requests := onChip + int64(len(m.sim.lines))
		service *= max(requests, 1)
		answers := m.access(st, now, onChip)
		served := now + service - st.Initiation + st.Latency
		w.ready = now + service
		if requests > 0 && st.Kind == core.Load {
			w.ready, w.until = served, answers
		} else if requests > 0 {
			w.served, w.posted = max(w.served, served), max(w.posted, answers)
			m.reasons.served(id, served)
		}
	}
	m.portFree = now + service
	switch st.Kind {
	case core.Fence:
	case core.Posted:
		m.reasons.ready(id, w.ready, busy)
	default:
		m.reasons.ready(id, w.ready, w.Why)
	}
	m.reasons.hold(m.portFree, busy)
	m.Busy(now, service, busy)
}

// access looks the lines of the current instruction up in the L1, one after the other behind
// its requests to what lies on the SM, and hands to the port what must go to the shared
// cache. It returns how many answers the port has when the access is over.
func (m *sm) access(st *step, now, onChip int64) (answers int64) {
	s, kind := m.sim, m.sim.run.Effect.Access.Kind
	for i := range s.lines {
		a := &s.lines[i]
		leaves := now + (onChip+int64(i))*st.Initiation + st.Latency
		request := access{line: a.number, kind: kind, at: leaves, cause: m.reasons.access()}
		switch {
		case kind == emu.Load && (a.local || !st.volatile):
			answers = max(answers, m.port.load(&m.l1, request)+1)
			continue
		case kind == emu.Store:
			m.l1.Use(a.number)
		case kind == emu.Atomic:
			m.l1.Drop(a.number)
			request.extra = (a.operations - 1) * s.m.LLC.Atomic.Value
		}
		answers = m.port.enqueue(request) + 1
	}
	return answers
}

// load looks a line up in an L1 and returns the number of the access that fetches it.
func (p *port) load(l1 *core.Cache[fetch], request access) int64 {
	if at := l1.Use(request.line); at != nil {
		if int64(*at) < p.answered {
			p.count.L1Hits++
		} else {
			p.count.L1Merged++
		}
		return int64(*at)
	}
	p.count.L1Misses++
	number := p.enqueue(request)
	l1.Insert(request.line, fetch(number))
	return number
}
