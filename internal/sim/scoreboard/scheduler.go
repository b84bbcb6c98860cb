package scoreboard

import (
	"slices"

	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// scheduler picks the warp of an SM that issues.
type scheduler struct {
	next   int64 // when it has to be looked at
	passed int64 // the last cycle in which it had the chance to issue
	count  sim.SchedulerCounters

	from   int64     // the first cycle that is not accounted for
	reason sim.Stall // why it does not issue from then on,
	ripe   int64     // and before this cycle;
	then   sim.Stall // why from this cycle on

	dice rng // by which machine.AnyWarp chooses

	warps    []*warp // from the oldest to the youngest, if the SM has no calendar
	last     int     // position of the warp that issued last, or -1, likewise
	field    uint64  // of the SM's calendar
	draining int     // warps that have exited and not retired
}

func (s *scheduler) reset() {
	*s = scheduler{next: never, passed: -1, reason: sim.StallIdle, ripe: never, last: -1, warps: s.warps[:0], field: s.field, dice: s.dice.again()}
}

// add appends a warp as the youngest. The caller schedules it.
func (s *scheduler) add(m *sm, w *warp) {
	if m.calendars {
		m.calendar.add(w, s.field)
		return
	}
	s.warps = append(s.warps, w)
}

// remove takes out a warp.
func (s *scheduler) remove(m *sm, w *warp) {
	if m.calendars {
		m.calendar.remove(w)
		return
	}
	i := slices.Index(s.warps, w)
	s.warps = slices.Delete(s.warps, i, i+1)
	// The greedy policies go on with the oldest or the youngest, the circular ones with the
	// warp that followed.
	switch {
	case s.last == i && m.sim.greedy:
		s.last = -1
	case s.last >= i:
		s.last--
	}
}

// account attributes the cycles before now that were not attributed yet.
func (s *scheduler) account(now int64) {
	ripe := max(s.from, min(now, s.ripe))
	s.count.Stalls[s.reason] += ripe - s.from
	s.count.Stalls[s.then] += now - ripe
	s.from = now
}

// pick returns the position of the warp that issues. If none can, it returns -1
// and notes why and until when.
func (s *scheduler) pick(m *sm, now int64) int {
	switch {
	case m.policy == machine.GTO:
		return s.pickGreedy(m, now, 0, 1)
	case m.policy == machine.GTY:
		return s.pickGreedy(m, now, len(s.warps)-1, -1)
	case m.policy == machine.LRR:
		return s.pickLoose(m, now)
	case m.policy == machine.Oldest:
		return s.pickFirst(m, now, 0, 1)
	case m.policy == machine.Youngest:
		return s.pickFirst(m, now, len(s.warps)-1, -1)
	case m.policy == machine.AnyWarp:
		return s.pickAny(m, now)
	default:
		return s.pickInTurn(m, now)
	}
}

// able returns the cycle from which on the warp at position i can issue.
func (s *scheduler) able(m *sm, i int) int64 {
	return max(s.warps[i].at, m.accepts[s.warps[i].next.pipe])
}

// pickGreedy prefers the warp that issued last, then others from a position on, in one direction: from the oldest, or from the
// youngest.
func (s *scheduler) pickGreedy(m *sm, now int64, from, step int) int {
	if s.last >= 0 && s.able(m, s.last) <= now {
		return s.last
	}
	return s.pickFirst(m, now, from, step)
}

// pickFirst takes the first warp that can issue, from a position on in one direction.
func (s *scheduler) pickFirst(m *sm, now int64, from, step int) int {
	for i := from; i >= 0 && i < len(s.warps); i += step {
		if s.able(m, i) <= now {
			s.last = i
			return i
		}
	}
	s.stall(m)
	return -1
}

// pickAny takes one of the warps that can issue. It throws its dice only if there is one, so that what is chosen does not depend
// on how often it is asked in vain.
func (s *scheduler) pickAny(m *sm, now int64) int {
	able := 0
	for i := range s.warps {
		if s.able(m, i) <= now {
			able++
		}
	}
	if able == 0 {
		s.stall(m)
		return -1
	}
	nth := int(s.dice.next() % uint64(able))
	for i := range s.warps {
		if s.able(m, i) > now {
			continue
		}
		if nth--; nth < 0 {
			s.last = i
			break
		}
	}
	return s.last
}

// pickLoose takes the first warp that can issue, in a circle after the one that
// issued last.
func (s *scheduler) pickLoose(m *sm, now int64) int {
	n := len(s.warps)
	for k := 1; k <= n; k++ {
		if i := (s.last + k) % n; s.able(m, i) <= now {
			s.last = i
			return i
		}
	}
	s.stall(m)
	return -1
}

// pickInTurn takes the warp after the one that issued last, and waits for it
// unless it waits for other warps itself.
func (s *scheduler) pickInTurn(m *sm, now int64) int {
	n := len(s.warps)
	for k := 1; k <= n; k++ {
		i := (s.last + k) % n
		if s.warps[i].state == atBarrier {
			continue
		}
		if s.able(m, i) <= now {
			s.last = i
			return i
		}
		s.next = s.able(m, i)
		s.blame(s.warps[i])
		return -1
	}
	s.stall(m)
	return -1
}

// stall notes that nothing issues until the first of all warps can, and why.
func (s *scheduler) stall(m *sm) {
	next, first, soonest := int64(never), 0, int64(never)
	for i := range s.warps {
		next = min(next, s.able(m, i))
		if at := s.warps[i].at; at < soonest {
			first, soonest = i, at
		}
	}
	s.next = next
	if len(s.warps) > 0 {
		s.blame(s.warps[first])
	} else {
		s.idle()
	}
}

// idle notes that nothing issues because there is no warp.
func (s *scheduler) idle() {
	s.reason, s.ripe = sim.StallIdle, never
	if s.draining > 0 {
		s.reason = sim.StallDrain
	}
}

// blame lays it on a warp that nothing issues: on what it waits
// for until its registers are ready, and on its unit from then on.
func (s *scheduler) blame(w *warp) {
	s.reason, s.ripe, s.then = w.why, w.at, sim.StallUnit
	if w.next.memory != 0 {
		s.then = sim.StallLSU
	}
}
