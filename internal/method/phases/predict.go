package phases

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"warpbound/estimate"
	"warpbound/internal/premise"
	"warpbound/internal/saturating"
)

// enough is the number of sampled runs from which on self-prediction is tried: two in each tenth.
const enough = 20

// sampledGroups are the groups of runs that were sampled.
func sampledGroups() []int { return []int{0, 1, 2, 3, 4, others} }

// predict chooses the size of windows: the largest of which the estimate from a tenth of the sampled runs, with those
// that somebody chose, holds for all others of them, for each of five tenths. If that is true of no size it is the smallest.
func (p *profile) predict() (window int, verdict *estimate.SelfPrediction) {
	verdict = &estimate.SelfPrediction{Verdict: estimate.TooFewRuns, Window: int64(windows[len(windows)-1])}
	switch {
	case !p.of.varies:
		return 0, &estimate.SelfPrediction{Verdict: estimate.Fixed}
	case p.vectors < enough:
		return len(windows) - 1, verdict
	}
	verdict.Splits, verdict.Verdict = splits, estimate.Exceeded
	for w := range windows {
		if p.of.without.Windows && windows[w] != 1 {
			continue
		}
		verdict.Window, verdict.Exceeded = int64(windows[w]), 0
		for split := range splits {
			rest := slices.DeleteFunc(sampledGroups(), func(g int) bool { return g == split })
			if cycles, _ := p.graphs[w].longest(split, chosen); cycles.Int64() < p.longest.of(rest...) {
				verdict.Exceeded++
			}
		}
		if verdict.Exceeded == 0 {
			verdict.Verdict = estimate.Held
			return w, verdict
		}
	}
	return len(windows) - 1, verdict
}

// estimate returns the estimate from all runs. It is ErrOverflow if the longest path does not fit.
func (p *profile) estimate() (*estimate.Estimate, error) {
	window, verdict := p.predict()
	g := p.graphs[window]
	length, path := g.longest(append(sampledGroups(), chosen)...)
	cycles, breakdown := p.longest.any(), []estimate.Share(nil)
	if verdict.Verdict != estimate.Fixed {
		if length == saturating.Max {
			return nil, ErrOverflow
		}
		cycles, breakdown = length.Int64(), p.shares(g, path)
	}
	detail := &estimate.HybridPhases{Contexts: len(g.nodes), CTAsPerClass: p.of.together, Sampled: p.sampled, Chance: p.chance()}
	for i := range g.nodes {
		detail.Transitions += len(g.nodes[i].next)
	}
	list := []string{
		fmt.Sprintf("in no context does a transition take longer than %s (observed)", p.seen()),
		"no context occurs that was not observed, and none after another than observed (observed)",
	}
	switch verdict.Verdict {
	case estimate.Held:
		list = append(list, fmt.Sprintf("inputs are like those of the runs: %d estimates from a tenth of the sampled runs each hold for all others (observed)", splits))
	case estimate.Exceeded:
		list = append(list, fmt.Sprintf("training does not predict itself: %d of %d estimates from a tenth of the sampled runs are exceeded by others, so that this one is not to be relied on", verdict.Exceeded, verdict.Splits))
	case estimate.Fixed:
		list = append(list, "no input that is sampled reaches what time depends on, so that all runs are alike")
	default:
		list = append(list, fmt.Sprintf("%s of sampled inputs are too few to try what the estimate predicts: at least %d are needed", plural(p.vectors, "run"), enough))
	}
	if p.of.copies {
		list = append(list, premise.WarmCopies)
	}
	list = append(list,
		"the traced PTX instructions are those executed (a device executes the SASS that ptxas generates)",
		premise.Alone, premise.NoHost)
	return &estimate.Estimate{
		Method: p.of.id, Cycles: cycles, Evidence: estimate.Observed, Assumptions: list, Detail: detail, SelfPrediction: verdict,
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

// shares says which points carry the time of a path: a transition's time is that of the point where it begins.
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

// rare is the probability of which the Gumbel quantile tells.
const rare = 1e-6

// chance says what the times of the sampled runs alone tell of the next one; nil of fewer than two, and where an input executes the
// launch several times, whose times are not independent. The chance to exceed the
// largest of n times is at most 1/(n+1) for a further time from the same distribution, whatever that is. The quantile is that of the
// Gumbel distribution with the mean and the variance of the times.
func (p *profile) chance() *estimate.Chance {
	if p.sampled < 2 || p.sampled != p.vectors {
		return nil
	}
	n := big.NewInt(p.sampled)
	mean := new(big.Rat).SetFrac(&p.sum, n)
	variance := new(big.Rat).SetFrac(&p.squares, n)
	variance.Sub(variance, new(big.Rat).Mul(mean, mean))
	mu, _ := mean.Float64()
	v, _ := variance.Float64()
	scale := math.Sqrt(max(0, v)*float64(p.sampled)/float64(p.sampled-1)) * math.Sqrt(6) / math.Pi
	const euler = 0.57721566490153286
	quantile := float64(mu-float64(euler*scale)) - float64(scale*math.Log(-math.Log1p(-rare)))
	return &estimate.Chance{Runs: p.sampled, HighWater: p.longest.of(sampledGroups()...), Exceeds: 1 / float64(p.sampled+1), Rare: rare, Gumbel: int64(math.Ceil(quantile))}
}
