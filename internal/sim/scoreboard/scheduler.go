package scoreboard

import (
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// candidate is a warp that a scheduler may issue.
type candidate struct {
	at   int64     // when registers and control flow let it issue, never if not known
	warp int32     // its slot
	pipe uint8     // the pipeline group that it needs then
	why  sim.Stall // what it waits for until then
}

// scheduler picks the warp of an SM that issues.
type scheduler struct {
	next   int64 // when it has to be looked at
	passed int64 // the last cycle in which it had the chance to issue
	count  sim.SchedulerCounters

	from   int64     // the first cycle that is not accounted for
	reason sim.Stall // why it does not issue from then on,
	ripe   int64     // and before this cycle;
	then   sim.Stall // why from this cycle on

	warps    []candidate // from the oldest to the youngest
	last     int         // position of the warp that issued last, or -1
	draining int         // warps that have exited and not retired
}

func (s *scheduler) reset() {
	*s = scheduler{next: never, passed: -1, reason: sim.StallIdle, ripe: never, last: -1, warps: s.warps[:0]}
}

// add appends a warp as the youngest. The caller schedules it.
func (s *scheduler) add(m *sm, id int32) {
	m.warps[id].pos = int32(len(s.warps))
	s.warps = append(s.warps, candidate{warp: id})
}

// remove takes out the warp at position i.
func (s *scheduler) remove(m *sm, i int) {
	s.warps = append(s.warps[:i], s.warps[i+1:]...)
	for j := i; j < len(s.warps); j++ {
		m.warps[s.warps[j].warp].pos = int32(j)
	}
	// The greedy policy goes on with the oldest, the circular ones with the
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
	case m.sim.greedy:
		return s.pickGreedy(m, now)
	case m.sim.cfg.Machine.SM.Policy.Value == machine.LRR:
		return s.pickLoose(m, now)
	default:
		return s.pickInTurn(m, now)
	}
}

// able returns the cycle from which on the warp at position i can issue.
func (s *scheduler) able(m *sm, i int) int64 {
	return max(s.warps[i].at, m.units[s.warps[i].pipe].free)
}

// pickGreedy prefers the warp that issued last, then the oldest.
func (s *scheduler) pickGreedy(m *sm, now int64) int {
	if s.last >= 0 && s.able(m, s.last) <= now {
		return s.last
	}
	units := m.units
	for i := range s.warps {
		c := &s.warps[i]
		if c.at <= now && units[c.pipe].free <= now {
			s.last = i
			return i
		}
	}
	s.stall(m)
	return -1
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
		if m.warps[s.warps[i].warp].state == atBarrier {
			continue
		}
		if s.able(m, i) <= now {
			s.last = i
			return i
		}
		s.next = s.able(m, i)
		s.blame(m, i)
		return -1
	}
	s.stall(m)
	return -1
}

// stall notes that nothing issues until the first of all warps can, and why.
func (s *scheduler) stall(m *sm) {
	next, first, soonest := int64(never), 0, int64(never)
	for i := range s.warps {
		c := &s.warps[i]
		next = min(next, max(c.at, m.units[c.pipe].free))
		if c.at < soonest {
			first, soonest = i, c.at
		}
	}
	s.stalled(m, next, first)
}

// stalled notes that nothing issues until the cycle next, because of the warp at
// position first, if there is one.
func (s *scheduler) stalled(m *sm, next int64, first int) {
	s.next = next
	if len(s.warps) > 0 {
		s.blame(m, first)
		return
	}
	s.reason, s.ripe = sim.StallIdle, never
	if s.draining > 0 {
		s.reason = sim.StallDrain
	}
}

// set notes when and for what the warp at position i can issue, and why not
// before.
func (s *scheduler) set(i int32, at int64, pipe uint8, why sim.Stall) {
	c := &s.warps[i]
	c.at, c.pipe, c.why = at, pipe, why
}

// blame lays it on the warp at position i that nothing issues: on what it waits
// for until its registers are ready, and on its unit from then on.
func (s *scheduler) blame(m *sm, i int) {
	c := &s.warps[i]
	s.reason, s.ripe, s.then = c.why, c.at, sim.StallUnit
	if c.pipe == m.sim.plan.lsu {
		s.then = sim.StallLSU
	}
}
