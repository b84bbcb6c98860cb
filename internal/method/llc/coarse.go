package llc

import (
	"cmp"
	"encoding/binary"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// coarse bounds a launch by sums, where it is not known exactly what its warps execute: by what each SM
// needs when it is not throttled. If accesses are regulated, the last SM to send its quota in an interval was
// not throttled before, so that each interval takes some part of what one SM needs. Or else the chain of waits
// goes from one SM to another where intervals begin, and has the accesses of each interval on one SM only.
// Either way there are no more SMs than intervals. A bound that does not fit is ErrOverflow.
func (a *analysis) coarse() (*detail, error) {
	d := a.detail()
	needs, courses, together := a.needs()
	var accesses, misses, intervals saturating.Int
	for _, need := range needs {
		missed := min(need.accesses, need.turns)
		d.Cores = append(d.Cores, estimate.LLCCore{Accesses: need.accesses.Int64(), Misses: missed.Int64()})
		accesses, misses = accesses.Add(need.accesses), misses.Add(missed)
		if d.Regulated {
			intervals = max(intervals, need.accesses.Div(saturating.Of(d.Quota)).Add(1))
		}
	}
	misses = min(misses, together)
	for sm := range needs {
		if needs[sm].cycles > needs[d.SM].cycles {
			d.SM = sm
		}
	}
	chain, cycles := needs[d.SM], needs[d.SM].cycles
	if d.Regulated {
		chain, cycles = a.inIntervals(intervals, needs, courses, d.SM)
		ends := intervals.Sub(1).Mul(a.endOfInterval())
		cycles = cycles.Add(ends)
		d.Intervals, d.IntervalEnds = intervals.Int64(), ends.Int64()
	}
	if cycles == saturating.Max {
		return nil, ErrOverflow
	}
	d.cycles, d.Issue, d.Dispatch = cycles.Int64(), chain.service.Int64(), chain.dispatch.Int64()
	d.Stall = cycles.Sub(chain.service).Sub(chain.dispatch).Int64()
	d.Accesses, d.Unclassified, d.Misses = accesses.Int64(), accesses.Int64(), misses.Int64()
	d.Cores = append(d.Cores, a.cpu.detail())
	d.AllMisses = misses.Add(saturating.Of(a.cpu.detail().Misses)).Int64()
	if d.Accesses > 0 {
		d.MissRate = misses.Float64() / accesses.Float64()
	}
	return d, nil
}

// inIntervals bounds the cycles of all intervals, without their ends, and returns which chain that is: of it are issue
// and dispatch. sm is the SM that takes longest when it is not throttled.
func (a *analysis) inIntervals(
	intervals saturating.Int, needs []need, courses []*course, sm int,
) (chain need, along saturating.Int) {
	count := int(min(intervals, saturating.Of(len(needs))).Int64())
	longest := func(cycles func(*need) saturating.Int) (total need) {
		sorted := slices.SortedStableFunc(slices.Values(needs), func(m, n need) int { return cmp.Compare(cycles(&n), cycles(&m)) })
		for i := range sorted[:count] {
			total.plus(&sorted[i], 1)
		}
		return total
	}
	sum := longest(func(n *need) saturating.Int { return n.cycles })
	l := newLatencies(a.machine, 0)
	quota := saturating.Of(a.quota())
	// Turns at the DRAM count for the accesses that need them, or for all that an interval has.
	turn, each := saturating.Of(l.separation()-l.slots.period), saturating.Of(l.slots.period)
	chain = longest(func(n *need) saturating.Int { return n.chain.AddMul(n.turns, turn) })
	along = chain.chain.AddMul(chain.turns, turn)
	all := longest(func(n *need) saturating.Int { return n.chain })
	if along > all.chain.AddMul(intervals.Mul(quota), turn) {
		chain, along, each = all, all.chain, saturating.Of(l.separation())
	}
	along = along.AddMul(intervals, a.anew(&l).AddMul(quota, each))
	if sum.cycles < along {
		chain, along = sum, sum.cycles
	}
	if inTurns, ok := a.inTurns(intervals, courses, &l); ok && inTurns < along {
		turns := longest(func(n *need) saturating.Int { return n.turns }).turns
		inTurns = inTurns.AddMul(min(turns, intervals.Mul(quota)), turn)
		if inTurns < along {
			chain, along = needs[sm], inTurns
		}
	}
	return chain, along
}

// inTurns bounds the cycles of all intervals by what each SM does in which turns, without their ends and without turns
// at the DRAM. It is false if that is not known.
func (a *analysis) inTurns(intervals saturating.Int, courses []*course, l *latencies) (saturating.Int, bool) {
	if courses == nil {
		return 0, false
	}
	quota, credits := saturating.Of(a.quota()), saturating.Of(a.machine.Interconnect.Credits.Value)
	answer := a.anew(l).Sub(a.longest()).Add(a.accessTail)
	dispatch := saturating.Of(a.machine.SM.Dispatch.Value)
	total, ok := inTurns(courses, intervals, quota, &turnTimes{tail: a.accessTail, answer: answer, dispatch: dispatch})
	perInterval := a.anew(l).AddMul(quota, saturating.Of(l.slots.period))
	perInterval = perInterval.AddMul(quota.Div(credits).Add(1), answer) // for credits
	return total.AddMul(intervals, perInterval), ok
}

// endOfInterval returns how long all SMs that have not ended are throttled at the end of an interval, at
// most.
func (a *analysis) endOfInterval() saturating.Int {
	wait := int64(0)
	if len(a.cpu.accesses) > 0 {
		wait = a.cpu.wait + a.cpu.oldest()
	}
	return saturating.Of(wait + a.machine.Regulator.Reset.Value + 1)
}

// need is what an SM needs when it is not throttled, at most.
type need struct {
	cycles, service, dispatch saturating.Int
	chain                     saturating.Int // of cycles, without what accesses add that follow one another in time
	busy                      saturating.Int // without what the shared cache takes
	accesses                  saturating.Int
	turns                     saturating.Int // of them at the DRAM
}

// needs adds up what the waves of each SM need, and tells in which turns they need it; nil if that is not known. misses bounds
// those of all SMs together.
func (a *analysis) needs() (all []need, courses []*course, misses saturating.Int) {
	misses = saturating.Max
	if f := a.follower(); f != nil {
		all, courses, misses = f.needs()
	} else {
		a.limited = true
		all = a.byKind()
	}
	l := newLatencies(a.machine, 0)
	for sm := range all {
		a.finish(&all[sm], &l)
	}
	return all, courses, misses
}

// needs adds up what the waves of each SM need, with what is known of the lines that they touch.
func (f *follower) needs() ([]need, []*course, saturating.Int) {
	all := make([]need, f.distribution.sms)
	courses := make([]*course, len(all))
	l := newLatencies(f.machine, 0)
	kinds := f.kinds()
	sms := make([]smLines, len(all))
	known := true
	waves := f.distribution.ctas/(f.distribution.sms*f.distribution.slots) + 1
	for sm := range all {
		sms[sm].lines = make(map[uint64]fetched)
		courses[sm] = &course{stages: make([]stage, 0, waves)}
		for number := 0; ; number++ {
			ctas := f.distribution.wave(sm, number)
			if len(ctas) == 0 {
				break
			}
			w := kinds.wave(ctas)
			misses, ok := f.wave(sm, ctas, &sms[sm])
			if !ok {
				misses = w.total.reads
			}
			n := f.needOf(w, misses, &l)
			all[sm].plus(&n, 1)
			if known = known && w.rounds != nil; known {
				courses[sm].add(w, misses)
			}
		}
	}
	if !known {
		courses = nil
	}
	turns, misses := f.turns(sms)
	for sm := range all {
		all[sm].turns = min(all[sm].turns, turns[sm])
	}
	return all, courses, misses
}

// byKind adds up what the waves of each SM need if all their accesses miss. Those with CTAs of the same cells need the same.
func (a *analysis) byKind() []need {
	all := make([]need, a.distribution.sms)
	l := newLatencies(a.machine, 0)
	kinds := a.kinds()
	visit := func(sm, first int, times int64) error {
		var ctas []int
		for slot := range a.distribution.slots {
			if cta := first + slot*a.distribution.sms; cta < a.distribution.ctas {
				ctas = append(ctas, cta)
			}
		}
		if len(ctas) > 0 {
			w := kinds.wave(ctas)
			n := a.needOf(w, w.total.reads, &l)
			all[sm].plus(&n, saturating.Of(times))
		}
		return nil
	}
	a.cells.Waves(a.distribution.sms, a.distribution.slots, visit) // without an error, as visit has none
	return all
}

// finish adds up what an SM needs.
func (a *analysis) finish(n *need, l *latencies) {
	slot, beside := saturating.Of(l.slots.period), saturating.Of(l.separation()-l.slots.period)
	hit, miss := saturating.Of(l.oldestHit()), saturating.Of(l.oldest()-l.oldestHit())
	byTurns := n.chain.AddMul(n.accesses, slot).AddMul(n.turns, beside)
	oneByOne := n.busy.AddMul(n.accesses, hit).AddMul(n.turns, miss)
	n.cycles = min(byTurns, oneByOne).Add(n.dispatch)
	n.chain = n.chain.Add(n.dispatch)
	if a.machine.Regulated() { // behind each interval what is queued begins anew
		n.cycles = n.cycles.AddMul(n.accesses.Div(saturating.Of(a.quota())), a.anew(l))
	}
}

// plus adds what a wave needs, so many times.
func (n *need) plus(wave *need, times saturating.Int) {
	n.chain = n.chain.AddMul(wave.chain, times)
	n.cycles = n.cycles.AddMul(wave.cycles, times)
	n.busy = n.busy.AddMul(wave.busy, times)
	n.service = n.service.AddMul(wave.service, times)
	n.dispatch = n.dispatch.AddMul(wave.dispatch, times)
	n.accesses = n.accesses.AddMul(wave.accesses, times)
	n.turns = n.turns.AddMul(wave.turns, times)
}

// wave is what the warps of a wave execute, in whatever order.
type wave struct {
	total  sums
	turns  saturating.Int
	rounds *rounds // nil if it is not known what is issued by turn
}

// kinds are waves by the cells of their CTAs: those of the same cells execute the same.
type kinds struct {
	*analysis
	of        map[string]*wave
	key       []byte // scratch
	stretches int    // of all of them
}

func (a *analysis) kinds() *kinds { return &kinds{analysis: a, of: make(map[string]*wave)} }

// wave returns what the CTAs of a wave execute.
func (k *kinds) wave(ctas []int) *wave {
	k.key = k.key[:0]
	for _, cta := range ctas {
		k.key = binary.LittleEndian.AppendUint32(k.key, uint32(k.cells.Cell(k.cells.At(cta))))
	}
	w := k.of[string(k.key)]
	if w == nil {
		w = &wave{total: k.noSums()}
		for _, cta := range ctas {
			w.turns = max(w.turns, k.turns(k.cells.Cell(k.cells.At(cta)), &w.total))
		}
		w.rounds = k.rounds(ctas)
		k.of[string(k.key)] = w
	}
	return w
}

// maxMilestones limits the stretches of all waves that are told apart.
const maxMilestones = 1 << 20

// rounds adds up what CTAs of a wave need by turn; nil if turns are not counted by instructions, or there is too much of it.
func (k *kinds) rounds(ctas []int) *rounds {
	var paths []*path
	for _, cta := range ctas {
		for w := range k.perCTA {
			p, _ := k.pathOf(cta, w)
			if p.partial || len(p.turns) > 1 {
				return nil // barriers
			}
			paths = append(paths, p)
			k.stretches += len(p.progress.stretches)
		}
	}
	if !k.machine.Regulated() || k.stretches > maxMilestones {
		return nil
	}
	r := newRounds(paths)
	if all := r.all(); max(all.service, all.excess, all.waits, all.reads, all.sent) == saturating.Max {
		return nil
	}
	return r
}

// needOf returns what a wave needs, of whose touches by loads so many are not hits in the L1. The wave's dispatch is in
// dispatch alone.
func (a *analysis) needOf(w *wave, misses saturating.Int, l *latencies) need {
	misses = min(misses, w.total.reads)
	n := need{
		busy:     w.total.busy.AddMul(w.total.further, saturating.Of(a.machine.LLC.Atomic.Value)),
		service:  w.total.service,
		dispatch: saturating.Of(a.machine.SM.Dispatch.Value),
		accesses: w.total.accesses.Sub(w.total.reads).Add(misses),
	}
	n.turns = n.accesses
	n.chain = a.byTurns(w, min(w.total.waiting, w.total.awaited.Add(misses)), n.accesses, l)
	return n
}

// turns adds what the warps of a CTA of a cell need to total and returns in how many turns they issue, at most: up to
// each barrier in as many as one of them has instructions.
func (a *analysis) turns(cell int, total *sums) saturating.Int {
	var maximum []saturating.Int
	sum, partial := saturating.Int(0), false
	for w := range a.perCTA {
		p := &a.result(cell, w).Visitor.(*recorder).path
		total.plus(&p.sums)
		partial = partial || p.partial
		for i, n := range p.turns {
			if i == len(maximum) {
				maximum = append(maximum, 0)
			}
			maximum[i] = max(maximum[i], n)
			sum = sum.Add(n)
		}
	}
	if partial {
		return sum
	}
	turns := saturating.Int(0)
	for _, n := range maximum {
		turns = turns.Add(n)
	}
	return turns
}

// byTurns bounds a wave by the longest chain of what waits for one another, back from its end.
//
// In each turn all warps issue once that have not exited and do not wait at a barrier. Each
// instruction waits for the port, that is for the service of the one before; or for its warp's
// instruction in the turn before; or for an answer. That comes, for access y, at most
// latencies.oldest after some access j <= y could be sent, and a turn of the core at
// interconnect or DRAM for each access from j to y: so the chain goes on with the instruction
// that made j. If the warp waited for the answer, that is one of an earlier turn; if it waited
// for credits, at least so many accesses are left out. No access, turn or instruction is in the
// chain twice. What the accesses from j to y add is not in the result: latencies.separation for
// each access.
func (a *analysis) byTurns(w *wave, loads, accesses saturating.Int, l *latencies) saturating.Int {
	total, turns := &w.total, w.turns
	answers := min(turns, loads.Add(total.fences)).Add(1) // the last one of what is posted
	answers = answers.Add(accesses.Div(saturating.Of(a.machine.Interconnect.Credits.Value)))
	cycles := total.service.AddMul(answers, saturating.Of(l.oldest()).Add(a.accessTail))
	further := min(total.further, answers.Mul(total.together))
	cycles = cycles.AddMul(further, saturating.Of(a.machine.LLC.Atomic.Value))
	instrs := saturating.Int(0) // with a tail latency at least as long
	for i := len(a.tails) - 1; i >= 0; i-- {
		instrs = instrs.Add(total.tails[i])
		step := a.tails[i]
		if i > 0 {
			step = step.Sub(a.tails[i-1])
		}
		cycles = cycles.AddMul(min(instrs, turns.Add(1)), step)
	}
	return cycles
}

// anew returns what it costs at most that what is queued begins anew behind the end of an interval.
func (a *analysis) anew(l *latencies) saturating.Int {
	together := saturating.Int(0)
	for _, results := range a.warps {
		for i := range results {
			together = max(together, results[i].Visitor.(*recorder).path.sums.together)
		}
	}
	return saturating.Of(l.oldest()).Add(a.longest()).AddMul(together, saturating.Of(a.machine.LLC.Atomic.Value))
}

// longestAccess returns the longest tail latency of an instruction that accesses memory.
func (a *analysis) longestAccess() saturating.Int {
	longest := saturating.Int(0)
	for i := range a.costs {
		if c := &a.costs[i]; c.Kind == cost.Load || c.Kind == cost.Posted {
			longest = max(longest, saturating.Of(c.TailLatency()))
		}
	}
	return longest
}

// longest returns the longest tail latency of any instruction.
func (a *analysis) longest() saturating.Int { return a.tails[len(a.tails)-1] }
