package llc

import (
	"context"

	"warpbound/internal/method/charge"
	"warpbound/internal/method/cost"
	"warpbound/internal/saturating"
)

// clock computes when an SM issues what it issues, and when what it sends is sent and answered: all at the
// latest, if each access takes as long as what is known of it allows. All of these times
// are maxima of sums, so they grow with each latency.
type clock struct {
	*analysis
	player *player
	base   int32   // accesses that were made and answered before the clock began
	hits   []bool  // accesses that need no turn at the DRAM
	banks  []int32 // of accesses, if they open one row only; nil if none does
	queue  queue
	quota  int64 // accesses of an interval

	at      int // event of the player's wave
	over    bool
	waves   int64
	port    int64 // when the port takes the next instruction
	warps   []ready
	made    []made  // the accesses made so far that are not answered
	sent    []int64 // of those in intervals that have begun: when they are sent at the latest,
	answers []int64 // and answered
	left    int64   // when the last warp that exited so far issued its exit
	end     int64   // when the last warp that exited so far retired

	issue int64 // cycles in which the port is held

	account *account // of all cycles until now; nil if nobody keeps it
}

// account is which instructions the cycles of an SM are charged to.
type account struct {
	issue, waits charge.Weights // for which the port is held, and for which it waits
	until        int64          // cycles that are accounted for
	drains       int32          // the instruction that the end of a wave waits for
}

// wait charges the cycles up to now to an instruction.
func (a *account) wait(pc int32, now int64) {
	if a != nil && now > a.until {
		a.waits.Add(int(pc), saturating.Of(now-a.until))
		a.until = now
	}
}

// hold charges an instruction for the port, from now on.
func (a *account) hold(pc int32, now, service int64) {
	if a != nil {
		a.issue.Add(int(pc), saturating.Of(service))
		a.until = now + service
	}
}

// made is an access that an instruction has made.
type made struct {
	from  int64 // when it can be sent
	extra int32 // cycles for further operations on one address
}

// ready is from when on a warp can issue, or retire if it has exited.
type ready struct {
	at     int64
	until  int32 // answers it waits for
	served int64 // when its posted accesses on the SM are over
	waits  bool  // at a barrier
	exits  bool
	last   int32 // the instruction that it issued last,
	posted int32 // and the last one of which it does not wait for the answers; none if there is none
}

// none is no instruction.
const none = -1

// run computes as much as the intervals that have begun allow, and reports whether that is all.
func (c *clock) run(begins []int64) (bool, error) {
	for !c.over {
		for ; c.at < len(c.player.events); c.at++ {
			if !c.step(begins) {
				return false, nil
			}
		}
		if !c.retire(begins) {
			return false, nil
		}
		more, err := c.player.play()
		if err != nil {
			return false, err
		}
		if more {
			c.begin()
		} else {
			c.over = true
		}
	}
	return true, nil
}

// step issues the next instruction, and reports whether the intervals that have begun allow it.
func (c *clock) step(begins []int64) bool {
	e := &c.player.events[c.at]
	w := &c.warps[e.warp]
	credit := c.base + int32(len(c.answers)+len(c.made)) - int32(c.machine.Interconnect.Credits.Value) + 1
	if !c.answered(max(w.until, credit), begins) {
		return false
	}
	c.issues(e, w, max(c.port, w.at, c.answer(w.until), c.answer(credit)))
	return true
}

// answer returns when so many answers are there.
func (c *clock) answer(n int32) int64 {
	if n <= c.base {
		return 0
	}
	return c.answers[n-c.base-1]
}

// answered reports whether it is known when so many answers are there.
func (c *clock) answered(n int32, begins []int64) bool {
	for k := int(c.base) + len(c.answers); k < int(n); k++ {
		interval := int64(k) / c.quota
		if interval >= int64(len(begins)) {
			return false
		}
		sent, answer := c.queue.send(max(c.made[0].from, begins[interval]), c.hits[k], c.bank(k), int64(c.made[0].extra))
		c.made = c.made[1:]
		c.sent, c.answers = append(c.sent, sent), append(c.answers, answer)
	}
	return true
}

// bank returns the bank of an access, if it opens one row only.
func (c *clock) bank(access int) int32 {
	if c.banks == nil {
		return noBank
	}
	return c.banks[access]
}

// begin begins a wave when the one before has retired.
func (c *clock) begin() {
	c.at = 0
	c.waves++
	start := c.end + c.machine.SM.Dispatch.Value
	if c.account != nil {
		c.account.until = start
	}
	c.warps = c.warps[:0]
	for range c.player.warps {
		c.warps = append(c.warps, ready{at: start, last: none, posted: none})
	}
}

// retire finds out when the last of the warps that have exited retires, if that is known.
func (c *clock) retire(begins []int64) bool {
	for i := range c.warps {
		w := &c.warps[i]
		if !w.exits {
			continue
		}
		if !c.answered(w.until, begins) {
			return false
		}
		if end := max(w.at, c.answer(w.until)); end > c.end {
			c.end = end
			if c.account != nil {
				c.account.drains = w.last
				if w.posted != none {
					c.account.drains = w.posted
				}
			}
		}
	}
	if c.account != nil && c.end > 0 {
		c.account.wait(c.account.drains, c.end)
	}
	return true
}

// issues issues an instruction.
func (c *clock) issues(e *event, w *ready, now int64) {
	in := &c.costs[e.pc]
	if w.last == none {
		w.last = e.pc
	}
	c.account.wait(w.last, now)
	service := in.Initiation
	w.at, w.until = now+in.Latency, 0
	switch in.Kind {
	case cost.Fence:
		w.at, w.until = max(w.at, w.served), e.until
	case cost.Load, cost.Posted:
		service *= int64(max(e.requests, 1))
		w.at = now + service
		over := w.at + in.TailLatency()
		switch {
		case e.requests > 0 && in.Kind == cost.Load:
			w.at, w.until = over, e.until
		case e.requests > 0:
			w.served = max(w.served, over)
		}
	}
	c.port = now + service
	c.issue += service
	c.account.hold(e.pc, now, service)
	if w.last = e.pc; in.Kind == cost.Posted {
		w.posted = e.pc
	}
	for range e.sends {
		s := &c.player.sent[int(c.base)+len(c.answers)+len(c.made)-c.player.before]
		c.made = append(c.made, made{now + int64(s.after), s.extra})
	}
	if e.end {
		w.exits, w.at, w.until = true, max(c.port, w.served), e.until
		c.left = max(c.left, now)
	}
	w.waits = e.waits
	if e.release {
		first := int(e.warp) / c.perCTA * c.perCTA
		for k := range c.perCTA {
			if other := &c.warps[first+k]; other.waits {
				other.waits, other.at, other.until = false, now+c.machine.SM.Barrier.Value, 0
			}
		}
	}
}

// schedule is the time of all SMs.
type schedule struct {
	clocks    []*clock
	intervals int64
	cycles    int64
	ends      int64 // from when all SMs have sent what they may to the begins of intervals
}

// schedule computes the time of all SMs together. hits tells of the accesses of each SM which need no
// turn at the DRAM, banks which bank each accesses, if it opens one row only; nil if none does.
func (a *analysis) schedule(ctx context.Context, hits [][]bool, banks [][]int32) (*schedule, error) {
	s := &schedule{}
	for sm := range hits {
		c := &clock{
			analysis: a, player: a.player(sm), hits: hits[sm], quota: a.quota(), queue: newQueue(newLatencies(a.machine, sm)),
			account: newAccount(),
		}
		if banks != nil {
			c.banks = banks[sm]
		}
		s.clocks = append(s.clocks, c)
	}
	for begins := []int64{0}; ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		over := true
		for _, c := range s.clocks {
			done, err := c.run(begins)
			if err != nil {
				return nil, err
			}
			over = over && done
		}
		if over {
			s.intervals = int64(len(begins))
			for _, c := range s.clocks {
				s.cycles = max(s.cycles, c.end)
			}
			return s, nil
		}
		next, done := a.interval(s.clocks, begins)
		s.ends += next - done
		begins = append(begins, next)
	}
}

// interval returns when the next interval begins, at the latest: when every SM has sent its quota or
// all that it has, the CPU is waited for no more, all is answered, and the counters are reset. done is when the SMs have sent theirs.
func (a *analysis) interval(clocks []*clock, begins []int64) (next, done int64) {
	k := int64(len(begins))
	done = begins[k-1]
	answered := int64(0)
	for _, c := range clocks {
		if int64(len(c.sent)) >= k*c.quota {
			done = max(done, c.sent[k*c.quota-1])
		} else {
			done = max(done, c.left)
			if n := len(c.sent); n > 0 {
				done = max(done, c.sent[n-1])
			}
		}
		if n := min(int64(len(c.answers)), k*c.quota); n > 0 {
			answered = max(answered, c.answers[n-1])
		}
	}
	return max(a.cpu.close(done), answered) + a.machine.Regulator.Reset.Value, done
}
