package campaign

import (
	"sync"

	"warpbound/internal/trace"
)

// order takes what vectors gave in the order of the vectors, whatever the order in which they end. So what there is
// when a campaign is interrupted is what a campaign of fewer vectors gives.
type order struct {
	mu      sync.Mutex
	next    int              // vectors before it were taken
	waiting map[int]*outcome // of others that have ended
}

// outcome is what the runs of a vector gave.
type outcome struct {
	of       *worker
	sinks    []trace.Sink // by launch; nil if the worker's own have it
	launches []executed
}

// add takes what a vector gave, and what those behind it did that waited for it.
func (o *order) add(i int, out *outcome) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.waiting[i] = out
	for {
		first, ended := o.waiting[o.next]
		if !ended {
			return nil
		}
		if err := first.of.keep(first); err != nil {
			return err
		}
		delete(o.waiting, o.next)
		o.next++
	}
}
