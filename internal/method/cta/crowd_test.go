package cta_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
)

// crowded is a kernel whose lanes part in a loop and reconverge behind it only, because one of the branches leaves it.
const crowded = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 out)
{
.reg .pred %%p<8>; .reg .b32 %%r<16>; .reg .b64 %%rd<8>; .local .align 4 .b8 d[16];
mov.u32 %%r1, %%tid.x;
mul.wide.u32 %%rd1, %%r1, 4;
ld.param.u64 %%rd2, [a];
ld.param.u64 %%rd3, [out];
add.u64 %%rd4, %%rd2, %%rd1;
add.u64 %%rd5, %%rd3, %%rd1;
mov.u32 %%r2, 0;
mov.u32 %%r3, 0;
L: setp.ge.u32 %%p1, %%r2, 40;
@%%p1 bra E;
mul.wide.u32 %%rd6, %%r2, 256;
add.u64 %%rd6, %%rd4, %%rd6;
ld.global.u32 %%r4, [%%rd6];
st.local.u32 [d], %%r4;
setp.lt.u32 %%p2, %%r4, 50;
@%%p2 bra C;
ld.local.u32 %%r5, [d];
add.u32 %%r3, %%r3, %%r5;
%s
setp.gt.u32 %%p3, %%r5, 98;
@%%p3 bra E;
C: add.u32 %%r2, %%r2, 1;
bra L;
E: st.global.u32 [%%rd5], %%r3;
ret;
}
`

// TestCrowds bounds kernels whose lanes go exponentially many ways, and compares with runs.
func TestCrowds(t *testing.T) {
	for name, more := range map[string]string{
		"break":          "",
		"inner loop":     "and.b32 %%r6, %%r5, 7; M: setp.eq.u32 %%p4, %%r6, 0; @%%p4 bra N; sub.u32 %%r6, %%r6, 1; bra M; N:",
		"parts twice":    "and.b32 %%r6, %%r5, 1; setp.eq.u32 %%p4, %%r6, 0; @%%p4 bra C;",
		"exit":           "setp.eq.u32 %%p4, %%r5, 60; @%%p4 ret;",
		"atomics":        "red.global.add.u32 [%%rd3+512], %%r5;",
		"shared address": "st.global.u32 [%%rd3+1024], %%r5;",
	} {
		module := fmt.Sprintf(crowded, strings.ReplaceAll(more, "%%", "%"))
		for machine, methods := range map[string][]string{
			"predictable-rr": {"static/cta"}, "integrated-fermi": {"static/llc-simple", "static/llc-interval"}, "gcn3-split": {"split/none", "split/dws", "split/pws"},
		} {
			job, err := warpbound.LoadFS(fstest.MapFS{
				"job.toml": {Data: []byte(`module = "k.ptx"
kernel = "k"
machine = "` + machine + `"
grid = [1, 1, 1]
block = [64, 1, 1]
[[param]]
name = "a"
type = "u32"
count = 2560
init = "uniform(0, 99)"
[[param]]
name = "out"
type = "u32"
count = 320
init = "zeros"
`)}, "k.ptx": {Data: []byte(module)},
			}, "job.toml", warpbound.LoadOptions{Effort: 0.005})
			if err != nil {
				t.Fatal(err)
			}
			a, err := job.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: methods})
			if err != nil {
				t.Errorf("%s on %s: %v", name, machine, err)
				continue
			}
			if !slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool { return w.ID == "loops-summarised" }) {
				t.Errorf("%s on %s: no warning that ways are added up: %v", name, machine, a.Warnings)
			}
			longest := int64(0)
			for vector := range 8 {
				r, err := job.Simulate(context.Background(), warpbound.SimulateOptions{Vector: vector})
				if err != nil {
					t.Fatal(err)
				}
				longest = max(longest, r.Cycles)
			}
			for _, e := range a.Estimates {
				if e.Cycles < longest || e.Cycles > 6*longest || e.Evidence != estimate.Proven {
					t.Errorf("%s: %s says %d cycles (%s), and a run takes %d", name, e.Method, e.Cycles, e.Evidence, longest)
				}
				t.Logf("%s: %s %.2f", name, e.Method, float64(e.Cycles)/float64(longest))
			}
		}
	}
}
