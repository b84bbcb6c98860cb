package hybrid

import (
	"errors"
	"fmt"
	"math/bits"

	"warpbound/estimate"
	"warpbound/internal/saturating"
	"warpbound/internal/trace"
)

// peak is the largest value that any warp showed, and the first warp that showed it.
type peak struct {
	value int64
	at    estimate.WarpID
	known bool
}

func (p *peak) raise(value int64, at estimate.WarpID) {
	if !p.known || value > p.value || value == p.value && at.Compare(p.at) < 0 {
		*p = peak{value, at, true}
	}
}

func (p *peak) merge(q peak) {
	if q.known {
		p.raise(q.value, q.at)
	}
}

// edgeProfile is what all runs showed of an edge. Times are in cycles.
type edgeProfile struct {
	edge    int            // in IPG.Edges
	count   int64          // traversals by all warps of all runs
	sum     saturating.Int // of their times
	best    int64
	worst   peak
	maximum int64 // traversals by one warp, at most
}

func (e *edgeProfile) merge(f *edgeProfile) {
	if e.count == 0 || f.count > 0 && f.best < e.best {
		e.best = f.best
	}
	e.count += f.count
	e.sum = e.sum.Add(f.sum)
	e.worst.merge(f.worst)
	e.maximum = max(e.maximum, f.maximum)
}

// wide is an unsigned number of 128 bits: 2^64 times of any 64-bit number fit.
type wide struct{ high, low uint64 }

func (w wide) add(v wide) wide {
	low, carry := bits.Add64(w.low, v.low, 0)
	high, _ := bits.Add64(w.high, v.high, carry)
	return wide{high, low}
}

func (w wide) float() float64 { return float64(float64(w.high)*(1<<64)) + float64(w.low) }

// Profile sums up what runs show of an IPG. It consumes runs one after the other, as a
// trace.Sink, in memory that does not grow with their number; a run is sliced into
// warps while it is read. Profiles of different runs can be filled in parallel and
// merged: in whatever order, the result is the same.
//
// After an error the profile holds part of a run and is of no further use.
type Profile struct {
	ipg     *IPG
	options Options
	unknown []Edge // transitions that the graph does not have

	interleaved bool          // with Options.Turns: paths of a branch took turns in a run
	seen        []edgeProfile // of the edges observed, in the order of their first traversal
	slot        []int32       // by edge, those unknown to the graph last: its place in seen, or unseen
	loops       []peak        // back edges per entry, rounded up
	facts       []factProfile
	sms         map[int32]*smProfile
	slots       slotProfile

	runs     int64
	total    wide // sum of the runs' times
	shortest int64
	longest  int64

	run *runSlicer // the current run, nil between runs
}

// NewProfile returns the profile of no run.
func NewProfile(g *IPG) *Profile {
	p := &Profile{
		ipg:   g,
		slot:  make([]int32, len(g.Edges)),
		loops: make([]peak, len(g.Loops)),
		facts: make([]factProfile, len(g.facts)),
		sms:   map[int32]*smProfile{},
		slots: newSlotProfile(),
	}
	for e := range p.slot {
		p.slot[e] = unseen
	}
	return p
}

// unseen is the slot of an edge that no warp traversed.
const unseen = -1

// edge returns the profile of an edge, nil if no warp traversed it.
func (p *Profile) edge(e int) *edgeProfile {
	if p.slot[e] == unseen {
		return nil
	}
	return &p.seen[p.slot[e]]
}

// slotOf returns the place of an edge in seen, which it makes if there is none.
func (p *Profile) slotOf(e int) int32 {
	if p.slot[e] == unseen {
		p.slot[e] = int32(len(p.seen))
		p.seen = append(p.seen, edgeProfile{edge: e})
	}
	return p.slot[e]
}

// Runs returns the number of runs.
func (p *Profile) Runs() int { return int(p.runs) }

// Observed returns the end-to-end times of the runs, nil if there were none.
func (p *Profile) Observed() *estimate.Observation {
	if p.runs == 0 {
		return nil
	}
	return &estimate.Observation{Min: p.shortest, Mean: p.total.float() / float64(p.runs), Max: p.longest}
}

// BeginRun starts a run.
func (p *Profile) BeginRun(number int) error {
	if p.run != nil {
		return fmt.Errorf("run %d begins inside run %d", number, p.run.number)
	}
	p.run = newRunSlicer(p, number)
	return nil
}

// Record consumes a record of the current run. Records of one multiprocessor must come
// in the order of their cycles. An error is a *TraceError.
func (p *Profile) Record(r trace.Record) error {
	if p.run == nil {
		return errors.New("record outside a run")
	}
	return p.run.record(r)
}

// EndRun ends the current run, whose last warp retired in cycle end. Without a common clock
// the run took as long as the multiprocessor that took longest from its first start to its
// last exit.
func (p *Profile) EndRun(end int64) error {
	if p.run == nil {
		return errors.New("end of a run outside a run")
	}
	if err := p.run.finish(end); err != nil {
		return fmt.Errorf("run %d: %w", p.run.number, err)
	}
	if p.options.Clocks == trace.PerSM {
		end = p.run.longest()
	}
	if p.runs == 0 || end < p.shortest {
		p.shortest = end
	}
	p.longest = max(p.longest, end)
	p.total = p.total.add(wide{low: uint64(end)})
	p.runs++
	p.run = nil
	return nil
}

// Merge adds the runs of q, a profile of the same IPG, to p.
func (p *Profile) Merge(q *Profile) error {
	if p.ipg != q.ipg {
		return errors.New("profiles of different graphs cannot be merged")
	}
	if p.options != q.options {
		return errors.New("profiles with different options cannot be merged")
	}
	if p.run != nil || q.run != nil {
		return errors.New("a profile cannot be merged inside a run")
	}
	for i := range q.seen {
		edge := q.edgeOf(q.seen[i].edge)
		e, _ := p.edgeBetween(edge.From, edge.To)
		p.seen[p.slotOf(e)].merge(&q.seen[i])
	}
	for i := range p.loops {
		p.loops[i].merge(q.loops[i])
	}
	for i := range p.facts {
		p.facts[i].maximum.merge(q.facts[i].maximum)
		p.facts[i].minimum.merge(q.facts[i].minimum)
	}
	for id, sm := range q.sms {
		p.sm(id).merge(sm)
	}
	p.slots.merge(&q.slots)
	if q.runs > 0 && (p.runs == 0 || q.shortest < p.shortest) {
		p.shortest = q.shortest
	}
	p.longest = max(p.longest, q.longest)
	p.total = p.total.add(q.total)
	p.runs += q.runs
	return nil
}

// Absorb implements trace.Mergeable.
func (p *Profile) Absorb(other trace.Sink) error {
	q, ok := other.(*Profile)
	if !ok {
		return fmt.Errorf("a profile takes over another one, not a %T", other)
	}
	return p.Merge(q)
}

func (p *Profile) sm(id int32) *smProfile {
	sm := p.sms[id]
	if sm == nil {
		sm = new(smProfile)
		p.sms[id] = sm
	}
	return sm
}
