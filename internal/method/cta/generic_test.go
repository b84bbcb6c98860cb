package cta_test

import (
	"fmt"
	"testing"

	"warpbound"
)

// TestGenericAccesses bounds loads by generic addresses of global and of constant memory,
// which count requests in different ways. Which memory an address is in is known, so that
// the bound is exact, also where CTAs begin at different places of a segment.
func TestGenericAccesses(t *testing.T) {
	const module = `.version 6.3
.target sm_70
.address_size 64
.const .align 4 .u32 table[64] = {5, 4, 3, 2, 1};
.visible .entry k(.param .u64 p) {
	.reg .b32 %r<9>; .reg .b64 %rd<9>;
	mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r4, %r2, %r3, %r1;
	ld.param.u64 %rd1, [p]; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd1, %rd1, %rd2;
	mov.u64 %rd3, table; cvta.const.u64 %rd3, %rd3;
	shr.u32 %r5, %r1, 2; mul.wide.u32 %rd4, %r5, 4; add.u64 %rd3, %rd3, %rd4;
	ld.u32 %r6, [%rd1];
	ld.u32 %r7, [%rd3];
	add.u32 %r6, %r6, %r7;
	st.u32 [%rd1], %r6;
	ret;
}
`
	for _, block := range []int{32, 96, 33, 100} {
		a, run := boundAndRun(t, module,
			fmt.Sprintf("grid = [50]\nblock = [%d]\n"+
				"[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = 5000\ninit = \"uniform(0, 9)\"\n", block), warpbound.LoadOptions{})
		if e := &a.Estimates[0]; e.Cycles != run.Cycles || !e.Exact() {
			t.Errorf("%d threads: bound %d, simulated %d", block, e.Cycles, run.Cycles)
		}
	}
}
