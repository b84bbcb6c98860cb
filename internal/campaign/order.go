package campaign

import (
	"context"
	"sync"

	"warpbound/estimate"
	"warpbound/internal/runner"
	"warpbound/internal/trace"
)

// order takes what vectors gave in the order of the vectors, whatever the order in which they end. So what there is
// when a campaign is interrupted is what a campaign of fewer vectors gives.
type order struct {
	mu      sync.Mutex
	moved   sync.Cond           // on mu: next has grown, or nobody is to wait
	stopped bool                // nobody is to wait
	next    int                 // vectors before it were taken
	waiting map[int]*outcome    // of others that have ended
	tell    func(int)           // of how many vectors were taken, after each; may be nil
	timed   func(int, *outcome) // of each vector and what it gave; may be nil
	review  func(int)           // is called with how many vectors were taken, after each; may be nil
	stable  *stability          // takes what vectors gave until they have settled; nil if they need not

	random  int                  // those before are sampled, and saved inputs follow
	times   estimate.Observation // but for the mean
	sum     float64              // of all times in cycles, added up in order
	failed  int                  // vectors whose run failed, which an adversary made
	saved   []int64              // times of inputs in cycles that are not sampled, of saved ones first
	heard   int                  // vectors before it are those of which an adversary is told
	worst   int                  // of these the first with the longest time
	maximum int64                // which that is

	spread  estimate.Histogram // of all times
	longest int                // the first vector with the longest time
	turned  bool               // paths took turns in a run
}

// outcome is what the runs of a vector gave.
type outcome struct {
	of       *worker
	cycles   int64        // the longest time
	sinks    []trace.Sink // by launch; nil if the worker's own have it
	launches []Executed
	traces   []*recording // by launch; nil if they are not kept
	known    *Record      // nil if the vector was run here
	failed   error        // why there is nothing else of the run, of a vector that an adversary made

	turned    bool              // in any of them, as runner.Outcome says
	invariant bool              // as runner.Outcome says of the last of them
	reached   *estimate.Reached // likewise

	statistics runner.Statistics // of the last of them, until the runner makes another; nil if there are none
}

// add takes what a vector gave, and what those behind it did that waited for it. What vectors gave behind those that
// have settled is left.
func (o *order) add(i int, out *outcome) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[i] = out
	for o.stable == nil || !o.stable.settled {
		first, ended := o.waiting[o.next]
		if !ended {
			return nil
		}
		if first.failed == nil {
			if err := o.take(first); err != nil {
				return err
			}
			o.note(first)
		} else {
			o.failed++
		}
		if o.timed != nil {
			o.timed(o.next, first)
		}
		delete(o.waiting, o.next)
		o.next++
		o.moved.Broadcast()
		if o.review != nil {
			o.review(o.next)
		}
		if o.tell != nil {
			o.tell(o.next)
		}
	}
	return nil
}

// ahead is how many vectors may end before one that takes longer than they: what they gave waits in memory.
const ahead = asks * askedTogether

// near waits until there are not too many vectors between a vector and those that were taken.
func (o *order) near(ctx context.Context, i int) error {
	defer context.AfterFunc(ctx, func() {
		o.mu.Lock() // so that whoever has asked ctx already waits
		defer o.mu.Unlock()
		o.moved.Broadcast()
	})()
	o.mu.Lock()
	defer o.mu.Unlock()
	for i >= o.next+ahead && !o.stopped && ctx.Err() == nil {
		o.moved.Wait()
	}
	return ctx.Err()
}

// stop lets nobody wait: a vector has failed, and none behind it will be taken.
func (o *order) stop() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopped = true
	o.moved.Broadcast()
}

// take takes what the next vector gave.
func (o *order) take(out *outcome) error {
	if o.stable != nil {
		return o.stable.take(o.next+1, out)
	}
	return out.of.keep(out)
}

// note adds the time of the next vector.
func (o *order) note(out *outcome) {
	cycles := out.cycles
	if o.next == 0 {
		o.times.Min = cycles
	}
	if o.next == 0 || cycles > o.times.Max {
		o.longest = o.next
	}
	if o.next < o.heard && (o.next == 0 || cycles > o.maximum) {
		o.worst, o.maximum = o.next, cycles
	}
	o.spread.Add(cycles)
	o.turned = o.turned || out.turned
	o.times.Min, o.times.Max = min(o.times.Min, cycles), max(o.times.Max, cycles)
	o.sum += float64(cycles)
	if o.next >= o.random {
		o.saved = append(o.saved, cycles)
	}
}

// observed sums up the times.
func (o *order) observed() estimate.Observation {
	times := o.times
	times.Mean = o.sum / float64(o.next-o.failed)
	return times
}
