package llc

import (
	"cmp"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/method"
	"warpbound/internal/method/llc/reuse"
	"warpbound/internal/premise"
)

// detail is the detail of an estimate, with its cycles.
type detail struct {
	estimate.LLC
	cycles int64

	account *account // of the SM, if its cycles follow from a schedule
}

// detail returns a detail without figures.
func (a *analysis) detail() *detail {
	d := &detail{LLC: estimate.LLC{Regulated: a.machine.Regulated()}}
	if d.Regulated {
		d.Quota = a.machine.Regulator.Quota.Value
	}
	return d
}

// times enters a schedule.
func (d *detail) times(s *schedule) {
	d.cycles = s.cycles
	if d.Regulated {
		d.Intervals, d.IntervalEnds = s.intervals, s.ends
	}
	for sm, c := range s.clocks {
		if c.end > s.clocks[d.SM].end {
			d.SM = sm
		}
	}
	c := s.clocks[d.SM]
	d.account = c.account
	d.Issue, d.Dispatch = c.issue, c.waves*c.machine.SM.Dispatch.Value
	d.Stall = d.cycles - d.Issue - d.Dispatch
}

// misses enters what is known of the accesses: how many are not hits, which is what is published, and how few of them can miss
// together. Of later accesses of the CPU nothing is known.
func (d *detail) misses(streams []*stream, known *reuse.Result, later int64) {
	together := known.Grouped
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
		c := estimate.LLCCore{Misses: min(known.Counted.Cores[core], together.Cores[core])}
		if core < last {
			c.Accesses = int64(len(streams[core].sent))
			d.Misses += c.Misses
		}
		d.Cores = append(d.Cores, c)
	}
	d.Cores[last].Misses += later
	d.AllMisses = min(d.Misses+d.Cores[last].Misses, known.Counted.Total+later, together.Total+later)
	d.Misses = min(d.Misses, known.Counted.Main, together.Main, d.AllMisses)
	if d.Accesses > 0 {
		d.MissRate = float64(d.Misses) / float64(d.Accesses)
	}
}

// estimate makes the estimate of a method.
func (a *analysis) estimate(p *method.Problem, m Method, d *detail) *estimate.Estimate {
	d.Cores[len(d.Cores)-1].Accesses = a.cpu.detail().Accesses
	evidence := p.Evidence()
	assumptions := p.Assumptions()
	assumptions[1] = premise.AloneOfCPU
	for i, l := range a.graph.Loops().Loops {
		if _, basis, _ := p.LoopBound(l.Header); a.loops[i].Forced && basis == estimate.Annotated {
			evidence = estimate.Weakest(evidence, basis)
			assumptions = append(assumptions, premise.Loop(a.graph.Name(l.Header), int64(a.loops[i].Iterations)))
		}
	}
	shares := []estimate.Share{
		{Name: holding, Cycles: d.Issue},
		{Name: waiting, Cycles: d.Stall},
		{Name: dispatching, Cycles: d.Dispatch},
	}
	shares = slices.DeleteFunc(shares, func(s estimate.Share) bool { return s.Cycles == 0 })
	slices.SortStableFunc(shares, func(s, t estimate.Share) int { return cmp.Compare(t.Cycles, s.Cycles) })
	return &estimate.Estimate{
		Method: m.ID(), Cycles: d.cycles, Evidence: evidence, Assumptions: assumptions, Detail: &d.LLC, Breakdown: shares, ByLine: a.byLine(d),
	}
}
