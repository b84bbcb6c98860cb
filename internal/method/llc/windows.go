package llc

import (
	"context"
	"math"
	"slices"

	"warpbound/internal/saturating"
)

// This file bounds launches on regulated machines of which it is known in which order each SM issues, but not
// of all accesses to the shared cache whether they are made (docs/methods/llc.md). An access that is made
// delays what its SM does in the interval, and nothing else does it later; but it decides in which interval the
// accesses after it are. So for each access after which an interval may begin the time is computed of what the
// SM does in that interval, as if it made all accesses that it may make, up to the last one that can be in it.
// Each interval takes the longest such time of any SM.

// maxSteps limits the instructions that are looked at in all windows together.
const maxSteps = 1 << 23

// windows enters the time of a launch, from what each SM sends and which of that needs no turn at the DRAM.
func (a *analysis) windows(ctx context.Context, d *detail, streams []*stream, hits [][]bool) error {
	w := newWindows(a, d.Quota, streams)
	if a.executed != nil {
		a.executed(w.steps(streams).Int64())
	}
	for sm := range streams {
		if err := w.add(ctx, sm, hits[sm]); err != nil {
			return err
		}
		if dispatch := w.waves * a.machine.SM.Dispatch.Value; w.issue+dispatch > d.Issue+d.Dispatch {
			d.SM, d.Issue, d.Dispatch = sm, w.issue, dispatch
		}
	}
	d.Intervals = int64(len(w.intervals))
	cycles := w.cycles(saturating.Of(d.Uncertain))
	if cycles == saturating.Max {
		return ErrOverflow
	}
	d.cycles = cycles.Int64()
	d.IntervalEnds = min(saturating.Of(d.Intervals-1).Mul(a.endOfInterval()), cycles).Int64()
	d.Stall = d.cycles - d.Issue - d.Dispatch
	return nil
}

// windows are the longest times that SMs can take in each interval.
//
// An access that is not made is paid for by the accesses that are in its interval instead of later ones. So
// there is a price for such an access, and each time is less by the price of those that were not made in it.
// Several prices are tried.
type windows struct {
	*analysis
	quota  int64
	stride int64   // a window begins at every access whose number it divides, and stands for those up to the next
	period int64   // after which slots and turns of all cores are the same again
	prices []int64 // multiples of the period

	intervals []longest

	// of the SM that was added last
	issue, waves int64
}

// longest has what an interval can take by price: until the next one begins, and until an SM ends in it.
type longest struct{ next, end []int64 }

func (w *windows) newLongest() longest {
	never := slices.Repeat([]int64{math.MinInt64}, len(w.prices))
	return longest{next: never, end: slices.Clone(never)}
}

func (l *longest) atLeast(m *longest) {
	for i := range l.next {
		l.next[i], l.end[i] = max(l.next[i], m.next[i]), max(l.end[i], m.end[i])
	}
}

func newWindows(a *analysis, quota int64, streams []*stream) *windows {
	l := newLatencies(a.machine, 0)
	period := l.slots.period / gcd(l.slots.period, l.reads.period) * l.reads.period
	w := &windows{analysis: a, quota: quota, stride: 1, period: period}
	for _, cycles := range []int64{0, l.separation(), l.oldest(), 2 * l.oldest()} {
		w.prices = append(w.prices, (cycles+period-1)/period*period)
	}
	w.prices = slices.Compact(w.prices)
	maximum := int64(0)
	for _, s := range streams {
		maximum = max(maximum, int64(len(s.sent)))
	}
	w.intervals = make([]longest, maximum/quota+1)
	for k := range w.intervals {
		w.intervals[k] = w.newLongest()
	}
	for w.steps(streams) > maxSteps && 2*w.stride <= quota {
		w.stride *= 2
	}
	return w
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// steps estimates how many instructions are looked at.
func (w *windows) steps(streams []*stream) saturating.Int {
	steps := saturating.Int(0)
	instrs := w.instructions.Int64() / int64(len(streams))
	for _, s := range streams {
		all := int64(len(s.sent))
		surely := all - s.optional
		each := instrs
		if surely > w.quota+w.stride {
			each = instrs / surely * (w.quota + w.stride)
		}
		begins, certain := int64(1), int64(0)
		for at, access := range s.sent {
			certain += access.Min
			if int64(at+1)%w.stride == 0 && int64(at+1)/w.quota*w.quota > certain-w.stride {
				begins++
			}
		}
		steps = steps.AddMul(saturating.Of(begins), saturating.Of(each))
	}
	return steps
}

// script is all that an SM issues, in waves.
type script struct {
	waves   []*player
	certain []int32 // of the first so many accesses those that it surely makes
}

func (a *analysis) script(sm int) (*script, error) {
	s := &script{certain: []int32{0}}
	for p := a.player(sm); ; {
		more, err := p.play()
		if err != nil || !more {
			return s, err
		}
		wave := *p
		wave.events, wave.sent, wave.warps = slices.Clone(p.events), slices.Clone(p.sent), slices.Clone(p.warps)
		s.waves = append(s.waves, &wave)
		for i := range p.sent {
			s.certain = append(s.certain, s.certain[len(s.certain)-1]+int32(p.sent[i].Min))
		}
	}
}

// add looks at all windows of an SM.
func (w *windows) add(ctx context.Context, sm int, hits []bool) error {
	s, err := w.script(sm)
	if err != nil {
		return err
	}
	first := &clock{analysis: w.analysis, hits: hits, quota: math.MaxInt64, queue: newQueue(newLatencies(w.machine, sm))}
	w.window(s, 0, -1, first, 0, 0)
	w.issue, w.waves = 0, int64(len(s.waves))
	for number, wave := range s.waves {
		// What may be left to wait for of the instructions so far, if they issued before an interval.
		after := &clock{analysis: w.analysis, player: wave, hits: hits, quota: math.MaxInt64, queue: newQueue(newLatencies(w.machine, sm))}
		after.queue.sent, after.queue.read, after.queue.answered = 0, 0, 0
		after.warps = make([]ready, len(wave.warps))
		made := int32(wave.before)
		for at := range wave.events {
			e := &wave.events[at]
			after.base = made
			after.issues(e, &after.warps[e.warp], 0)
			for begin := made + 1; begin <= made+e.sends; begin++ {
				if int64(begin)%w.stride != 0 {
					continue
				}
				from, to := w.feasible(s, begin)
				if from > to {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				c := *after
				c.base, c.at = begin, at+1
				c.warps, c.made = slices.Clone(after.warps), slices.Clone(after.made[begin-made:])
				c.answers, c.sent = nil, nil
				w.window(s, begin, number, &c, from, to)
			}
			w.issue += after.port
			made += e.sends
			after.made = after.made[:0]
		}
	}
	return nil
}

// feasible returns the first and the last interval that can begin after so many accesses of an SM, and up to a
// stride more, all counted that it may make.
func (w *windows) feasible(s *script, made int32) (from, to int64) {
	last := min(int64(made)+w.stride, int64(len(s.certain))) - 1
	return max(1, (int64(s.certain[made])+w.quota-1)/w.quota), last / w.quota
}

// window computes when an SM does what it can do in the intervals from one to another, all of which begin in
// cycle 0, behind its access begin in a wave, or from its beginning on if that is 0.
func (w *windows) window(s *script, begin int32, wave int, c *clock, from, to int64) {
	stride := w.stride
	if begin == 0 {
		stride = 1
	}
	times := w.newLongest()
	defer func() {
		for k := from; k <= to; k++ {
			w.intervals[k].atLeast(&times)
		}
	}()
	// enter enters a time until which the accesses up to number n may be made, for a price less for each of
	// them that is not: the interval has its quota.
	enter := func(n int32, longest []int64, cycles int64) {
		spared := max(0, int64(n-begin)-(stride-1)-w.quota)
		for i, price := range w.prices {
			longest[i] = max(longest[i], cycles-spared*price)
		}
	}
	next := func(done, answered int64) int64 {
		return max(w.cpu.close(done), answered) + w.machine.Regulator.Reset.Value
	}
	for begins, entered := []int64{0}, begin; ; {
		for wave >= 0 && c.at < len(c.player.events) {
			c.step(begins)
			c.at++
			all := c.base + int32(len(c.answers)+len(c.made))
			c.answered(all, begins)
			for ; entered < all; entered++ {
				n := entered + 1
				if int64(s.certain[n]-s.certain[begin]) > w.quota+stride-1 {
					return
				}
				if int64(n-begin) >= w.quota {
					enter(n, times.next, next(c.sent[n-begin-1], c.answer(n)))
				}
			}
		}
		if wave >= 0 {
			c.retire(begins)
		}
		if wave++; wave < len(s.waves) {
			c.player = s.waves[wave]
			c.begin()
			continue
		}
		all := c.base + int32(len(c.answers)+len(c.made))
		c.answered(all, begins)
		done, answered := c.left, int64(0)
		if n := len(c.sent); n > 0 {
			done, answered = max(done, c.sent[n-1]), c.answers[n-1]
		}
		enter(all, times.next, next(done, answered))
		enter(all, times.end, c.end)
		return
	}
}

// cycles bounds the launch, of which so many accesses may be made or not.
func (w *windows) cycles(uncertain saturating.Int) saturating.Int {
	best := saturating.Max
	for i, price := range w.prices {
		begin, end := saturating.Int(0), saturating.Int(0)
		for k := range w.intervals {
			l := &w.intervals[k]
			switch cycles := l.end[i]; {
			case cycles >= 0:
				end = max(end, begin.Add(saturating.Of(cycles)))
			case cycles > math.MinInt64: // less than what was not made in it costs
				end = max(end, max(begin, saturating.Of(-cycles)).Sub(saturating.Of(-cycles)))
			}
			if l.next[i] > math.MinInt64 { // an interval takes some time, whatever was not made in it
				begin = begin.Add(saturating.Of(max(0, (l.next[i]+w.period-1)/w.period*w.period)))
			}
		}
		best = min(best, end.AddMul(uncertain, saturating.Of(price)))
	}
	return best
}
