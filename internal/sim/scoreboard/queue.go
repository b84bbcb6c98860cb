package scoreboard

import (
	"warpbound/internal/emu"
	"warpbound/internal/isa"
)

// Here is the way of memory instructions to the load/store unit on machines where each scheduler has a buffer for them (machine.LSU):
//
//	scheduler 0 ──> buffer ──> addresses ──┐
//	scheduler 1 ──> buffer ──> addresses ──┼──> unit: tags, banks, port to the crossbar
//	...                                    │
//
// An instruction leaves its buffer when the unit takes it. Its lines are looked up then.

// queue is the buffer of a scheduler, a ring.
type queue struct {
	waiting     []buffered
	first, used int
	next        int64 // when the addresses of the next instruction can be computed, if that is later than it would be without others
}

// buffered is an instruction in a buffer.
type buffered struct {
	warp    int32
	step    *step
	kind    emu.AccessKind
	bytes   int
	lines   []lineAccess
	at      int64 // when it can leave, unless it waits for others
	busy    int64 // for so many cycles it occupies the shared memory
	service int64 // and the tags and banks of the L1 for so many fractions of a cycle; see lsu.free
	group   int64 // of the asynchronous copy
}

func (q *queue) reset() { q.first, q.used, q.next = 0, 0, 0 }

// leaves returns when the first instruction can leave: never if there is none.
func (q *queue) leaves() int64 {
	if q.used == 0 {
		return never
	}
	return max(q.waiting[q.first].at, q.next)
}

// divideAside is divide for an access without lines, while the unit has lines of another.
func (m *sm) divideAside(w *warp, st *step) int64 {
	l := &m.lsu
	l.lines, l.spare = l.spare, l.lines
	busy := m.divide(w, st)
	l.lines, l.spare = l.spare, l.lines
	return busy
}

// buffer puts the memory access that a warp has just executed into the buffer of its scheduler.
func (m *sm) buffer(w *warp, st *step, now int64) {
	l, acc, front := &m.lsu, &m.eff.Access, &m.sim.cfg.Machine.LSU
	q := &l.queues[w.sched]
	b := &q.waiting[(q.first+q.used)%len(q.waiting)]
	q.used++
	l.lines, b.lines = b.lines, l.lines
	busy := m.divide(w, st)
	l.lines, b.lines = b.lines, l.lines
	b.warp, b.step, b.kind, b.bytes = w.id, st, acc.Kind, acc.Bytes
	b.at, b.busy, b.service = now+front.Latency.Value, busy, m.service(b.lines)
	m.reasons.buffers(int(w.sched), (q.first+q.used-1)%len(q.waiting), b.at)
	w.setReady(st, pending)
	w.inflight++
	if st.async {
		b.group = w.copies.begin()
	}
	if q.used == len(q.waiting) {
		m.accepts[st.pipe] = never
	}
	if l.current == len(l.lines) {
		m.plan(now)
	}
}

// service returns for how many fractions of a cycle lines occupy the tags and the banks of the L1: each further tag takes one, and a
// word of a bank a cycle.
func (m *sm) service(lines []lineAccess) int64 {
	l, acc, front := &m.lsu, &m.eff.Access, &m.sim.cfg.Machine.LSU
	if len(lines) == 0 {
		return 0
	}
	within := uint64(front.Tag.Value - 1)
	tags := int64(0)
	for i := range lines {
		seen := false
		for k := range lines[:i] {
			seen = seen || (lines[k].addr^lines[i].addr)&^within == 0
		}
		if !seen {
			tags++
		}
	}
	passes := int64(1)
	if acc.Kind == emu.Load && acc.Space != isa.Local && acc.Space != isa.Generic && !acc.Bulk {
		passes = l.banks.passes(acc, m.eff.Mask)
	}
	return max(passes*front.Tags.Value, tags+front.Tags.Value-1)
}

// plan works out when the unit, which has done what it had to do until the cycle now, takes the next instruction.
func (m *sm) plan(now int64) {
	l := &m.lsu
	next := int64(never)
	for i := range l.queues {
		next = min(next, l.queues[i].leaves())
	}
	tags := m.sim.cfg.Machine.LSU.Tags.Value
	l.next = max(next, (l.free+tags-1)/tags, now+1)
	m.next = min(m.next, l.next)
}

// stepQueues goes on with the lines of the instruction that the unit has, or takes the next one.
func (m *sm) stepQueues(now int64) {
	l := &m.lsu
	if l.current == len(l.lines) {
		m.take(now)
	}
	for ; l.current < len(l.lines); l.current++ {
		if retry := m.accessLine(&l.lines[l.current], now); retry > now {
			l.next = retry
			m.reasons.full(retry)
			return
		}
		m.reasons.lineTaken(now)
	}
	m.reasons.takesNext(now)
	m.plan(now)
}

// take lets the unit take the instruction that can leave its buffer now. The queues take turns.
func (m *sm) take(now int64) {
	l, front := &m.lsu, &m.sim.cfg.Machine.LSU
	k := l.turn
	for l.queues[k].leaves() > now {
		if k++; k == len(l.queues) {
			k = 0
		}
	}
	if l.turn = k + 1; l.turn == len(l.queues) {
		l.turn = 0
	}
	q := &l.queues[k]
	place := q.first
	b := &q.waiting[place]
	if q.first++; q.first == len(q.waiting) {
		q.first = 0
	}
	q.used--
	q.next = now + front.Address.Value
	m.accepts[b.step.pipe] = min(m.accepts[b.step.pipe], now)
	m.scheds[k].next = min(m.scheds[k].next, now)

	busy := max(b.busy, int64(b.step.initiation), front.Interval.Value)
	if l.free <= (now-1)*front.Tags.Value { // else what is left of the cycle before counts
		l.free = now * front.Tags.Value
	}
	l.free += max(busy*front.Tags.Value, b.service)
	m.reasons.takesFrom(k, place, now, q.next, (l.free+front.Tags.Value-1)/front.Tags.Value)
	w := &m.warps[b.warp]
	over := now + int64(b.step.latency)
	if len(b.lines) == 0 {
		over += max(b.busy-int64(b.step.initiation), 0)
		w.setReady(b.step, readyAt(over, true))
		w.busy = max(w.busy, over)
		if b.step.async {
			w.copies.end(b.group, over)
		}
		m.reasons.takenWhole(w, b, over)
		m.settle(b.warp, now, m.reasons.taken())
		return
	}
	l.lines, b.lines = b.lines, l.lines
	l.current, l.step, l.kind, l.bytes = 0, b.step, b.kind, b.bytes
	// The last word of hits comes when all have been served.
	o := operation{warp: b.warp, step: b.step, left: int32(len(l.lines)), group: b.group, earliest: over + (b.service-1)/front.Tags.Value}
	l.op = l.alloc(o)
	m.reasons.operation(l.op, o.earliest)
}
