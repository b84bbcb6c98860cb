package barrel

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
	next  int64 // when something happens; never if the last wave is over
	wave  int   // the wave that it executes
	left  int   // warps of it that have not retired

	ctas  []emu.CTA // by slot
	warps []warp    // those of slot k begin at k*Grid.Warps
	ready []int64   // by warp: from when on it can issue; never if it cannot
	last  int       // the warp that issued last

	portFree int64 // when the port takes the next instruction
	retireAt int64 // when the first of the warps retires that have exited; never if there is none

	from   int64     // the first cycle that is not accounted for
	reason sim.Stall // why the port is idle from then on
	count  sim.SchedulerCounters
}

// warpState says whether a warp can issue.
type warpState uint8

const (
	absent    warpState = iota // it has retired, or there is none
	running                    // in the cycle ready
	atBarrier                  // when others arrive
	exited                     // no more; its accesses are not served yet
)

// warp is the timing state of a warp.
type warp struct {
	emu     *emu.Warp
	state   warpState
	why     sim.Stall // what it waits for until it is ready
	pc      int       // of the instruction that it issued last
	served  int64     // when the last of its posted accesses is
	retires int64     // when it retires, if it has exited
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
		m.ready = append(m.ready, never)
	}
	m.ctas, m.warps, m.ready = m.ctas[:slots], m.warps[:slots*perCTA], m.ready[:slots*perCTA]
	m.portFree, m.retireAt, m.from, m.reason = 0, never, 0, sim.StallIdle
	m.count = sim.SchedulerCounters{}
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
			id := slot*perCTA + i
			m.warps[id] = warp{emu: &c.Warps[i], state: running, why: sim.StallIdle}
			m.ready[id] = m.next
			m.left++
			s.record(now, m, index, i, trace.Start)
		}
	}
}

// step performs what happens in a cycle: retirements, then an issue.
func (m *sm) step(now int64) error {
	if m.retireAt <= now {
		m.retire(now)
		if m.left == 0 {
			m.begin(m.wave+1, now)
			return nil
		}
	}
	if m.portFree > now {
		m.next = min(m.portFree, m.retireAt)
		return nil
	}
	m.account(now)
	id := m.pick(now)
	if id < 0 {
		return nil
	}
	err := m.issue(id, now)
	m.next = min(m.portFree, m.retireAt)
	return err
}

// account attributes the cycles before now that were not attributed yet.
func (m *sm) account(now int64) {
	if now > m.from {
		m.count.Stalls[m.reason] += now - m.from
		m.from = now
	}
}

// pick returns the warp that issues: the first that is ready, in a circle after the
// one that issued last. If none is, it returns -1 and notes why and until when.
func (m *sm) pick(now int64) int {
	soonest, first := int64(never), 0
	for k, id := 0, m.last; k < len(m.ready); k++ {
		if id++; id == len(m.ready) {
			id = 0
		}
		at := m.ready[id]
		if at <= now {
			m.last = id
			return id
		}
		if at < soonest {
			soonest, first = at, id
		}
	}
	m.next, m.reason = min(soonest, m.retireAt), sim.StallDrain
	if soonest < never {
		m.reason = m.warps[first].why
	}
	return -1
}

// retire ends the warps whose time has come.
func (m *sm) retire(now int64) {
	s := m.sim
	perCTA := s.grid.Warps()
	m.account(now)
	m.retireAt = never
	for id := range m.warps {
		w := &m.warps[id]
		switch {
		case w.state != exited:
		case w.retires > now:
			m.retireAt = min(m.retireAt, w.retires)
		default:
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
	m.reason = sim.StallIdle
}

// retired reports whether all warps of a CTA have.
func (m *sm) retired(slot int) bool {
	perCTA := m.sim.grid.Warps()
	for _, w := range m.warps[slot*perCTA:][:perCTA] {
		if w.state != absent {
			return false
		}
	}
	return true
}

// issue executes the next instruction of a warp and works out when the port and the
// warp are free again.
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
		w.state, m.ready[id] = exited, never
		w.retires = max(m.portFree, w.served)
		m.retireAt = min(m.retireAt, w.retires)
	case w.emu.AtBarrier():
		w.state, m.ready[id] = atBarrier, never
	}
	for set := eff.Released; set != 0; set &= set - 1 {
		id := slot*perCTA + bits.TrailingZeros64(set)
		m.warps[id].state, m.warps[id].why = running, sim.StallBarrier
		m.ready[id] = now + s.cfg.Machine.SM.Barrier.Value
	}
	return nil
}

// hold keeps the port for as long as an instruction takes it, and the warp until
// its next instruction may follow.
func (m *sm) hold(w *warp, id int, st *inorder.Step, now int64) {
	service, busy := st.Initiation, sim.StallUnit
	ready := now + st.Latency
	w.why = sim.StallALU
	switch st.Kind {
	case inorder.Control:
		w.why = sim.StallBranch
	case inorder.Fence:
		ready, w.why = max(ready, w.served), sim.StallFence
	case inorder.Load, inorder.Posted:
		busy, w.why = sim.StallLSU, sim.StallMemory
		requests := m.sim.requests.Count(&m.sim.eff, &m.sim.count)
		service *= max(requests, 1)
		served := now + service - st.Initiation + st.Latency
		ready = now + service
		if requests > 0 && st.Kind == inorder.Load {
			ready = served
		} else if requests > 0 {
			w.served = max(w.served, served)
		}
	}
	m.ready[id] = ready
	m.portFree, m.from = now+service, now+service
	m.count.Issued++
	m.count.Stalls[busy] += service - 1
}
