package split

import (
	"cmp"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/premise"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
)

// estimate makes the estimate of the rule that gives less.
func (a *analysis) estimate() (*estimate.Estimate, error) {
	var launches [rules]*launch
	best := countAll
	for r := range launches {
		var err error
		if launches[r], err = a.launch(rule(r)); err != nil {
			return nil, err
		}
		if launches[r].cycles == saturating.Max {
			return nil, ErrOverflow
		}
		if launches[r].cycles < launches[best].cycles {
			best = rule(r)
		}
	}
	l := launches[best]
	r, sm := &a.resident, &a.Machine.SM
	d := &estimate.Split{
		SplitSIMDs: r.parts.Sub(1).Int64(), SIMDs: sm.Schedulers.Value, Splits: []estimate.SplitBranch{},
		Wavefronts: r.wavefronts.Int64(), Groups: r.groups.Int64(), Slots: r.slots.Int64(), Rounds: l.rounds().Int64(),
		Dispatch: sm.Dispatch.Value, Separate: best.String(),
		Bounds: estimate.SplitBounds{
			Nothing: launches[countAll].cycles.Int64(), Memory: launches[countPorts].cycles.Int64(),
			Both: launches[countNeither].cycles.Int64(),
		},
		Service: l.service.Int64(), Passes: l.issue.Int64(),
		Barriers: [...]string{noBarrier: "none", jointly: "common", anyhow: "any"}[a.barriers], Loops: []estimate.SplitLoop{},
	}
	d.Last = a.groupDetail(l.last)
	if g := l.longest(); g != nil {
		d.Full = a.groupDetail(g)
	}
	d.Before = l.cycles.Sub(l.service).Sub(l.issue).Sub(l.last.cycles).Sub(l.rounds().Mul(a.timing.dispatch())).Int64()
	mode := a.Machine.Split.Mode.Value
	e := &estimate.Estimate{
		Method: Method(mode).ID(), Cycles: l.cycles.Int64(), Evidence: a.Evidence(), Detail: d,
		Assumptions: a.Assumptions(), Breakdown: a.shares(l), ByLine: a.byLine(l),
	}
	if s := a.schedule; s != nil {
		e.Cycles, e.Breakdown, e.ByLine = s.cycles.Int64(), a.played(s), a.playedByLine(s, l)
		d.Schedule = &estimate.SplitSchedule{
			Rounds: s.rounds.Int64(), Wavefronts: s.cycles.Sub(s.rounds.Mul(a.timing.dispatch())).Int64(),
		}
	}
	if mode != machine.SplitNone {
		e.Assumptions = append(e.Assumptions, premise.RaceFree)
	}
	for _, b := range a.Splits {
		d.Splits = append(d.Splits, estimate.SplitBranch{Name: a.Graph.Name(b), Pos: a.Graph.Blocks[b].Source().String()})
	}
	for i, loop := range a.Graph.Loops().Loops {
		if !a.joint.reached[loop.Header] {
			continue
		}
		limit := a.joint.loops[i]
		detail := estimate.SplitLoop{
			Name: a.Graph.Name(loop.Header), Pos: a.Graph.Blocks[loop.Header].Source().String(),
			Iterations: limit.maximum, Evidence: limit.evidence,
			Separate: slices.ContainsFunc(a.kinds, func(k *kind) bool {
				return slices.ContainsFunc(k.form.DivergingLoops, func(t bsb.DivergingLoop) bool { return t.Header == loop.Header })
			}),
		}
		d.Loops = append(d.Loops, detail)
		if limit.evidence != estimate.Proven {
			e.Evidence = estimate.Weakest(e.Evidence, limit.evidence)
			e.Assumptions = append(e.Assumptions, premise.Loop(detail.Name, detail.Iterations))
		}
	}
	return e, nil
}

func (a *analysis) groupDetail(g *group) *estimate.SplitGroup {
	var issue, memory saturating.Int
	for _, done := range g.done {
		if g.rule != countNeither {
			issue = issue.AddMul(done.passes, a.pass(g.sharing).Sub(a.timing.pass()))
		}
		if g.rule == countAll {
			memory = memory.AddMul(done.accesses, g.wait)
		}
	}
	splitting := a.splitting(g)
	return &estimate.SplitGroup{
		Cycles: g.cycles.Int64(), Wavefront: g.longest.Int64(), Contexts: g.contexts.Int64(),
		WarpSplits: a.resident.warpSplits(g.groups).Int64(), Issue: issue.Int64(), Memory: memory.Int64(),
		Splitting: splitting.Int64(), Own: g.longest.Sub(issue).Sub(memory).Sub(splitting).Int64(),
	}
}

// splitting returns the cycles that splitting and merging take on the path of a workgroup's
// bound, when they need not wait.
func (a *analysis) splitting(g *group) saturating.Int {
	sum := saturating.Int(0)
	for b, done := range g.done {
		if !g.kind.reached[b] {
			continue
		}
		need := a.dividing().times(done.divided)
		if a.Machine.Split.Mode.Value == machine.PWS {
			need = a.timing.splitting(&a.Graph.Blocks[b]).times(done.times)
		}
		sum = sum.Add(need.delay)
		if g.rule != countNeither {
			sum = sum.AddMul(need.passes, a.timing.pass())
		}
	}
	return sum
}

// shares says where the cycles of a bound go: per block, those of the path of one wavefront
// in each round.
func (a *analysis) shares(l *launch) []estimate.Share {
	blocks := make([]share, a.Graph.Len())
	count := func(g *group, times saturating.Int) {
		for b, done := range g.done {
			s := &blocks[b]
			s.count, s.cycles = s.count.AddMul(done.times, times), s.cycles.AddMul(a.price(done.demand, g.sharing), times)
		}
	}
	rest := l.cycles.Sub(l.service).Sub(l.issue).Sub(a.dispatchCycles(l))
	for g, n := range l.groups {
		count(g, n)
		rest = rest.Sub(g.longest.Mul(n))
	}
	shares := a.sharesOf(blocks)
	for _, s := range []estimate.Share{
		{Name: serving, Count: a.resident.groups.Int64(), Cycles: l.service.Int64()},
		{Name: passing, Count: a.resident.groups.Int64(), Cycles: l.issue.Int64()},
		{Name: others, Count: l.rounds().Int64(), Cycles: rest.Int64()},
		{Name: dispatching, Count: l.rounds().Int64(), Cycles: a.dispatchCycles(l).Int64()},
	} {
		if s.Cycles > 0 {
			shares = append(shares, s)
		}
	}
	return sorted(shares)
}

// played says where the cycles of a schedule go: per block, those of the wavefronts on the chain that ends last.
func (a *analysis) played(s *schedule) []estimate.Share {
	dispatch := s.rounds.Mul(a.timing.dispatch())
	shares := []estimate.Share{{Name: dispatching, Count: s.rounds.Int64(), Cycles: dispatch.Int64()}}
	return sorted(append(shares, a.sharesOf(a.sumByBlock(s.instrs))...))
}

// sumByBlock adds up what the instructions of each block have.
func (a *analysis) sumByBlock(instrs []share) []share {
	all := make([]share, a.Graph.Len())
	for pc, s := range instrs {
		at := &all[a.Graph.BlockOf(pc)]
		at.cycles = at.cycles.Add(s.cycles)
	}
	for b := range all {
		all[b].count = instrs[a.Graph.Blocks[b].Start].count
	}
	return all
}

// sharesOf returns the shares of the blocks that have some.
func (a *analysis) sharesOf(blocks []share) []estimate.Share {
	var shares []estimate.Share
	for b, s := range blocks {
		if s.cycles > 0 {
			shares = append(shares, estimate.Share{
				Name: a.Graph.Name(b), Pos: a.Graph.Blocks[b].Source().String(), Count: s.count.Int64(), Cycles: s.cycles.Int64(),
			})
		}
	}
	return shares
}

func sorted(shares []estimate.Share) []estimate.Share {
	slices.SortStableFunc(shares, func(s, t estimate.Share) int { return cmp.Compare(t.Cycles, s.Cycles) })
	return shares
}
