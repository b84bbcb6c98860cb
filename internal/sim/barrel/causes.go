package barrel

import (
	"warpbound/internal/causes"
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
)

// reasons are what an SM keeps for the chain of causes: beside each time until which something waits, the event that led to
// it. Its methods do nothing on nil: then nobody asks for the chain.
type reasons struct {
	log   *core.Log
	sm    *sm
	index int16
	warps []causes.Since // sm.ready
	posts []causes.Since // by warp: warp.served
	exits []causes.Since // by warp: warp.retires
	port  causes.Since   // sm.portFree
	now   causes.ID      // the instruction that issues
	over  causes.ID      // the last retirement
}

// names hands out all names of events.
func (s *Sim) names(name func(*causes.ID)) {
	for i := range s.sms {
		r := s.sms[i].reasons
		core.Names(name, r.warps)
		core.Names(name, r.posts)
		core.Names(name, r.exits)
		name(&r.port.Cause)
		name(&r.now)
		name(&r.over)
	}
}

// reset forgets all, before a run.
func (r *reasons) reset() {
	if r != nil {
		*r = reasons{log: r.log, sm: r.sm, index: r.index, warps: r.warps[:0], posts: r.posts[:0], exits: r.exits[:0]}
	}
}

// begin lets so many warps issue from a cycle on, because a wave is dispatched in the cycle now.
func (r *reasons) begin(warps int, now, ready int64) {
	if r == nil {
		return
	}
	dispatch := r.log.Add(now, causes.Since{At: now, Cause: r.over, Kind: sim.CauseDispatch}, causes.Site{SM: r.index, CTA: -1, Warp: -1, PC: -1})
	r.warps, r.posts, r.exits = r.warps[:0], r.posts[:0], r.exits[:0]
	for range warps {
		r.warps = append(r.warps, causes.Since{At: ready, Cause: dispatch, Kind: sim.CauseDispatch})
		r.posts = append(r.posts, causes.Since{})
		r.exits = append(r.exits, causes.Since{})
	}
}

// issue notes that a warp issues.
func (r *reasons) issue(id int, now int64) {
	if r != nil {
		r.now = r.log.Issue(now, causes.Later(r.warps[id], r.port), r.sm.Site(id, &r.sm.warps[id].Warp))
	}
}

// since returns that something is possible from a cycle on because of the instruction that issues.
func (r *reasons) since(at int64, why sim.Stall) causes.Since {
	return causes.Since{At: at, Cause: r.now, Kind: causes.Kind(why)}
}

// ready says when a warp can issue because of the instruction that issues.
func (r *reasons) ready(id int, at int64, why sim.Stall) {
	if r != nil {
		r.warps[id] = r.since(at, why)
	}
}

// fence says the same of a warp that issues a fence, which is over in a cycle but for the accesses before it.
func (r *reasons) fence(id int, over int64) {
	if r != nil {
		r.warps[id] = causes.Later(r.since(over, sim.StallFence), r.posts[id].As(causes.Kind(sim.StallFence)))
	}
}

// served says when a posted access of the warp that issues is over.
func (r *reasons) served(id int, at int64) {
	if r != nil {
		r.posts[id] = causes.Later(r.posts[id], r.since(at, sim.StallMemory))
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

// exit says when the warp that issues its last instruction can retire: not before the port is free.
func (r *reasons) exit(id int, free int64) {
	if r != nil {
		r.exits[id] = causes.Later(r.since(free, sim.StallDrain), r.posts[id].As(causes.Kind(sim.StallDrain)))
	}
}

// retire notes that a warp retires.
func (r *reasons) retire(id int, now int64) {
	if r != nil {
		r.over = r.log.Retire(now, r.exits[id], r.sm.Site(id, &r.sm.warps[id].Warp))
	}
}
