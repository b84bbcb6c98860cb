package greedy_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/internal/analysis"
	"warpbound/internal/method/greedy"
	"warpbound/internal/test/goldentest"
	"warpbound/internal/test/jobtest"
	"warpbound/kernels"
)

// TestTerms holds every term of the bounds of a few kernels against those that are written down: a term that is left out or counted by half is
// another one, also where a run would not show it.
func TestTerms(t *testing.T) {
	var b strings.Builder
	for _, machine := range []string{"fermi-c2050", "gtx480", "a40", "h100"} {
		for _, kernel := range []string{"vectorAdd", "matrixMul", "histogram64", "substringSearch", "petri", "linkedList", "ludPerimeter"} {
			j := jobtest.Load(t, kernels.Suite(), kernel+"/job.toml", machine)
			a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{greedy.ID}})
			if err != nil {
				fmt.Fprintf(&b, "%s %s %v\n", machine, kernel, err)
				continue
			}
			text, err := json.Marshal(a.Estimates[0].Detail)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s %s\n", machine, kernel, text)
		}
	}
	for _, machine := range []string{"fermi-c2050", "gtx480"} {
		fmt.Fprintf(&b, "%s localMemory %s\n", machine, boundOf(t, machine, localMemory))
	}
	goldentest.Check(t, "testdata/terms.txt", b.String())
}

// localMemory loads and stores words of local memory, some of them in a loop.
const localMemory = `.version 7.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 data) {
	.reg .b32 %a, %b, %i, %t;
	.reg .b64 %d;
	.reg .pred %p;
	.local .align 8 .b8 frame[128];
	ld.param.u64 %d, [data];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %d, %t, 4, %d;
	ld.global.u32 %a, [%d];
	st.local.u32 [frame], %a;
	st.local.u32 [frame+4], %t;
	mov.u32 %i, 0;
LOOP:
	ld.local.u32 %b, [frame];
	add.u32 %b, %b, %i;
	st.local.u32 [frame], %b;
	ld.local.v2.u32 {%a, %b}, [frame+8];
	add.u32 %a, %a, %b;
	st.local.u32 [frame+12], %a;
	ld.volatile.local.u32 %a, [frame+16];
	bar.sync 0;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 10;
	@%p bra LOOP;
	ld.local.u32 %a, [frame+4];
	add.u32 %a, %a, %b;
	st.local.u32 [frame+4], %a;
	st.global.u32 [%d], %a;
	ret;
}
`

// boundOf returns the terms of the bound of a module on a machine.
func boundOf(t *testing.T, machine, module string) []byte {
	t.Helper()
	text, err := json.Marshal(bound(t, fstest.MapFS{
		"k.ptx":    {Data: []byte(module)},
		"job.toml": {Data: []byte("module = 'k.ptx'\nmachine = '" + machine + "'\ngrid = [3]\nblock = [96]\n[[param]]\nname = 'data'\ntype = 'u32'\ncount = 96\ninit = 'uniform(0, 9)'\n")},
	}))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
