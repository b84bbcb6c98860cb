package scoreboard

import (
	"runtime"
	"sync"
	syncatomic "sync/atomic"
)

// crew plays the SMs of a round on several goroutines: that of the simulator and those that it has
// started for the run. Every worker begins with its own share of the SMs, which it knows from the
// round before, and then helps the others with theirs.
type crew struct {
	sms    []sm
	shares []share // by worker; the first is that of the simulator's goroutine
	others []mate  // by worker but the first

	start, end int64            // of the round
	left       syncatomic.Int32 // SMs that have not been played
	round      syncatomic.Int64 // number of the round; negative when the run is over
	working    sync.WaitGroup

	pause   int // rounds for which the others are left alone, because they have no processors
	penalty int // the next pause is twice as long and more
}

// share is the SMs of a worker.
type share struct {
	first, last int32
	next        syncatomic.Int32 // the first one that nobody has taken, from last on if there is none
	_           [64 - 12]byte    // of another cache line, because workers count in it all the time
}

// mate is a worker that waits for a round.
type mate struct {
	asleep syncatomic.Bool
	wake   chan struct{}
	_      [64 - 16]byte
}

// patience is how often a worker looks for the next round before it goes to sleep: for about as long as it
// takes to fall asleep and to wake up.
const patience = 1 << 18

// longestPause bounds the rounds for which workers are left alone that hold the round up.
const longestPause = 1 << 12

// newCrew returns a crew of so many workers, at least two, that are not started.
func newCrew(sms []sm, workers int) *crew {
	c := &crew{sms: sms, shares: make([]share, workers), others: make([]mate, workers-1)}
	for i := range c.others {
		c.others[i].wake = make(chan struct{}, 1)
	}
	for i := range c.shares {
		c.shares[i].first, c.shares[i].last = int32(i*len(sms)/workers), int32((i+1)*len(sms)/workers)
		c.shares[i].next.Store(c.shares[i].last)
	}
	return c
}

// begin starts the workers.
func (c *crew) begin() {
	c.round.Store(0)
	c.pause, c.penalty = 0, 0
	for i := range c.others {
		c.working.Go(func() { c.work(i + 1) })
	}
}

// dismiss ends the workers.
func (c *crew) dismiss() {
	c.round.Store(-1)
	c.rouse()
	c.working.Wait()
}

// play plays all SMs from the cycle start until before end.
func (c *crew) play(start, end int64) {
	c.start, c.end = start, end
	c.left.Store(int32(len(c.sms)))
	for i := range c.shares {
		c.shares[i].next.Store(c.shares[i].first)
	}
	if c.pause > 0 {
		c.pause--
	} else {
		c.penalty = max(c.penalty-1, 0)
		c.round.Add(1)
		c.rouse()
	}
	c.take(0)
	for spins := 0; c.left.Load() > 0; spins++ {
		if spins == patience {
			c.penalty = min(2*c.penalty+16, longestPause)
			c.pause = c.penalty
		}
		if spins >= patience {
			runtime.Gosched()
		}
	}
}

// rouse wakes the workers that sleep.
func (c *crew) rouse() {
	for i := range c.others {
		if m := &c.others[i]; m.asleep.Load() && m.asleep.CompareAndSwap(true, false) {
			m.wake <- struct{}{}
		}
	}
}

// work is what a worker does in a run.
func (c *crew) work(worker int) {
	m := &c.others[worker-1]
	for seen := int64(0); ; {
		round := c.round.Load()
		for spins := 0; round == seen && spins < patience; spins++ {
			round = c.round.Load()
		}
		if round == seen {
			m.asleep.Store(true)
			if round = c.round.Load(); round == seen || !m.asleep.CompareAndSwap(true, false) {
				<-m.wake
				round = c.round.Load()
			}
		}
		if round < 0 {
			return
		}
		seen = round
		c.take(worker)
	}
}

// take plays SMs until all have been taken.
func (c *crew) take(worker int) {
	for k := range c.shares {
		s := &c.shares[(worker+k)%len(c.shares)]
		for {
			i := s.next.Add(1) - 1
			if i >= s.last {
				break
			}
			c.sms[i].play(c.start, c.end)
			c.left.Add(-1)
		}
	}
}
