package llc

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"warpbound/estimate"
	"warpbound/internal/method/cost"
)

// coarse bounds a launch by sums, where it is not known exactly what its warps execute: by what each SM
// needs when it is not throttled. If accesses are regulated, the last SM to send its quota in an interval was
// not throttled before, so that each interval takes some part of what one SM needs. Or else the chain of waits
// goes from one SM to another where intervals begin, and has the accesses of each interval on one SM only.
// Either way there are no more SMs than intervals.
func (a *analysis) coarse() (*detail, error) {
	d := a.detail()
	needs, courses, together := a.needs()
	for _, need := range needs {
		misses := min(need.accesses, need.turns)
		d.Cores = append(d.Cores, estimate.LLCCore{Accesses: need.accesses, Misses: misses})
		d.Unclassified = saturate(d.Unclassified, need.accesses, 1)
		d.Misses = saturate(d.Misses, misses, 1)
		if d.Regulated {
			d.Intervals = max(d.Intervals, need.accesses/d.Quota+1)
		}
	}
	d.Misses = min(d.Misses, together)
	for sm := range needs {
		if needs[sm].cycles > needs[d.SM].cycles {
			d.SM = sm
		}
	}
	if d.Regulated {
		d.cycles = a.inIntervals(d, needs, courses)
		d.IntervalEnds = saturate(0, d.Intervals-1, a.endOfInterval())
		d.cycles = saturate(d.cycles, d.IntervalEnds, 1)
	} else {
		longest := needs[d.SM]
		d.cycles, d.Issue, d.Dispatch = longest.cycles, longest.service, longest.dispatch
	}
	d.Accesses = d.Unclassified
	d.Stall = d.cycles - d.Issue - d.Dispatch
	d.Cores = append(d.Cores, a.cpu.detail())
	d.AllMisses = saturate(d.Misses, a.cpu.detail().Misses, 1)
	if d.Accesses > 0 {
		d.MissRate = float64(d.Misses) / float64(d.Accesses)
	}
	if d.cycles == math.MaxInt64 {
		return nil, ErrOverflow
	}
	return d, nil
}

// inIntervals bounds the cycles of all intervals, without their ends. It enters what of them is issue and
// dispatch.
func (a *analysis) inIntervals(d *detail, needs []need, courses []*course) int64 {
	count := int(min(d.Intervals, int64(len(needs))))
	longest := func(cycles func(*need) int64) (total need) {
		sorted := slices.SortedStableFunc(slices.Values(needs), func(m, n need) int { return cmp.Compare(cycles(&n), cycles(&m)) })
		for i := range sorted[:count] {
			total.plus(&sorted[i], 1)
		}
		return total
	}
	sum := longest(func(n *need) int64 { return n.cycles })
	l := newLatencies(a.machine, 0)
	// Turns at the DRAM count for the accesses that need them, or for all that an interval has.
	turn := l.separation() - l.slots.period
	chain, each := longest(func(n *need) int64 { return saturate(n.chain, n.turns, turn) }), l.slots.period
	along := saturate(chain.chain, chain.turns, turn)
	if all := longest(func(n *need) int64 { return n.chain }); along > saturate(all.chain, saturate(0, d.Intervals, d.Quota), turn) {
		chain, along, each = all, all.chain, l.separation()
	}
	along = saturate(along, d.Intervals, saturate(a.anew(&l), d.Quota, each))
	if sum.cycles < along {
		chain, along = sum, sum.cycles
	}
	if inTurns, ok := a.inTurns(d, courses, &l); ok && inTurns < along {
		turns := longest(func(n *need) int64 { return n.turns }).turns
		inTurns = saturate(inTurns, min(turns, saturate(0, d.Intervals, d.Quota)), turn)
		if inTurns < along {
			chain, along = needs[d.SM], inTurns
		}
	}
	d.Issue, d.Dispatch = chain.service, chain.dispatch
	return along
}

// inTurns bounds the cycles of all intervals by what each SM does in which turns, without their ends and without turns at the DRAM. It is false
// if that is not known.
func (a *analysis) inTurns(d *detail, courses []*course, l *latencies) (int64, bool) {
	if courses == nil {
		return 0, false
	}
	answer := a.anew(l) - a.longest() + a.accessTail
	total, ok := inTurns(courses, d.Intervals, d.Quota, &turnTimes{tail: a.accessTail, answer: answer, dispatch: a.machine.SM.Dispatch.Value})
	perInterval := saturate(a.anew(l), d.Quota, l.slots.period)
	perInterval = saturate(perInterval, d.Quota/a.machine.Interconnect.Credits.Value+1, answer) // for credits
	return saturate(total, d.Intervals, perInterval), ok
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

// need is what an SM needs when it is not throttled, at most.
type need struct {
	cycles, service, dispatch int64
	chain                     int64 // of cycles, without what accesses add that follow one another in time
	busy                      int64 // without what the shared cache takes
	accesses                  int64
	turns                     int64 // of them at the DRAM
}

// needs adds up what the waves of each SM need, and tells in which turns they need it; nil if that is not known. misses bounds
// those of all SMs together.
func (a *analysis) needs() (all []need, courses []*course, misses int64) {
	misses = math.MaxInt64
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
func (f *follower) needs() ([]need, []*course, int64) {
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
			all[sm].plus(&n, times)
		}
		return nil
	}
	a.cells.Waves(a.distribution.sms, a.distribution.slots, visit) // without an error, as visit has none
	return all
}

// finish adds up what an SM needs.
func (a *analysis) finish(n *need, l *latencies) {
	byTurns := saturate(saturate(n.chain, n.accesses, l.slots.period), n.turns, l.separation()-l.slots.period)
	oneByOne := saturate(saturate(n.busy, n.accesses, l.oldestHit()), n.turns, l.oldest()-l.oldestHit())
	n.cycles = saturate(min(byTurns, oneByOne), n.dispatch, 1)
	n.chain = saturate(n.chain, n.dispatch, 1)
	if a.machine.Regulated() { // behind each interval what is queued begins anew
		n.cycles = saturate(n.cycles, n.accesses/a.quota(), a.anew(l))
	}
}

// plus adds what a wave needs, so many times.
func (n *need) plus(wave *need, times int64) {
	n.chain = saturate(n.chain, wave.chain, times)
	n.cycles = saturate(n.cycles, wave.cycles, times)
	n.busy = saturate(n.busy, wave.busy, times)
	n.service = saturate(n.service, wave.service, times)
	n.dispatch = saturate(n.dispatch, wave.dispatch, times)
	n.accesses = saturate(n.accesses, wave.accesses, times)
	n.turns = saturate(n.turns, wave.turns, times)
}

// wave is what the warps of a wave execute, in whatever order.
type wave struct {
	total  sums
	turns  int64
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
	if all := r.all(); max(all.service, all.excess, all.waits, all.reads, all.sent) == math.MaxInt64 {
		return nil
	}
	return r
}

// needOf returns what a wave needs, of whose touches by loads so many are not hits in the L1. The wave's dispatch is in
// dispatch alone.
func (a *analysis) needOf(w *wave, misses int64, l *latencies) need {
	misses = min(misses, w.total.reads)
	n := need{
		busy:     saturate(w.total.busy, w.total.further, a.machine.LLC.Atomic.Value),
		service:  w.total.service,
		dispatch: a.machine.SM.Dispatch.Value,
		accesses: w.total.accesses - w.total.reads + misses,
	}
	n.turns = n.accesses
	n.chain = a.byTurns(w, min(w.total.waiting, saturate(w.total.awaited, misses, 1)), n.accesses, l)
	return n
}

// turns adds what the warps of a CTA of a cell need to total and returns in how many turns they issue, at most: up to
// each barrier in as many as one of them has instructions.
func (a *analysis) turns(cell int, total *sums) int64 {
	var maximum []int64
	sum, partial := int64(0), false
	for w := range a.perCTA {
		p := &a.result(cell, w).Visitor.(*recorder).path
		total.plus(&p.sums)
		partial = partial || p.partial
		for i, n := range p.turns {
			if i == len(maximum) {
				maximum = append(maximum, 0)
			}
			maximum[i] = max(maximum[i], n)
			sum = saturate(sum, n, 1)
		}
	}
	if partial {
		return sum
	}
	turns := int64(0)
	for _, n := range maximum {
		turns = saturate(turns, n, 1)
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
func (a *analysis) byTurns(w *wave, loads, accesses int64, l *latencies) int64 {
	total, turns := &w.total, w.turns
	answers := saturate(min(turns, saturate(loads, total.fences, 1)), 1, 1) // the last one of what is posted
	answers = saturate(answers, accesses/a.machine.Interconnect.Credits.Value, 1)
	cycles := saturate(total.service, answers, l.oldest()+a.accessTail)
	cycles = saturate(cycles, min(total.further, saturate(0, answers, total.together)), a.machine.LLC.Atomic.Value)
	instrs := int64(0) // with a tail latency at least as long
	for i := len(a.tails) - 1; i >= 0; i-- {
		instrs = saturate(instrs, total.tails[i], 1)
		step := a.tails[i]
		if i > 0 {
			step -= a.tails[i-1]
		}
		cycles = saturate(cycles, min(instrs, saturate(turns, 1, 1)), step)
	}
	return cycles
}

// anew returns what it costs at most that what is queued begins anew behind the end of an interval.
func (a *analysis) anew(l *latencies) int64 {
	together := int64(0)
	for _, results := range a.warps {
		for i := range results {
			together = max(together, results[i].Visitor.(*recorder).path.sums.together)
		}
	}
	return saturate(l.oldest()+a.longest(), together, a.machine.LLC.Atomic.Value)
}

// longestAccess returns the longest tail latency of an instruction that accesses memory.
func (a *analysis) longestAccess() int64 {
	longest := int64(0)
	for i := range a.costs {
		if c := &a.costs[i]; c.Kind == cost.Load || c.Kind == cost.Posted {
			longest = max(longest, c.TailLatency())
		}
	}
	return longest
}

// longest returns the longest tail latency of any instruction.
func (a *analysis) longest() int64 { return a.tails[len(a.tails)-1] }
