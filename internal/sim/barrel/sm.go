package barrel

import (
	"math/bits"

	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
)

// sm is a streaming multiprocessor.
type sm struct {
	core.Resident
	core.Account // of the port

	sim   *Sim
	warps []warp
	ready []int64 // by warp: from when on it can issue; core.Never if it cannot
	last  int     // the warp that issued last

	reasons *reasons // nil unless the chain of causes is wanted

	portFree int64 // when the port takes the next instruction
	retireAt int64 // when the first of the warps retires that have exited; core.Never if there is none
}

// warp is the timing state of a warp.
type warp struct {
	core.Warp
	served  int64 // when the last of its posted accesses is
	retires int64 // when it retires, if it has exited
}

// reset begins the first wave and returns when something happens.
func (m *sm) reset() (next int64) {
	n := m.Resident.Reset()
	for len(m.warps) < n {
		m.warps = append(m.warps, warp{})
		m.ready = append(m.ready, core.Never)
	}
	m.warps, m.ready = m.warps[:n], m.ready[:n]
	m.portFree, m.retireAt = 0, core.Never
	m.Account.Reset()
	m.reasons.reset()
	return m.begin(0)
}

// begin dispatches the next wave, if there is one, and returns when something happens.
func (m *sm) begin(now int64) (next int64) {
	m.last = len(m.warps) - 1
	n := m.Dispatch(now)
	if n == 0 {
		return core.Never
	}
	next = now + m.sim.run.Config.Machine.SM.Dispatch.Value
	m.reasons.begin(n, now, next)
	for id := range n {
		m.warps[id], m.ready[id] = warp{Warp: m.Begin(id)}, next
	}
	return next
}

// step performs what happens in a cycle: retirements, then an issue. It returns when something
// happens again.
func (m *sm) step(now int64) (next int64, err error) {
	if m.retireAt <= now {
		m.retire(now)
		if m.Left == 0 {
			return m.begin(now), nil
		}
	}
	if m.portFree <= now {
		m.Idle(now)
		id, soonest := m.pick(now)
		if id < 0 {
			return min(soonest, m.retireAt), nil
		}
		err = m.issue(id, now)
	}
	return min(m.portFree, m.retireAt), err
}

// pick returns the warp that issues: the first that is ready, in a circle after the
// one that issued last. If none is, it returns -1 and until when, and notes why.
func (m *sm) pick(now int64) (id int, until int64) {
	soonest, first := int64(core.Never), 0
	for k, id := 0, m.last; k < len(m.ready); k++ {
		if id++; id == len(m.ready) {
			id = 0
		}
		at := m.ready[id]
		if at <= now {
			m.last = id
			return id, now
		}
		if at < soonest {
			soonest, first = at, id
		}
	}
	m.Reason = sim.StallDrain
	if soonest < core.Never {
		m.Reason = m.warps[first].Why
	}
	return -1, soonest
}

// retire ends the warps whose time has come.
func (m *sm) retire(now int64) {
	m.Idle(now)
	m.retireAt = core.Never
	for id := range m.warps {
		w := &m.warps[id]
		switch {
		case w.State != core.Exited:
		case w.retires > now:
			m.retireAt = min(m.retireAt, w.retires)
		default:
			m.reasons.retire(id, now)
			m.Retire(id, &w.Warp, now)
		}
	}
	m.Reason = sim.StallIdle
}

// issue executes the next instruction of a warp and works out when the port and the
// warp are free again.
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
		w.State, m.ready[id] = core.Exited, core.Never
		w.retires = max(m.portFree, w.served)
		m.reasons.exit(id, m.portFree)
		m.retireAt = min(m.retireAt, w.retires)
	case w.Emu.AtBarrier():
		w.State, m.ready[id] = core.AtBarrier, core.Never
	}
	for set := eff.Released; set != 0; set &= set - 1 {
		id := first + bits.TrailingZeros64(set)
		m.warps[id].State, m.warps[id].Why = core.Running, sim.StallBarrier
		m.ready[id] = now + m.sim.run.Config.Machine.SM.Barrier.Value
		m.reasons.ready(id, m.ready[id], sim.StallBarrier)
	}
	return nil
}

// hold keeps the port for as long as an instruction takes it, and the warp until
// its next instruction may follow.
func (m *sm) hold(w *warp, id int, st *core.Step, now int64) {
	service, busy := st.Initiation, sim.StallUnit
	ready := now + st.Latency
	w.Why = sim.StallALU
	switch st.Kind {
	case core.Control:
		w.Why = sim.StallBranch
	case core.Fence:
		ready, w.Why = max(ready, w.served), sim.StallFence
	case core.Load, core.Posted:
		busy, w.Why = sim.StallLSU, sim.StallMemory
		run := &m.sim.run
		requests := run.Requests.Count(&run.Effect, &run.Count)
		service *= max(requests, 1)
		served := now + service - st.Initiation + st.Latency
		ready = now + service
		if requests > 0 && st.Kind == core.Load {
			ready = served
		} else if requests > 0 {
			w.served = max(w.served, served)
			m.reasons.served(id, served)
		}
	}
	m.ready[id] = ready
	m.portFree = now + service
	switch st.Kind {
	case core.Fence:
		m.reasons.fence(id, now+st.Latency)
	case core.Posted:
		m.reasons.ready(id, ready, busy)
	default:
		m.reasons.ready(id, ready, w.Why)
	}
	m.reasons.hold(m.portFree, busy)
	m.Busy(now, service, busy)
}
