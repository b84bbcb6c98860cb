package integrated

import "warpbound/internal/machine"

// regulator is the coordinator of the regulated accesses to the shared cache: a core that
// has sent its quota sends no more until the next interval begins.
type regulator struct {
	on                 bool
	quota, wait, delay int64

	interval int64
	began    int64 // the interval
	underWay int64 // accesses of all cores that were sent and are not answered
	smsDone  int64 // when the SMs had sent what they may in this interval; never if not yet
	closed   int64 // when the CPU had, or was waited for no more; never if not yet
	endsAt   int64 // when the next interval begins; never if not known
	next     int64 // when something happens by itself
}

func (r *regulator) reset(m *machine.Machine) {
	g := &m.Regulator
	*r = regulator{on: m.Regulated(), quota: g.Quota.Value, wait: g.Wait.Value, delay: g.Reset.Value, next: never}
	r.open()
}

// open makes the interval one in which cores may send.
func (r *regulator) open() { r.smsDone, r.closed, r.endsAt = never, never, never }

// throttles reports whether a core may not send.
func (r *regulator) throttles(p *port) bool {
	isCPU := p.index == len(p.sim.sms)
	return r.on && (p.inInterval == r.quota || isCPU && r.closed < never)
}

// begin begins the next interval if its time has come.
func (r *regulator) begin(s *Sim, now int64) {
	if r.endsAt != now {
		return
	}
	r.interval++
	r.began, r.next = now, never
	s.log.begin(now)
	r.open()
	for i := range s.ports {
		s.ports[i].inInterval = 0
		s.ports[i].scheduleSend()
	}
}

// look decides after a cycle whether the interval ends.
func (r *regulator) look(s *Sim, now int64) {
	if !r.on || r.endsAt < never {
		return
	}
	if r.smsDone == never {
		for i := range s.busy {
			if s.busy[i].active() && s.ports[i].inInterval < r.quota {
				return
			}
		}
		r.smsDone = now
	}
	if r.closed == never {
		if s.cpu.maySend() && now < r.smsDone+r.wait {
			r.next = r.smsDone + r.wait
			return
		}
		r.closed = now
		s.ports[len(s.sms)].scheduleSend()
	}
	r.next = never
	if r.underWay == 0 {
		r.endsAt = now + r.delay
		r.next = r.endsAt
		s.log.end()
	}
}
