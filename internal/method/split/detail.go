package split

import (
	"cmp"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/machine"
	"warpbound/internal/method"
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
		if launches[r].cycles < launches[best].cycles {
			best = rule(r)
		}
	}
	l := launches[best]
	r, sm := &a.resident, &a.Machine.SM
	d := &estimate.Split{
		SplitSIMDs: r.parts - 1, SIMDs: sm.Schedulers.Value, Splits: []estimate.SplitBranch{},
		Wavefronts: r.wavefronts, Groups: r.groups, Slots: r.slots, Rounds: l.rounds(), Dispatch: sm.Dispatch.Value,
		Separate: best.String(), Bounds: estimate.SplitBounds{Nothing: launches[countAll].cycles, Memory: launches[countPorts].cycles, Both: launches[countNeither].cycles},
		Service: l.service, Passes: l.issue,
		Barriers: [...]string{noBarrier: "none", jointly: "common", anyhow: "any"}[a.barriers], Loops: []estimate.SplitLoop{},
	}
	d.Last = a.groupDetail(l.last)
	if g := l.longest(); g != nil {
		d.Full = a.groupDetail(g)
	}
	d.Before = l.cycles - l.service - l.issue - l.last.cycles - l.rounds()*sm.Dispatch.Value
	mode := a.Machine.Split.Mode.Value
	e := &estimate.Estimate{
		Method: Method(mode).ID(), Cycles: l.cycles, Evidence: a.Evidence(), Detail: d,
		Assumptions: a.Assumptions(), Breakdown: a.shares(l),
	}
	if s := a.schedule; s != nil {
		e.Cycles, e.Breakdown = s.cycles, a.played(s)
		d.Schedule = &estimate.SplitSchedule{Rounds: s.rounds, Wavefronts: s.cycles - s.rounds*sm.Dispatch.Value}
	}
	if mode != machine.SplitNone {
		e.Assumptions = append(e.Assumptions, method.RaceFree)
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
			e.Assumptions = append(e.Assumptions, method.LoopAssumption(detail.Name, detail.Iterations))
		}
	}
	return e, nil
}

func (a *analysis) groupDetail(g *group) *estimate.SplitGroup {
	d := &estimate.SplitGroup{
		Cycles: g.cycles, Wavefront: g.longest, Contexts: g.contexts, WarpSplits: a.resident.warpSplits(g.groups),
	}
	for _, done := range g.done {
		if g.rule != countNeither {
			d.Issue += done.passes * (a.pass(g.sharing) - a.Machine.Split.Pass.Value)
		}
		if g.rule == countAll {
			d.Memory += done.accesses * g.wait
		}
	}
	d.Splitting = a.splitting(g)
	d.Own = d.Wavefront - d.Issue - d.Memory - d.Splitting
	return d
}

// splitting returns the cycles that splitting and merging take on the path of a workgroup's
// bound, when they need not wait.
func (a *analysis) splitting(g *group) int64 {
	sum := int64(0)
	pass := a.Machine.Split.Pass.Value
	for b, done := range g.done {
		if !g.kind.reached[b] {
			continue
		}
		need := demand{}
		switch a.Machine.Split.Mode.Value {
		case machine.PWS:
			need = a.timing.splitting(&a.Graph.Blocks[b])
		case machine.DWS:
			if g.kind.parts[b] && a.mayDivide(b) {
				need = a.dividing()
			}
		}
		sum += done.times * need.delay
		if g.rule != countNeither {
			sum += done.times * need.passes * pass
		}
	}
	return sum
}

// shares says where the cycles of a bound go: per block, those of the path of one wavefront
// in each round.
func (a *analysis) shares(l *launch) []estimate.Share {
	blocks := make([]estimate.Share, a.Graph.Len())
	count := func(g *group, times int64) {
		for b, done := range g.done {
			blocks[b].Count += done.times * times
			blocks[b].Cycles += times * a.price(done.demand, g.sharing)
		}
	}
	count(l.last, 1)
	dispatch := l.rounds() * a.Machine.SM.Dispatch.Value
	rest := l.cycles - l.service - l.issue - l.last.longest - dispatch
	for class, n := range l.before {
		if n > 0 {
			count(l.full[class], n)
			rest -= n * l.full[class].longest
		}
	}
	var shares []estimate.Share
	for b, s := range blocks {
		if s.Cycles > 0 {
			s.Name, s.Pos = a.Graph.Name(b), a.Graph.Blocks[b].Source().String()
			shares = append(shares, s)
		}
	}
	for _, s := range []estimate.Share{
		{Name: "service of the memory", Count: a.resident.groups, Cycles: l.service},
		{Name: "passes of all ports", Count: a.resident.groups, Cycles: l.issue},
		{Name: "other wavefronts of the workgroup", Count: l.rounds(), Cycles: rest},
		{Name: "dispatch of workgroups", Count: l.rounds(), Cycles: dispatch},
	} {
		if s.Cycles > 0 {
			shares = append(shares, s)
		}
	}
	return sorted(shares)
}

// played says where the cycles of a schedule go: per block, those of the wavefronts on the chain that ends last.
func (a *analysis) played(s *schedule) []estimate.Share {
	shares := []estimate.Share{{Name: "dispatch of workgroups", Count: s.rounds, Cycles: s.rounds * a.Machine.SM.Dispatch.Value}}
	for b, t := range s.blocks {
		shares = append(shares, estimate.Share{Name: a.Graph.Name(b), Pos: a.Graph.Blocks[b].Source().String(), Count: t.count, Cycles: t.cycles})
	}
	return sorted(slices.DeleteFunc(shares, func(s estimate.Share) bool { return s.Cycles == 0 }))
}

func sorted(shares []estimate.Share) []estimate.Share {
	slices.SortStableFunc(shares, func(s, t estimate.Share) int { return cmp.Compare(t.Cycles, s.Cycles) })
	return shares
}
