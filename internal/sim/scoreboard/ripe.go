package scoreboard

import "math/bits"

// Here is what SMs do whose schedulers are greedy. It is the same as what play does, but they look for warps in the
// calendar.

// layOut gives each scheduler its field of the calendar.
func (m *sm) layOut() {
	size := m.places() / len(m.scheds)
	for i := range m.scheds {
		m.scheds[i].field = (1<<size - 1) << (i * size)
	}
}

// places returns for how many warps of the SM there is room in its calendar. Slots are served by one scheduler after the
// other, so that none has more than its share.
func (m *sm) places() int { return calendarSize / len(m.scheds) * len(m.scheds) }

// playRipe is play with the calendar.
func (m *sm) playRipe(end int64) {
	c := &m.calendar
	scheds := m.scheds
	for m.next < end {
		now := m.next
		if c.tick(now) {
			c.leap(now)
		}
		if m.wheel.next <= now {
			m.arrive(now)
		}
		if m.lsu.next <= now {
			m.stepLSU(now)
		}
		for i := range scheds {
			s := &scheds[i]
			set := c.ripe & s.field
			if m.accepts[m.memory] > now {
				set &^= c.memory
			}
			var w *warp
			for set != 0 {
				pick := set & c.last // the one that issued last, else the oldest
				if pick == 0 {
					pick = set & -set
				}
				if next := c.warps[bits.TrailingZeros64(pick)%calendarSize]; m.accepts[next.next.pipe] <= now {
					w = next
					c.ripe &^= pick
					c.last = c.last&^s.field | pick
					break
				}
				set &^= pick
			}
			if w == nil {
				if m.changed&s.field != 0 {
					m.stall(s, now)
				}
				continue
			}
			m.changed |= s.field
			if s.from < now {
				s.account(now)
			}
			s.count.Issued++
			s.from = now + 1
			if st := w.next; st.run != 0 {
				m.compute(w, st, now)
			} else if m.step(s, w, st, now); m.out.err != nil {
				return
			}
		}
		next := now + 1
		if m.changed == 0 {
			next = m.rest()
		}
		m.next = min(next, m.lsu.next, m.wheel.next)
	}
}

// stall notes why nothing issues.
func (m *sm) stall(s *scheduler, now int64) {
	s.account(now)
	c := &m.calendar
	m.changed &^= s.field
	if ripe := c.ripe & s.field; ripe != 0 {
		s.blame(c.longest(ripe))
	} else if c.held&s.field != 0 {
		s.blame(c.first(s.field))
	} else {
		s.idle()
	}
}

// rest returns the first cycle in which a warp can issue, if no scheduler issues now.
func (m *sm) rest() int64 {
	c := &m.calendar
	next := c.due()
	if c.ripe&c.memory != 0 {
		next = min(next, m.accepts[m.memory])
	}
	for set := c.ripe &^ c.memory; set != 0; set &= set - 1 {
		next = min(next, m.accepts[c.warps[bits.TrailingZeros64(set)].next.pipe])
	}
	return next
}
