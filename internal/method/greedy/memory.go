package greedy

import (
	"cmp"
	"slices"

	"warpbound/estimate"
)

// service is for how many cycles something of the memory serves others than a chain.
type service struct{ crossbar, tags, blocked, dram int64 }

func (v service) sum() int64 { return plus(plus(v.crossbar, v.tags), plus(v.blocked, v.dram)) }

func (v service) plus(w service) service {
	return service{plus(v.crossbar, w.crossbar), plus(v.tags, w.tags), plus(v.blocked, w.blocked), plus(v.dram, w.dram)}
}

// inMemory adds the cycles in which the memory serves others than a chain with so many accesses, if the launch needs s: what all partitions serve, or
// what those serve that the chain and its waits for entries can meet, if that is less.
func (a *analysis) inMemory(s sums, visits int64, to *estimate.Greedy) {
	t := a.traffic(s, a.filled(), over)
	all := plus(t.fills, t.requests)
	to.Requests, to.Fetches = all, all
	writes := t.dirtying
	opens := plus(all, writes)
	if a.foot.known {
		to.Fetches, writes = min(all, a.foot.fetches), min(writes, a.foot.writes)
		opens = min(a.foot.opens, opens)
	}
	of := service{crossbar: plus(t.out, t.in), blocked: times(a.blocked(to.Fetches, all, t.requests), a.fetch)}
	of.dram = a.channel(to.Fetches, writes, opens, writes > 0)
	of.tags = a.tags(all, of.blocked, s[operations])
	if met := a.met(plus(visits, to.Waits), &t, s[operations]); met.sum() < of.sum() {
		of = met
	}
	of.tags = plus(of.tags, times(s[operations], a.L2.Atomic.Value))
	to.Crossbar, to.Tags, to.Blocked, to.DRAM = plus(to.Crossbar, of.crossbar), of.tags, of.blocked, of.dram
}

// channel returns how long channels of the DRAM are in shadows of so many accesses and openings, of a launch that writes lines back or not.
func (a *analysis) channel(fetches, writes, opens int64, turns bool) int64 {
	read := a.readShadow
	if turns {
		read = a.turnShadow
	}
	return a.core(plus(plus(times(fetches, read), times(writes, a.writeShadow)), times(opens, a.openShadow)))
}

// tags returns for how long tags of the L2 serve so many requests, without what atomic operations take.
func (a *analysis) tags(requests, blocked, operations int64) int64 {
	switch {
	case a.L2.Far.Value > 0: // those of both halves
		return times(2, times(requests, a.L2.Initiation.Value))
	case blocked == 0 && operations == 0 && a.L2.Initiation.Value <= a.header:
		return 0 // requests come one by one from the port, at least as far apart
	}
	return times(requests, a.L2.Initiation.Value)
}

// met returns what the partitions serve that so many accesses can meet, each of which waits in one of them, or, if it goes to the far half of the L2, in
// two: those that serve most, and all accesses of which it is not known where they go. It is of no use where little is known.
func (a *analysis) met(visits int64, t *traffic, operations int64) service {
	far := a.L2.Far.Value > 0
	if far {
		visits = times(2, visits)
	}
	if !a.foot.known || visits >= a.L2.Partitions.Value {
		return service{crossbar: over}
	}
	each := plus(a.header, a.full) // flits of a request and of its answer
	if operations > 0 {
		each = times(2, a.full)
	}
	waits := a.blockedIn(t.requests)
	parts := make([]service, len(a.foot.parts))
	for i := range parts {
		p := &a.foot.parts[i]
		requests := p.requests
		if far { // and what crosses to the counterpart
			requests = plus(requests, a.foot.parts[(i+len(parts)/2)%len(parts)].requests)
		}
		v := service{crossbar: times(requests, each), dram: a.channel(p.fetches, p.writes, p.opens, a.foot.writes > 0)}
		if a.table.open == 0 {
			v.blocked = times(waits[i], a.fetch)
		}
		v.tags = a.tags(requests, 1, 0)
		if a.table.open == 0 && waits[i] == 0 {
			v.tags = a.tags(requests, 0, operations)
		}
		parts[i] = v
	}
	slices.SortFunc(parts, func(v, w service) int { return cmp.Compare(w.sum(), v.sum()) })
	var sum service
	for _, v := range parts[:visits] {
		sum = sum.plus(v)
	}
	if a.table.open > 0 {
		all := plus(t.fills, t.requests)
		open := min(a.table.open, all)
		sum = sum.plus(service{
			crossbar: times(open, each), tags: a.tags(open, 1, 0), blocked: times(a.blocked(min(all, a.foot.fetches), all, t.requests), a.fetch),
		})
	}
	return sum
}

// blockedIn is blocked for each partition, if it is known of all accesses where they go.
func (a *analysis) blockedIn(others int64) []int64 {
	n := make([]int64, len(a.foot.parts))
	for i := range n {
		p := &a.foot.parts[i]
		if entries := a.L2.MSHRs.Value; p.fetches > entries {
			n[i] = share(p.fetches, 1, entries) - 1
		}
		n[i] = plus(n[i], p.crowded/a.L2.Ways.Value)
	}
	together, limit, requests := a.merging(others)
	for i := range a.table.lines {
		part, _ := a.locate(a.table.lines[i].addr)
		n[part] = plus(n[part], min(requests(&a.table.lines[i])/together, limit))
	}
	return n
}

// merging returns how many accesses to a line that is on its way keep the tags waiting, how often that is possible for a line at most, and how many
// accesses to a line count for it.
func (a *analysis) merging(others int64) (together, limit int64, requests func(u *use) int64) {
	together, limit = a.L2.Merge.Value+1, over
	if a.foot.fits {
		limit = 1 // a line is fetched once
	}
	sms := int64(min(a.sms, a.ctas))
	return together, limit, func(u *use) int64 {
		if u.others == 0 && sms < together {
			return 0 // an SM asks once for a line that is on its way
		}
		return u.requests()
	}
}

// blocked returns how often the tags of the L2 wait at most until a line comes: for a register, a line of the set, or room
// in the register of a line.
func (a *analysis) blocked(fetches, all, others int64) int64 {
	n := int64(0)
	if entries := a.L2.MSHRs.Value; fetches > entries {
		n = share(fetches, 1, entries)
		if a.L2.Partitions.Value == 1 {
			n--
		}
		if a.foot.known { // in each partition no wait for the first ones
			in := int64(0)
			for i := range a.foot.parts {
				in = plus(in, max(share(a.foot.parts[i].fetches, 1, entries)-1, 0))
			}
			n = min(n, in)
		}
	}
	if !a.foot.fits {
		crowded := fetches
		if a.foot.known {
			crowded = min(crowded, a.foot.crowded)
		}
		n = plus(n, crowded/a.L2.Ways.Value) // in each set no wait for the first ones
	}
	together, limit, requests := a.merging(others)
	if others == 0 && int64(min(a.sms, a.ctas)) < together {
		return n
	}
	return plus(n, min(a.table.merges(together, limit, a.table.open, requests), fetches, all/together))
}
