package scoreboard

import "warpbound/internal/sim"

// memory is everything behind the crossbar.
type memory struct {
	parts []partition
	wheel wheel
	next  int64 // when it has to be looked at
	count sim.Counters
}

func (mem *memory) init(s *Sim) {
	mem.parts = make([]partition, s.cfg.Machine.L2.Partitions.Value)
	for i := range mem.parts {
		mem.parts[i].init(s, i)
	}
}

func (mem *memory) reset() {
	mem.wheel.reset()
	mem.next = never
	mem.count = sim.Counters{}
	for i := range mem.parts {
		mem.parts[i].reset()
	}
}

// play performs what happens from the cycle start until before end.
func (mem *memory) play(start, end int64) {
	for now := mem.next; now < end; now = mem.next {
		for r := mem.wheel.due(now); r != none; {
			next := mem.wheel.reqs[r].next
			mem.deliver(r, now)
			r = next
		}
		next := int64(never)
		for i := range mem.parts {
			p := &mem.parts[i]
			if p.next <= now {
				p.step(now)
			}
			next = min(next, p.next)
		}
		mem.next = min(next, mem.wheel.next)
	}
}

// receive takes a packet whose head arrives at its partition, at q.at, in a cycle that is
// still to come.
func (mem *memory) receive(q *request) {
	mem.wheel.send(mem.wheel.alloc(*q), atPartition, q.at)
	mem.next = min(mem.next, q.at)
}

// deliver lets a request arrive where it was sent.
func (mem *memory) deliver(r int32, now int64) {
	q := &mem.wheel.reqs[r]
	p := &mem.parts[q.part]
	switch q.stage {
	case atPartition:
		behind := p.inFree > now
		p.inFree = max(p.inFree, now) + int64(q.flits)
		p.arrives(q, behind)
		at := p.inFree + p.sim.cfg.Machine.L2.Latency.Value
		if q.way == near && !q.reads() {
			p.cross(r, at)
		} else {
			mem.wheel.send(r, atL2, at)
		}
	case atL2:
		p.enqueue(r, now)
		p.next = now
	case atDRAM:
		p.dram.enqueue(q, now)
		p.next = now
		mem.wheel.release(r)
	case fromDRAM:
		k, by := q.target, p.filling(q.cause, now)
		mem.wheel.release(r)
		p.filled(k, now, by)
		p.next = now
	case reply:
		p.reply(r, now)
	case recrossed:
		p.passBack(r, now)
	}
}
