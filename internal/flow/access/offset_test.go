package access_test

import (
	"testing"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/value"
	"warpbound/internal/isa"
	"warpbound/internal/test/flowtest"
)

// What a guard says of an offset holds of its access alone.
func TestOffsets(t *testing.T) {
	g := flowtest.BodyGraph(t, `mov.u64 %d1, tile; and.b32 %r2, %tid, 3; mul.wide.u32 %d2, %r2, 4; add.u64 %d1, %d1, %d2;
setp.lt.u32 %p1, %r2, 2; @%p1 st.shared.u32 [%d1+8], %r2; ld.shared.u32 %r1, [%d1];`)
	tile := make(map[int]int32)
	for pc := range g.Kernel.Instrs {
		if g.Kernel.Instrs[pc].Space == isa.Shared {
			tile[pc] = 0
		}
	}
	want := []string{"[8, 12], 0 mod 4", "[0, 12], 0 mod 4"}
	got := flowtest.Must(flowtest.Must(value.Analyze(t.Context(), g, launchfacts.Launch{})).Offsets(t.Context(), tile))
	if len(got) != len(want) {
		t.Fatalf("%d offsets, want %d", len(got), len(want))
	}
	for i := range got {
		if got[i].Set.String() != want[i] {
			t.Errorf("offset %d is %s, want %s", i, got[i].Set, want[i])
		}
	}
}
