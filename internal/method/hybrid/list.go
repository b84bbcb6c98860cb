package hybrid

import (
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/saturating"
)

// list bounds the end of CTAs that take slots as these become free, after Graham's bound of list scheduling. A CTA starts
// only after others have held each of the slots but for gaps. It ends one path later.
func (r *reporter) list(warp estimate.Estimate) (estimate.Estimate, error) {
	slots := &r.p.slots
	d := &estimate.HybridList{
		Warp: warp.Cycles, Spread: slots.spread, CTAs: slots.ctas, Slots: r.slots(), FirstStart: slots.first, Gap: slots.gap,
	}
	all, shortest, longest := saturating.Int(0), saturating.Max, saturating.Int(0)
	for _, time := range slots.times {
		time := saturating.Of(time)
		longest, shortest = max(longest, time), min(shortest, time)
		all = all.Add(time)
	}
	total, gap := all.Sub(shortest), saturating.Of(d.Gap)
	rounds := saturating.Of(d.CTAs).DivUp(saturating.Of(d.Slots))
	byRounds := rounds.Sub(1).Mul(longest.Add(gap))
	bySum := total.AddMul(saturating.Of(d.CTAs-1), gap).Div(saturating.Of(d.Slots))
	earlier := min(byRounds, bySum)
	cycles := saturating.Sum(saturating.Of(d.FirstStart), earlier, saturating.Of(d.Spread), saturating.Of(d.Warp))
	if max(total, byRounds, bySum, cycles) == saturating.Max {
		return estimate.Estimate{}, overflow(List)
	}
	d.Rounds, d.Longest, d.Total = rounds.Int64(), longest.Int64(), total.Int64()
	d.ByRounds, d.BySum = byRounds.Int64(), bySum.Int64()
	return estimate.Estimate{
		Method:   List,
		Cycles:   cycles.Int64(),
		Evidence: estimate.Observed,
		Assumptions: append(r.assumptions(),
			fmt.Sprintf("%s on %s: the first of a slot starts at most %s after the %s, each other one at most %s after the end of the one before (observed)",
				plural(d.CTAs, "CTA"), plural(d.Slots, "slot"), plural(d.FirstStart, "cycle"), r.origin(), plural(d.Gap, "cycle")),
			fmt.Sprintf("no CTA but the last takes longer than in any run, at most %s (observed)", plural(d.Longest, "cycle"))),
		Detail: d,
		Breakdown: ordered(append(r.shares(1),
			estimate.Share{Name: "first start", Count: 1, Cycles: d.FirstStart},
			estimate.Share{Name: "earlier CTAs", Count: d.CTAs - 1, Cycles: earlier.Int64()},
			estimate.Share{Name: "starts of the last CTA", Count: 1, Cycles: d.Spread})),
	}, nil
}

// slots is the number of slots that CTAs share: those of all multiprocessors or, without a common clock, those of one.
func (r *reporter) slots() int64 {
	l := r.p.options.Launch
	if r.perSM() {
		return int64(l.resident())
	}
	return l.slots()
}

// geometry is Eq. 2 with waves that fill all slots at once, as its authors count them by hand.
func (r *reporter) geometry(warp estimate.Estimate, delta int64) (*estimate.HybridGeometry, error) {
	l := r.p.options.Launch
	if l.CTAs == 0 || l.Warps == 0 || r.perSM() {
		return nil, nil
	}
	waves := l.rounds()
	warps := saturating.Of(l.resident()).Mul(saturating.Of(l.Warps))
	cycles := saturating.Of(warp.Cycles).AddMul(warps.Sub(1), saturating.Of(delta)).Mul(waves)
	if cycles == saturating.Max {
		return nil, overflow(Waves)
	}
	return &estimate.HybridGeometry{Waves: waves.Int64(), WarpsPerWave: warps.Int64(), Cycles: cycles.Int64()}, nil
}
