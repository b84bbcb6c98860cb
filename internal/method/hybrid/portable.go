package hybrid

import (
	"encoding/gob"
	"errors"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/saturating"
)

// saved is a profile as another process reads it.
type saved struct {
	Edges                   []savedEdge // in the order of their first traversal
	Loops                   []savedPeak
	Maximums, Minimums      []savedPeak // of facts
	SMs                     map[int32]savedSM
	Slots                   savedSlots
	Runs, Shortest, Longest int64
	High, Low               uint64 // of the sum of times
}

type savedEdge struct {
	From, To                  int
	Count, Sum, Best, Maximum int64
	Worst                     savedPeak
}

type savedPeak struct {
	Value int64
	At    estimate.WarpID
	Known bool
}

func (p peak) saved() savedPeak { return savedPeak{p.value, p.at, p.known} }
func (s savedPeak) peak() peak  { return peak{s.Value, s.At, s.Known} }

type savedSM struct{ FirstStart, Jitter, Spread, Waves, Warps, Delta, Gap int64 }

type savedSlots struct {
	First, Gap, Spread, CTAs int64
	Times                    map[int32]int64
}

// Save implements trace.Portable.
func (p *Profile) Save(to *gob.Encoder) error {
	if p.run != nil {
		return errors.New("a profile cannot be saved inside a run")
	}
	s := &saved{
		Runs: p.runs, Shortest: p.shortest, Longest: p.longest, High: p.total.high, Low: p.total.low,
		SMs:   map[int32]savedSM{},
		Slots: savedSlots{p.slots.first, p.slots.gap, p.slots.spread, p.slots.ctas, p.slots.times},
	}
	for i := range p.seen {
		e := &p.seen[i]
		edge := p.edgeOf(e.edge)
		s.Edges = append(s.Edges, savedEdge{edge.From, edge.To, e.count, e.sum.Int64(), e.best, e.maximum, e.worst.saved()})
	}
	for _, l := range p.loops {
		s.Loops = append(s.Loops, l.saved())
	}
	for _, f := range p.facts {
		s.Maximums, s.Minimums = append(s.Maximums, f.maximum.saved()), append(s.Minimums, f.minimum.saved())
	}
	for id, m := range p.sms {
		s.SMs[id] = savedSM{m.firstStart, m.jitter, m.spread, m.waves, m.warps, m.delta, m.gap}
	}
	return to.Encode(s)
}

// Restore implements trace.Portable.
func (p *Profile) Restore(from *gob.Decoder) error {
	var s saved
	if err := from.Decode(&s); err != nil {
		return err
	}
	if len(s.Loops) != len(p.loops) || len(s.Maximums) != len(p.facts) || len(s.Minimums) != len(p.facts) {
		return errors.New("what was saved of a profile is of another graph")
	}
	p.runs, p.shortest, p.longest, p.total = s.Runs, s.Shortest, s.Longest, wide{s.High, s.Low}
	for i := range s.Edges {
		e := &s.Edges[i]
		at, ok := p.edgeBetween(e.From, e.To)
		if !ok {
			return fmt.Errorf("what was saved of a profile has an edge from %d to %d, which the graph does not have", e.From, e.To)
		}
		p.seen[p.slotOf(at)] = edgeProfile{at, e.Count, saturating.Of(e.Sum), e.Best, e.Worst.peak(), e.Maximum}
	}
	for i := range s.Loops {
		p.loops[i] = s.Loops[i].peak()
	}
	for i := range s.Maximums {
		p.facts[i] = factProfile{s.Maximums[i].peak(), s.Minimums[i].peak()}
	}
	for id, m := range s.SMs {
		*p.sm(id) = smProfile{m.FirstStart, m.Jitter, m.Spread, m.Waves, m.Warps, m.Delta, m.Gap}
	}
	p.slots.slotTimes = slotTimes{s.Slots.First, s.Slots.Gap}
	p.slots.spread, p.slots.ctas = s.Slots.Spread, s.Slots.CTAs
	for cta, time := range s.Slots.Times {
		p.slots.times[cta] = time
	}
	return nil
}
