package symexec

import (
	"context"
	"fmt"

	"warpbound/internal/smt"
)

// Remaining is how many instructions threads had left to execute when they took an outcome:
// each time that one did, to the end of its path or to where that was cut off.
type Remaining struct{ Min, Max int }

// with returns the times with one more; the zero Remaining is of none.
func (r Remaining) with(n int) Remaining {
	if r == (Remaining{}) {
		return Remaining{n, n}
	}
	return Remaining{min(r.Min, n), max(r.Max, n)}
}

// steering leads a path to outcomes behind which much is to do.
type steering struct {
	ctx       context.Context
	remaining map[BranchOutcome]int
	queries   int // that are left
	err       error
}

// Lengthen looks for one long path of threads. At each branch it takes the outcome behind which
// there is more to execute, as remaining has it, if the solver finds inputs for that and what
// the path did so far, until MaxQueries were asked. It returns the path, nil if it has more
// than MaxSteps instructions, and the number of queries. Errors are those of Explore.
func Lengthen(ctx context.Context, o Options, remaining map[BranchOutcome]int) (*Path, int, error) {
	x, err := newExplorer(o)
	if err != nil {
		return nil, 0, err
	}
	x.steering = &steering{ctx: ctx, remaining: remaining, queries: o.MaxQueries}
	res := new(Result)
	if err = x.follow(ctx, x.start(), res); err == nil {
		err = x.steering.err
	}
	asked := o.MaxQueries - x.steering.queries
	switch {
	case err != nil:
		return nil, asked, fmt.Errorf("kernel %s: %w", o.Launch.Kernel().Name, err)
	case len(res.Paths) == 0:
		return nil, asked, nil
	}
	return &res.Paths[0], asked, nil
}

// turn changes the model of a path that is steered so that it takes the better one of two
// outcomes, and reports whether it does now. The model takes the other, and c holds if it takes
// this one.
func (s *state) turn(c *smt.Term, better, other BranchOutcome) bool {
	t := s.x.steering
	if t == nil || t.err != nil || t.queries == 0 || t.remaining[better] <= t.remaining[other] || s.known(s.x.b.Not(c)) {
		return false
	}
	if _, isConst := c.Const(); isConst {
		return false
	}
	t.queries--
	turned := *s
	turned.path = s.path.with(condition{term: c, thread: s.at})
	answer, model, err := turned.solve(t.ctx)
	if t.err = err; err != nil || answer != smt.Sat {
		return false
	}
	s.model, s.memo = model, nil
	return true
}
