package greedy

import "warpbound/estimate"

// window is a pool of entries that requests of an SM take, all for the time of one: if all are taken, the load/store unit waits.
type window struct {
	requests int64 // that take an entry, in all
	entries  int64
	spare    int64 // of the requests those behind which the unit does not wait: as many as entries, or 0
}

// waits returns how often the unit waits for as long as a request takes, on one of so many SMs that share the requests, on average.
func (w window) waits(sms int64) int64 {
	switch {
	case w.requests <= w.spare:
		return 0
	case sms == 1 && w.spare > 0:
		return share(w.requests, 1, w.entries) - 1
	}
	return share(w.requests/w.entries, 1, sms)
}

// traffic is what SMs send and get.
type traffic struct {
	loaded, fills, crowded, requests, dirtying int64 // lines: loaded, of these fetched, of these into sets that may not keep them, of other accesses, written
	out, in                                    int64 // flits
}

// traffic returns what CTAs send that need s, if their L1s fetch no more lines than that, and no more of them into sets that may not keep them.
func (a *analysis) traffic(s sums, fetched, crowded int64) traffic {
	t := traffic{loaded: s[fills], fills: min(s[fills], fetched)}
	t.crowded = min(t.fills, crowded)
	of := s[requests:]
	if a.absorbs() {
		of = s[firmRequests:]
	}
	t.requests, t.dirtying = of[0], of[1]
	t.out, t.in = plus(times(t.fills, a.header), of[2]), plus(times(t.fills, a.full), of[3])
	return t
}

// filled returns how many lines all L1s fetch.
func (a *analysis) filled() int64 {
	if len(a.inL1) == 0 {
		return over
	}
	n := int64(0)
	for i := range a.inL1 {
		n = plus(n, a.inL1[i].fills)
	}
	return n
}

// windows returns the pools of an SM.
func (a *analysis) windows(t *traffic) []window {
	together := a.L1.Merge.Value + 1
	return []window{
		{t.fills, a.L1.MSHRs.Value, a.L1.MSHRs.Value},
		{plus(t.fills, t.requests), a.Interconnect.Credits.Value, a.Interconnect.Credits.Value},
		{t.crowded, a.ways, a.ways},
		{requests: min(t.loaded, times(min(a.merged, t.fills), together)), entries: together},
	}
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

// onSM adds the cycles in which an SM serves others than a chain, if sms SMs share the demand, whose L1s fetch no more lines than fetched, of these
// no more than crowded into sets that may not keep them.
func (a *analysis) onSM(d *demand, sms, fetched, crowded int64, to *estimate.Greedy) {
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
	t := a.traffic(d.all, fetched, crowded)
	to.Crossbar = plus(to.Crossbar, share(plus(times(2, t.out), t.in), 1, sms))
	for _, w := range a.windows(&t) {
		to.Waits = plus(to.Waits, w.waits(sms))
	}
}

// compose bounds the launch.
func (a *analysis) compose(classes []class, at func(cta int) (*class, [3]int)) *estimate.Greedy {
	total := a.noDemand()
	for i := range classes {
		total.add(&classes[i], classes[i].count)
	}
	var best *estimate.Greedy
	try := func(d *estimate.Greedy, chain point, fetched int64) {
		chain = a.throughL1(chain, fetched)
		a.inMemory(total.all, chain[visits], d)
		a.once(total.all, d)
		a.close(d, chain)
		if best == nil || d.Cycles() > best.Cycles() {
			best = d
		}
	}
	if a.single() {
		// CTA i goes to SM i mod sms.
		for sm := range min(a.sms, a.ctas) {
			own, chain := a.noDemand(), point{}
			n := int64(0)
			for cta := sm; cta < a.ctas; cta += a.sms {
				c, _ := at(cta)
				own.add(c, 1)
				chain = chain.max(c.chain)
				n++
			}
			d := &estimate.Greedy{}
			d.Dispatch = times(n-1, a.SM.Dispatch.Value)
			h := l1{fills: over, crowded: over}
			if len(a.inL1) > 0 {
				h = a.inL1[sm]
			}
			a.onSM(own, 1, h.fills, h.crowded, d)
			try(d, chain, h.fills)
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
	chain := sum.share(places).plus(longest)
	total.across = true // from a CTA to the one that takes its place
	d := &estimate.Greedy{Dispatch: plus(share(times(int64(a.ctas), gap), 1, places), gap)}
	h, behind, crowded := l1{fills: over, crowded: over}, int64(over), int64(over) // what SMs fetch until then, and an SM behind it
	if len(a.inL1) > 0 {
		if h = a.inL1[0]; h.stays {
			behind, crowded = plus(h.lines, min(h.drops, last.all[dropping])), 0
		}
	}
	a.onSM(total, int64(a.sms), h.fills, h.crowded, d)
	a.onSM(last, 1, behind, crowded, d)
	try(d, chain, plus(share(h.fills, 1, int64(a.sms)), behind))
	return best
}

// throughL1 returns what is known of a chain on an SM that fetches so many lines: one that waits for a line to come does so at most once for each, and
// other loads find theirs in the L1.
func (a *analysis) throughL1(chain point, fetched int64) point {
	missed := chain[loads]
	if len(a.inL1) > 0 {
		missed = min(missed, chain[misses], fetched)
	}
	if !a.absorbs() {
		missed = plus(missed, chain[stores])
	}
	chain[misses] = missed
	chain[visits] = min(chain[visits], plus(missed, chain[others]))
	return chain
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
	hit := a.hit(max(a.slowest, 1), operations)
	fetches := times(min(d.Fetches, plus(chain[visits], d.Waits)), a.fetch)
	d.Chain = min(plus(chain[far], times(d.Waits, a.fetch)), plus(chain[near], fetches), plus(plus(chain[inner], times(chain[misses], a.trip())), fetches))
	d.Stalls = times(d.Waits, hit)
}
