package cta_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/method/cta"
)

// irreducible has a loop that a branch enters at two places. Which one depends on a parameter, so that all
// lanes go the same way, as they do at the branch behind the loop.
const irreducible = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u32 n, .param .u64 out)
{
.reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>;
ld.param.u32 %r1, [n];
mov.u32 %r3, 0;
setp.gt.u32 %p1, %r1, 5;
@%p1 bra B;
A: add.u32 %r3, %r3, 1;
B: add.u32 %r3, %r3, 1;
setp.lt.u32 %p2, %r3, 4;
@%p2 bra A;
setp.gt.u32 %p3, %r1, 7;
@%p3 bra C;
div.u32 %r4, %r1, 7;
bra D;
C: div.u32 %r4, %r1, 9;
D: ret;
}
`

// TestLostPrecision: where the analysis of divergence gives up, the answer says so and where.
func TestLostPrecision(t *testing.T) {
	analyse := func(module string) *estimate.Analysis {
		t.Helper()
		job, err := warpbound.LoadFS(fstest.MapFS{
			"job.toml": {Data: []byte(`module = "k.ptx"
kernel = "k"
machine = "predictable-rr"
grid = [4, 1, 1]
block = [64, 1, 1]
[[param]]
name = "n"
type = "u32"
range = [0, 10]
[[param]]
name = "out"
type = "u32"
count = 64
init = "zeros"
[[assume]] # so that the numbers of the range are not bounded one by one
expr = "n <= 10"
[loop]
A = 4
`)}, "k.ptx": {Data: []byte(module)},
		}, "job.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{cta.ID}})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	gaveUp := func(a *estimate.Analysis) int {
		return slices.IndexFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "no-verdicts" })
	}
	a := analyse(irreducible)
	i := gaveUp(a)
	if i < 0 {
		t.Fatalf("no warning among %v", a.Warnings)
	}
	if w := a.Warnings[i]; w.Pos != "k.ptx:10:1" || !strings.Contains(w.Text, "kernel k has irreducible control flow") {
		t.Errorf("%+v", w)
	}
	reducible := analyse(strings.Replace(irreducible, "@%p1 bra B;", "", 1))
	if i := gaveUp(reducible); i >= 0 {
		t.Errorf("%+v", reducible.Warnings[i])
	}
	if a.Estimates[0].Cycles <= reducible.Estimates[0].Cycles {
		t.Errorf("%d cycles, and %d where one arm of the last branch counts", a.Estimates[0].Cycles, reducible.Estimates[0].Cycles)
	}
}
