package scoreboard

import (
	"warpbound/internal/causes"
	"warpbound/internal/sim"
	"warpbound/internal/trace"
)

// dispatcher hands the CTAs of the grid to the SMs, in order and round-robin. It
// learns of a slot that became free at the beginning of the next round.
type dispatcher struct {
	total   int // CTAs of the grid
	started int
	done    int
	turn    int // the SM that is asked first
}

func (d *dispatcher) reset(total int) { *d = dispatcher{total: total} }

// play hands out the CTAs that begin in a round: in each cycle one to every SM
// that has room and whose last dispatch is over.
func (d *dispatcher) play(s *Sim, start, end int64) {
	for now := start; now < end && d.next(s) < end; now++ {
		first := d.turn
		for k := range s.sms {
			i := (first + k) % len(s.sms)
			m := &s.sms[i]
			if d.started == d.total {
				return
			}
			if m.free > 0 && m.dispatchAt <= now {
				m.free--
				m.dispatchAt = now + s.cfg.Machine.SM.Dispatch.Value
				m.wheel.send(m.wheel.alloc(request{target: int32(d.started), cause: m.reasons.begin(d.started, now)}), begin, now)
				m.next = min(m.next, now)
				d.started++
				d.turn = (i + 1) % len(s.sms)
			}
		}
	}
}

// next returns when a CTA can be handed out.
func (d *dispatcher) next(s *Sim) int64 {
	next := int64(never)
	if d.started == d.total {
		return next
	}
	for i := range s.sms {
		if m := &s.sms[i]; m.free > 0 {
			next = min(next, m.dispatchAt)
		}
	}
	return next
}

// start puts a CTA of the grid into a free slot of the SM. Its warps can issue
// for the first time when the dispatch is over.
func (m *sm) start(index int, now int64, by causes.ID) {
	s := m.sim
	slot := 0
	for m.ctas[slot].left > 0 {
		slot++
	}
	c := &m.ctas[slot]
	c.emu.Party = m.party
	s.grid.StartCTA(&c.emu, index)
	m.out.changed = true
	c.left = m.perCTA
	for i := range m.perCTA {
		id := slot*m.perCTA + i
		w := &m.warps[id]
		w.id, w.emu, w.cta, w.index, w.sched = int32(id), &c.emu.Warps[i], int32(slot), int16(i), int16(id%len(m.scheds))
		w.next = &m.steps[w.sched][w.emu.PC()]
		w.state, w.inflight, w.busy, w.ahead = running, 0, 0, 0
		w.line, w.arrives = none, 0
		if w.ready == nil {
			w.ready = make([]int64, max(s.plan.regs, short))
		}
		clear(w.ready[:s.plan.regs])
		w.copies.reset()
		if s.trace != nil {
			m.record(now, index, i, trace.Start)
		}
		sched := &m.scheds[w.sched]
		sched.add(m, w)
		m.reasons.start(w, by, now+s.cfg.Machine.SM.Dispatch.Value)
		m.resume(sched, w, now, now+s.cfg.Machine.SM.Dispatch.Value, sim.StallBranch)
	}
}

// retire ends a warp, and its CTA with the last one.
func (m *sm) retire(id int32, now int64, by causes.ID) {
	s, w := m.sim, &m.warps[id]
	c := &m.ctas[w.cta]
	if s.trace != nil {
		m.record(now, c.emu.Index, int(w.index), trace.Exit)
	}
	w.state = free
	sched := &m.scheds[w.sched]
	sched.draining--
	m.wake(sched, now)
	m.reasons.retire(id, now, by, c.left == 1)
	if c.left--; c.left > 0 {
		return
	}
	m.free++
	m.out.done++
	m.out.end = now
}
