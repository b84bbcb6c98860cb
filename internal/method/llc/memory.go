package llc

import "warpbound/internal/machine"

// turns are the cycles in which a core may use something that is divided by time.
type turns struct{ first, period int64 }

// from returns the first turn that is not before a cycle.
func (t turns) from(at int64) int64 {
	if at <= t.first {
		return t.first
	}
	return t.first + (at-t.first+t.period-1)/t.period*t.period
}

// latencies are what an access of a core to the shared cache takes.
type latencies struct {
	way, tags, dram int64 // one way of the interconnect; the shared cache; at most, the DRAM
	open            int64 // the DRAM, if the row is open
	slots, reads    turns // of the core
}

func newLatencies(m *machine.Machine, core int) latencies {
	cores, i := int64(m.Cores()), int64(core)
	slot, read := m.Interconnect.Slot.Value, m.DRAM.Slot.Value
	return latencies{
		way: m.Interconnect.Latency.Value, tags: m.LLC.Latency.Value, dram: m.DRAM.Conflict.Value, open: m.DRAM.Open.Value,
		slots: turns{i * slot, cores * slot}, reads: turns{i * read, cores * read},
	}
}

// oldest returns how long an access is under way at most from when it can be sent and all before
// it are answered, unless the core is throttled. Its further operations are left out.
func (l *latencies) oldest() int64 {
	return 2*l.slots.period + 2*l.way + l.tags + l.reads.period + l.dram
}

// oldestHit is oldest for an access that needs no turn at the DRAM.
func (l *latencies) oldestHit() int64 { return 2*l.slots.period + 2*l.way + l.tags }

// separation returns how much later than an access the next one of the core is answered, at
// most, if both could be sent at the same time.
func (l *latencies) separation() int64 { return max(l.slots.period, l.reads.period) }

// queue computes when the accesses of a core are sent and answered, one after the other: each
// at the latest.
type queue struct {
	latencies
	sent, read, answered int64           // turns used last; -1 if there is none
	opened               map[int32]int64 // by bank that opens one row only: when the core's first read there had its turn
}

func newQueue(l latencies) queue {
	return queue{latencies: l, sent: -1, read: -1, answered: -1, opened: make(map[int32]int64)}
}

// send sends the next access, which can be sent from a cycle on. It returns when it is sent, and
// when its answer is there. hit says that it needs no turn at the DRAM, bank is that of its line if that opens one row only, or noBank.
func (q *queue) send(from int64, hit bool, bank int32, extra int64) (sent, answer int64) {
	q.sent = q.slots.from(max(from, q.sent+1))
	ready := q.sent + q.way + q.tags
	if !hit {
		q.read = q.reads.from(max(ready, q.read+1))
		ready = q.read + q.dram
		if first, ok := q.opened[bank]; ok {
			ready = max(q.read+q.open, first+q.dram)
		} else if bank != noBank {
			q.opened[bank] = q.read
		}
	}
	q.answered = q.slots.from(max(ready+extra, q.answered+1))
	return q.sent, q.answered + q.way
}
