package hybrid

import (
	"fmt"
	"math"

	"warpbound/estimate"
)

// list bounds the end of CTAs that take slots as these become free, after Graham's bound of list scheduling. A CTA starts
// only after others have held each of the slots but for gaps. It ends one path later.
func (r *reporter) list(warp estimate.Estimate) (estimate.Estimate, error) {
	var sum cycles
	slots := &r.p.slots
	d := &estimate.HybridList{
		Warp: warp.Cycles, Spread: slots.spread, CTAs: slots.ctas, Slots: r.slots(), FirstStart: slots.first, Gap: slots.gap,
	}
	all, shortest := int64(0), int64(math.MaxInt64)
	for _, time := range slots.times {
		d.Longest, shortest = max(d.Longest, time), min(shortest, time)
		all = sum.add(all, time)
	}
	d.Total = all - shortest
	d.Rounds = rounds(d.CTAs, d.Slots)
	d.ByRounds = sum.mul(d.Rounds-1, sum.add(d.Longest, d.Gap))
	d.BySum = sum.add(d.Total, sum.mul(d.CTAs-1, d.Gap)) / d.Slots
	earlier := min(d.ByRounds, d.BySum)
	e := estimate.Estimate{
		Method:   List,
		Cycles:   sum.add(sum.add(d.FirstStart, earlier), sum.add(d.Spread, d.Warp)),
		Evidence: estimate.Observed,
		Assumptions: append(r.assumptions(),
			fmt.Sprintf("%s on %s: the first of a slot starts at most %s after the %s, each other one at most %s after the end of the one before (observed)",
				plural(d.CTAs, "CTA"), plural(d.Slots, "slot"), plural(d.FirstStart, "cycle"), r.origin(), plural(d.Gap, "cycle")),
			fmt.Sprintf("no CTA but the last takes longer than in any run, at most %s (observed)", plural(d.Longest, "cycle"))),
		Detail: d,
		Breakdown: ordered(append(r.shares(1),
			estimate.Share{Name: "first start", Count: 1, Cycles: d.FirstStart},
			estimate.Share{Name: "earlier CTAs", Count: d.CTAs - 1, Cycles: earlier},
			estimate.Share{Name: "starts of the last CTA", Count: 1, Cycles: d.Spread})),
	}
	return e, sum.err(List)
}

// slots is the number of slots that CTAs share: those of all multiprocessors or, without a common clock, those of one.
func (r *reporter) slots() int64 {
	l := r.p.options.Launch
	if r.perSM() {
		return int64(l.resident())
	}
	return l.slots()
}

// rounds is how often so many slots are filled until all CTAs have had one.
func rounds(ctas, slots int64) int64 { return (ctas + slots - 1) / slots }

// geometry is Eq. 2 with waves that fill all slots at once, as its authors count them by hand.
func (r *reporter) geometry(warp estimate.Estimate, delta int64) (*estimate.HybridGeometry, error) {
	var sum cycles
	l := r.p.options.Launch
	if l.CTAs == 0 || r.perSM() {
		return nil, nil
	}
	g := &estimate.HybridGeometry{Waves: rounds(int64(l.CTAs), l.slots()), WarpsPerWave: int64(l.resident()) * int64(l.Warps)}
	g.Cycles = sum.mul(g.Waves, sum.add(warp.Cycles, sum.mul(g.WarpsPerWave-1, delta)))
	return g, sum.err(Waves)
}
