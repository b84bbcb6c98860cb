package cta

import (
	"cmp"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/absexec"
	"warpbound/internal/method"
	"warpbound/internal/method/charge"
	"warpbound/internal/premise"
	"warpbound/internal/saturating"
)

// result makes the estimate of what the SM that needs longest executes.
func (a *analysis) result(p *method.Problem, tallies []tally, facts []absexec.LoopFact) *estimate.Estimate {
	worst := 0
	for sm := range tallies {
		if tallies[sm].cycles > tallies[worst].cycles {
			worst = sm
		}
	}
	t := &tallies[worst]
	d := &estimate.CTA{SM: worst, Classes: len(a.classes), Waves: []estimate.CTAWave{}, Loops: []estimate.CTALoop{}}
	for _, same := range a.paths {
		d.Paths += len(same)
	}
	instrs := make([]share, len(a.graph.Kernel.Instrs))
	book, longest := charge.New(a.graph), saturating.Int(0) // service of a warp
	var issue, dispatch saturating.Int
	for kind, times := range t.waves {
		if times == 0 {
			continue
		}
		w := &a.waves[kind]
		d.Waves = append(d.Waves, estimate.CTAWave{
			Times: times.Int64(), CTAs: len(w.classes), Warps: w.warps, Exact: w.exact,
			Cycles: w.cycles.Int64(), Issue: w.service.Int64(), Stall: w.cycles.Sub(w.service).Int64(),
		})
		issue, dispatch = issue.AddMul(w.service, times), dispatch.AddMul(a.dispatch, times)
		for _, c := range w.classes {
			for _, p := range a.classes[c].warps {
				if p.service > longest {
					longest = p.service
					book.Follow(p.route)
				}
				for pc, s := range p.instrs {
					instrs[pc].addTimes(&s, times)
				}
			}
		}
		book.Share(waiting, w.cycles.Sub(w.service).Mul(times), w.waits)
	}
	for pc, s := range instrs {
		book.Add("instructions hold the port", pc, s.service)
	}
	book.Remain(dispatching, dispatch)
	blocks := a.sumByBlock(instrs)
	d.Issue, d.Dispatch = issue.Int64(), dispatch.Int64()
	d.Stall = t.cycles.Sub(issue).Sub(dispatch).Int64()
	evidence := []estimate.Evidence{p.Evidence()}
	assumptions := p.Assumptions()
	for i, l := range a.graph.Loops().Loops {
		issue := saturating.Int(0)
		for b := range blocks {
			if l.Contains(b) {
				issue = issue.Add(blocks[b].service)
			}
		}
		if issue == 0 {
			continue
		}
		header := &a.graph.Blocks[l.Header]
		detail := estimate.CTALoop{
			Name: a.graph.Name(l.Header), Pos: header.Source().String(),
			Iterations: facts[i].Iterations, Evidence: estimate.Proven, Issue: issue.Int64(),
		}
		if _, basis, _ := p.LoopBound(l.Header); facts[i].Forced && basis == estimate.Annotated {
			detail.Evidence = basis
			evidence = append(evidence, basis)
			assumptions = append(assumptions, premise.Loop(detail.Name, int64(detail.Iterations)))
		}
		d.Loops = append(d.Loops, detail)
	}
	return &estimate.Estimate{
		Method: ID, Cycles: t.cycles.Int64(), Evidence: estimate.Weakest(evidence...),
		Assumptions: assumptions, Detail: d, Breakdown: a.shares(blocks, d), ByLine: book.ByLine(dispatching),
	}
}

// What cycles go to that are not those of blocks.
const (
	waiting     = "all warps wait"
	dispatching = "dispatch of waves"
)

// sumByBlock adds up what the instructions of each block have.
func (a *analysis) sumByBlock(instrs []share) []share {
	all := make([]share, a.graph.Len())
	for pc, s := range instrs {
		b := a.graph.BlockOf(pc)
		all[b].addTimes(&s, 1)
	}
	for b := range all {
		all[b].count = instrs[a.graph.Blocks[b].Start].count
	}
	return all
}

// shares says where the cycles go.
func (a *analysis) shares(blocks []share, d *estimate.CTA) []estimate.Share {
	var shares []estimate.Share
	for b, s := range blocks {
		if s.service > 0 {
			shares = append(shares, estimate.Share{
				Name: a.graph.Name(b), Pos: a.graph.Blocks[b].Source().String(),
				Count: s.count.Int64(), Cycles: s.service.Int64(),
			})
		}
	}
	waves := int64(0)
	for _, w := range d.Waves {
		waves += w.Times
	}
	for _, s := range []estimate.Share{
		{Name: waiting, Count: waves, Cycles: d.Stall},
		{Name: dispatching, Count: waves, Cycles: d.Dispatch},
	} {
		if s.Cycles > 0 {
			shares = append(shares, s)
		}
	}
	slices.SortStableFunc(shares, func(s, t estimate.Share) int { return cmp.Compare(t.Cycles, s.Cycles) })
	return shares
}
