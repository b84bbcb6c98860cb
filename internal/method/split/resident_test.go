package split

import (
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/saturating"
)

// TestResidency counts workgroups on the CUs of gcn3-split: 4 CUs of 4 SIMDs.
func TestResidency(t *testing.T) {
	m, err := machine.Builtin("gcn3-split")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		groups, slots, wavefronts    saturating.Int
		rounds, last, full, contexts saturating.Int // contexts of a SIMD: in a full round, and in the last
	}{
		{groups: 8, slots: 2, wavefronts: 16, rounds: 1, last: 2, full: 8, contexts: 8},
		{groups: 9, slots: 2, wavefronts: 16, rounds: 2, last: 1, full: 8, contexts: 4},
		{groups: 1, slots: 16, wavefronts: 1, rounds: 1, last: 1, full: 4, contexts: 1},
		{groups: 20, slots: 16, wavefronts: 1, rounds: 1, last: 5, full: 4, contexts: 2},
		{groups: 72, slots: 16, wavefronts: 1, rounds: 2, last: 2, full: 4, contexts: 2}, // both may be on one SIMD
		{groups: 8, slots: 6, wavefronts: 6, rounds: 1, last: 2, full: 9, contexts: 3},
		{groups: 28, slots: 6, wavefronts: 6, rounds: 2, last: 1, full: 9, contexts: 2}, // 2 of 6 wavefronts are on one SIMD
	} {
		r := newResidency(m, c.groups, c.slots, c.wavefronts, 1)
		if r.rounds() != c.rounds || r.last() != c.last || r.contexts(r.last()) != c.contexts {
			t.Errorf("%d workgroups of %d wavefronts in %d slots: %d rounds, the last of %d with %d contexts in use; want %d, %d and %d",
				c.groups, c.wavefronts, c.slots, r.rounds(), r.last(), r.contexts(r.last()), c.rounds, c.last, c.contexts)
		}
		r.groups = 1 << 20 // full rounds
		if got := r.contexts(c.slots); got != c.full {
			t.Errorf("%d workgroups of %d wavefronts use %d contexts of a SIMD, want %d", c.slots, c.wavefronts, got, c.full)
		}
	}
}
