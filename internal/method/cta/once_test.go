package cta_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/estimate"
)

// found has two loops, 20 iterations of 20, from which each lane goes when it finds its number, to code that
// waits for long.
const found = `.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 in, .param .f32 f)
{
	.reg .pred %p;
	.reg .f32 %f;
	.reg .b32 %i, %j, %n, %v, %t;
	.reg .b64 %in, %at;
	ld.param.u64 %in, [in];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %at, %t, 4, %in;
	ld.global.u32 %v, [%at];
	mov.u32 %n, 0;
	mov.u32 %i, 0;
OUTER:
	mov.u32 %j, 0;
INNER:
	setp.eq.u32 %p, %n, %v;
	@%p bra FOUND;
	add.u32 %n, %n, 1;
	add.u32 %j, %j, 1;
	setp.lt.u32 %p, %j, 20;
	@%p bra INNER;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 20;
	@%p bra OUTER;
	bra END;
FOUND:
	div.u32 %t, %v, 7;
	div.u32 %t, %t, 7;
	ld.global.u32 %v, [%at];
	st.global.u32 [%at], %t;
	bra END;
END:
	st.global.u32 [%at], %n;
	ret;
}
`

// alternatives has two ways behind the loops, one of which all lanes take together.
var alternatives = strings.Replace(found, "	div.u32 %t, %v, 7;\n", `
	ld.param.f32 %f, [f];
	setp.lt.f32 %p, %f, 0f3F800000;
	@%p bra ZERO;
	div.u32 %t, %v, 7;
	bra JOIN;
ZERO:
	add.u32 %t, %v, 7;
	div.u32 %t, %t, 7;
JOIN:
	div.u32 %t, %t, 7;
`, 1)

func TestFoundOnce(t *testing.T) { foundOnce(t, found) }

func TestFoundOnceInAlternatives(t *testing.T) { foundOnce(t, alternatives) }

// foundOnce bounds lanes that leave two loops at different times, each of which executes once what is behind
// them. Each of 32 may leave in an iteration of its own, and not in each of the 400.
func foundOnce(t *testing.T, module string) {
	for _, block := range []int{1, 5, 32, 64} {
		job := fmt.Sprintf("module = \"k.ptx\"\nmachine = \"predictable-rr\"\ngrid = [2]\nblock = [%d]\n[[param]]\nname = \"in\"\ntype = \"u32\"\ncount = 64\n", block)
		longest := int64(0)
		var e *estimate.Estimate
		for _, init := range []string{`init = "iota"`, `init = "uniform(0, 400)"`, `init = "uniform(0, 40)"`, `init = "uniform(300, 500)"`} {
			files := fstest.MapFS{"k.ptx": {Data: []byte(module)}, "job.toml": {Data: []byte(job + init + "\n[[param]]\nname = \"f\"\ntype = \"f32\"\nrange = [0.0, 2.0]\n")}}
			j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for vector := range 5 {
				run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{Vector: vector})
				if err != nil {
					t.Fatal(err)
				}
				longest = max(longest, run.Cycles)
			}
			if init != `init = "uniform(0, 400)"` {
				continue
			}
			a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"static/cta"}})
			if err != nil {
				t.Fatal(err)
			}
			e = &a.Estimates[0]
		}
		t.Logf("%d threads: bound %d, the longest run takes %d", block, e.Cycles, longest)
		if e.Cycles < longest || float64(e.Cycles) > 1.5*float64(longest) {
			t.Errorf("%d threads: bound %d, the longest run takes %d", block, e.Cycles, longest)
		}
	}
}
