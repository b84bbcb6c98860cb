package split

import (
	"testing"

	"warpbound/internal/isa"
	"warpbound/internal/machine"
	"warpbound/internal/saturating"
)

// TestHit: a load has its requests served, or waits for the L1 if that takes longer than what is left when it is served.
func TestHit(t *testing.T) {
	m, err := machine.Builtin("gcn3-split")
	if err != nil {
		t.Fatal(err)
	}
	load, store := isa.Instr{Op: isa.Ld, Space: isa.Global, Type: isa.U32}, isa.Instr{Op: isa.St, Space: isa.Global, Type: isa.U32}
	generic, shared := isa.Instr{Op: isa.Ld, Space: isa.Generic, Type: isa.U32}, isa.Instr{Op: isa.Ld, Space: isa.Shared, Type: isa.U32}
	for hit, want := range map[int64]saturating.Int{0: 146, 100: 146, 149: 149} {
		cached := *m
		cached.L1.Hit.Value = hit
		timing := newTiming(&cached, &isa.Kernel{})
		for _, in := range []*isa.Instr{&load, &generic} {
			if got := timing.instr(in, 2); got != (demand{passes: 1, delay: want, accesses: 1, service: 8}) {
				t.Errorf("a load, where a hit has %d cycles, needs %+v", hit, got)
			}
		}
		if got := timing.instr(&store, 2); got.delay != 0 {
			t.Errorf("a store has a delay of %d", got.delay)
		}
		if got := timing.instr(&shared, 2); got.delay != 31 {
			t.Errorf("a load from shared memory has a delay of %d", got.delay)
		}
	}
}
