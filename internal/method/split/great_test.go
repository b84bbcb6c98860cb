package split_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
	"warpbound/internal/method/split"
)

// greatJob is a launch of workgroups of one wavefront of the kernel k.
const greatJob = `
	module = "k.ptx"
	machine = "gcn3-split"
	grid = [%d]
	block = [64]
	[[param]]
	name = "x"
	type = "u32"
	count = 64
	init = "zeros"
	[split]
	mode = "%s"
	%s
`

// greatKernel has a loop L that ends by a predicate %p.
const greatKernel = `
	.version 6.3
	.target sm_70
	.address_size 64
	.visible .entry k(.param .u64 x)
	{
		.reg .pred %%p;
		.reg .b32 %%i, %%n;
		.reg .b64 %%a;
		ld.param.u64 %%a, [x];
		ld.global.u32 %%n, [%%a];
		and.b32 %%n, %%n, %d;
		mov.u32 %%i, 0;
	L:	add.u32 %%i, %%i, 1;
		%s
		@%%p bra L;
		st.global.u32 [%%a], %%i;
		ret;
	}
`

// TestGreatLoops: a loop iterates as often as its bound says, whether that is stated or counted, and a time that does not fit is an error.
func TestGreatLoops(t *testing.T) {
	const data = "ld.global.u32 %n, [%a]; setp.ne.u32 %p, %n, 0;"
	annotated := func(n int64) string { return fmt.Sprintf("[loop]\nL = %d", n) }
	for _, c := range []struct {
		name        string
		groups      int
		mask        int64
		exit, loops string
		iterations  int64
		overflows   bool
	}{
		{"counted", 1, 1<<31 - 1, "setp.lt.u32 %p, %i, %n;", "", 1<<31 - 2, false},
		{"stated, 2^30", 1, 0, data, annotated(1 << 30), 1 << 30, false},
		{"stated, 2^30 + 1", 1, 0, data, annotated(1<<30 + 1), 1<<30 + 1, false},
		{"stated, 2^40", 1, 0, data, annotated(1 << 40), 1 << 40, false},
		{"stated, 2^50", 1, 0, data, annotated(1 << 50), 1 << 50, false},
		{"stated, 2^50, of many workgroups", 2048, 0, data, annotated(1 << 50), 0, true}, // a wavefront's time fits
		{"stated, 2^62", 1, 0, data, annotated(1 << 62), 0, true},
		{"stated, 2^63 - 1", 1, 0, data, annotated(math.MaxInt64), 0, true},
	} {
		for _, mode := range []string{"none", "dws", "pws"} {
			files := fstest.MapFS{
				"k.ptx":    {Data: fmt.Appendf(nil, greatKernel, c.mask, c.exit)},
				"job.toml": {Data: fmt.Appendf(nil, greatJob, c.groups, mode, c.loops)},
			}
			j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{AllowAbsurd: true, Effort: 1.0 / 1024})
			if err != nil {
				t.Fatal(err)
			}
			a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/" + mode}})
			if c.overflows {
				if !errors.Is(err, split.ErrOverflow) {
					t.Errorf("%s, %s: %v, want %v", c.name, mode, err, split.ErrOverflow)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s, %s: %v", c.name, mode, err)
			}
			e := a.Estimates[0]
			if loop := e.Detail.(*estimate.Split).Loops[0]; loop.Iterations != c.iterations || e.Cycles < c.iterations {
				t.Errorf("%s, %s: %d cycles, with %d iterations, want %d iterations", c.name, mode, e.Cycles, loop.Iterations, c.iterations)
			}
		}
	}
}
