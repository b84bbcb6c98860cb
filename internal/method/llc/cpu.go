package llc

import (
	"math"

	"warpbound/internal/machine"
	"warpbound/internal/method/llc/reuse"
)

// CPU is what the CPU does beside the kernel. The zero CPU does nothing.
type CPU struct {
	Accesses []CPUAccess // its first accesses, in order
	More     int64       // how many may follow, at most; of which nothing is known
}

// CPUAccess is an access of the CPU.
type CPUAccess struct {
	Address uint64
	Store   bool
}

// cpu is what is known of the CPU's accesses to the shared cache.
type cpu struct {
	latencies
	accesses []reuse.Access
	burst    int64 // of them under way at a time, at most
	wait     int64 // cycles for which the SMs wait for the CPU, at most
}

// newCPU finds out which accesses of the CPU go to the shared cache: its L1 is looked up in
// the order of the stream.
func newCPU(c CPU, m *machine.Machine) (*cpu, error) {
	p := &cpu{latencies: newLatencies(m, m.Cores()-1)}
	l1, layout := newTags(m), newLayout(m)
	run := int64(0) // accesses since the last one that is waited for
	for _, a := range c.Accesses {
		line := a.Address >> layout.shift
		_, hit := l1.use(line)
		if hit && !a.Store {
			continue
		}
		p.accesses = append(p.accesses, reuse.Line(line))
		run++
		p.burst = max(p.burst, run)
		if !a.Store {
			l1.insert(line, 0)
			run = 0
		}
	}
	if c.More > 0 {
		p.accesses = append(p.accesses, reuse.Access{First: 0, Last: math.MaxUint64 >> layout.shift, Least: 0, Most: c.More})
		p.burst = math.MaxInt64
	}
	p.burst = min(p.burst, m.Interconnect.Credits.Value, m.Regulator.Quota.Value)
	if len(p.accesses) > 0 {
		p.wait = m.Regulator.Wait.Value
	}
	return p, nil
}

// close returns until when the CPU sends accesses in an interval at the latest, if the SMs have
// sent theirs by a cycle, and when the last of these is answered.
func (p *cpu) close(done int64) (closed, over int64) {
	closed = done + p.wait
	q := newQueue(p.latencies)
	q.read, q.answered = closed, closed // by accesses before
	for range p.burst {
		q.sent = -1 // at the same time, at the latest
		_, over = q.send(closed, false, 0)
	}
	return closed, over
}

// detail returns what is known of the CPU's accesses where it is not known how they interleave with
// others.
func (p *cpu) detail() CoreDetail {
	n := int64(0)
	for _, a := range p.accesses {
		n = saturate(n, a.Most, 1)
	}
	return CoreDetail{Accesses: n, Misses: n}
}
