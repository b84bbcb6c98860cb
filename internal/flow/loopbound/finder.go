package loopbound

import (
	"math"
	"slices"

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

// Finder finds the bounds of the loops of a kernel, from a solution for its values.
type Finder struct {
	solution *fixpoint.Solution
	agreed   *agreement.Result
	found    []Bound // nil until they are asked for
}

// NewFinder returns what finds the bounds, from a solution and what lanes agree on.
func NewFinder(s *fixpoint.Solution, agreed *agreement.Result) *Finder {
	return &Finder{solution: s, agreed: agreed}
}

// Bounds returns the bounds of the loops, in the order of the forest, without what they rest on.
func (f *Finder) Bounds() []Bound {
	all := slices.Clone(f.find())
	for i := range all {
		all[i].by = nil
	}
	return all
}

// BoundsWithRanges returns the bounds of the loops, in the order of the forest. doubted returns the
// solution of the same kernel under a launch that is doubted, if it is needed, which is seldom.
func (f *Finder) BoundsWithRanges(doubted func() *fixpoint.Solution) []Bound {
	all := slices.Clone(f.find())
	var other *fixpoint.Solution
	for i, l := range makeAnalyses(f.solution) {
		b := &all[i]
		if b.by != nil && b.Iterations >= useful {
			if other == nil {
				other = doubted()
			}
			if l.restsOnType(other) {
				b.Range = l.describeType(b)
			}
		}
		b.by = nil
	}
	return all
}

func (f *Finder) find() []Bound {
	if f.found == nil {
		for _, l := range makeAnalyses(f.solution) {
			b := l.boundByExits()
			b.Header, b.Together = l.loop.Header, f.agreed.StaysTogether(l.loop)
			f.found = append(f.found, b)
		}
	}
	return f.found
}
