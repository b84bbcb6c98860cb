package campaign

import (
	"context"
	"fmt"

	"warpbound/estimate"
	"warpbound/internal/trace"
)

// Learner is a sink that knows what is new.
type Learner interface {
	trace.Mergeable
	// Learn adds the runs of another sink for the same traces, which is of no use after that. It reports whether
	// they show something that no run has shown so far and that an estimate may rest on.
	Learn(from trace.Sink) (news bool, err error)
}

// patience is the least number of test vectors that show nothing new before it counts as long.
const patience = 50

// settled reports whether the first vectors have shown nothing new for long: in the last 50 of them or more, and
// in at least as many as it took to show all that there is.
func settled(vectors, lastNew int) bool { return vectors-lastNew >= max(patience, lastNew) }

// untilStable runs random test vectors until they have settled, or all of them. What they show goes to the first worker.
//
// Vectors count in their order, whichever ends first: the result is that of so many vectors, and does not depend on
// the number of runners. What later ones show, which had begun by then, is dropped, errors included.
func (c *campaign) untilStable(ctx context.Context) error {
	runs, stop := context.WithCancel(ctx)
	defer stop()
	s := &stability{all: &c.workers[0], longest: c.taken.times.Max, lastNew: c.taken.next, stop: stop}
	c.taken.stable = s
	err := c.each(runs, c.random)
	c.taken.stable = nil
	if err != nil && !s.settled {
		return err
	}
	c.convergence = &estimate.Convergence{Vectors: c.random + c.spec.Adversarial, Runs: c.taken.next, LastNew: s.lastNew, Stopped: estimate.StoppedAtLimit, Reached: c.reached}
	if s.settled {
		c.convergence.Stopped = estimate.StoppedStable
		c.end(c.taken.next)
		clear(c.taken.waiting)
	}
	return nil
}

// stability takes what test vectors show, in their order, until they have settled.
type stability struct {
	all     *worker // takes it
	longest int64   // time of a vector, in cycles
	lastNew int     // the first vectors, with the last that showed something new
	settled bool
	stop    func() // ends runs once they have
}

// take takes what the last of the first vectors, so many, showed.
func (s *stability) take(vectors int, out *outcome) error {
	news, err := s.all.learn(out)
	if err != nil {
		return err
	}
	if news || out.cycles > s.longest {
		s.lastNew, s.longest = vectors, max(s.longest, out.cycles)
	}
	if s.settled = settled(vectors, s.lastNew); s.settled {
		s.stop()
	}
	return nil
}

// learn adds what a vector gave, and reports whether there is anything new in its traces, or in how often and how long
// launches were executed.
func (w *worker) learn(out *outcome) (news bool, err error) {
	for i := range w.launches {
		old := w.launches[i]
		w.launches[i].merge(&out.launches[i])
		news = news || w.launches[i].MaxCount > old.MaxCount || w.launches[i].Maximum > old.Maximum
	}
	for i, s := range w.sinks {
		learner, ok := s.(Learner)
		if !ok {
			return false, fmt.Errorf("%T cannot tell what is new in a run", s)
		}
		more, err := learner.Learn(out.sinks[i])
		if err != nil {
			return false, &replayError{err}
		}
		news = news || more
	}
	return news, nil
}
