package split

import (
	"warpbound/internal/causes"
	"warpbound/internal/sim"
	"warpbound/internal/sim/core"
)

// reasons are what a CU keeps for the chain of causes: beside each time until which something waits, the event that led to
// it. Its methods do nothing on nil: then nobody asks for the chain.
type reasons struct {
	log    *core.Log
	cu     *cu
	parts  []partReasons  // by warp-split
	ports  []causes.Since // by port: port.free
	memory causes.Since   // cu.freeAt
	now    causes.ID      // the pass that issues
	holds  causes.Kind    // what it keeps the port with
	over   causes.ID      // the last retirement
}

// partReasons are those of a warp-split.
type partReasons struct {
	ready   causes.Since // cu.ready
	served  causes.Since // warpSplit.served
	retires causes.Since // warpSplit.retires
	met     causes.Since // warpSplit.met
}

// names hands out all names of events.
func (s *Sim) names(name func(*causes.ID)) {
	for i := range s.cus {
		r := s.cus[i].reasons
		for k := range r.parts {
			p := &r.parts[k]
			for _, since := range []*causes.Since{&p.ready, &p.served, &p.retires, &p.met} {
				name(&since.Cause)
			}
		}
		core.Names(name, r.ports)
		s.cus[i].l1.Each(func(line *causes.Since) { name(&line.Cause) })
		name(&r.memory.Cause)
		name(&r.now)
		name(&r.over)
	}
}

// reset forgets all, before a run.
func (r *reasons) reset() {
	if r == nil {
		return
	}
	*r = reasons{log: r.log, cu: r.cu, parts: r.parts, ports: r.ports}
	if n := len(r.cu.warpSplits); n > len(r.parts) {
		r.parts = make([]partReasons, n)
	}
	clear(r.parts)
	clear(r.ports)
}

// begin returns the event that a CTA begins in the cycle now.
func (r *reasons) begin(cta int, now int64) causes.ID {
	if r == nil {
		return 0
	}
	s := causes.Since{At: now, Cause: r.over, Kind: sim.CauseDispatch}
	return r.log.Add(now, s, causes.Site{SM: int16(r.cu.index), CTA: int32(cta), Warp: -1, PC: -1})
}

// start lets a wavefront issue from a cycle on because its CTA has begun.
func (r *reasons) start(at int, ready int64, begin causes.ID) {
	if r != nil {
		r.parts[at] = partReasons{ready: causes.Since{At: ready, Cause: begin, Kind: sim.CauseDispatch}}
	}
}

// site returns where a warp-split is.
func (r *reasons) site(st *warpSplit) causes.Site {
	sl, warp := r.cu.cta(st.x)
	return causes.Site{SM: int16(r.cu.index), CTA: int32(sl.cta.Index), Warp: int16(warp), PC: int32(st.pc)}
}

// pass notes that a warp-split issues a pass on a port, until the cycle end.
func (r *reasons) pass(at, port int, now, end int64, first bool) {
	if r == nil {
		return
	}
	st := &r.cu.warpSplits[at]
	since := causes.Later(r.parts[at].ready, r.ports[port])
	if first {
		r.now = r.log.Issue(now, since, r.site(st))
	} else {
		r.now = r.log.Add(now, since, r.site(st))
	}
	r.holds = sim.CauseIssue
	if !first || st.left > 1 {
		r.holds = causes.Kind(st.busy)
	}
	r.ports[port] = causes.Since{At: end, Cause: r.now, Kind: r.holds}
	r.parts[at].ready = r.ports[port]
}

// since returns that something is possible from a cycle on because of the pass that issues.
func (r *reasons) since(at int64, why sim.Stall) causes.Since {
	if r == nil {
		return causes.Since{At: at}
	}
	return causes.Since{At: at, Cause: r.now, Kind: causes.Kind(why)}
}

// ready says when a warp-split can issue because of the pass that issues.
func (r *reasons) ready(at int, ready int64, why sim.Stall) {
	if r != nil {
		r.parts[at].ready = r.since(ready, why)
	}
}

// fence says that it cannot before its posted accesses are served.
func (r *reasons) fence(at int) {
	if r != nil {
		p := &r.parts[at]
		p.ready = causes.Later(p.ready, p.served.As(causes.Kind(sim.StallFence)))
	}
}

// there says when a warp-split can issue that loads what the L1 has.
func (r *reasons) there(at int, last causes.Since) {
	if r != nil {
		r.parts[at].ready = last
	}
}

// access notes that the memory begins with an access in a cycle whose last pass issues and ends in the cycle end: at once, or
// after others. It is free for the next one and the access is served when it says so. It returns the event.
func (r *reasons) access(at int, begins, end, free, served int64, posted bool) causes.ID {
	if r == nil {
		return 0
	}
	p := &r.parts[at]
	s := causes.Since{At: end, Cause: r.now, Kind: r.holds}
	if begins > end {
		s = r.memory
	}
	access := r.log.Add(begins, s, r.site(&r.cu.warpSplits[at]))
	r.memory = causes.Since{At: free, Cause: access, Kind: causes.Kind(sim.StallLSU)}
	result := causes.Since{At: served, Cause: access, Kind: causes.Kind(sim.StallMemory)}
	if posted {
		p.served = causes.Later(p.served, result)
		p.ready = r.memory
	} else {
		p.ready = result
	}
	return access
}

// exit says when a wavefront can retire whose last pass issues and ends in the cycle end.
func (r *reasons) exit(at int, end int64) {
	if r != nil {
		p := &r.parts[at]
		p.retires = causes.Later(r.since(end, sim.StallDrain), p.served.As(causes.Kind(sim.StallDrain)))
	}
}

// retire notes that a wavefront retires.
func (r *reasons) retire(at int, now int64) {
	if r != nil {
		r.over = r.log.Retire(now, r.parts[at].retires, r.site(&r.cu.warpSplits[at]))
	}
}

// split hands to the part that splits off what its lanes wait for.
func (r *reasons) split(parent, child int) {
	if r != nil {
		r.parts[child] = partReasons{served: r.parts[parent].served}
	}
}

// depart says when the part that has split off can issue, or when it is where it merges.
func (r *reasons) depart(child int, ready int64, why sim.Stall) {
	if r != nil {
		s := r.since(ready, why)
		r.parts[child].ready, r.parts[child].met = s, s
	}
}

// arrive says that a warp-split waits from then on to merge when it could have issued.
func (r *reasons) arrive(at int) {
	if r != nil {
		r.parts[at].met = r.parts[at].ready
	}
}

// join lets a part issue from then on when both parts are where they merge.
func (r *reasons) join(parent, child int) {
	if r != nil {
		r.parts[parent].ready = causes.Later(r.parts[parent].met, r.parts[child].met)
	}
}

// merge hands over what the lanes wait for that merge with others.
func (r *reasons) merge(parent, child int) {
	if r != nil {
		r.parts[parent].served = causes.Later(r.parts[parent].served, r.parts[child].served)
	}
}
