package selfcheck

import (
	"context"
	"slices"
)

// budget is how many candidates a reduction tries at most.
const budget = 500

// shrink looks for a shorter sequence of draws that fails too, or one of the same length
// of smaller numbers: it leaves out parts, makes them zero and makes single numbers
// smaller, until nothing helps (MacIver and Donaldson, "Test-Case Reduction via
// Test-Case Generation: Insights from the Hypothesis Reducer", ECOOP 2020). fails returns
// the draws that a candidate really made, and whether it fails.
func shrink(ctx context.Context, draws []int, fails func([]int) ([]int, bool)) []int {
	s := &shrinker{best: draws, left: budget, fails: fails, ctx: ctx}
	for before := []int(nil); !slices.Equal(before, s.best) && s.open(); {
		before = s.best
		for size := max(len(s.best)/2, 1); size > 0; size /= 2 {
			s.parts(size, func(d []int, at, end int) []int { return slices.Delete(d, at, end) })
		}
		for size := 8; size > 0; size /= 2 {
			s.parts(size, func(d []int, at, end int) []int { clear(d[at:end]); return d })
		}
		s.smaller()
	}
	return s.best
}

type shrinker struct {
	best  []int
	left  int // candidates that may still be tried
	fails func([]int) ([]int, bool)
	ctx   context.Context
}

func (s *shrinker) open() bool { return s.left > 0 && s.ctx.Err() == nil }

// try takes a candidate if it fails and is simpler than the best so far.
func (s *shrinker) try(candidate []int) bool {
	if !s.open() || !simpler(candidate, s.best) {
		return false
	}
	s.left--
	drew, failed := s.fails(candidate)
	if !failed || !simpler(drew, s.best) {
		return false
	}
	s.best = drew
	return true
}

// simpler orders draws by length and then as numbers.
func simpler(a, b []int) bool {
	if len(a) != len(b) {
		return len(a) < len(b)
	}
	return slices.Compare(a, b) < 0
}

// parts changes parts of a size, the last ones first.
func (s *shrinker) parts(size int, change func(draws []int, at, end int) []int) {
	for at := len(s.best) - size; at >= 0 && s.open(); at -= size {
		if end := at + size; end <= len(s.best) {
			s.try(change(slices.Clone(s.best), at, end))
		}
	}
}

// smaller makes single numbers smaller.
func (s *shrinker) smaller() {
	for at := 0; at < len(s.best) && s.open(); at++ {
		for _, less := range []func(int) int{func(int) int { return 0 }, func(v int) int { return v / 2 }, func(v int) int { return v - 1 }} {
			for at < len(s.best) && s.best[at] > 0 {
				candidate := slices.Clone(s.best)
				candidate[at] = less(candidate[at])
				if !s.try(candidate) {
					break
				}
			}
		}
	}
}
