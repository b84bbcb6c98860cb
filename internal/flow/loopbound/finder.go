package loopbound

import (
	"context"
	"math"

	"warpbound/internal/flow/agreement"
	"warpbound/internal/flow/fixpoint"
)

// Bound limits the executions of a loop. It is proven, if it is known.
type Bound struct {
	Header int // block
	Known  bool
	// Iterations is how often a thread returns to the header for one entry of the loop, at
	// most.
	Iterations int64
	// Together reports whether lanes of a warp that enter the loop together go through it
	// together, so that Iterations holds for a warp too. Otherwise those that diverged may
	// return to the header independently of each other, each at most so often.
	Together bool
	// Formula is the number as an expression over launch constants; empty if it has none
	// that is better than the number.
	Formula string
	// Reason says why: the counter, or what stands against a bound.
	Reason string

	// Range is empty unless Iterations, although proven, rests on the range of a type of 16 bits or
	// more and on nothing that the launch or the kernel states, and is too many to be of use. Then it
	// says which type, and of what as far as that is known: for example "u32 n" or "s32, loaded at
	// k.cu:11:3".
	Range string

	by *linearCounter // the counter that gives it, if its steps are of one sign; nil of results

	steady bool // the counter changes by the same in every iteration
}

// Warp returns how often a warp of so many lanes returns to the header for one entry of
// the loop, at most.
func (b *Bound) Warp(lanes int) (int64, bool) {
	if !b.Known || b.Together {
		return b.Iterations, b.Known
	}
	return b.Iterations * int64(lanes), b.Iterations < math.MaxInt64/int64(lanes)
}

// FindBounds returns the bounds of the loops of a kernel, in the order of the forest, without what
// they rest on: from a solution for its values, and what lanes agree on. The error is that of ctx.
func FindBounds(ctx context.Context, s *fixpoint.Solution, agreed *agreement.Result) ([]Bound, error) {
	var all []Bound
	for _, l := range makeAnalyses(ctx, s) {
		b, err := l.boundByExits()
		if err != nil {
			return nil, err
		}
		b.Header, b.Together = l.loop.Header, agreed.StaysTogether(l.loop)
		all = append(all, b)
	}
	return all, nil
}

// FindRanges finds out which bounds rest on the range of a type, and says so in them. doubted returns
// the solution of the same kernel under a launch that is doubted, if it is needed, which is seldom. The
// error is that of ctx.
func FindRanges(
	ctx context.Context, s *fixpoint.Solution, bounds []Bound, doubted func() (*fixpoint.Solution, error),
) error {
	var other *fixpoint.Solution
	for i, l := range makeAnalyses(ctx, s) {
		b := &bounds[i]
		if b.by == nil || b.Iterations < useful {
			continue
		}
		if other == nil {
			var err error
			if other, err = doubted(); err != nil {
				return err
			}
		}
		onType, err := l.restsOnType(other)
		if err != nil {
			return err
		}
		if onType {
			b.Range = l.describeType(b)
		}
	}
	return nil
}

// DropCounters forgets from which counters bounds follow, and with them all that is known of values.
func DropCounters(bounds []Bound) {
	for i := range bounds {
		bounds[i].by = nil
	}
}
