package greedy

import (
	"cmp"
	"slices"

	"warpbound/internal/saturating"
)

// service is for how many cycles something of the memory serves others than a chain.
type service struct{ crossbar, tags, blocked, dram saturating.Int }

func (v service) sum() saturating.Int { return v.crossbar.Add(v.tags).Add(v.blocked.Add(v.dram)) }

func (v service) plus(w service) service {
	return service{v.crossbar.Add(w.crossbar), v.tags.Add(w.tags), v.blocked.Add(w.blocked), v.dram.Add(w.dram)}
}

// inMemory adds the cycles in which the memory serves others than a chain with so many accesses, if the launch needs so much: what all
// partitions serve, or what those serve that the chain and its waits for entries can meet, if that is less.
func (a *analysis) inMemory(need *demand, visits saturating.Int, to *terms) {
	s := need.all
	t := a.traffic(s, a.filled(), saturating.Max)
	all := t.fills.Add(t.requests)
	to.requests, to.fetches = all, all
	writes := t.dirtying
	opens := all.Add(writes)
	if a.foot.known {
		to.fetches, writes = min(all, a.foot.fetches), min(writes, a.foot.writes)
		opens = min(a.foot.opens, opens)
	}
	of := service{crossbar: t.out.Add(t.in), blocked: a.blocked(to.fetches, all, t.requests).Mul(a.fetch)}
	of.dram = a.channel(to.fetches, writes, opens, writes > 0)
	of.tags = a.tags(all, of.blocked, s[operations])
	if met := a.met(visits.Add(to.waits), &t, s[operations]); met.sum() < of.sum() {
		of = met
	}
	to.addTerm(crossing, of.crossbar, need, t.weighFlits(a, 1, 1))
	to.addTerm(tagging, of.tags, need, t.weighAccesses(1, 0))
	to.addTerm(tagging, s[operations].Mul(saturating.Of(a.L2.Atomic.Value)), need, column(operations))
	to.addTerm(blocking, of.blocked, need, t.weighAccesses(1, 0))
	to.addTerm(fetching, of.dram, need, t.weighAccesses(a.readShadow.Add(a.openShadow), a.writeShadow.Add(a.openShadow)))
}

// channel returns how long channels of the DRAM are in shadows of so many accesses and openings, of a launch that writes lines back or not.
func (a *analysis) channel(fetches, writes, opens saturating.Int, turns bool) saturating.Int {
	read := a.readShadow
	if turns {
		read = a.turnShadow
	}
	return a.core(fetches.Mul(read).Add(writes.Mul(a.writeShadow)).Add(opens.Mul(a.openShadow)))
}

// tags returns for how long tags of the L2 serve so many requests, without what atomic operations take.
func (a *analysis) tags(requests, blocked, operations saturating.Int) saturating.Int {
	switch {
	case a.L2.Far.Value > 0: // those of both halves
		return saturating.Int(2).Mul(requests.Mul(saturating.Of(a.L2.Initiation.Value)))
	case blocked == 0 && operations == 0 && saturating.Of(a.L2.Initiation.Value) <= a.header:
		return 0 // requests come one by one from the port, at least as far apart
	}
	return requests.Mul(saturating.Of(a.L2.Initiation.Value))
}

// met returns what the partitions serve that so many accesses can meet, each of which waits in one of them, or, if it goes to the far half of the L2, in
// two: those that serve most, and all accesses of which it is not known where they go. It is of no use where little is known.
func (a *analysis) met(visits saturating.Int, t *traffic, operations saturating.Int) service {
	far := a.L2.Far.Value > 0
	if far {
		visits = saturating.Int(2).Mul(visits)
	}
	if !a.foot.known || visits >= saturating.Of(a.L2.Partitions.Value) {
		return service{crossbar: saturating.Max}
	}
	each := a.header.Add(a.full) // flits of a request and of its answer
	if operations > 0 {
		each = saturating.Int(2).Mul(a.full)
	}
	waits := a.blockedIn(t.requests)
	parts := make([]service, len(a.foot.parts))
	for i := range parts {
		p := &a.foot.parts[i]
		requests := p.requests
		if far { // and what crosses to the counterpart
			requests = requests.Add(a.foot.parts[(i+len(parts)/2)%len(parts)].requests)
		}
		v := service{crossbar: requests.Mul(each), dram: a.channel(p.fetches, p.writes, p.opens, a.foot.writes > 0)}
		if a.table.open == 0 {
			v.blocked = waits[i].Mul(a.fetch)
		}
		v.tags = a.tags(requests, 1, 0)
		if a.table.open == 0 && waits[i] == 0 {
			v.tags = a.tags(requests, 0, operations)
		}
		parts[i] = v
	}
	slices.SortFunc(parts, func(v, w service) int { return cmp.Compare(w.sum(), v.sum()) })
	var sum service
	for _, v := range parts[:visits.Int64()] {
		sum = sum.plus(v)
	}
	if a.table.open > 0 {
		all := t.fills.Add(t.requests)
		open := min(a.table.open, all)
		sum = sum.plus(service{
			crossbar: open.Mul(each), tags: a.tags(open, 1, 0),
			blocked: a.blocked(min(all, a.foot.fetches), all, t.requests).Mul(a.fetch),
		})
	}
	return sum
}

// blockedIn is blocked for each partition, if it is known of all accesses where they go.
func (a *analysis) blockedIn(others saturating.Int) []saturating.Int {
	n := make([]saturating.Int, len(a.foot.parts))
	for i := range n {
		p := &a.foot.parts[i]
		if entries := saturating.Of(a.L2.MSHRs.Value); p.fetches > entries {
			n[i] = p.fetches.DivUp(entries).Sub(1)
		}
		n[i] = n[i].Add(p.crowded.Div(saturating.Of(a.L2.Ways.Value)))
	}
	together, limit, requests := a.merging(others)
	for i := range a.table.lines {
		part, _ := a.locate(a.table.lines[i].addr)
		n[part] = n[part].Add(min(requests(&a.table.lines[i]).Div(together), limit))
	}
	return n
}

// merging returns how many accesses to a line that is on its way keep the tags waiting, how often that is possible for a line at most, and how many
// accesses to a line count for it.
func (a *analysis) merging(others saturating.Int) (
	together, limit saturating.Int, requests func(u *use) saturating.Int,
) {
	together, limit = saturating.Of(a.L2.Merge.Value+1), saturating.Max
	if a.foot.fits {
		limit = 1 // a line is fetched once
	}
	sms := saturating.Of(min(a.sms, a.ctas))
	return together, limit, func(u *use) saturating.Int {
		if u.others == 0 && sms < together {
			return 0 // an SM asks once for a line that is on its way
		}
		return u.requests()
	}
}

// blocked returns how often the tags of the L2 wait at most until a line comes: for a register, a line of the set, or room
// in the register of a line.
func (a *analysis) blocked(fetches, all, others saturating.Int) saturating.Int {
	n := saturating.Int(0)
	if entries := saturating.Of(a.L2.MSHRs.Value); fetches > entries {
		n = fetches.DivUp(entries)
		if a.L2.Partitions.Value == 1 {
			n = n.Sub(1)
		}
		if a.foot.known { // in each partition no wait for the first ones
			in := saturating.Int(0)
			for i := range a.foot.parts {
				in = in.Add(max(a.foot.parts[i].fetches.DivUp(entries), 1).Sub(1))
			}
			n = min(n, in)
		}
	}
	if !a.foot.fits {
		crowded := fetches
		if a.foot.known {
			crowded = min(crowded, a.foot.crowded)
		}
		n = n.Add(crowded.Div(saturating.Of(a.L2.Ways.Value))) // in each set no wait for the first ones
	}
	together, limit, requests := a.merging(others)
	if others == 0 && saturating.Of(min(a.sms, a.ctas)) < together {
		return n
	}
	return n.Add(min(a.table.merges(together, limit, a.table.open, requests), fetches, all.Div(together)))
}
