package scoreboard

// Here is how requests pass an L2 of two halves (machine.L2, Far):
//
//	SM ──> partition of its half ───────────────> partition of the address
//	       │ counterpart of the other             │ tags, DRAM, atomic operations
//	       │ answers what it has a copy of        │ drops the copy of what is written
//	   <───┴─ keeps a copy of what is read <──────┘
//
// The partition i of one half and the one so many partitions behind it as a half has are each other's counterparts. An SM has ports to
// the partitions of its half only. A counterpart keeps a copy when it passes, and nothing waits in it for one that is on its way:
// partitions that waited for each other could do so forever.

// way says where a request is if the L2 has two halves.
type way uint8

const (
	direct  way = iota // its SM has a port to the partition of its address
	near               // at the counterpart of that, in the half of its SM
	crossed            // from there at the partition of its address, in the other half
)

// copied marks the line of a copy among those of a partition, whose addresses end in 0.
const copied = 1

// halved reports whether the L2 has two halves.
func (s *Sim) halved() bool { return s.cfg.Machine.L2.Far.Value > 0 }

// enter says to which partition an SM sends a request for something that is in the partition home.
func (s *Sim) enter(q *request, sm, home int) {
	q.part = int16(home)
	if s.halved() && 2*sm/len(s.sms) != 2*home/len(s.mem.parts) {
		q.part, q.way = int16(s.mem.counterpart(home)), near
	}
}

// counterpart returns the partition of the other half that keeps copies of what is in a partition.
func (mem *memory) counterpart(part int) int {
	n := len(mem.parts)
	return (part + n/2) % n
}

// cross lets a request arrive at the tags of the partition of its address, in the other half.
func (p *partition) cross(r int32, now int64) {
	w := &p.sim.mem.wheel
	q := &w.reqs[r]
	q.way, q.part = crossed, int16(p.sim.mem.counterpart(p.index))
	w.send(r, atL2, now+p.sim.cfg.Machine.L2.Far.Value/2)
}

// recross lets what answers a request arrive at the partition that it crossed from.
func (p *partition) recross(r int32, now int64) {
	w, far := &p.sim.mem.wheel, p.sim.cfg.Machine.L2.Far.Value
	q := &w.reqs[r]
	q.way, q.part = near, int16(p.sim.mem.counterpart(p.index))
	w.send(r, recrossed, now+far-far/2)
}

// serveNear looks for a copy of what is read in the half of the SM.
func (p *partition) serveNear(r int32, now int64) {
	s := p.sim
	p.served(&s.mem.wheel.reqs[r], now)
	if i := p.cache.find(s.mem.wheel.reqs[r].line | copied); i != none {
		s.mem.count.L2Hits++
		p.cache.touch(i)
		p.reply(r, now)
	} else {
		p.cross(r, now)
	}
	p.tagsFree = now + s.cfg.Machine.L2.Initiation.Value
	p.tagsBusy(p.tagsFree, p.reasons.serves)
}

// passBack takes what answers a request from the other half. It keeps a copy of what was read, unless all lines whose place it could take are
// on their way.
func (p *partition) passBack(r int32, now int64) {
	q := &p.sim.mem.wheel.reqs[r]
	if line := q.line | copied; q.reads() && p.cache.find(line) == none {
		if i := p.cache.victim(line); i != none {
			p.evict(i, now)
			p.cache.claim(i, line, valid, none)
		}
	}
	p.reply(r, now)
}

// dropCopy removes the copy in the other half of a line that is written.
func (p *partition) dropCopy(line uint64) {
	other := &p.sim.mem.parts[p.sim.mem.counterpart(p.index)].cache
	if i := other.find(line | copied); i != none {
		other.drop(i)
	}
}

// reads reports whether a request asks for a line and leaves it as it is.
func (q *request) reads() bool { return q.kind == read || q.kind == fill }
