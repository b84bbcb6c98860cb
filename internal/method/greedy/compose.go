package greedy

import (
	"warpbound/internal/saturating"
)

// window is a pool of entries that requests of an SM take, all for the time of one: if all are taken, the load/store unit waits.
type window struct {
	requests saturating.Int // that take an entry, in all
	entries  saturating.Int
	spare    saturating.Int // of the requests those behind which the unit does not wait: as many as entries, or 0
}

// waits returns how often the unit waits for as long as a request takes, on one of so many SMs that share the requests, on average.
func (w window) waits(sms saturating.Int) saturating.Int {
	switch {
	case w.requests <= w.spare:
		return 0
	case sms == 1 && w.spare > 0:
		return w.requests.DivUp(w.entries).Sub(1)
	}
	return w.requests.Div(w.entries).DivUp(sms)
}

// traffic is what SMs send and get.
type traffic struct {
	// Lines: loaded, of these fetched, of these into sets that may not keep them, of other accesses,
	// written.
	loaded, fills, crowded, requests, dirtying saturating.Int

	out, in saturating.Int // flits
}

// traffic returns what CTAs send that need s, if their L1s fetch no more lines than that, and no more of them into sets that may not keep them.
func (a *analysis) traffic(s sums, fetched, crowded saturating.Int) traffic {
	t := traffic{loaded: s[fills], fills: min(s[fills], fetched)}
	t.crowded = min(t.fills, crowded)
	of := s[requests:]
	if a.absorbs() {
		of = s[firmRequests:]
	}
	t.requests, t.dirtying = of[0], of[1]
	t.out, t.in = t.fills.Mul(a.header).Add(of[2]), t.fills.Mul(a.full).Add(of[3])
	return t
}

// filled returns how many lines all L1s fetch.
func (a *analysis) filled() saturating.Int {
	if len(a.inL1) == 0 {
		return saturating.Max
	}
	n := saturating.Int(0)
	for i := range a.inL1 {
		n = n.Add(a.inL1[i].fills)
	}
	return n
}

// windows returns the pools of an SM.
func (a *analysis) windows(t *traffic) []window {
	together := saturating.Of(a.L1.Merge.Value + 1)
	mshrs, credits := saturating.Of(a.L1.MSHRs.Value), saturating.Of(a.Interconnect.Credits.Value)
	return []window{
		{t.fills, mshrs, mshrs},
		{t.fills.Add(t.requests), credits, credits},
		{t.crowded, a.ways, a.ways},
		{requests: min(t.loaded, min(a.merged, t.fills).Mul(together)), entries: together},
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
func (d *demand) add(c *class, n saturating.Int) {
	d.all.times(c.all, n)
	for i := range d.each {
		d.each[i].times(c.each[i], n)
	}
	d.across = d.across || c.barriers
}

// atLeast makes the demand at least that of n CTAs of a class.
func (d *demand) atLeast(c *class, n saturating.Int) {
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
func (d *demand) of(number func(s sums) saturating.Int) saturating.Int {
	maximum, all := saturating.Int(0), saturating.Int(0)
	for _, s := range d.each {
		n := number(s)
		maximum, all = max(maximum, n), all.Add(n)
	}
	if d.across {
		return all
	}
	return maximum
}

// onSM adds the cycles in which an SM serves others than a chain, if sms SMs share the demand, whose L1s fetch no more lines than fetched, of these
// no more than crowded into sets that may not keep them.
func (a *analysis) onSM(d *demand, sms, fetched, crowded saturating.Int, to *terms) {
	to.issue = to.issue.Add(d.of(func(s sums) saturating.Int { return s[issued] }).DivUp(sms))
	for i, p := range a.pipes {
		if i == a.lsu && !a.queued {
			continue
		}
		at := held(i)
		cycles := d.all[at].DivUp(p.count.Mul(sms))
		if own := saturating.Int(1); p.own || p.count >= saturating.Of(a.schedulers) {
			if !p.own {
				own = saturating.Of(a.schedulers)
			}
			rest := d.all[at+1]
			if p.own {
				rest = d.of(func(s sums) saturating.Int { return s[at+1] })
				cycles = rest
			}
			cycles = min(cycles, rest.DivUp(p.count.Sub(own).Add(1).Mul(sms)))
		}
		to.pipelines = to.pipelines.Add(cycles)
	}
	to.unit = to.unit.Add(d.all[unit].DivUp(sms))
	if a.queued {
		front := &a.LSU
		buffer, latency := saturating.Of(front.Buffer.Value), saturating.Of(front.Latency.Value)
		cycles := d.of(func(s sums) saturating.Int {
			w := window{s[buffered], buffer, buffer}
			return s[buffered].Mul(saturating.Of(front.Address.Value)).AddMul(w.waits(1), latency)
		})
		to.unit = to.unit.Add(cycles.DivUp(sms))
	}
	t := a.traffic(d.all, fetched, crowded)
	to.crossbar = to.crossbar.Add(t.in.AddMul(t.out, 2).DivUp(sms))
	for _, w := range a.windows(&t) {
		to.waits = to.waits.Add(w.waits(sms))
	}
}

// unknownL1 is an L1 of which nothing is known.
var unknownL1 = l1{fills: saturating.Max, crowded: saturating.Max}

// compose bounds the launch.
func (a *analysis) compose(classes []class, at func(cta int) (*class, [3]int)) *terms {
	total := a.noDemand()
	for i := range classes {
		total.add(&classes[i], classes[i].count)
	}
	var best *terms
	try := func(d *terms, chain point, fetched saturating.Int) {
		chain = a.throughL1(chain, fetched)
		a.inMemory(total.all, chain[visits], d)
		a.once(total.all, d)
		a.close(d, chain)
		if best == nil || d.cycles() > best.cycles() {
			best = d
		}
	}
	if a.single() {
		// CTA i goes to SM i mod sms.
		for sm := range min(a.sms, a.ctas) {
			own, chain := a.noDemand(), point{}
			n := saturating.Int(0)
			for cta := sm; cta < a.ctas; cta += a.sms {
				c, _ := at(cta)
				own.add(c, 1)
				chain = chain.max(c.chain)
				n = n.Add(1)
			}
			d := &terms{}
			d.dispatch = n.Sub(1).Mul(saturating.Of(a.SM.Dispatch.Value))
			h := unknownL1
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
	places := saturating.Of(a.sms).Mul(saturating.Of(a.slots))
	gap := a.round.Add(saturating.Of(a.slots).Add(1).Mul(saturating.Of(a.SM.Dispatch.Value)))
	sum, longest, last := point{}, point{}, a.noDemand()
	for i := range classes {
		c := &classes[i]
		sum = sum.plus(c.chain.times(c.count))
		longest = longest.max(c.chain)
		last.atLeast(c, saturating.Of(a.slots))
	}
	chain := sum.share(places).plus(longest)
	total.across = true // from a CTA to the one that takes its place
	d := &terms{dispatch: saturating.Of(a.ctas).MulDivUp(gap, places).Add(gap)}
	h, behind, crowded := unknownL1, saturating.Max, saturating.Max // what SMs fetch until then, and an SM behind it
	if len(a.inL1) > 0 {
		if h = a.inL1[0]; h.stays {
			behind, crowded = h.lines.Add(min(h.drops, last.all[dropping])), 0
		}
	}
	a.onSM(total, saturating.Of(a.sms), h.fills, h.crowded, d)
	a.onSM(last, 1, behind, crowded, d)
	try(d, chain, h.fills.DivUp(saturating.Of(a.sms)).Add(behind))
	return best
}

// throughL1 returns what is known of a chain on an SM that fetches so many lines: one that waits for a line to come does so at most once for each, and
// other loads find theirs in the L1.
func (a *analysis) throughL1(chain point, fetched saturating.Int) point {
	missed := chain[loads]
	if len(a.inL1) > 0 {
		missed = min(missed, chain[misses], fetched)
	}
	if !a.absorbs() {
		missed = missed.Add(chain[stores])
	}
	chain[misses] = missed
	chain[visits] = min(chain[visits], missed.Add(chain[others]))
	return chain
}

// once adds what every SM does once: fetch instructions and constants.
func (a *analysis) once(s sums, to *terms) {
	n := saturating.Int(0)
	if a.icached {
		n = a.ilines.Mul(saturating.Of(a.ICache.Miss.Value))
	}
	if a.ccached && s[constants] > 0 {
		n = n.Add(a.clines.Mul(saturating.Of(a.CCache.Miss.Value)))
	}
	if a.ctas > a.sms*a.slots {
		n = n.Mul(2) // once on average until the last CTA is dispatched, and once on the SM that ends last
	}
	to.caches = n
}

// close adds the chain: each access on it and each wait for an entry of a pool takes as long as one that goes to the DRAM, or, if few lines
// are fetched, as one that finds its line in the L2, and all wait together at most until all lines have come.
func (a *analysis) close(d *terms, chain point) {
	operations := saturating.Int(0)
	if a.atomic {
		operations = saturating.Of(a.SM.WarpSize.Value)
	}
	hit := a.hit(max(a.slowest, 1), operations)
	fetches := min(d.fetches, chain[visits].Add(d.waits)).Mul(a.fetch)
	d.chain = min(
		chain[far].AddMul(d.waits, a.fetch), chain[near].Add(fetches),
		chain[inner].AddMul(chain[misses], a.trip()).Add(fetches))
	d.stalls = d.waits.Mul(hit)
}
