package cta

import (
	"math"
	"slices"

	"warpbound/internal/method/charge"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// never is a time that does not come.
const never = math.MaxInt64

// schedule plays the warps of a wave of one SM, those of its first CTA first, by the
// rules of a barrel core. All paths must be certain, and no barrier for part of a CTA.
// It returns the time from when the warps are ready to the last retirement, for how much of it the port waits for the end of
// each instruction, and false if a barrier is never complete.
func (a *analysis) schedule(warps []*path, perCTA int) (cycles int64, waits charge.Weights, ends bool) {
	type state struct {
		next   int   // op
		served int64 // when the last of its posted requests is
		posted int32 // the instruction that makes it
	}
	waits = make(charge.Weights)
	drains := int32(0)
	states := make([]state, len(warps))
	ready := make([]int64, len(warps)) // never if the warp waits at a barrier or has exited
	ctas := make([]struct{ living, arrived int }, (len(warps)+perCTA-1)/perCTA)
	for i := range warps {
		ctas[i/perCTA].living++
	}
	for now, last, left := int64(0), len(warps)-1, len(warps); left > 0; {
		id, soonest := next(ready, last, now)
		if id < 0 {
			if soonest == never {
				return 0, nil, false
			}
			if w := slices.Index(ready, soonest); states[w].next > 0 {
				waits.Add(int(warps[w].ops[states[w].next-1].pc), saturating.Of(soonest-now))
			}
			now = soonest
			continue
		}
		last = id
		w, p, group := &states[id], warps[id], &ctas[id/perCTA]
		o := p.ops[w.next]
		w.next++
		c := &a.costs[o.pc]
		requests := int64(o.requests)
		end := now + c.Initiation*max(requests, 1)
		free := now + c.Latency
		switch {
		case w.next == len(p.ops): // the end of the warp
			free = never
			if w.served > max(cycles, end) {
				drains = w.posted
			}
			cycles = max(cycles, end, w.served)
			group.living--
			left--
		case c.Kind == cost.Load || c.Kind == cost.Posted:
			free = end
			switch {
			case requests > 0 && c.Kind == cost.Load:
				free = end + c.TailLatency()
			case requests > 0:
				if served := end + c.TailLatency(); served > w.served {
					w.served, w.posted = served, o.pc
				}
			}
		case c.Kind == cost.Fence:
			free = max(free, w.served)
		case c.Kind == cost.Barrier && requests > 0:
			free = never
			group.arrived++
		}
		ready[id] = free
		if group.arrived > 0 && group.arrived == group.living {
			group.arrived = 0
			first := id / perCTA * perCTA
			for k := first; k < min(first+perCTA, len(warps)); k++ {
				if ready[k] == never && states[k].next < len(warps[k].ops) {
					ready[k] = now + a.barrier
				}
			}
		}
		if now = end; left == 0 && cycles > now {
			waits.Add(int(drains), saturating.Of(cycles-now))
		}
	}
	return cycles, waits, true
}

// next returns the first warp that is ready, in a circle after the one that issued last;
// if there is none, -1 and when there will be.
func next(ready []int64, last int, now int64) (id int, soonest int64) {
	soonest = never
	for i, at := range ready[last+1:] {
		if at <= now {
			return last + 1 + i, now
		}
		soonest = min(soonest, at)
	}
	for i, at := range ready[:last+1] {
		if at <= now {
			return i, now
		}
		soonest = min(soonest, at)
	}
	return -1, soonest
}
