package cta_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/internal/analysis"
	"warpbound/internal/method/cta"
	"warpbound/internal/test/jobtest"
)

// TestKnownRequests bounds accesses of which it is known how many requests they make, so that the time is: updates of words that data
// choose, of which each lane makes one, and copies.
func TestKnownRequests(t *testing.T) {
	t.Run("atomics", func(t *testing.T) { exact(t, "\tred.global.add.u32 [%a], %t;\n") })
	t.Run("copies", func(t *testing.T) { exact(t, "\tcp.async.ca.shared.global [%s], [%x], 4;\n\tcp.async.wait_all;\n") })
}

// exact checks that the bound of a kernel that makes an access twenty times is the time of its run.
func exact(t *testing.T, access string) {
	j := jobtest.Load(t, fstest.MapFS{
		"k.ptx": {Data: []byte(".version 7.0\n.target sm_80\n.address_size 64\n" + `.visible .entry k(.param .u64 px, .param .u64 py) {
	.reg .b32 %t, %u, %s;
	.shared .align 4 .b8 all[256];
	.reg .b64 %x, %y, %a;
	ld.param.u64 %x, [px];
	ld.param.u64 %y, [py];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 4, %x;
	ld.global.u32 %u, [%a];
	and.b32 %u, %u, 15;
	mad.wide.u32 %a, %u, 4, %y;
	mov.u32 %s, all;
	mad.lo.u32 %s, %t, 4, %s;
` + strings.Repeat(access, 20) + "\tret;\n}\n")},
		"job.toml": {Data: []byte(`module = "k.ptx"
machine = "predictable-rr"
grid = [1]
block = [64]
param = [{name = "x", type = "u32", count = 64, init = "uniform(0, 99)"}, {name = "y", type = "u32", count = 16}]
`)},
	}, "job.toml", "")
	a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{cta.ID}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if got := a.Estimates[0].Cycles; got != run.Cycles {
		t.Errorf("bound %d, the run takes %d", got, run.Cycles)
	}
}
