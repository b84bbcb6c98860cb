package instrument

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"warpbound/internal/trace"
)

// Graph tells which transitions between Ipoints there are; start and exit are trace.Start
// and trace.Exit.
type Graph interface {
	Follows(from, to trace.Ipoint) bool
}

// Transition leads from one Ipoint to another.
type Transition struct{ From, To trace.Ipoint }

// Following says how well the records of a launch fit the graph.
type Following struct {
	Records int // at Ipoints and frames

	// Unknown counts transitions that the graph does not have. From sm_70 on, the paths of
	// a branch may run by turns, which no transition of the graph describes.
	Unknown map[Transition]int

	// Ambiguous is the number of warps whose records fit several paths through copies of
	// functions; the trace has the one of the lowest Ipoints.
	Ambiguous int
}

// Total returns how many transitions were unknown.
func (f *Following) Total() int {
	total := 0
	for n := range maps.Values(f.Unknown) {
		total += n
	}
	return total
}

// Trace fills run with what was recorded of a launch with the code. The clocks of
// multiprocessors have no common origin, so cycles count on each from the first start there,
// and the run ends with the largest of them. g is the graph of the code's Blocks. The error is
// about a record that the code cannot have made.
func (r *Recording) Trace(c *Code, g Graph, run *trace.Run) (*Following, error) {
	origin := make(map[int32]uint64)
	for _, w := range r.Warps {
		first := w.Records[0].Clock
		if o, met := origin[w.SM]; !met || first < o {
			origin[w.SM] = first
		}
	}
	f := &Following{Unknown: make(map[Transition]int)}
	p := newPaths(c, g)
	run.Records, run.End = run.Records[:0], 0
	for i := range r.Warps {
		w := &r.Warps[i]
		if err := p.follow(w.Records, f); err != nil {
			return nil, fmt.Errorf("trace of CTA %d, warp %d: %w", w.CTA, w.Warp, err)
		}
		for _, at := range p.visits {
			since := at.clock - origin[w.SM]
			if since > math.MaxInt64 {
				return nil, fmt.Errorf("trace of CTA %d, warp %d: clock %d is too far from %d, where SM %d began", w.CTA, w.Warp, at.clock, origin[w.SM], w.SM)
			}
			cycle := int64(since)
			run.Records = append(run.Records, trace.Record{Cycle: cycle, SM: w.SM, CTA: w.CTA, Warp: w.Warp, Ipoint: at.ipoint})
			run.End = max(run.End, cycle)
		}
	}
	f.Records = len(run.Records)
	slices.SortStableFunc(run.Records, trace.Compare)
	return f, nil
}

// place is where a warp can be after a record: at the step-th record of an Ipoint's block. An
// Ipoint has several if functions that its block calls have recording code.
type place struct {
	ipoint trace.Ipoint
	step   int
}

// reached is a place and how it was come to.
type reached struct {
	place
	from    int  // index of the place before; -1 if none leads here
	several bool // there is more than one path
}

// visit is a record of the trace.
type visit struct {
	clock  uint64
	ipoint trace.Ipoint
}

// paths finds the paths of warps through the copies of code.
type paths struct {
	code    *Code
	graph   Graph
	places  [][]place // by number of a record, ascending
	reached []reached // after one record after the other
	ends    []int     // of the places of each record, in reached
	clocks  []uint64  // by record
	visits  []visit   // of the last warp
}

func newPaths(c *Code, g Graph) *paths {
	p := &paths{code: c, graph: g}
	for ipoint, numbers := range c.records {
		for step, n := range numbers {
			for int(n) >= len(p.places) {
				p.places = append(p.places, nil)
			}
			p.places[n] = append(p.places[n], place{trace.Ipoint(ipoint), step})
		}
	}
	return p
}

// follow finds the visits of a warp. Exits of some of its lanes are none: the others go on.
func (p *paths) follow(records []Record, f *Following) error {
	p.reached = append(p.reached[:0], reached{place{trace.Start, 0}, -1, false})
	p.ends, p.clocks = append(p.ends[:0], 1), append(p.clocks[:0], records[0].Clock)
	for i, r := range records[1:] {
		if r.Number == exitNumber && i+2 < len(records) {
			continue
		}
		if err := p.step(r.Number); err != nil {
			return fmt.Errorf("record %d: %w", i+1, err)
		}
		p.ends, p.clocks = append(p.ends, len(p.reached)), append(p.clocks, r.Clock)
	}
	p.choose(f)
	return nil
}

// step finds the places that a record can be of, given those of the record before. If none
// of these leads to any, all are possible, but places where a block begins before others.
func (p *paths) step(number uint32) error {
	possible := []place{{trace.Exit, 0}}
	if number != exitNumber {
		if int(number) >= len(p.places) || p.places[number] == nil {
			return fmt.Errorf("the code has no record %d", number)
		}
		possible = p.places[number]
	}
	end := len(p.reached)
	begin := 0
	if n := len(p.ends); n > 1 {
		begin = p.ends[n-2]
	}
	for _, to := range possible {
		r := reached{place: to, from: -1}
		for i := begin; i < end; i++ {
			switch before := &p.reached[i]; {
			case !p.leads(before.place, to):
			case r.from < 0:
				r.from, r.several = i, before.several
			default:
				r.several = true
			}
		}
		if r.from >= 0 {
			p.reached = append(p.reached, r)
		}
	}
	for _, begins := range []bool{true, false} {
		if len(p.reached) > end {
			break
		}
		for _, to := range possible {
			if (to.step == 0) == begins {
				p.reached = append(p.reached, reached{place: to, from: -1})
			}
		}
	}
	return nil
}

// leads reports whether a warp can go from one place to another without a record between.
func (p *paths) leads(from, to place) bool {
	if to.step > 0 {
		return from.ipoint == to.ipoint && from.step == to.step-1
	}
	if from.ipoint >= 0 && from.step < len(p.code.records[from.ipoint])-1 {
		return false
	}
	return p.graph.Follows(from.ipoint, to.ipoint)
}

// choose takes one of the paths found, from its end, and counts what is unknown of it.
func (p *paths) choose(f *Following) {
	p.visits = p.visits[:0]
	ambiguous := false
	at := -1 // in reached
	for i := len(p.ends) - 1; i >= 0; i-- {
		if at < 0 { // no path goes on from here
			if at = 0; i > 0 {
				at = p.ends[i-1]
			}
			ambiguous = ambiguous || p.reached[at].several || p.ends[i]-at > 1
		}
		r := &p.reached[at]
		if r.step == 0 {
			p.visits = append(p.visits, visit{p.clocks[i], r.ipoint})
		}
		at = r.from
	}
	if ambiguous {
		f.Ambiguous++
	}
	slices.Reverse(p.visits)
	for i := range p.visits[1:] {
		if t := (Transition{p.visits[i].ipoint, p.visits[i+1].ipoint}); !p.graph.Follows(t.From, t.To) {
			f.Unknown[t]++
		}
	}
}
