package phases

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"warpbound/estimate"
	"warpbound/internal/premise"
	"warpbound/internal/saturating"
)

// How many runs there must be for an estimate to be tried: one in each tenth of the sampled ones,
// and two of all.
const (
	enoughSampled = 10
	enough        = 20
)

// sampledGroups are the groups of runs that were sampled, but for those that confirm.
func sampledGroups() []int { return []int{0, 1, 2, 3, 4, others} }

// alike is how many inputs that are not made of each other take as long as the longest run if that
// is the time of the worst path, and not of a mixture of paths.
const alike = 2

// predict chooses the size of windows: the largest that other runs do not refute and that leaves a
// reserve; if there is none, the smallest. Estimates are those from a tenth of the sampled runs,
// with all inputs that were made, and the others of them are held against it, for five tenths; and
// the one from all but the inputs that were evolved to take longer than those before, against
// these.
func (p *profile) predict() (window int, verdict *estimate.Prediction) {
	verdict = &estimate.Prediction{
		Status: estimate.NotRefuted, Random: p.vectors, Adversarial: p.made, Window: int64(windows[len(windows)-1]),
	}
	training := p.vectors - int64(len(p.confirmed))
	switch {
	case !p.of.varies:
		verdict.Fixed, verdict.Window = true, 0
		return 0, verdict
	case training < enoughSampled || p.vectors+p.made < enough:
		verdict.Status = estimate.Untested
		verdict.Because = []string{fmt.Sprintf("%s of sampled inputs and %s of others are too few, of %d and %d in all",
			plural(training, "run"), strconv.FormatInt(p.vectors+p.made-training, 10), enoughSampled, enough)}
		return len(windows) - 1, verdict
	}
	for w := range windows {
		if p.of.without.Windows && windows[w] != 1 {
			continue
		}
		verdict.Window = int64(windows[w])
		if verdict.Because = p.refute(p.graphs[w]); verdict.Because == nil && p.isReserved(p.graphs[w]) {
			return w, verdict
		}
	}
	if verdict.Because == nil {
		verdict.Status = estimate.Untested
		verdict.Because = []string{fmt.Sprintf("the estimate is less than %g %% above the longest run, and it is not known that no mixture of inputs takes longer", float64(p.of.reserve)/10)}
		return len(windows) - 1, verdict
	}
	verdict.Status, verdict.Exceeded = estimate.Refuted, int64(len(verdict.Because))
	return len(windows) - 1, verdict
}

// isReserved reports whether an estimate is so far above the longest run that it covers mixtures of
// what runs do, or whether that run is none.
func (p *profile) isReserved(g *contexts) bool {
	cycles, _ := g.longest(trainedGroups()...)
	longest := p.longest.of(trainedGroups()...)
	return p.of.alike && p.reached >= alike || float64(cycles.Int64()-longest) >= float64(longest)/1000*float64(p.of.reserve)
}

// refute says which estimates from a part of the runs are exceeded by others; nil if none are.
func (p *profile) refute(g *contexts) (because []string) {
	for split := range splits {
		rest := slices.DeleteFunc(sampledGroups(), func(of int) bool { return of == split })
		if cycles, _ := g.longest(split, chosen, structured, evolved); cycles.Int64() < p.longest.of(rest...) {
			because = append(because, fmt.Sprintf("a sampled run takes %d cycles, and the estimate from a tenth of the others is %d", p.longest.of(rest...), cycles.Int64()))
		}
	}
	if cycles, _ := g.longest(append(sampledGroups(), chosen, structured)...); cycles.Int64() < p.longest.of(evolved) {
		because = append(because, fmt.Sprintf("evolved inputs take %d cycles, and the estimate without these is %d", p.longest.of(evolved), cycles.Int64()))
	}
	return because
}

// confirm notes how many runs exceed the estimate that is made without them.
func (p *profile) confirm(verdict *estimate.Prediction, trained int64) {
	if len(p.confirmed) == 0 {
		return
	}
	c := &estimate.Confirmation{Runs: int64(len(p.confirmed)), Confidence: confidence}
	for _, cycles := range p.confirmed {
		if cycles > trained {
			c.Exceeded++
		}
	}
	c.Chance = boundChance(c.Runs, c.Exceeded)
	verdict.Confirmed = c
	if c.Exceeded > 0 {
		verdict.Status, verdict.Exceeded = estimate.Refuted, verdict.Exceeded+c.Exceeded
		verdict.Because = append(verdict.Because, fmt.Sprintf("%d of %s drawn after the estimate take longer than its %d cycles", c.Exceeded, plural(c.Runs, "run"), trained))
	}
}

// estimate returns the estimate from all runs. It is ErrOverflow if the longest path does not fit.
func (p *profile) estimate() (*estimate.Estimate, error) {
	window, verdict := p.predict()
	g := p.graphs[window]
	length, path := g.longest(append(trainedGroups(), confirming)...)
	cycles, breakdown := p.longest.any(), []estimate.Share(nil)
	if !verdict.Fixed {
		if length == saturating.Max {
			return nil, ErrOverflow
		}
		cycles, breakdown = length.Int64(), p.shares(g, path)
		trained, _ := g.longest(trainedGroups()...)
		p.confirm(verdict, trained.Int64())
	}
	detail := &estimate.HybridPhases{Contexts: len(g.nodes), CTAsPerClass: p.of.together, Sampled: p.sampled}
	for i := range g.nodes {
		detail.Transitions += len(g.nodes[i].next)
	}
	list := []string{
		fmt.Sprintf("in no context does a transition take longer than %s (observed)", p.seen()),
		"no context occurs that was not observed, and none after another than observed (observed)",
	}
	switch {
	case verdict.Fixed:
		list = append(list, "no input that is sampled reaches what time depends on, so that all runs are alike")
	case verdict.Status == estimate.NotRefuted:
		list = append(list, fmt.Sprintf("inputs are like those of the runs: %d estimates from parts of them hold for all others (observed)", splits+1))
	case verdict.Status == estimate.Refuted:
		list = append(list, "runs refute estimates that are made of others, so that this one is not to be relied on: "+verdict.Because[0])
	default:
		list = append(list, verdict.Because[0])
	}
	if p.of.copies {
		list = append(list, premise.WarmCopies)
	}
	list = append(list,
		"the traced PTX instructions are those executed (a device executes the SASS that ptxas generates)",
		premise.Alone, premise.NoHost)
	return &estimate.Estimate{
		Method: p.of.id, Cycles: cycles, Evidence: estimate.Observed, Assumptions: list, Detail: detail, Prediction: verdict,
		Breakdown: breakdown,
	}, nil
}

// seen says what the times of transitions are.
func (p *profile) seen() string {
	if p.runs == 1 {
		return "in the one run"
	}
	return fmt.Sprintf("in any of the %d runs", p.runs)
}

// plural renders a number of things.
func plural(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.FormatInt(n, 10) + " " + thing + "s"
}

// shares says which points carry the time of a path: a transition's time is that of the point where
// it begins.
func (p *profile) shares(g *contexts, path []hop) []estimate.Share {
	var all []estimate.Share
	of := map[int32]int{}
	for _, h := range path {
		point := int32(atLaunch)
		if h.from != unseen {
			point = g.nodes[h.from].point
		}
		at, ok := of[point]
		if !ok {
			at = len(all)
			of[point] = at
			all = append(all, p.share(point))
		}
		all[at].Count++
		all[at].Cycles += h.cycles
	}
	all = slices.DeleteFunc(all, func(s estimate.Share) bool { return s.Cycles == 0 })
	slices.SortStableFunc(all, func(a, b estimate.Share) int { return int(min(1, max(-1, b.Cycles-a.Cycles))) })
	return all
}

func (p *profile) share(point int32) estimate.Share {
	switch point {
	case atStart:
		return estimate.Share{Name: "start"}
	case atRelease:
		return estimate.Share{Name: "release of a barrier"}
	case atLaunch:
		return estimate.Share{Name: "launch to the start of the CTA"}
	}
	return estimate.Share{Name: p.of.points[point].Name, Pos: p.of.points[point].Pos}
}

func (p *profile) observed() *estimate.Observation {
	mean, _ := new(big.Rat).SetFrac(&p.total, big.NewInt(p.runs)).Float64()
	return &estimate.Observation{Min: p.shortest, Mean: mean, Max: p.longest.any()}
}
