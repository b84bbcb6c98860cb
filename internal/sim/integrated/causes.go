package integrated

import (
	"warpbound/internal/causes"
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
)

// reasons are what an SM and its port keep for the chain of causes: beside each time until which something waits, the event that
// led to it. Its methods do nothing on nil: then nobody asks for the chain. The CPU has none: nothing of an SM waits
// for it but the regulator.
type reasons struct {
	log   *log
	sm    *sm
	warps []warpReasons
	port  causes.Since // sm.portFree
	now   causes.ID    // the instruction that issues
	over  causes.ID    // the last retirement

	sent, read, answer causes.ID    // the last such events of the port
	room               causes.Since // since when there may be one access more under way
}

// warpReasons are those of a warp.
type warpReasons struct {
	ready    causes.Since // warp.ready
	served   causes.Since // warp.served
	answered causes.Since // when the port had so many answers as warp.until says; in cycle 0 if it has them already
}

// log is the log of a run, and what concerns all cores.
type log struct {
	*core.Log
	interval causes.ID // the beginning of the regulator's interval
	ends     causes.ID // what ended it
	last     causes.ID // the last event
}

// note notes an event.
func (l *log) note(at int64, s causes.Since, site causes.Site) causes.ID {
	l.last = l.Add(at, s, site)
	return l.last
}

// follow does so at the site of another event.
func (l *log) follow(at int64, s causes.Since, other causes.ID) causes.ID {
	l.last = l.Follow(at, s, other)
	return l.last
}

// reset forgets all, before a run.
func (l *log) reset() {
	if l != nil {
		l.interval, l.ends, l.last = 0, 0, 0
	}
}

// end notes that an interval ends because of what happened last.
func (l *log) end() {
	if l != nil {
		l.ends = l.last
	}
}

// begin notes that an interval begins in the cycle now.
func (l *log) begin(now int64) {
	if l != nil {
		l.interval = l.Add(now, causes.Since{At: now, Cause: l.ends, Kind: sim.CauseRegulator}, causes.Nowhere)
	}
}

// names hands out all names of events.
func (s *Sim) names(name func(*causes.ID)) {
	name(&s.log.interval)
	name(&s.log.ends)
	name(&s.log.last)
	for i := range s.sms {
		r := s.sms[i].reasons
		for k := range r.warps {
			w := &r.warps[k]
			for _, since := range []*causes.Since{&w.ready, &w.served, &w.answered} {
				name(&since.Cause)
			}
		}
		for _, id := range []*causes.ID{&r.port.Cause, &r.now, &r.over, &r.sent, &r.read, &r.answer, &r.room.Cause} {
			name(id)
		}
		for k := range s.ports[i].ring {
			name(&s.ports[i].ring[k].cause)
		}
	}
}

// reset forgets all, before a run.
func (r *reasons) reset() {
	if r != nil {
		*r = reasons{log: r.log, sm: r.sm, warps: r.warps[:0]}
		clear(r.sm.port.ring)
	}
}

// begin lets so many warps issue from a cycle on, because a wave is dispatched in the cycle now.
func (r *reasons) begin(warps int, now, ready int64) {
	if r == nil {
		return
	}
	site := causes.Site{SM: int16(r.sm.index), CTA: -1, Warp: -1, PC: -1}
	dispatch := r.log.note(now, causes.Since{At: now, Cause: r.over, Kind: sim.CauseDispatch}, site)
	r.warps = r.warps[:0]
	for range warps {
		r.warps = append(r.warps, warpReasons{ready: causes.Since{At: ready, Cause: dispatch, Kind: sim.CauseDispatch}})
	}
}

// site returns where a warp is.
func (r *reasons) site(id int) causes.Site { return r.sm.Site(id, &r.sm.warps[id].Warp) }

// since returns that something is possible from a cycle on because of the instruction that issues.
func (r *reasons) since(at int64, why sim.Stall) causes.Since {
	return causes.Since{At: at, Cause: r.now, Kind: causes.Kind(why)}
}

// issue notes that a warp issues.
func (r *reasons) issue(id int, now int64) {
	if r != nil {
		w := &r.warps[id]
		r.now = r.log.Issue(now, causes.Later(causes.Later(w.ready, r.port), causes.Later(w.answered, r.room)), r.site(id))
		r.log.last = r.now
	}
}

// ready says when a warp can issue because of the instruction that issues, as soon as there are the answers that it waits for.
func (r *reasons) ready(id int, at int64, why sim.Stall) {
	if r != nil {
		w := &r.warps[id]
		w.ready, w.answered = r.since(at, why), causes.Since{}
	}
}

// fence says the same of a warp that issues a fence, which is over in a cycle but for the accesses before it.
func (r *reasons) fence(id int, over int64) {
	if r != nil {
		r.ready(id, over, sim.StallFence)
		w := &r.warps[id]
		w.ready = causes.Later(w.ready, w.served.As(causes.Kind(sim.StallFence)))
	}
}

// served says when a posted access of the warp that issues is over on the SM.
func (r *reasons) served(id int, at int64) {
	if r != nil {
		w := &r.warps[id]
		w.served = causes.Later(w.served, r.since(at, sim.StallMemory))
	}
}

// hold says until when the instruction that issues keeps the port.
func (r *reasons) hold(free int64, with sim.Stall) {
	if r == nil {
		return
	}
	r.port = r.since(free, with)
	if free == r.log.At(r.now)+1 {
		r.port.Kind = sim.CauseIssue
	}
}

// exit says when the warp that issues its last instruction can retire: not before the port is free, and with the answers that it
// waits for.
func (r *reasons) exit(id int, free int64) {
	if r != nil {
		w := &r.warps[id]
		w.ready = causes.Later(r.since(free, sim.StallDrain), w.served.As(causes.Kind(sim.StallDrain)))
		w.answered = causes.Since{}
	}
}

// retire notes that a warp retires.
func (r *reasons) retire(id int, now int64) {
	if r != nil {
		w := &r.warps[id]
		r.over = r.log.Retire(now, causes.Later(w.ready, w.answered), r.site(id))
		r.log.last = r.over
	}
}

// access returns why the instruction that issues has an access.
func (r *reasons) access() causes.ID {
	if r == nil {
		return 0
	}
	return r.now
}

// send notes that the port sends an access: in its turn, after the one before and in the interval.
func (r *reasons) send(p *port, a *access, now int64) {
	if r == nil {
		return
	}
	s := causes.Since{At: now, Cause: r.sent, Kind: sim.CausePort}
	began := p.sim.regulator.began
	switch {
	case a.at >= max(p.lastSent+1, began):
		s.Cause = r.log.follow(a.at, causes.Since{At: a.at, Cause: a.cause, Kind: causes.Kind(sim.StallMemory)}, a.cause)
	case began > p.lastSent:
		s.Cause = r.log.interval
	}
	r.sent = r.log.follow(now, s, a.cause)
	a.cause = r.sent
}

// serve notes that the shared cache serves an access.
func (r *reasons) serve(a *access, now int64) {
	if r != nil {
		a.cause = r.log.follow(now, causes.Since{At: now, Cause: a.cause, Kind: sim.CauseInterconnect}, a.cause)
	}
}

// reads notes that an access has its turn at the DRAM.
func (r *reasons) reads(p *port, a *access, now int64) {
	if r == nil {
		return
	}
	s := causes.Since{At: now, Cause: r.read, Kind: sim.CausePort}
	if a.at > p.lastRead {
		s.Cause = r.log.follow(a.at, causes.Since{At: a.at, Cause: a.cause, Kind: sim.CauseL2}, a.cause)
	}
	r.read = r.log.follow(now, s, a.cause)
	a.cause = r.read
}

// arrive notes that the answer of an access arrives.
func (r *reasons) arrive(p *port, a *access, now int64) {
	if r == nil {
		return
	}
	s := causes.Since{At: now, Cause: r.answer, Kind: sim.CausePort}
	if a.ready > p.lastAnswer {
		s.Kind = sim.CauseInterconnect
		kind := sim.CauseL2
		if a.reads {
			kind = sim.CauseDRAM
		}
		s.Cause = r.log.follow(a.ready, causes.Since{At: a.ready, Cause: a.cause, Kind: kind}, a.cause)
	}
	r.answer = r.log.follow(now, s, a.cause)
	arrived := causes.Since{At: now, Cause: r.answer, Kind: causes.Kind(sim.StallMemory)}
	for id := range r.warps {
		if r.sm.warps[id].until == p.answered+1 {
			r.warps[id].answered = arrived
		}
	}
	if p.pending() >= p.sim.m.Interconnect.Credits.Value {
		r.room = arrived.As(causes.Kind(sim.StallLSU))
	}
}
