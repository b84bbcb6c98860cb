package llc

import "math"

// coarse bounds a launch by sums, where it is not known exactly what its warps execute.
//
// At any time in which an SM has an access that is not answered and that throttling does not
// hold up, the oldest of these is under way, each for no longer than latencies.oldest. In which it
// has none, an instruction is under way, or a wave is dispatched. So an SM needs at most the sum of
// all of these and the time in which it is throttled. If accesses are regulated, some SM is not
// throttled unless an interval ends: the sums of all SMs bound that time.
func (a *analysis) coarse() (*Detail, error) {
	d := a.detail()
	for sm := range a.deal.sms {
		need, dispatch := a.total(sm)
		l := newLatencies(a.machine, sm)
		cycles := saturate(need.busy, dispatch, 1)
		cycles = saturate(cycles, need.accesses, l.oldest())
		cycles = saturate(cycles, need.further, a.machine.LLC.Atomic.Value)
		d.Cores = append(d.Cores, CoreDetail{Accesses: need.accesses, Misses: need.accesses})
		d.Unclassified = saturate(d.Unclassified, need.accesses, 1)
		switch {
		case d.Regulated:
			d.Issue, d.Dispatch = saturate(d.Issue, need.busy, 1), saturate(d.Dispatch, dispatch, 1)
			d.cycles = saturate(d.cycles, cycles, 1)
			d.Intervals = max(d.Intervals, need.accesses/d.Quota+1)
		case cycles > d.cycles:
			d.SM, d.cycles, d.Issue, d.Dispatch = sm, cycles, need.busy, dispatch
		}
	}
	if d.Regulated {
		each := a.endOfInterval()
		d.Ends = saturate(0, d.Intervals-1, each)
		d.cycles = saturate(d.cycles, d.Ends, 1)
	}
	d.Accesses, d.Misses = d.Unclassified, d.Unclassified
	d.Stall = d.cycles - d.Issue - d.Dispatch
	d.Cores = append(d.Cores, a.cpu.detail())
	d.AllMisses = saturate(d.Misses, a.cpu.detail().Misses, 1)
	if d.Accesses > 0 {
		d.MissRate = 1
	}
	if d.cycles == math.MaxInt64 {
		return nil, ErrOverflow
	}
	return d, nil
}

// endOfInterval returns how long all SMs that have not ended are throttled at the end of an interval, at
// most.
func (a *analysis) endOfInterval() int64 {
	wait := int64(0)
	if len(a.cpu.accesses) > 0 {
		wait = a.cpu.wait + a.cpu.oldest()
	}
	return wait + a.machine.Regulator.Reset.Value + 1
}

// total returns what all warps of an SM need together, and for how long its waves are dispatched.
func (a *analysis) total(sm int) (need sums, dispatch int64) {
	for wave := 0; ; wave++ {
		ctas := a.deal.wave(sm, wave)
		if len(ctas) == 0 {
			return need, dispatch
		}
		dispatch += a.machine.SM.Dispatch.Value
		for _, cta := range ctas {
			for w := range a.perCTA {
				p, _ := a.pathOf(cta, w)
				need.plus(p.sums, 1)
			}
		}
	}
}
