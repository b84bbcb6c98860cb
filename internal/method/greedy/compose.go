package greedy

import "warpbound/estimate"

// window is a pool of entries that requests of an SM take, all for the time of one: if all are taken, the load/store unit waits.
type window struct {
	requests int64 // that take an entry, in all
	entries  int64
	spare    int64 // of the requests those behind which the unit does not wait: as many as entries, or 0
}

// waits returns how often the unit waits for as long as a request takes, on one of so many SMs that share the requests evenly, or on
// average.
func (w window) waits(sms int64) int64 {
	switch {
	case w.requests <= w.spare:
		return 0
	case sms == 1 && w.spare > 0:
		return share(w.requests, 1, w.entries) - 1
	case sms == 1:
		return w.requests / w.entries
	}
	return share(w.requests, 1, times(w.entries, sms))
}

// loads returns the sums without the loads that surely hit the L1: a line is fetched once, and again when it was written.
func (a *analysis) loads(s sums, sms int64) sums {
	if !a.foot.l1fits || s[out] == over || s[in] == over { // of what is over nothing can be taken away
		return s
	}
	fewer := a.noSums()
	copy(fewer, s)
	fewer[fills] = min(s[fills], plus(times(a.foot.l1, sms), s[dirtying]))
	fewer[out] -= (s[fills] - fewer[fills]) * a.header
	fewer[in] -= (s[fills] - fewer[fills]) * a.full
	return fewer
}

// windows returns the pools of an SM, of what CTAs on sms SMs need, and their loads of lines.
func (a *analysis) windows(s sums, loaded int64) []window {
	together := a.L1.Merge.Value + 1
	merged := window{requests: min(loaded, times(a.merged, together)), entries: together}
	w := []window{
		{s[fills], a.L1.MSHRs.Value, a.L1.MSHRs.Value},
		{plus(s[fills], s[requests]), a.Interconnect.Credits.Value, a.Interconnect.Credits.Value},
	}
	if !a.foot.l1fits {
		w = append(w, window{s[fills], a.ways, a.ways})
	}
	return append(w, merged)
}

// demand is what CTAs need of an SM: what all of them do, and the warps of each of its schedulers.
type demand struct {
	all    sums
	each   []sums
	across bool // a chain of causes may pass through warps of several schedulers
}

func (a *analysis) noDemand() *demand {
	d := &demand{all: a.noSums()}
	for range a.schedulers {
		d.each = append(d.each, a.noSums())
	}
	return d
}

// add adds so many CTAs of a class.
func (d *demand) add(c *class, n int64) {
	d.all.times(c.all, n)
	for i := range d.each {
		d.each[i].times(c.each[i], n)
	}
	d.across = d.across || c.barriers
}

// atLeast makes the demand at least that of n CTAs of a class.
func (d *demand) atLeast(c *class, n int64) {
	one := &demand{all: make(sums, len(d.all))}
	for range d.each {
		one.each = append(one.each, make(sums, len(d.all)))
	}
	one.add(c, n)
	d.all.atLeast(one.all)
	for i := range d.each {
		d.each[i].atLeast(one.each[i])
	}
	d.across = d.across || c.barriers
}

// of returns the greatest number of a scheduler, or what all have together if a chain may pass through several.
func (d *demand) of(number func(s sums) int64) int64 {
	maximum, all := int64(0), int64(0)
	for _, s := range d.each {
		n := number(s)
		maximum, all = max(maximum, n), plus(all, n)
	}
	if d.across {
		return all
	}
	return maximum
}

// onSM adds the cycles in which an SM serves others than a chain, if sms SMs share the demand.
func (a *analysis) onSM(d *demand, sms int64, to *estimate.Greedy) {
	to.Issue = plus(to.Issue, share(d.of(func(s sums) int64 { return s[issued] }), 1, sms))
	for i, p := range a.pipes {
		if i == a.lsu && !a.queued {
			continue
		}
		at := held(i)
		cycles := share(d.all[at], 1, times(p.count, sms))
		if own := int64(1); p.own || p.count >= int64(a.schedulers) {
			if !p.own {
				own = int64(a.schedulers)
			}
			rest := d.all[at+1]
			if p.own {
				rest = d.of(func(s sums) int64 { return s[at+1] })
				cycles = rest
			}
			cycles = min(cycles, share(rest, 1, times(p.count-own+1, sms)))
		}
		to.Pipelines = plus(to.Pipelines, cycles)
	}
	to.Unit = plus(to.Unit, share(d.all[unit], 1, sms))
	if a.queued {
		front := &a.LSU
		to.Unit = plus(to.Unit, share(d.of(func(s sums) int64 {
			w := window{s[buffered], front.Buffer.Value, front.Buffer.Value}
			return plus(times(s[buffered], front.Address.Value), times(w.waits(1), front.Latency.Value))
		}), 1, sms))
	}
	s := a.loads(d.all, sms)
	to.Crossbar = plus(to.Crossbar, share(plus(times(2, s[out]), s[in]), 1, sms))
	for _, w := range a.windows(s, d.all[fills]) {
		to.Waits = plus(to.Waits, w.waits(sms))
	}
}

// compose bounds the launch.
func (a *analysis) compose(classes []class, of func(cta int) int) *estimate.Greedy {
	total := a.noDemand()
	for i := range classes {
		total.add(&classes[i], classes[i].count)
	}
	var best *estimate.Greedy
	try := func(d *estimate.Greedy, chain point) {
		a.inMemory(total.all, chain.visits, d)
		a.once(total.all, d)
		a.close(d, chain)
		if best == nil || d.Cycles() > best.Cycles() {
			best = d
		}
	}
	if a.ctas <= a.sms*a.slots {
		// CTA i goes to SM i mod sms.
		for sm := range min(a.sms, a.ctas) {
			own, chain := a.noDemand(), point{}
			n := int64(0)
			for cta := sm; cta < a.ctas; cta += a.sms {
				c := &classes[of(cta)]
				own.add(c, 1)
				chain = chain.max(c.chain)
				n++
			}
			d := &estimate.Greedy{}
			d.Dispatch = times(n-1, a.SM.Dispatch.Value)
			a.onSM(own, 1, d)
			try(d, chain)
		}
		return best
	}
	// Until the last CTA is dispatched, all places of all SMs are taken, but for the time until the dispatcher sees a free one: the average
	// over them tells how long that takes. Behind it an SM has no more CTAs than places.
	places := int64(a.sms) * int64(a.slots)
	gap := plus(a.round, times(int64(a.slots)+1, a.SM.Dispatch.Value))
	sum, longest, last := point{}, point{}, a.noDemand()
	for i := range classes {
		c := &classes[i]
		sum = sum.plus(c.chain.times(c.count))
		longest = longest.max(c.chain)
		last.atLeast(c, int64(a.slots))
	}
	chain := point{share(sum.far, 1, places), share(sum.near, 1, places), share(sum.visits, 1, places)}.plus(longest)
	total.across = true // from a CTA to the one that takes its place
	d := &estimate.Greedy{Dispatch: plus(share(times(int64(a.ctas), gap), 1, places), gap)}
	a.onSM(total, int64(a.sms), d)
	a.onSM(last, 1, d)
	try(d, chain)
	return best
}

// once adds what every SM does once: fetch instructions and constants.
func (a *analysis) once(s sums, to *estimate.Greedy) {
	n := int64(0)
	if a.icached {
		n = times(a.ilines, a.ICache.Miss.Value)
	}
	if a.ccached && s[constants] > 0 {
		n = plus(n, times(a.clines, a.CCache.Miss.Value))
	}
	if a.ctas > a.sms*a.slots {
		n = times(n, 2) // once on average until the last CTA is dispatched, and once on the SM that ends last
	}
	to.Caches = n
}

// close adds the chain: each access on it and each wait for an entry of a pool takes as long as one that goes to the DRAM, or, if few lines
// are fetched, as one that finds its line in the L2, and all wait together at most until all lines have come.
func (a *analysis) close(d *estimate.Greedy, chain point) {
	operations := int64(0)
	if a.atomic {
		operations = a.SM.WarpSize.Value
	}
	near := a.hit(max(a.slowest, 1), operations)
	waits := times(d.Waits, near)
	far := plus(chain.far, times(d.Waits, a.fetch))
	if all := plus(chain.near, times(min(d.Fetches, plus(chain.visits, d.Waits)), a.fetch)); all < far {
		far = all
	}
	d.Chain, d.Stalls = far, waits
}
