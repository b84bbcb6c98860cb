package phases

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"

	"warpbound/internal/trace"
)

// windows are the sizes of windows that are tried, the coarsest first: a transition spans so many back edges, or so
// many milestones.
var windows = [...]int32{4, 2, 1}

// profile sums up what runs show, in memory that does not grow with their number. It is a trace.Sink, and a
// trace.Mergeable.
type profile struct {
	of     *recording
	graphs [len(windows)]*contexts

	runs, sampled int64 // executions
	vectors       int64 // sampled inputs of these: one may execute the launch several times
	number        int   // of the last run
	shortest      int64
	longest       times
	reached       int64   // runs that took the longest time, but for inputs that were evolved
	total         big.Int // of the times of all runs

	made      int64   // inputs that were not sampled
	confirmed []int64 // of each sampled input that is to confirm, the longest time

	from trace.Origin // of the inputs of the next run
	run  *running
}

func newProfile(r *recording) *profile {
	p := &profile{of: r, longest: never()}
	for w := range p.graphs {
		p.graphs[w] = newContexts()
	}
	return p
}

// running is a run that is being read.
type running struct {
	number int
	group  int
	ctas   trace.Table[cta]
	warps  int // that have started
	alive  int
	last   int64
	free   []*warp
}

// cta is where the CTA of some warps is.
type cta struct {
	warps   trace.Table[*warp] // nil of those that have not started
	release []int64            // of the barriers that end its kept phases: the latest arrival so far
}

// exited is in place of a warp that has exited.
var exited = new(warp)

// warp is what a warp has passed.
type warp struct {
	place
	block int32 // of the point passed last; -1 at the start
	kept  int32 // phases that it has ended of those that are kept
	at    [len(windows)]cursor
}

// cursor is the node that a warp has passed last, for a window size.
type cursor struct {
	node    int32
	since   int64 // when
	barrier int32 // the kept phase whose release that is; -1 if it is none
}

// Chosen implements trace.Selective.
func (p *profile) Chosen(from trace.Origin) { p.from = from }

// BeginRun implements trace.Sink.
func (p *profile) BeginRun(number int) error {
	if p.run != nil {
		return fmt.Errorf("run %d begins inside run %d", number, p.run.number)
	}
	p.run = &running{number: number, group: groupOf(number, p.from)}
	p.from = trace.Sampled
	return nil
}

// Record implements trace.Sink.
func (p *profile) Record(r trace.Record) error {
	if p.run == nil {
		return errors.New("record outside a run")
	}
	c := p.run.ctas.At(r.CTA)
	at := c.warps.At(r.Warp)
	w := *at
	switch {
	case r.Ipoint == trace.Start:
		if w != nil {
			return p.failed(r, "the warp has started before")
		}
		*at = p.start(r)
	case w == nil || w == exited:
		return p.failed(r, "the warp is not running")
	case r.Ipoint == trace.Exit:
		p.reach(w, c, r.Cycle, place{class: w.class, phase: last, point: atExit}, every)
		*at = exited
		p.run.free = append(p.run.free, w)
		p.run.alive--
		p.run.last = max(p.run.last, r.Cycle)
	case int(r.Ipoint) >= len(p.of.points):
		return p.failed(r, fmt.Sprintf("there is no ipoint %d", r.Ipoint))
	default:
		p.passes(w, c, int32(r.Ipoint), r.Cycle)
	}
	return nil
}

func (p *profile) failed(r trace.Record, why string) error {
	return fmt.Errorf("run %d, CTA %d, warp %d, cycle %d: %s", p.run.number, r.CTA, r.Warp, r.Cycle, why)
}

// every keeps a point whatever the size of the window.
func every(int32) bool { return true }

// start begins a warp.
func (p *profile) start(r trace.Record) *warp {
	var w *warp
	if n := len(p.run.free); n > 0 {
		w, p.run.free = p.run.free[n-1], p.run.free[:n-1]
	} else {
		w = new(warp)
	}
	*w = warp{place: place{class: p.of.class(r.CTA), point: atStart}, block: -1}
	for i, g := range p.graphs {
		n := g.at(w.place)
		g.nodes[n].starts[p.run.group] = max(g.nodes[n].starts[p.run.group], r.Cycle)
		w.at[i] = cursor{n, r.Cycle, -1}
	}
	p.run.warps++
	p.run.alive++
	return w
}

// passes follows a warp to a point.
func (p *profile) passes(w *warp, c *cta, at int32, now int64) {
	point := &p.of.points[at]
	without := p.of.without
	before := w.block
	w.block = int32(point.block)
	if point.loop >= 0 && before >= 0 && p.of.loops[point.loop].Contains(int(before)) {
		w.turns++
		fine := spacing(w.turns, p.of.fine)
		if !without.Iterations {
			to := w.place
			to.point = at
			p.reach(w, c, now, to, func(window int32) bool { return w.turns%(window*fine) == 0 })
		}
	}
	if passed := int32(point.milestone) + 1; passed > w.milestone && !without.Milestones {
		w.milestone, w.turns = passed, 0
		to := w.place
		to.point = at
		p.reach(w, c, now, to, func(window int32) bool { return passed%window == 0 })
	}
	if point.barrier && !without.Barriers {
		p.arrive(w, c, now)
	}
}

// arrive ends a phase of a warp: what has taken it there ends at the release of the barrier.
func (p *profile) arrive(w *warp, c *cta, now int64) {
	if w.phase%spacing(w.phase, p.of.fine) == 0 {
		if int(w.kept) == len(c.release) {
			c.release = append(c.release, 0)
		}
		c.release[w.kept] = max(c.release[w.kept], now)
		p.reach(w, c, now, place{class: w.class, phase: w.phase, milestone: last, point: atRelease}, every)
		for i := range w.at {
			w.at[i].barrier = w.kept
		}
		w.kept++
	}
	w.phase, w.turns = w.phase+1, 0
}

// spacing is how far apart kept points are that a warp passes the n-th time: 1 up to fine, and from there on so that
// their number grows with the logarithm of n alone.
func spacing(n, fine int32) int32 {
	return 1 << max(0, bits.Len32(uint32(n/fine)))
}

// reach notes the transition of a warp to a context, for those sizes of windows that keep it. A transition out of a barrier
// takes its time since the release.
func (p *profile) reach(w *warp, c *cta, now int64, to place, keeps func(window int32) bool) {
	for i, g := range p.graphs {
		if !keeps(windows[i]) {
			continue
		}
		at := &w.at[i]
		if at.barrier >= 0 {
			at.since = c.release[at.barrier]
		}
		*at = cursor{g.pass(at.node, to, p.run.group, max(0, now-at.since)), now, -1}
	}
}

// EndRun implements trace.Sink.
func (p *profile) EndRun(end int64) error {
	switch {
	case p.run == nil:
		return errors.New("end of a run outside a run")
	case p.run.alive > 0:
		return fmt.Errorf("run %d: %d of %d warps have no exit", p.run.number, p.run.alive, p.run.warps)
	case end != p.run.last:
		return fmt.Errorf("run %d: the run ends in cycle %d, but its last warp exits in cycle %d", p.run.number, end, p.run.last)
	}
	if p.runs == 0 || end < p.shortest {
		p.shortest = end
	}
	p.runs++
	if p.run.group == evolved {
		p.reaches(end, 0)
	} else {
		p.reaches(end, 1)
	}
	p.longest[p.run.group] = max(p.longest[p.run.group], end)
	p.total.Add(&p.total, big.NewInt(end))
	again := p.runs > 1 && p.run.number == p.number
	p.number = p.run.number
	if p.run.group > confirming {
		if !again {
			p.made++
		}
	} else {
		if !again {
			p.vectors++
		}
		p.sampled++
		switch last := len(p.confirmed) - 1; {
		case p.run.group != confirming:
		case again:
			p.confirmed[last] = max(p.confirmed[last], end)
		default:
			p.confirmed = append(p.confirmed, end)
		}
	}
	p.run = nil
	return nil
}

// reaches counts so many further runs of which the longest take so many cycles, before these are among the longest.
func (p *profile) reaches(cycles, runs int64) {
	switch longest := p.longest.any(); {
	case cycles > longest:
		p.reached = runs
	case cycles == longest:
		p.reached += runs
	}
}

// Absorb implements trace.Mergeable.
func (p *profile) Absorb(other trace.Sink) error {
	q, ok := other.(*profile)
	if !ok || q.of != p.of {
		return fmt.Errorf("a profile takes over another one of the same recording, not a %T", other)
	}
	if p.run != nil || q.run != nil {
		return errors.New("a profile cannot be merged inside a run")
	}
	for i, g := range p.graphs {
		g.merge(q.graphs[i])
	}
	if q.runs > 0 && (p.runs == 0 || q.shortest < p.shortest) {
		p.shortest = q.shortest
	}
	p.runs += q.runs
	p.sampled += q.sampled
	p.vectors += q.vectors
	p.reaches(q.longest.any(), q.reached)
	p.longest.merge(&q.longest)
	p.made += q.made
	p.confirmed = append(p.confirmed, q.confirmed...)
	p.total.Add(&p.total, &q.total)
	return nil
}

// Learn implements campaign.Learner: an estimate rests on every largest time.
func (p *profile) Learn(from trace.Sink) (news bool, err error) {
	q, ok := from.(*profile)
	if !ok {
		return false, fmt.Errorf("%T is no profile", from)
	}
	news = p.lacks(q)
	return news, p.Absorb(q)
}

// lacks reports whether another profile shows something that this one does not, or a longer time.
func (p *profile) lacks(q *profile) bool {
	if q.longest.any() > p.longest.any() {
		return true
	}
	for i, g := range p.graphs {
		if g.lacks(q.graphs[i]) {
			return true
		}
	}
	return false
}
