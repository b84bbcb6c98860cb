package cta_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/internal/analysis"
	"warpbound/internal/method/cta"
	"warpbound/internal/test/jobtest"
)

// TestAtomicsAnywhere has updates of words that data choose: each lane has a request of its own, wherever it goes, so that the time is known.
func TestAtomicsAnywhere(t *testing.T) {
	j := jobtest.Load(t, fstest.MapFS{
		"k.ptx": {Data: []byte(".version 7.0\n.target sm_70\n.address_size 64\n" + `.visible .entry k(.param .u64 px, .param .u64 py) {
	.reg .b32 %t, %u;
	.reg .b64 %x, %y, %a;
	ld.param.u64 %x, [px];
	ld.param.u64 %y, [py];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 4, %x;
	ld.global.u32 %u, [%a];
	and.b32 %u, %u, 15;
	mad.wide.u32 %a, %u, 4, %y;
` + strings.Repeat("\tred.global.add.u32 [%a], %t;\n", 20) + "\tret;\n}\n")},
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
