package interleavings

import "math/bits"

// members returns the membermask of the operation with .sync at which a thread is. It must name the
// thread.
func (p *Program) members(s *state, t int, in *Instr) (value, undefined) {
	m := p.read(s, t, in.Members)
	switch {
	case m == unspecified:
		return 0, "a membermask is unspecified"
	case m>>(t%p.Lanes)&1 == 0:
		return 0, undefinedf("thread %d executes an operation of lanes 0x%x", t, m)
	}
	return m, ""
}

// gathered returns the threads that execute an operation with .sync together with t: those of its
// members that have not exited. It returns nil as long as not all of them have come to one with the
// same qualifiers and the same membermask, each at whatever place in the program. So the manual
// says of vote, match and redux, and of shfl, elect and bar.warp.sync without "non-exited", where
// it is meant.
func (p *Program) gathered(s *state, t int) ([]int, undefined) {
	op := p.Instrs[s.threads[t].pc].Op
	all, why := p.members(s, t, &p.Instrs[s.threads[t].pc])
	if why != "" {
		return nil, why
	}
	var group []int
	for _, u := range p.threadsOf(s, t/p.Lanes) {
		if all>>(u%p.Lanes)&1 == 0 {
			continue
		}
		th := &s.threads[u]
		in := &p.Instrs[th.pc]
		holds, ok := in.Guard.holds(th)
		if th.parked || in.Op != op || !holds || !ok || p.read(s, u, in.Members) != all {
			return nil, ""
		}
		group = append(group, u)
	}
	return group, ""
}

// synchronise executes an operation with .sync for the threads that are gathered at it, of which
// one is elected if it is elect.
func (p *Program) synchronise(s *state, group []int, elected int) undefined {
	before := *s
	first := group[0]
	members, why := p.members(s, first, &p.Instrs[s.threads[first].pc])
	if why != "" {
		return why
	}
	var sources []value // of all threads
	taking := uint32(0) // the lanes that take part
	for _, t := range group {
		sources = append(sources, p.read(s, t, p.Instrs[s.threads[t].pc].A))
		taking |= 1 << (t % p.Lanes)
	}
	for i, t := range group {
		th := &s.threads[t]
		in := &p.Instrs[th.pc]
		th.pc++
		switch in.Op {
		case WarpSync:
		case Elect:
			leader := &s.leaders[t/p.Lanes][members&(1<<MaxLanes-1)]
			if *leader != 0 && int(*leader) != 1+elected%p.Lanes {
				return undefinedf("members 0x%x elect another leader", members)
			}
			*leader = int8(1 + elected%p.Lanes)
			th.regs[in.D] = value(elected % p.Lanes)
			th.regs[in.P] = truth(t == elected)
		case ShflIdx, ShflUp, ShflDown, ShflBfly:
			d, inRange := p.shuffled(&before, t, in, taking)
			th.regs[in.D] = d
			th.regs[in.P] = inRange
		case MatchAll:
			d := agreement(sources)
			th.regs[in.D] = d
			if d == 1 {
				th.regs[in.D] = value(taking)
			}
			th.regs[in.P] = d
		case MatchAny:
			th.regs[in.D] = p.matching(group, sources, i)
		case VoteBallot:
			th.regs[in.D] = p.matching(group, truths(sources), -1)
		default:
			th.regs[in.D] = reduced(in.Op, sources)
		}
	}
	return ""
}

// shuffled returns what a thread gets of shfl.sync over 32 lanes, and whether the lane that it
// reads is in range. The value of a lane that does not take part is unspecified.
func (p *Program) shuffled(s *state, t int, in *Instr, taking uint32) (d, inRange value) {
	b := p.read(s, t, in.B)
	if b == unspecified {
		return unspecified, unspecified
	}
	lane := t % p.Lanes
	from, ok := lane, true
	switch n := int(b & 31); in.Op {
	case ShflIdx:
		from = n
	case ShflUp:
		from, ok = lane-n, lane-n >= 0
	case ShflDown:
		from, ok = lane+n, lane+n <= 31
	case ShflBfly:
		from = lane ^ n
	}
	if !ok {
		from = lane
	}
	if taking>>from&1 == 0 {
		return unspecified, truth(ok)
	}
	return p.read(s, t-lane+from, p.Instrs[s.threads[t-lane+from].pc].A), truth(ok)
}

// matching returns the lanes of a group whose sources are that of one of them, or are not zero if
// there is none.
func (p *Program) matching(group []int, sources []value, one int) value {
	lanes := value(0)
	for i, t := range group {
		switch {
		case sources[i] == unspecified:
			return unspecified
		case one >= 0 && sources[i] == sources[one], one < 0 && sources[i] != 0:
			lanes |= 1 << (t % p.Lanes)
		}
	}
	return lanes
}

// agreement returns 1 if all sources are equal, otherwise 0.
func agreement(sources []value) value {
	for _, x := range sources {
		switch {
		case x == unspecified:
			return unspecified
		case x != sources[0]:
			return 0
		}
	}
	return 1
}

// truths returns for each source whether it is zero.
func truths(sources []value) []value {
	list := make([]value, len(sources))
	for i, x := range sources {
		if list[i] = unspecified; x != unspecified {
			list[i] = truth(x != 0)
		}
	}
	return list
}

// reduced returns what an operation makes of the sources of all threads that take part.
func reduced(op Op, sources []value) value {
	switch op {
	case VoteUni:
		return agreement(truths(sources))
	case VoteAll, VoteAny:
		sources = truths(sources)
	}
	x := sources[0]
	for _, y := range sources[1:] {
		switch {
		case x == unspecified || y == unspecified:
			return unspecified
		case op == ReduxAdd:
			x = compute(Add, x, y)
		case op == ReduxMin || op == VoteAll:
			x = min(x, y)
		case op == ReduxMax || op == VoteAny:
			x = max(x, y)
		case op == ReduxAnd:
			x &= y
		case op == ReduxOr:
			x |= y
		case op == ReduxXor:
			x ^= y
		}
	}
	return x
}

// arrive marks the arrival of a warp at a barrier, to which all of its threads have come that have
// not exited, with one operation and one count, at whatever places: each waits for the others of
// its warp, also to arrive without waiting for other warps. Threads of a warp with other operations
// or counts do not arrive together. The count is of warps, as the manual counts threads in
// multiples of the warp size, whatever threads exit.
func (p *Program) arrive(s *state, warp int) undefined {
	group := p.threadsOf(s, warp)
	first := &p.Instrs[s.threads[group[0]].pc]
	b := &s.barriers[first.Object]
	op := first.Op
	if op == BarrierArrive {
		op = BarrierSync
	}
	switch {
	case b.arrived>>warp&1 != 0:
		return undefinedf("warp %d arrives at barrier %d, where it has arrived before it completes", warp, first.Object)
	case b.arrived != 0 && int(b.count) != first.Count:
		return undefinedf("barrier %d is for different numbers of threads", first.Object)
	case b.arrived != 0 && b.op != op:
		return undefinedf("reductions and others are mixed at barrier %d", first.Object)
	case first.Count == 0 && first.Op == BarrierArrive:
		return undefinedf("an arrival at barrier %d has no number of threads", first.Object)
	}
	b.arrived |= 1 << warp
	b.count, b.op = int8(first.Count), op
	for _, t := range group {
		th := &s.threads[t]
		in := &p.Instrs[th.pc]
		if (in.Aligned || first.Aligned) && in != first {
			return undefinedf("warp %d arrives at barrier %d with different instructions", warp, in.Object)
		}
		if in.Op == BarrierArrive {
			th.pc++
			continue
		}
		th.parked = true
		b.voters++
		switch a := p.read(s, t, in.A); {
		case b.votes == unknown || a == unspecified:
			b.votes = unknown
		case a != 0:
			b.votes++
		}
	}
	p.completeBarriers(s)
	return ""
}

// completeBarriers lets the threads go on at each barrier at which all warps have arrived that it
// is for. One for all threads waits for those that have not exited.
func (p *Program) completeBarriers(s *state) {
	for id := range s.barriers {
		b := s.barriers[id]
		complete := b.arrived != 0 && bits.OnesCount8(b.arrived) == int(b.count)
		if b.arrived != 0 && b.count == 0 {
			complete = true
			for w := range p.Warps {
				complete = complete && (b.arrived>>w&1 != 0 || len(p.threadsOf(s, w)) == 0)
			}
		}
		if !complete {
			continue
		}
		for t := range p.Warps * p.Lanes {
			th := &s.threads[t]
			if !th.parked || p.Instrs[th.pc].Object != id {
				continue
			}
			if in := &p.Instrs[th.pc]; in.Op != BarrierSync {
				th.regs[in.D] = b.result(in.Op)
			}
			th.pc++
			th.parked = false
		}
		s.barriers[id] = barrier{}
	}
}

// result returns the result of a reduction.
func (b *barrier) result(op Op) value {
	switch {
	case b.votes == unknown:
		return unspecified
	case op == BarrierPopc:
		return value(b.votes)
	case op == BarrierAnd:
		return truth(b.votes == b.voters)
	}
	return truth(b.votes > 0)
}
