package analysis_test

import (
	"testing"
	"testing/fstest"

	"warpbound/internal/analysis"
	"warpbound/internal/test/jobtest"
)

// TestTurnsOfLoops: where paths take turns, a warp goes round a loop more often than each of its lanes, also without a transition that the
// flow graph lacks. A bound that is proven of lanes is no contradiction then.
func TestTurnsOfLoops(t *testing.T) {
	j := jobtest.Load(t, fstest.MapFS{
		"k.ptx": {Data: []byte(`.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 px) {
	.reg .b32 %i, %n, %t;
	.reg .b64 %x;
	.reg .pred %p;
	ld.param.u64 %x, [px];
	mov.u32 %t, %tid.x;
	and.b32 %n, %t, 7;
	mov.u32 %i, 0;
FIRST:
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, %n;
	@%p bra FIRST;
	mov.u32 %i, 0;
SECOND:
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 4;
	@%p bra SECOND;
	st.global.u32 [%x], %i;
	ret;
}
`)},
		"m.toml":   {Data: []byte("base = 'h100'\nname = 'turning'\n[sm]\npath_turn = {value = 1, unit = 'branches', source = 'choice'}\nwait_turn = {value = 1, unit = 'branches', source = 'choice'}\n")},
		"job.toml": {Data: []byte("module = 'k.ptx'\nmachine = 'm.toml'\ngrid = [1]\nblock = [32]\nparam = [{name = 'x', type = 'u32', count = 1, init = 'zeros'}]\n[loop]\nSECOND = 4\n")},
	}, "job.toml", "")
	a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{"hybrid/dynamic"}})
	if err != nil || len(a.Estimates) != 1 {
		t.Fatalf("%v, %v", a, err)
	}
}
