package scoreboard

import (
	"math/bits"

	"warpbound/internal/causes"
	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/sim"
)

// lsu is the load/store unit of an SM with the L1 and the ports of the crossbar.
// It works on one instruction at a time, line by line and in order.
type lsu struct {
	next    int64 // when the next line is due; never if there is none or it waits for an answer
	lines   []lineAccess
	current int // index into lines
	step    *step
	kind    emu.AccessKind
	bytes   int // per lane
	op      int32

	ops    []operation
	freeOp int32

	queues []queue // by scheduler; none if instructions issue when the unit takes them
	free   int64   // when the unit takes the next instruction from a buffer, in fractions of a cycle of which there are as many as tags per cycle
	turn   int     // the queue that is asked first
	spare  []lineAccess

	l1      cache
	l1mshrs mshrs
	banks   banks

	departs []int64 // when the last packets have left, in a ring
	oldest  int     // index into departs
	waiting int64   // requests that were not answered yet
	outFree int64   // when the port to the crossbar is free
	inFree  int64   // when the port from it is free
}

// operation is an access under way.
type operation struct {
	warp     int32
	left     int32 // lines that are not done
	earliest int64 // before which the result is not ready
	step     *step
	group    int64 // of the asynchronous copy
	next     int32 // in the free list
}

// mshrs are the registers of an L1 that hold what waits for fetched lines.
type mshrs struct {
	line    []int32 // by register: index of the line
	count   []int32 // by register: how many wait; 0 if it is free
	waiters []int32 // operations; those of register k begin at k*merge
	merge   int32
	free    []int32 // registers
}

func (l *lsu) init(s *Sim) {
	m := s.cfg.Machine
	n, merge := m.L1.MSHRs.Value, m.L1.Merge.Value
	l.l1 = newCache(m.L1.Sets.Value, m.L1.Ways.Value, m.L1.Line.Value, m.L1.Index.Value)
	l.l1mshrs = mshrs{line: make([]int32, n), count: make([]int32, n), waiters: make([]int32, n*merge), merge: int32(merge), free: make([]int32, 0, n)}
	l.banks = banks{count: int(m.Shared.Banks.Value), shift: bits.TrailingZeros64(uint64(m.Shared.BankBytes.Value))}
	l.departs = make([]int64, m.Interconnect.Buffer.Value)
	if n := m.LSU.Buffer.Value; n > 0 {
		l.queues = make([]queue, m.SM.Schedulers.Value)
		for i := range l.queues {
			l.queues[i].waiting = make([]buffered, n)
		}
	}
}

// reset empties the unit and an L1 of so many ways, all if they are 0.
func (l *lsu) reset(ways int) {
	l.next, l.lines, l.current = never, l.lines[:0], 0
	l.ops, l.freeOp = l.ops[:0], none
	l.l1.resetTo(ways)
	clear(l.l1mshrs.count)
	l.l1mshrs.free = l.l1mshrs.free[:0]
	for k := len(l.l1mshrs.count) - 1; k >= 0; k-- {
		l.l1mshrs.free = append(l.l1mshrs.free, int32(k))
	}
	clear(l.departs)
	l.oldest, l.waiting, l.outFree, l.inFree = 0, 0, 0, 0
	for i := range l.queues {
		l.queues[i].reset()
	}
	l.free, l.turn = 0, 0
}

func (l *lsu) alloc(o operation) int32 {
	i := l.freeOp
	if i == none {
		l.ops = append(l.ops, o)
		return int32(len(l.ops) - 1)
	}
	l.freeOp = l.ops[i].next
	l.ops[i] = o
	return i
}

// stepLSU handles the line that is due.
func (m *sm) stepLSU(now int64) {
	l := &m.lsu
	if len(l.queues) > 0 {
		m.stepQueues(now)
		return
	}
	if retry := m.accessLine(&l.lines[l.current], now); retry > now {
		l.next = retry
		m.reasons.full(retry)
		return
	}
	l.current++
	l.next = now + int64(l.step.initiation)
	m.reasons.lineTaken(l.next)
	if l.current < len(l.lines) {
		return
	}
	m.accepts[l.step.pipe] = l.next
	m.reasons.accepts(l.step)
	for i := range m.scheds {
		m.scheds[i].next = min(m.scheds[i].next, l.next)
	}
	l.next = never
}

// accessLine looks a line up in the L1 and sends what has to be sent. It returns
// now if that could be done, otherwise when to try again: never if an answer has
// to come first.
func (m *sm) accessLine(a *lineAccess, now int64) int64 {
	l := &m.lsu
	m.reasons.lineBegins(now)
	i := l.l1.find(a.addr)
	present := i != none && l.l1.lines[i].state != fetched
	switch {
	case l.kind == emu.Load && (a.local || !l.step.volatile):
		return m.loadLine(a, i, now)
	case l.kind == emu.Store && a.local && present:
		m.count.L1Hits++
		l.l1.lines[i].state = dirty
		l.l1.touch(i)
		m.lineDone(l.op, now+int64(l.step.latency), now, m.reasons.taken())
		return now
	}
	if retry := m.room(1, now); retry > now {
		return retry
	}
	q := request{kind: read, target: l.op}
	asked, answered := int64(0), m.sim.cfg.Machine.L1.Line.Value
	touched := int64(bits.OnesCount64(a.words)) * sim.WordBytes
	switch l.kind {
	case emu.Store:
		q.kind, asked, answered = write, touched, 0
		q.full = touched == m.sim.cfg.Machine.L1.Line.Value && l.bytes >= sim.WordBytes
		if a.local {
			m.count.L1Misses++
		}
	case emu.Atomic:
		q.kind, asked, answered = atomic, touched, 0
		if l.step.results {
			answered = touched
		}
		q.cost = a.cost * int32(m.sim.cfg.Machine.L2.Atomic.Value)
	}
	if present && l.kind != emu.Load {
		l.l1.drop(i) // global writes evict
	}
	m.send(q, a.addr, asked, answered, now)
	return now
}

// loadLine loads a line, which has index i in the L1 or is not there, through
// the L1.
func (m *sm) loadLine(a *lineAccess, i int32, now int64) int64 {
	l, count := &m.lsu, &m.count
	ms := &l.l1mshrs
	if i != none && l.l1.lines[i].state == fetched {
		k := l.l1.lines[i].mshr
		if ms.count[k] == ms.merge {
			return never
		}
		count.L1Merged++
		m.wait(k, now)
		return now
	}
	if i != none {
		count.L1Hits++
		l.l1.touch(i)
		m.lineDone(l.op, now+int64(l.step.latency), now, m.reasons.taken())
		return now
	}
	i = l.l1.victim(a.addr)
	if i == none || len(ms.free) == 0 {
		return never
	}
	old := &l.l1.lines[i]
	packets := 1
	if old.state == dirty {
		packets = 2
	}
	if retry := m.room(packets, now); retry > now {
		return retry
	}
	count.L1Misses++
	line := m.sim.cfg.Machine.L1.Line.Value
	if old.state == dirty {
		m.send(request{kind: writeBack, full: true, target: none}, old.tag, line, 0, now)
	}
	last := len(ms.free) - 1
	k := ms.free[last]
	ms.free = ms.free[:last]
	ms.line[k] = i
	l.l1.claim(i, a.addr, fetched, k)
	m.wait(k, now)
	m.send(request{kind: fill, target: k}, a.addr, 0, line, now)
	return now
}

// wait enters the current operation into an MSHR.
func (m *sm) wait(k int32, now int64) {
	l := &m.lsu
	ms := &l.l1mshrs
	ms.waiters[k*ms.merge+ms.count[k]] = l.op
	ms.count[k]++
	o := &l.ops[l.op]
	o.earliest = max(o.earliest, now+int64(l.step.latency))
	m.reasons.lineWaits(l.op, now+int64(l.step.latency))
}

// answered takes the answer to a request.
func (m *sm) answered(kind requestKind, target int32, now int64, by causes.ID) {
	l := &m.lsu
	l.waiting--
	if kind == fill {
		m.filled(target, now, by)
	} else {
		m.lineDone(target, now, now, by)
	}
	if l.current < len(l.lines) && l.next == never {
		l.next = now
		m.reasons.goesOn(now, by)
	}
}

// filled puts a line into the L1 and ends what waited for it.
func (m *sm) filled(k int32, now int64, by causes.ID) {
	l := &m.lsu
	ms := &l.l1mshrs
	l.l1.lines[ms.line[k]].state = valid
	for _, op := range ms.waiters[k*ms.merge : k*ms.merge+ms.count[k]] {
		m.lineDone(op, now, now, by)
	}
	ms.count[k] = 0
	ms.free = append(ms.free, k)
}

// lineDone ends the access to one line, now, and with the last line the
// operation. The data are there in the cycle ready.
func (m *sm) lineDone(op int32, ready, now int64, by causes.ID) {
	l := &m.lsu
	o := &l.ops[op]
	o.earliest = max(o.earliest, ready)
	m.reasons.lineEnds(op, ready, by)
	if o.left--; o.left > 0 {
		return
	}
	w := &m.warps[o.warp]
	w.setReady(o.step, readyAt(o.earliest, true))
	w.busy = max(w.busy, o.earliest)
	if o.step.async {
		w.copies.end(o.group, o.earliest)
	}
	m.reasons.ends(op, w, o)
	m.settle(o.warp, now, by)
	o.next, l.freeOp = l.freeOp, op
}

// room returns now if so many packets, one of them a request, may be sent to the
// crossbar, otherwise when to try again. A packet reaches the buffer before the
// port after the latency of the L1 and stays there until it has left.
func (m *sm) room(packets int, now int64) int64 {
	l := &m.lsu
	if l.waiting == m.sim.cfg.Machine.Interconnect.Credits.Value {
		return never
	}
	last := l.oldest + packets - 1
	if last >= len(l.departs) {
		last -= len(l.departs)
	}
	m.reasons.waitsFor(last)
	return max(now, l.departs[last]-int64(l.step.latency))
}

// send sends a packet to the partition of an address, with so many bytes of data
// on the way there and back.
func (m *sm) send(q request, addr uint64, asked, answered, now int64) {
	l, s, ic := &m.lsu, m.sim, &m.sim.cfg.Machine.Interconnect
	q.sm = int16(m.index)
	part, line := locate(s.cfg.Machine, addr)
	q.line = line
	s.enter(&q, m.index, part)
	q.flits = s.flits[asked/sim.WordBytes]
	if q.kind != writeBack {
		q.reply = s.flits[answered/sim.WordBytes]
		l.waiting++
	}
	ready := now + int64(l.step.latency)
	start := max(ready, l.outFree)
	m.reasons.sends(&q, start, start > ready)
	l.outFree = start + int64(q.flits)
	l.departs[l.oldest] = l.outFree
	if l.oldest++; l.oldest == len(l.departs) {
		l.oldest = 0
	}
	q.at = start + ic.Latency.Value
	m.out.packets = append(m.out.packets, q)
}

// receive takes a packet whose head arrives at the SM, at q.at, in a cycle that is still to
// come.
func (m *sm) receive(q *request) {
	m.in.packets = append(m.in.packets, *q)
	m.in.first = min(m.in.first, q.at)
}

// flitTable returns the flits of packets by the words of data in them, up to a
// line.
func flitTable(m *machine.Machine) []int32 {
	ic := &m.Interconnect
	table := make([]int32, m.L1.Line.Value/sim.WordBytes+1)
	for words := range table {
		bytes := ic.Header.Value + int64(words)*sim.WordBytes
		table[words] = int32((bytes + ic.Flit.Value - 1) / ic.Flit.Value)
	}
	return table
}

// locate returns the partition of an address and the address within it. Chunks of addresses go to the partitions in turn. With a hash
// the turn of each row of them is shifted by the sum of the digits of its number, to the base of the number of partitions, so that
// chunks whose distance is a multiple of a row do not share one partition.
func locate(m *machine.Machine, addr uint64) (part int, within uint64) {
	chunk, n := uint64(m.L2.Interleave.Value), uint64(m.L2.Partitions.Value)
	number := addr >> bits.TrailingZeros64(chunk)
	row := number / n
	place := number - row*n
	if m.L2.Hash.Value == machine.On && n > 1 {
		for rest := row; rest != 0; rest /= n {
			place += rest % n
		}
		place %= n
	}
	return int(place), row*chunk | addr&(chunk-1)
}
