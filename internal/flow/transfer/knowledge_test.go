package transfer

import (
	"fmt"
	"slices"
	"testing"

	"warpbound/internal/budget"
	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/isa"
)

// Facts in an order in which each use of all of them tells of one more number that it is at most 5: of
// so many numbers as the effort allows uses.
func TestUsesOfFacts(t *testing.T) {
	const numbers = 6
	for _, c := range []struct {
		effort  budget.Effort
		last    uint64 // number can be that at most
		reached []string
	}{
		{1, 255, []string{"3 uses of facts for what others say"}},
		{4, 5, nil},
	} {
		m := &Machine{
			Syms: affine.NewTable(), Work: budget.NewWork(c.effort), kernel: &isa.Kernel{}, launch: &launchfacts.Launch{},
		}
		var symbols []affine.Symbol
		for i := range numbers {
			symbols = append(symbols, m.Syms.AddConstant(fmt.Sprint("x", i), strided.Between(32, 0, 255), false))
		}
		facts := []Fact{{Form: affine.OfSymbol(32, symbols[0]), Set: strided.Between(32, 0, 5)}}
		for i := range numbers - 1 { // x(i) - x(i+1) is 0
			difference := affine.OfSymbol(32, symbols[i]).AddMultiple(affine.OfSymbol(32, symbols[i+1]), strided.Mask(32))
			facts = append(facts, Fact{Form: difference, Set: strided.Const(32, 0)})
		}
		slices.Reverse(facts)
		k, ok := m.DeriveKnowledge(facts)
		_, last := m.wordsLeft(&k, symbols[numbers-1]).Unsigned()
		if got := m.Work.Reached(); !ok || last != c.last || !slices.Equal(got, c.reached) {
			t.Errorf("effort %v: %t, the last is at most %d, want %d; %q", c.effort, ok, last, c.last, got)
		}
	}
}
