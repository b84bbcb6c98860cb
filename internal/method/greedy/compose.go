package greedy

import (
	"warpbound/internal/saturating"
)

// window is a pool of entries that requests of an SM take, all for the time of one: if all are taken, the load/store unit waits.
type window struct {
	requests saturating.Int // that take an entry, in all
	entries  saturating.Int
	spare    saturating.Int // of the requests those behind which the unit does not wait: as many as entries, or 0
	by       weigh          // requests of an instruction
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

	base int // of the columns of requests and what follows it
}

// traffic returns what CTAs send that need s, if their L1s fetch no more lines than that, and no more of them into sets that may not keep them.
func (a *analysis) traffic(s sums, fetched, crowded saturating.Int) traffic {
	t := traffic{loaded: s[fills], fills: min(s[fills], fetched)}
	t.crowded = min(t.fills, crowded)
	t.base = requests
	if a.absorbs() {
		t.base = firmRequests
	}
	of := s[t.base:]
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
		{t.fills, mshrs, mshrs, column(fills)},
		{t.fills.Add(t.requests), credits, credits, t.weighAccesses(1, 0)},
		{t.crowded, a.ways, a.ways, column(fills)},
		{requests: min(t.loaded, min(a.merged, t.fills).Mul(together)), entries: together, by: column(fills)},
	}
}

// exact is by how much weights of instructions are greater than what they weigh, so that they need no fractions.
const exact = 1 << 10

// weighFetches weighs an instruction by the lines that it fetches, if each of its loads does as often as all do.
func (t *traffic) weighFetches(row sums) saturating.Int {
	if t.fills == t.loaded {
		return row[fills].Mul(exact)
	}
	return row[fills].Mul(exact).MulDivUp(t.fills, max(t.loaded, 1))
}

// weighAccesses weighs an instruction by what it sends on, and by what it writes of that, each counted so many times.
func (t *traffic) weighAccesses(each, written saturating.Int) weigh {
	return func(row sums) saturating.Int {
		own := row[t.base].Mul(each).Add(row[t.base+1].Mul(written)).Mul(exact)
		return own.AddMul(t.weighFetches(row), each)
	}
}

// weighFlits weighs an instruction by its weighFlits, those that leave and those that come counted so many times.
func (t *traffic) weighFlits(a *analysis, out, in saturating.Int) weigh {
	each := a.header.Mul(out).AddMul(a.full, in)
	return func(row sums) saturating.Int {
		own := row[t.base+2].Mul(out).AddMul(row[t.base+3], in).Mul(exact)
		return own.AddMul(t.weighFetches(row), each)
	}
}

// demand is what CTAs need of an SM: what all of them do, and the warps of each of its schedulers.
type demand struct {
	all    sums
	each   []sums
	across bool // a chain of causes may pass through warps of several schedulers

	members []member // the CTAs that have it, or of which those are that have most of something
}

// member is so many CTAs of a class.
type member struct {
	class *class
	times saturating.Int
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
	d.members = append(d.members, member{c, n})
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
	d.members = append(d.members, one.members...)
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
	to.addTerm(issuing, d.of(func(s sums) saturating.Int { return s[issued] }).DivUp(sms), d, column(issued))
	for i, p := range a.pipes {
		if i == a.lsu && !a.queued {
			continue
		}
		at := held(i)
		cycles, by := d.all[at].DivUp(p.count.Mul(sms)), column(at)
		if own := saturating.Int(1); p.own || p.count >= saturating.Of(a.schedulers) {
			if !p.own {
				own = saturating.Of(a.schedulers)
			}
			rest := d.all[at+1]
			if p.own {
				rest = d.of(func(s sums) saturating.Int { return s[at+1] })
				cycles, by = rest, column(at+1)
			}
			if others := rest.DivUp(p.count.Sub(own).Add(1).Mul(sms)); others < cycles {
				cycles, by = others, column(at+1)
			}
		}
		to.addTerm(piped, cycles, d, by)
	}
	to.addTerm(serving, d.all[unit].DivUp(sms), d, column(unit))
	if a.queued {
		front := &a.LSU
		buffer, latency := saturating.Of(front.Buffer.Value), saturating.Of(front.Latency.Value)
		cycles := d.of(func(s sums) saturating.Int {
			w := window{requests: s[buffered], entries: buffer, spare: buffer}
			return s[buffered].Mul(saturating.Of(front.Address.Value)).AddMul(w.waits(1), latency)
		})
		to.addTerm(serving, cycles.DivUp(sms), d, column(buffered))
	}
	t := a.traffic(d.all, fetched, crowded)
	to.addTerm(crossing, t.in.AddMul(t.out, 2).DivUp(sms), d, t.weighFlits(a, 2, 1))
	for _, w := range a.windows(&t) {
		n := w.waits(sms)
		to.waits = to.waits.Add(n)
		to.waited = append(to.waited, charged{stalled, n, d, w.by})
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
		a.inMemory(total, chain[visits], d)
		a.addCaches(total, d)
		a.addChain(d, chain, total)
		if best == nil || d.sum() > best.sum() {
			best = d
		}
	}
	if a.single() {
		// CTA i goes to SM i mod sms.
		for sm := range min(a.sms, a.ctas) {
			own, chain := a.noDemand(), &chains{}
			n := saturating.Int(0)
			for cta := sm; cta < a.ctas; cta += a.sms {
				c, _ := at(cta)
				own.add(c, 1)
				chain.atLeast(c)
				n = n.Add(1)
			}
			d := &terms{chains: []*chains{chain}}
			d.addTerm(dispatched, n.Sub(1).Mul(saturating.Of(a.SM.Dispatch.Value)), nil, nil)
			h := unknownL1
			if len(a.inL1) > 0 {
				h = a.inL1[sm]
			}
			a.onSM(own, 1, h.fills, h.crowded, d)
			try(d, chain.point, h.fills)
		}
		return best
	}
	// Until the last CTA is dispatched, all places of all SMs are taken, but for the time until the dispatcher sees a free one: the average
	// over them tells how long that takes. Behind it an SM has no more CTAs than places.
	places := saturating.Of(a.sms).Mul(saturating.Of(a.slots))
	gap := a.round.Add(saturating.Of(a.slots).Add(1).Mul(saturating.Of(a.SM.Dispatch.Value)))
	average, longest, last := &chains{}, &chains{}, a.noDemand()
	sum, all := point{}, []member(nil)
	for i := range classes {
		c := &classes[i]
		sum, all = sum.plus(c.chain.times(c.count)), append(all, member{c, c.count})
		longest.atLeast(c)
		last.atLeast(c, saturating.Of(a.slots))
	}
	average.point, average.of = sum.share(places), [lengths][]member{all, all, all}
	total.across = true // from a CTA to the one that takes its place
	d := &terms{chains: []*chains{average, longest}}
	d.addTerm(dispatched, saturating.Of(a.ctas).MulDivUp(gap, places).Add(gap), nil, nil)
	h, behind, crowded := unknownL1, saturating.Max, saturating.Max // what SMs fetch until then, and an SM behind it
	if len(a.inL1) > 0 {
		if h = a.inL1[0]; h.stays {
			behind, crowded = h.lines.Add(min(h.drops, last.all[dropping])), 0
		}
	}
	a.onSM(total, saturating.Of(a.sms), h.fills, h.crowded, d)
	a.onSM(last, 1, behind, crowded, d)
	try(d, average.point.plus(longest.point), h.fills.DivUp(saturating.Of(a.sms)).Add(behind))
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

// addCaches adds what every SM does addCaches: fetch instructions and constants.
func (a *analysis) addCaches(need *demand, to *terms) {
	times := saturating.Int(1)
	if a.ctas > a.sms*a.slots {
		times = 2 // once on average until the last CTA is dispatched, and once on the SM that ends last
	}
	if a.icached {
		to.addTerm(caching, a.ilines.Mul(saturating.Of(a.ICache.Miss.Value)).Mul(times), need, column(fetches))
	}
	if a.ccached && need.all[constants] > 0 {
		to.addTerm(caching, a.clines.Mul(saturating.Of(a.CCache.Miss.Value)).Mul(times), need, column(constants))
	}
}

// addChain adds the chain: each access on it and each wait for an entry of a pool takes as long as one that goes to the DRAM, or, if few lines
// are fetched, as one that finds its line in the L2, and all wait together at most until all lines have come, of which total is in need.
func (a *analysis) addChain(d *terms, chain point, total *demand) {
	operations := saturating.Int(0)
	if a.atomic {
		operations = saturating.Of(a.SM.WarpSize.Value)
	}
	hit := a.hit(max(a.slowest, 1), operations)
	fetched := min(d.fetches, chain[visits].Add(d.waits)).Mul(a.fetch)
	missed := chain[misses].Mul(a.trip())
	toDRAM := chain[far].AddMul(d.waits, a.fetch)
	d.measure = far
	if n := chain[near].Add(fetched); n < toDRAM {
		d.measure = near
	}
	if n := saturating.Sum(chain[inner], missed, fetched); n < min(toDRAM, chain[near].Add(fetched)) {
		d.measure = inner
	}
	d.cycles[chained] = chain[d.measure]
	t := a.traffic(total.all, a.filled(), saturating.Max)
	if d.measure == far {
		for _, w := range d.waited {
			d.addTerm(chained, w.cycles.Mul(a.fetch), w.need, w.by)
		}
	} else {
		d.addTerm(chained, fetched, total, t.weighAccesses(1, 0))
	}
	if d.measure == inner {
		by := column(fills)
		if !a.absorbs() { // stores that would be in the L1 go on as well
			by = func(row sums) saturating.Int { return row[fills].Add(row[requests]) }
		}
		d.addTerm(chained, missed, total, by)
	}
	for _, w := range d.waited {
		d.addTerm(stalled, w.cycles.Mul(hit), w.need, w.by)
	}
}
