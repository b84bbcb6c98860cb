package scoreboard

import (
	"warpbound/internal/causes"
	"warpbound/internal/machine"
)

// partition is one partition of the memory: its ports of the crossbar, a slice
// of the L2 and the DRAM behind it.
type partition struct {
	next    int64 // when it has to be looked at
	sim     *Sim
	index   int
	inFree  int64 // when the port from the crossbar is free
	outFree int64 // when the port to the crossbar is free

	head, tail int32 // requests that wait for the tags
	tagsFree   int64 // when the tags can take the next request
	blocked    bool  // the first request waits for a line from DRAM
	cache      cache
	mshrs      []l2mshr
	freeMSHR   int32 // list, by next
	dram       dram
	reasons    partReasons
}

// l2mshr holds the requests that wait for a fetched line.
type l2mshr struct {
	line       int32 // index of the line; in the free list unused
	count      int32
	head, tail int32
	next       int32 // in the free list
}

func (p *partition) init(s *Sim, index int) {
	m := s.cfg.Machine
	p.sim, p.index = s, index
	p.cache = newCache(m.L2.Sets.Value, m.L2.Ways.Value, m.L2.Line.Value, machine.Linear)
	p.mshrs = make([]l2mshr, m.L2.MSHRs.Value)
	p.dram.init(m, index)
}

func (p *partition) reset() {
	p.next, p.inFree, p.outFree, p.tagsFree = never, 0, 0, 0
	p.head, p.tail, p.blocked = none, none, false
	p.cache.reset()
	for i := range p.mshrs {
		p.mshrs[i].next = int32(i) - 1
	}
	p.freeMSHR = int32(len(p.mshrs)) - 1
	p.dram.reset()
	p.reasons = partReasons{}
}

// step performs the work of one cycle.
func (p *partition) step(now int64) {
	for p.dram.next <= now {
		p.dram.step(p)
	}
	w := &p.sim.mem.wheel
	for p.head != none && !p.blocked && p.tagsFree <= now {
		r := p.head
		rest := w.reqs[r].next
		if p.blocked = !p.serve(r, now); !p.blocked {
			p.head = rest
		}
	}
	p.next = p.dram.next
	if p.head != none && !p.blocked {
		p.next = min(p.next, p.tagsFree)
	}
}

// enqueue lets a request wait for the tags.
func (p *partition) enqueue(r int32, now int64) {
	reqs := p.sim.mem.wheel.reqs
	reqs[r].next = none
	if p.head == none {
		p.head = r
		p.tagsFree = max(p.tagsFree, now)
	} else {
		reqs[p.tail].next = r
	}
	p.tail = r
}

// serve looks a request up in the L2. It reports whether it could: a miss needs
// a register and a line that is not fetched.
func (p *partition) serve(r int32, now int64) bool {
	s := p.sim
	q := &s.mem.wheel.reqs[r]
	if q.way == near {
		p.serveNear(r, now)
		return true
	}
	i := p.cache.find(q.line)
	switch {
	case i != none && p.cache.lines[i].state == fetched:
		ms := &p.mshrs[p.cache.lines[i].mshr]
		if int64(ms.count) == s.cfg.Machine.L2.Merge.Value {
			return false
		}
		p.served(q, now)
		s.mem.count.L2Merged++
		p.wait(ms, r)
	case i != none:
		p.served(q, now)
		s.mem.count.L2Hits++
		p.cache.touch(i)
		p.answer(r, i, now)
	default:
		i = p.cache.victim(q.line)
		if i == none || !q.full && p.freeMSHR == none {
			return false
		}
		p.served(q, now)
		s.mem.count.L2Misses++
		p.evict(i, now)
		if q.full { // nothing of the old line is left
			p.cache.claim(i, q.line, valid, none)
			p.answer(r, i, now)
		} else {
			p.fetch(r, i, now)
		}
	}
	p.tagsFree = now + max(s.cfg.Machine.L2.Initiation.Value, int64(s.mem.wheel.reqs[r].cost))
	p.tagsBusy(p.tagsFree, p.reasons.serves)
	return true
}

// evict writes a line back that makes room for another.
func (p *partition) evict(i int32, now int64) {
	if p.cache.lines[i].state == dirty {
		p.sim.mem.count.L2WriteBacks++
		p.toDRAM(request{kind: dramWrite, line: p.cache.lines[i].tag}, now)
	}
}

// fetch asks the DRAM for the line of a request and puts it at index i.
func (p *partition) fetch(r, i int32, now int64) {
	k := p.freeMSHR
	ms := &p.mshrs[k]
	p.freeMSHR = ms.next
	*ms = l2mshr{line: i, head: none}
	line := p.sim.mem.wheel.reqs[r].line
	p.cache.claim(i, line, fetched, k)
	p.wait(ms, r)
	p.toDRAM(request{kind: dramRead, line: line, target: k, cause: p.sim.mem.wheel.reqs[r].cause}, now)
}

// toDRAM sends a request to the DRAM's queue.
func (p *partition) toDRAM(q request, now int64) {
	s := p.sim
	q.part = int16(p.index)
	s.mem.wheel.send(s.mem.wheel.alloc(q), atDRAM, now+max(s.cfg.Machine.DRAM.Latency.Value, 1))
}

// wait enters a request into a register.
func (p *partition) wait(ms *l2mshr, r int32) {
	reqs := p.sim.mem.wheel.reqs
	reqs[r].next = none
	if ms.head == none {
		ms.head = r
	} else {
		reqs[ms.tail].next = r
	}
	ms.tail = r
	ms.count++
}

// filled puts a line that came from DRAM into the L2 and answers what waited.
func (p *partition) filled(k int32, now int64, by causes.ID) {
	ms := &p.mshrs[k]
	p.cache.lines[ms.line].state = valid
	for r := ms.head; r != none; {
		next := p.sim.mem.wheel.reqs[r].next
		p.awaited(&p.sim.mem.wheel.reqs[r], by, now)
		p.answer(r, ms.line, now)
		r = next
	}
	ms.next, p.freeMSHR = p.freeMSHR, k
	if p.blocked {
		p.blocked = false
		p.tagsFree = max(p.tagsFree, now)
		p.tagsBusy(now, by)
	}
}

// answer performs a request on a line that is present.
func (p *partition) answer(r, i int32, now int64) {
	w := &p.sim.mem.wheel
	q := &w.reqs[r]
	if q.kind == write || q.kind == writeBack || q.kind == atomic {
		p.cache.lines[i].state = dirty
		if p.sim.halved() {
			p.dropCopy(q.line)
		}
	}
	switch {
	case q.reply == 0:
		w.release(r)
	case q.cost > 0:
		w.send(r, reply, now+int64(q.cost))
	default:
		p.reply(r, now)
	}
}

// reply sends a packet back to the SM, if it came from the other half of the L2 through that.
func (p *partition) reply(r int32, now int64) {
	s := p.sim
	q := s.mem.wheel.reqs[r]
	if q.way == crossed {
		p.recross(r, now)
		return
	}
	s.mem.wheel.release(r)
	start := max(now, p.outFree)
	p.replies(&q, start, start > now)
	p.outFree = start + int64(q.reply)
	q.at = start + s.cfg.Machine.Interconnect.Latency.Value
	s.sms[q.sm].receive(&q)
}
