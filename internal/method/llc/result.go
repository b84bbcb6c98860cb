package llc

import (
	"cmp"
	"fmt"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/method/inorder"
	"warpbound/internal/method/llc/reuse"
)

// Detail is the detail of static/llc-simple and static/llc-interval. Times are in cycles. Issue, Stall
// and Dispatch add up to the bound.
type Detail struct {
	// Exact is set if it is known in which order each SM issues what, so that the time is computed with
	// bounds of the latencies of single accesses. Otherwise it is a sum.
	Exact bool `json:"exact"`
	// Bounded are the instructions of warps, of those that differ, of whose requests on the SM only the most
	// is known: with other addresses in shared memory, they take less time.
	Bounded int64 `json:"bounded_requests,omitempty"`

	Regulated bool  `json:"regulated"`
	Quota     int64 `json:"quota,omitempty"`     // accesses of a core in an interval
	Intervals int64 `json:"intervals,omitempty"` // that begin, at most
	Ends      int64 `json:"ends,omitempty"`      // in which all SMs wait for the next interval, at most

	SM       int   `json:"sm"`       // to which Issue, Stall and Dispatch belong: the last to end; or all, if the sums are regulated
	Issue    int64 `json:"issue"`    // in which the port is held
	Stall    int64 `json:"stall"`    // in which all warps wait
	Dispatch int64 `json:"dispatch"` // of its waves

	L1Hits       int64        `json:"l1_hits"`      // of lines of loads of all SMs; those under way included
	Accesses     int64        `json:"accesses"`     // of all SMs to the shared cache, at most
	Hits         int64        `json:"hits"`         // of these, those that surely hit
	FirstUses    int64        `json:"first_uses"`   // and those that surely miss
	Unclassified int64        `json:"unclassified"` // the others
	Misses       int64        `json:"misses"`       // of all SMs, at most
	AllMisses    int64        `json:"all_misses"`   // of all SMs and the CPU, at most
	MissRate     float64      `json:"miss_rate"`    // Misses divided by Accesses
	Cores        []CoreDetail `json:"cores"`        // the SMs, and the CPU last

	cycles int64
}

// MostMisses returns how many of how many accesses of the SMs to the shared cache miss it, both at most.
func (d *Detail) MostMisses() (misses, accesses int64) { return d.Misses, d.Accesses }

// Ordered reports whether it is known in which order each SM issues what.
func (d *Detail) Ordered() bool { return d.Exact }

// CoreDetail is what is known of the accesses of a core to the shared cache.
type CoreDetail struct {
	Accesses int64 `json:"accesses"` // at most
	Misses   int64 `json:"misses"`   // at most
}

// detail returns a detail without figures.
func (a *analysis) detail() *Detail {
	d := &Detail{Regulated: a.machine.Regulated()}
	if d.Regulated {
		d.Quota = a.machine.Regulator.Quota.Value
	}
	return d
}

// times enters a schedule.
func (d *Detail) times(s *schedule) {
	d.cycles = s.cycles
	if d.Regulated {
		d.Intervals, d.Ends = s.intervals, s.ends
	}
	for sm, c := range s.clocks {
		if c.end > s.clocks[d.SM].end {
			d.SM = sm
		}
	}
	c := s.clocks[d.SM]
	d.Issue, d.Dispatch = c.issue, int64(c.wave+1)*c.machine.SM.Dispatch.Value
	d.Stall = d.cycles - d.Issue - d.Dispatch
}

// misses enters what is known of the accesses: Simple counts those that are not hits, as published, Interval
// also how few of them can miss together. Of later accesses of the CPU nothing is known.
func (d *Detail) misses(method string, streams []*stream, known *reuse.Result, later int64) {
	together := known.Grouped
	if method == Simple {
		together = known.Counted
	}
	for sm, s := range streams {
		d.L1Hits += s.hits
		d.Accesses += int64(len(s.sent))
		for _, o := range known.Cores[sm] {
			switch o.Class {
			case reuse.Hit:
				d.Hits++
			case reuse.First:
				d.FirstUses++
			default:
				d.Unclassified++
			}
		}
	}
	last := len(streams)
	for core := range known.Cores {
		c := CoreDetail{Misses: min(known.Counted.Cores[core], together.Cores[core])}
		if core < last {
			c.Accesses = int64(len(streams[core].sent))
			d.Misses += c.Misses
		}
		d.Cores = append(d.Cores, c)
	}
	d.Cores[last].Misses += later
	d.AllMisses = min(d.Misses+d.Cores[last].Misses, known.Counted.Total+later, together.Total+later)
	d.Misses = min(d.Misses, known.Counted.Unrated, together.Unrated, d.AllMisses)
	if d.Accesses > 0 {
		d.MissRate = float64(d.Misses) / float64(d.Accesses)
	}
}

// estimate makes the estimate of a method.
func (a *analysis) estimate(c *Config, method string, d *Detail) *estimate.Estimate {
	d.Cores[len(d.Cores)-1].Accesses = a.cpu.detail().Accesses
	evidence := estimate.Proven
	assumptions := inorder.Assumptions()
	assumptions[1] = "the kernel is alone on the GPU, and the CPU does what the job says"
	for _, b := range c.Fixed {
		assumptions = append(assumptions, fmt.Sprintf("buffer %s holds what the job gives it (nothing writes to it)", b.Name))
	}
	for i, l := range a.graph.Loops().Loops {
		if _, rests, _ := c.LoopBound(l.Header); a.loops[i].Forced && rests == estimate.Annotated {
			evidence = estimate.Weakest(evidence, rests)
			assumptions = append(assumptions, fmt.Sprintf("loop %s goes back to its head at most %d times for each entry (annotated)",
				a.graph.Name(l.Header), a.loops[i].Iterations))
		}
	}
	shares := []estimate.Share{
		{Name: "instructions hold the port", Cycles: d.Issue},
		{Name: "all warps wait", Cycles: d.Stall},
		{Name: "dispatch of waves", Cycles: d.Dispatch},
	}
	shares = slices.DeleteFunc(shares, func(s estimate.Share) bool { return s.Cycles == 0 })
	slices.SortStableFunc(shares, func(s, t estimate.Share) int { return cmp.Compare(t.Cycles, s.Cycles) })
	return &estimate.Estimate{
		Method: method, Cycles: d.cycles, Evidence: evidence, Assumptions: assumptions, Detail: d, Breakdown: shares,
	}
}
