package racefree

import (
	"slices"
	"testing"

	"warpbound/internal/budget"
	"warpbound/internal/flow/affine"
)

// Two even numbers are never 1 apart, which narrowing their ranges tells only after as many rounds as
// there are numbers.
func TestRoundsOfNarrowing(t *testing.T) {
	for _, c := range []struct {
		effort  budget.Effort
		differs bool
		reached []string
	}{
		{1, false, []string{"64 rounds over the terms of two addresses"}},
		{100, true, nil},
	} {
		s := &sum{bits: 64}
		s.add(2, affine.Range{Min: 0, Max: 1000}, none)
		s.add(-2, affine.Range{Min: 0, Max: 1000}, none)
		work := budget.NewWork(c.effort)
		if possible := s.within(work, 1, 1); possible == c.differs || !slices.Equal(work.Reached(), c.reached) {
			t.Errorf("effort %v: %t; %q", c.effort, possible, work.Reached())
		}
	}
}
