package llc

import (
	"math"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/method/llc/reuse"
	"warpbound/internal/saturating"
)

// cpu is what is known of the CPU's accesses to the shared cache.
type cpu struct {
	latencies
	accesses []reuse.Access
	wait     int64 // cycles for which the SMs wait for it, at most
}

// newCPU finds out which accesses of the CPU go to the shared cache: its L1 is looked up in
// the order of the stream.
func newCPU(c method.CPU, m *machine.Machine) *cpu {
	p := &cpu{latencies: newLatencies(m, m.Cores()-1), wait: m.Regulator.Wait.Value}
	l1, layout := newTags(m), newLayout(m)
	for _, a := range c.Accesses {
		line := a.Address >> layout.shift
		_, hit := l1.use(line)
		if hit && !a.Store {
			continue
		}
		p.accesses = append(p.accesses, reuse.Line(line))
		if !a.Store {
			l1.insert(line, 0)
		}
	}
	if c.More > 0 {
		p.accesses = append(p.accesses, reuse.Access{First: 0, Last: math.MaxUint64 >> layout.shift, Min: 0, Max: c.More})
	}
	return p
}

// during returns the CPU's accesses in the first so many intervals, at most: known ones may be later. So
// many of which nothing is known are left out.
func (p *cpu) during(intervals, quota int64) (accesses []reuse.Access, later int64) {
	last := len(p.accesses) - 1
	if last < 0 || p.accesses[last].Min > 0 {
		return p.accesses, 0
	}
	unknown := p.accesses[last]
	n := min(unknown.Max, max(intervals*quota-int64(last), 0))
	accesses = slices.Clone(p.accesses[:last])
	if n > 0 {
		accesses = append(accesses, reuse.Access{First: unknown.First, Last: unknown.Last, Max: n})
	}
	return accesses, unknown.Max - n
}

// close returns when the last access of the CPU in an interval is answered, at the latest, if the
// SMs have sent theirs by a cycle: no earlier one is under way then.
func (p *cpu) close(done int64) int64 {
	if len(p.accesses) == 0 {
		return done
	}
	q := newQueue(p.latencies)
	_, answer := q.send(done+p.wait, false, noBank, 0)
	return answer
}

// detail returns what is known of the CPU's accesses where it is not known how they interleave with
// others.
func (p *cpu) detail() estimate.LLCCore {
	n := saturating.Int(0)
	for _, a := range p.accesses {
		n = n.Add(saturating.Of(a.Max))
	}
	return estimate.LLCCore{Accesses: n.Int64(), Misses: n.Int64()}
}
