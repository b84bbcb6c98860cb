package cta_test

import (
	"context"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
)

// TestHiddenService bounds four warps that wait for memory in each iteration, as often as their data say. In the longest run
// each of them hides accesses of the others: 2 cycles of each of three warps, in most iterations.
func TestHiddenService(t *testing.T) {
	const module = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in)
{
	.reg .pred %p;
	.reg .b32 %i, %m, %n, %v;
	.reg .b64 %in, %at;
	ld.param.u64 %in, [in];
	mov.u32 %n, 0;
	mov.u32 %i, %tid.x;
	mad.wide.u32 %at, %i, 4, %in;
	ld.global.u32 %m, [%at];
	shr.u32 %i, %i, 5;
NEXT:
	mad.wide.u32 %at, %i, 32, %in;
	ld.global.u32 %v, [%at];
	add.u32 %i, %i, 1;
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, %m;
	@%p bra NEXT;
	ret;
}
`
	load := func(init string) *warpbound.Job {
		job := "module = \"k.ptx\"\nmachine = \"predictable-rr\"\ngrid = [1]\nblock = [128]\n" +
			"[[param]]\nname = \"in\"\ntype = \"u32\"\ncount = 2000\ninit = \"" + init + "\"\n"
		j, err := warpbound.LoadFS(fstest.MapFS{"k.ptx": {Data: []byte(module)}, "job.toml": {Data: []byte(job)}}, "job.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return j
	}
	a, err := load("uniform(0, 100)").Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"static/cta"}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := load("uniform(100, 100)").Simulate(context.Background(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const loads = 100 * 98 // cycles that a warp waits
	got := a.Estimates[0].Cycles
	t.Logf("bound %d, the longest run takes %d", got, run.Cycles)
	if hidden := a.Estimates[0].Detail.(*estimate.CTA).Issue + loads - got; got < run.Cycles || hidden < 300 {
		t.Errorf("bound %d, the longest run takes %d; %d cycles are hidden", got, run.Cycles, hidden)
	}
}
