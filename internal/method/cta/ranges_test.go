package cta_test

import (
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"warpbound"
)

// TestTables bounds lookups in small tables: of lanes whose addresses are not known, no more requests count than the table has
// segments, or words in one bank. The bound is the time of a run in which they go to all of these.
func TestTables(t *testing.T) {
	for _, memory := range []string{"global", "shared"} {
		module := fmt.Sprintf(`.version 7.0
.target sm_70
.address_size 64
.shared .align 128 .b8 words[512];
.visible .entry k(.param .u64 in, .param .u64 global, .param .u64 out)
{
	.reg .b32 %%v, %%t;
	.reg .b64 %%in, %%out, %%at, %%shared, %%global;
	ld.param.u64 %%in, [in];
	ld.param.u64 %%global, [global];
	ld.param.u64 %%out, [out];
	mov.u64 %%shared, words;
	mov.u32 %%t, %%tid.x;
	mad.wide.u32 %%at, %%t, 4, %%in;
	ld.global.u32 %%v, [%%at];
	and.b32 %%v, %%v, 127;
	mad.wide.u32 %%at, %%v, 4, %%%[1]s;
	ld.%[1]s.u32 %%v, [%%at];
	mad.wide.u32 %%out, %%t, 4, %%out;
	st.global.u32 [%%out], %%v;
	ret;
}
`, memory)
		job := func(init string) string {
			return `module = "k.ptx"
machine = "predictable-rr"
grid = [1]
block = [32]
[[param]]
name = "in"
type = "u32"
count = 32
` + init + `
[[param]]
name = "global"
type = "u32"
count = 128
[[param]]
name = "out"
type = "u32"
count = 32
`
		}
		load := func(init string) *warpbound.Job {
			j, err := warpbound.LoadFS(fstest.MapFS{"k.ptx": {Data: []byte(module)}, "job.toml": {Data: []byte(job(init))}}, "job.toml", warpbound.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return j
		}
		a, err := load(`init = "uniform(0, 1000)"`).Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"static/cta"}})
		if err != nil {
			t.Fatal(err)
		}
		step := map[string]int{"global": 8, "shared": 32}[memory]
		run, err := load("values = ["+spread(32, step)+"]").Simulate(context.Background(), warpbound.SimulateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Estimates[0].Cycles; got != run.Cycles {
			t.Errorf("%s: bound %d, the run takes %d", memory, got, run.Cycles)
		}
	}
}
