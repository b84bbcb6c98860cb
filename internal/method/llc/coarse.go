package llc

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"warpbound/estimate"
)

// coarse bounds a launch by sums, where it is not known exactly what its warps execute: by what each SM
// needs when it is not throttled. If accesses are regulated, the last SM to send its quota in an interval was
// not throttled before, so that each interval takes some part of what one SM needs. Or else the chain of waits
// goes from one SM to another where intervals begin, and has the accesses of each interval on one SM only.
// Either way there are no more SMs than intervals.
func (a *analysis) coarse() (*detail, error) {
	d := a.detail()
	needs := a.needs()
	for _, need := range needs {
		d.Cores = append(d.Cores, estimate.LLCCore{Accesses: need.accesses, Misses: need.accesses})
		d.Unclassified = saturate(d.Unclassified, need.accesses, 1)
		if d.Regulated {
			d.Intervals = max(d.Intervals, need.accesses/d.Quota+1)
		}
	}
	for sm := range needs {
		if needs[sm].cycles > needs[d.SM].cycles {
			d.SM = sm
		}
	}
	if d.Regulated {
		d.cycles = a.inIntervals(d, needs)
		d.IntervalEnds = saturate(0, d.Intervals-1, a.endOfInterval())
		d.cycles = saturate(d.cycles, d.IntervalEnds, 1)
	} else {
		longest := needs[d.SM]
		d.cycles, d.Issue, d.Dispatch = longest.cycles, longest.service, longest.dispatch
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

// inIntervals bounds the cycles of all intervals, without their ends. It enters what of them is issue and
// dispatch.
func (a *analysis) inIntervals(d *detail, needs []need) int64 {
	count := int(min(d.Intervals, int64(len(needs))))
	longest := func(cycles func(*need) int64) (total need) {
		sorted := slices.SortedStableFunc(slices.Values(needs), func(m, n need) int { return cmp.Compare(cycles(&n), cycles(&m)) })
		for i := range sorted[:count] {
			total.plus(&sorted[i], 1)
		}
		return total
	}
	sum := longest(func(n *need) int64 { return n.cycles })
	chain := longest(func(n *need) int64 { return n.chain })
	l := newLatencies(a.machine, 0)
	along := saturate(chain.chain, d.Intervals, saturate(l.oldest()+a.longest(), d.Quota, l.separation()))
	if along < sum.cycles {
		d.Issue, d.Dispatch = chain.service, chain.dispatch
		return along
	}
	d.Issue, d.Dispatch = sum.service, sum.dispatch
	return sum.cycles
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
	chain                     int64 // of cycles, without what accesses add that follow one another
	accesses                  int64
}

// needs adds up what the waves of each SM need. Those with CTAs of the same cells need the
// same.
func (a *analysis) needs() []need {
	all := make([]need, a.distribution.sms)
	kinds := make(map[string]need) // of waves, by the cells of their CTAs
	l := newLatencies(a.machine, 0)
	visit := func(sm, first int, times int64) error {
		var cells []int
		var key []byte
		for slot := range a.distribution.slots {
			if cta := first + slot*a.distribution.sms; cta < a.distribution.ctas {
				cell := a.cells.Cell(a.cells.At(cta))
				cells = append(cells, cell)
				key = binary.LittleEndian.AppendUint32(key, uint32(cell))
			}
		}
		if len(cells) == 0 {
			return nil
		}
		wave, known := kinds[string(key)]
		if !known {
			wave = a.needOf(cells, &l)
			kinds[string(key)] = wave
		}
		all[sm].plus(&wave, times)
		return nil
	}
	a.cells.Waves(a.distribution.sms, a.distribution.slots, visit) // without an error, as visit has none
	for sm := range all {
		n := &all[sm]
		n.cycles = saturate(n.cycles, n.dispatch, 1)
		n.chain = saturate(n.chain, n.dispatch, 1)
		if a.machine.Regulated() { // behind each interval what is queued begins anew
			n.cycles = saturate(n.cycles, n.accesses/a.quota(), l.oldest()+a.longest())
		}
	}
	return all
}

// plus adds what a wave needs, so many times.
func (n *need) plus(wave *need, times int64) {
	n.chain = saturate(n.chain, wave.chain, times)
	n.cycles = saturate(n.cycles, wave.cycles, times)
	n.service = saturate(n.service, wave.service, times)
	n.dispatch = saturate(n.dispatch, wave.dispatch, times)
	n.accesses = saturate(n.accesses, wave.accesses, times)
}

// needOf returns what a wave of CTAs of some cells needs, without the wave's dispatch but in
// dispatch.
func (a *analysis) needOf(cells []int, l *latencies) need {
	total := sums{tails: make([]int64, len(a.tails))}
	turns := int64(0)
	for _, cell := range cells {
		turns = max(turns, a.turns(cell, &total))
	}
	chain := a.byTurns(&total, turns, l)
	return need{
		chain:    chain,
		cycles:   min(a.oneByOne(&total, l), saturate(chain, total.accesses, l.separation())),
		service:  total.service,
		dispatch: a.machine.SM.Dispatch.Value,
		accesses: total.accesses,
	}
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

// oneByOne bounds a wave by the sum over its instructions and accesses.
//
// At any time in which there is an access that is not answered, the oldest one is under way, each for no longer than
// latencies.oldest. In which there is none, an instruction is under way.
func (a *analysis) oneByOne(total *sums, l *latencies) int64 {
	cycles := saturate(total.busy, total.accesses, l.oldest())
	return saturate(cycles, total.further, a.machine.LLC.Atomic.Value)
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
func (a *analysis) byTurns(total *sums, turns int64, l *latencies) int64 {
	answers := saturate(min(turns, total.waiting), 1, 1) // the last one of what is posted
	answers = saturate(answers, total.accesses/a.machine.Interconnect.Credits.Value, 1)
	cycles := saturate(total.service, answers, l.oldest()+a.longest())
	cycles = saturate(cycles, total.further, a.machine.LLC.Atomic.Value)
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

// longest returns the longest tail latency of any instruction.
func (a *analysis) longest() int64 { return a.tails[len(a.tails)-1] }
