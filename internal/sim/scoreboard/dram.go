package scoreboard

import (
	"math/bits"

	"warpbound/internal/causes"
	"warpbound/internal/machine"
)

// dram is the memory behind one partition. Its controller serves the first of
// the oldest requests whose row is open, and opens rows for the oldest others. In another order (machine.Order) each bank serves one
// request after the other, whichever row is open, and the controller goes on with the oldest of those whose turn it is.
// Times are in cycles of its own clock unless said otherwise.
type dram struct {
	m         *machine.Machine
	core      int64         // core cycles in the time of
	cycles    int64         // so many cycles of this clock
	burst     int64         // cycles of the bus for one line
	window    int           // requests among which the controller chooses
	next      int64         // core cycle in which the controller acts
	at        int64         // the same in its own clock
	queue     []dramRequest // the waiting ones begin at head
	head      int
	closed    int // requests among which the controller chooses whose rows are not open
	banks     []bank
	busFree   int64 // when the data bus is free
	readReady int64 // when a read may follow the last write
	opened    int64 // when a row was opened last, in any bank
	others    background
	order     machine.Order
	arrived   uint64 // requests so far
	dice      rng    // by which machine.AnyRequest chooses
}

// dramRequest is an access to a line.
type dramRequest struct {
	row    int64
	bank   int32
	target int32     // MSHR of the L2, none for a write
	cause  causes.ID // as of the request
	opens  bool      // its row was not open when its turn came
	rank   uint64    // the request of a bank with the lowest is first, unless the order is machine.FRFCFS; 0 if its row was opened for it
}

// bank is the state of a bank.
type bank struct {
	row      int64 // the open one, or noRow, or foreignRow
	used     bool  // the kernel has accessed the open row since it was opened
	column   int64 // when the open row can be accessed
	close    int64 // when the open row can be closed
	activate int64 // when a row can be opened
	leader   int   // position of the request that is served first, or none; see leaders
}

// Rows of no request of the kernel.
const (
	noRow      = -1 // none is open
	foreignRow = -2 // that of another's request
)

func (d *dram) init(m *machine.Machine, partition int) {
	d.m = m
	d.others = newBackground(m, partition)
	d.core, d.cycles = m.ClockRatio()
	if d.order = m.DRAM.Order.Value; d.order == "" {
		d.order = machine.FRFCFS
	}
	d.dice = newRNG(m.SM.PolicySeed.Value, ofController, partition)
	d.burst = m.L2.Line.Value / m.DRAM.Burst.Value * m.DRAM.CCD.Value
	d.window = int(m.DRAM.Queue.Value)
	d.banks = make([]bank, m.DRAM.Banks.Value)
}

func (d *dram) reset() {
	d.queue, d.head, d.closed = d.queue[:0], 0, 0
	for i := range d.banks {
		d.banks[i] = bank{row: noRow}
	}
	d.others.sent = 0
	d.next, d.at, d.busFree, d.readReady = never, 0, 0, 0
	d.arrived, d.dice = 0, d.dice.again()
	d.opened = -d.m.DRAM.RRD.Value
}

// toDRAM converts a core cycle to the first cycle of this clock that begins then
// or later; toCore converts back likewise.
func (d *dram) toDRAM(t int64) int64 { return scale(t, d.cycles, d.core) }
func (d *dram) toCore(t int64) int64 { return scale(t, d.core, d.cycles) }

// scale returns t*num/den rounded up.
func scale(t, num, den int64) int64 {
	hi, lo := bits.Mul64(uint64(t), uint64(num))
	lo, carry := bits.Add64(lo, uint64(den-1), 0)
	q, _ := bits.Div64(hi+carry, lo, uint64(den))
	return int64(q)
}

// enqueue takes a request for a line.
func (d *dram) enqueue(q *request, now int64) {
	row := int64(q.line >> bits.TrailingZeros64(uint64(d.m.DRAM.Row.Value)))
	banks := uint64(len(d.banks)) // a power of two
	e := dramRequest{row: row >> bits.TrailingZeros64(banks), bank: int32(row) & int32(banks-1), target: none, cause: q.cause}
	if q.kind == dramRead {
		e.target = q.target
	}
	d.arrived++
	switch d.order {
	case machine.FCFS:
		e.rank = d.arrived
	case machine.LIFO:
		e.rank = -d.arrived
	case machine.AnyRequest:
		e.rank = d.dice.next() | 1
	}
	if d.head > len(d.queue)/2 {
		d.queue = d.queue[:copy(d.queue, d.queue[d.head:])]
		d.head = 0
	}
	d.queue = append(d.queue, e)
	if len(d.queue)-d.head <= d.window {
		d.show(&e)
		d.wake(max(d.at, d.toDRAM(now)))
	}
}

// wake lets the controller act in a cycle of its clock, if not before.
func (d *dram) wake(at int64) {
	if d.next == never || at < d.at {
		d.at = at
		d.next = d.toCore(at)
	}
}

// show counts a request that the controller can choose from now on.
func (d *dram) show(e *dramRequest) {
	if d.banks[e.bank].row != e.row {
		d.closed++
	}
}

// visible returns the requests among which the controller chooses.
func (d *dram) visible() []dramRequest {
	return d.queue[d.head:min(len(d.queue), d.head+d.window)]
}

// step lets the controller act: it issues at most one access to an open row and
// opens at most one row.
func (d *dram) step(p *partition) {
	t := d.at
	d.serveOthers(t)
	next := min(d.access(p, t), d.openRow(t))
	d.at, d.next = t+1, never
	if next != never {
		d.at = max(next, t+1)
		d.next = d.toCore(d.at)
	}
}

// access issues the first access to an open row that is possible. It returns
// when to try again.
func (d *dram) access(p *partition, t int64) int64 {
	next := int64(never)
	waiting := d.visible()
	d.leaders(waiting)
	for i := range waiting {
		e := &waiting[i]
		b := &d.banks[e.bank]
		if b.row != e.row || d.order != machine.FRFCFS && b.leader != i {
			continue
		}
		latency, ready := d.m.DRAM.WL.Value, b.column
		if e.target != none {
			latency, ready = d.m.DRAM.CL.Value, max(ready, d.readReady)
		}
		if ready = max(ready, d.busFree-latency); ready > t {
			next = min(next, ready)
			continue
		}
		d.transfer(p, e, b, t, latency)
		copy(waiting[1:i+1], waiting[:i])
		d.head++
		if last := d.head + d.window - 1; last < len(d.queue) {
			d.show(&d.queue[last])
		}
		return t + 1
	}
	return next
}

// leaders finds the request of each bank that it serves first, unless open rows come first.
func (d *dram) leaders(waiting []dramRequest) {
	if d.order == machine.FRFCFS {
		return
	}
	for i := range d.banks {
		d.banks[i].leader = none
	}
	for i := range waiting {
		if b := &d.banks[waiting[i].bank]; b.leader == none || waiting[i].rank < waiting[b.leader].rank {
			b.leader = i
		}
	}
}

// transfer moves a line over the bus and lets a line that was read arrive at the
// L2.
func (d *dram) transfer(p *partition, e *dramRequest, b *bank, t, latency int64) {
	s := p.sim
	end := t + latency + d.burst
	d.busFree = end
	b.column = t + d.burst
	b.used = true
	if e.opens {
		s.mem.count.RowMisses++
	} else {
		s.mem.count.RowHits++
	}
	if e.target == none {
		s.mem.count.DRAMWrites++
		d.readReady = max(d.readReady, end+d.m.DRAM.CDLR.Value)
		b.close = max(b.close, end+d.m.DRAM.WR.Value)
		return
	}
	s.mem.count.DRAMReads++
	b.close = max(b.close, t+d.burst)
	r := s.mem.wheel.alloc(request{kind: dramRead, part: int16(p.index), target: e.target, cause: e.cause})
	s.mem.wheel.send(r, fromDRAM, max(d.toCore(end), d.toCore(t)+1))
}

// openRow opens the row of the oldest request whose bank has another row open
// that no request wants. It returns when to try again.
func (d *dram) openRow(t int64) int64 {
	if d.closed == 0 {
		return never
	}
	var taken [4]uint64 // banks that are not free for another row
	waiting := d.visible()
	d.leaders(waiting)
	for i := range waiting {
		if e := &waiting[i]; d.banks[e.bank].row == e.row && (d.order == machine.FRFCFS || d.banks[e.bank].leader == i) {
			taken[e.bank/64] |= 1 << (e.bank % 64)
		}
	}
	next := int64(never)
	for i := range waiting {
		e := &waiting[i]
		if d.order != machine.FRFCFS && d.banks[e.bank].leader != i {
			continue
		}
		if taken[e.bank/64]>>(e.bank%64)&1 != 0 {
			continue
		}
		taken[e.bank/64] |= 1 << (e.bank % 64)
		b := &d.banks[e.bank]
		closing, ready := int64(0), int64(0)
		if b.row != noRow {
			closing, ready = d.m.DRAM.RP.Value, b.close
		}
		ready = max(ready, b.activate-closing, d.opened+d.m.DRAM.RRD.Value-closing)
		if ready > t {
			next = min(next, ready)
			continue
		}
		at := t + closing
		d.open(b, e.row, at)
		e.opens, e.rank = true, 0 // no row is opened in vain
		d.showAll()
		return t + 1
	}
	return next
}

// open opens a row of a bank.
func (d *dram) open(b *bank, row, at int64) {
	*b = bank{leader: b.leader, row: row, column: at + d.m.DRAM.RCD.Value, close: at + d.m.DRAM.RAS.Value, activate: at + d.m.DRAM.RC.Value}
	d.opened = at
}

// showAll counts the visible requests anew, after a row was opened.
func (d *dram) showAll() {
	d.closed = 0
	waiting := d.visible()
	for i := range waiting {
		d.show(&waiting[i])
	}
}
