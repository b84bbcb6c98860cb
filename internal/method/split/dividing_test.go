package split_test

import (
	"context"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
)

// TestDividing: lanes part at the branch at L in three of its 500 iterations, of which each is known. What splitting and merging take then
// is a part of the bound, and the rest is of the instructions.
func TestDividing(t *testing.T) {
	files := fstest.MapFS{
		"k.ptx": {Data: []byte(`
			.version 6.3
			.target sm_70
			.address_size 64
			.visible .entry k(.param .u64 x)
			{
				.reg .pred %p, %q;
				.reg .b32 %i, %t;
				.reg .b64 %a;
				ld.param.u64 %a, [x];
				mov.u32 %t, %tid.x;
				mov.u32 %i, 0;
			L:	setp.lt.u32 %p, %t, %i;
				@%p bra C;
				st.global.u32 [%a], %i;
			C:	add.u32 %i, %i, 16;
				setp.lt.u32 %q, %i, 8000;
				@%q bra L;
				ret;
			}`)},
		"job.toml": {Data: []byte(`
			module = "k.ptx"
			machine = "gcn3-split"
			grid = [1]
			block = [64]
			[[param]]
			name = "x"
			type = "u32"
			count = 64
			[split]
			mode = "dws"`)},
	}
	j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/dws"}})
	if err != nil {
		t.Fatal(err)
	}
	last := a.Estimates[0].Detail.(*estimate.Split).Last
	const division = 4 + 8 + 2*4 // gcn3-split: splitting, merging, and their passes
	if last.Splitting != 3*division || last.Issue+last.Memory+last.Splitting+last.Own != last.Wavefront {
		t.Errorf("%+v: splitting and merging take %d cycles each", last, division)
	}
}
