package sim

import "warpbound/internal/trace"

// dispatcher hands the CTAs of the grid to the SMs, in order and round-robin.
type dispatcher struct {
	next    int64 // when a CTA may be handed out
	total   int   // CTAs of the grid
	started int
	done    int
	turn    int // the SM that is asked first
	sms     int
}

func (d *dispatcher) reset(total, sms int) { *d = dispatcher{total: total, sms: sms} }

func (d *dispatcher) finished() bool { return d.done == d.total }

// step gives a CTA to every SM that has room and has not just got one.
func (d *dispatcher) step(s *Sim, now int64) {
	first := d.turn
	for k := range d.sms {
		i := (first + k) % d.sms
		m := &s.sms[i]
		if d.started == d.total {
			break
		}
		if m.free > 0 && m.dispatchAt <= now {
			m.start(d.started, now)
			d.started++
			d.turn = (i + 1) % d.sms
		}
	}
	d.next = never
	if d.started == d.total {
		return
	}
	for i := range s.sms {
		if m := &s.sms[i]; m.free > 0 {
			d.next = min(d.next, m.dispatchAt)
		}
	}
}

// start puts a CTA of the grid into a free slot of the SM. Its warps can issue
// for the first time when the dispatch is over.
func (m *sm) start(index int, now int64) {
	s := m.sim
	slot := 0
	for m.ctas[slot].left > 0 {
		slot++
	}
	c := &m.ctas[slot]
	s.grid.StartCTA(&c.emu, index)
	c.left = m.perCTA
	m.free--
	m.dispatchAt = now + s.cfg.Machine.SM.Dispatch.Value
	for i := range m.perCTA {
		id := slot*m.perCTA + i
		w := &m.warps[id]
		w.emu, w.cta, w.index, w.pc = &c.emu.Warps[i], int32(slot), int32(i), int32(c.emu.Warps[i].PC())
		w.state, w.inflight, w.busy = running, 0, 0
		clear(w.ready)
		if s.trace != nil {
			s.record(now, m, index, i, trace.Start)
		}
		sched := &m.scheds[id%len(m.scheds)]
		sched.add(m, int32(id))
		m.schedule(w, m.dispatchAt, StallBranch)
		m.wake(sched, now)
	}
}

// retire ends a warp, and its CTA with the last one.
func (m *sm) retire(id int32, now int64) {
	s, w := m.sim, &m.warps[id]
	c := &m.ctas[w.cta]
	if s.trace != nil {
		s.record(now, m, c.emu.Index, int(w.index), trace.Exit)
	}
	w.state = free
	sched := &m.scheds[int(id)%len(m.scheds)]
	sched.draining--
	m.wake(sched, now)
	if c.left--; c.left > 0 {
		return
	}
	m.free++
	m.dispatchAt = max(m.dispatchAt, now+1)
	s.disp.next = min(s.disp.next, m.dispatchAt)
	s.disp.done++
	if s.disp.started == s.disp.total {
		s.disp.next = never
	}
}
