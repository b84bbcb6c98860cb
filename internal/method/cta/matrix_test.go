package cta_test

import (
	"fmt"
	"strings"
	"testing"

	"warpbound"
)

// TestMatrices bounds loads and stores of matrices whose rows lie at many distances. Lanes that give no
// address hold numbers that nobody knows, and access nothing. So the bound is exact, also for products, of
// whatever the elements are.
func TestMatrices(t *testing.T) {
	const module = `.version 7.8
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
	.shared .align 16 .b8 tile[8192];
	.reg .b32 %%r<9>; .reg .b64 %%rd<9>; .reg .pred %%p<2>; .reg .f32 %%f<5>;
	mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; ld.param.u64 %%rd1, [p];
	and.b32 %%r8, %%r1, 31; mul.lo.u32 %%r3, %%r8, %[1]d; mul.lo.u32 %%r4, %%r2, %[2]d; add.u32 %%r3, %%r3, %%r4; and.b32 %%r3, %%r3, 8176;
	mov.u32 %%r4, tile; add.u32 %%r3, %%r3, %%r4;
	mul.wide.u32 %%rd2, %%r1, 4; add.u64 %%rd1, %%rd1, %%rd2; ld.global.u32 %%r7, [%%rd1];
	setp.ge.u32 %%p1, %%r8, %[3]d; @%%p1 mov.u32 %%r3, %%r7;
	stmatrix.sync.aligned.m8n8.x%[4]d.shared.b16 [%%r3], {%[5]s};
	ldmatrix.sync.aligned.m8n8.x%[4]d.trans.shared.b16 {%[5]s}, [%%r3];
	movmatrix.sync.aligned.m8n8.trans.b16 %%r4, %%r4;
	mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%%f1, %%f2, %%f3, %%f4}, {%%r4, %%r7}, {%%r4}, {%%f1, %%f1, %%f1, %%f1};
	st.global.f32 [%%rd1], %%f2;
	ret;
}
`
	for _, matrices := range []int{1, 2, 4} {
		for _, distance := range []int{0, 16, 32, 48, 80, 128, 144, 512} {
			for _, shift := range []int{0, 16, 272} {
				registers := strings.Join([]string{"%r4", "%r5", "%r6", "%r7"}[:matrices], ", ")
				a, run := boundAndRun(t, fmt.Sprintf(module, distance, shift, 8*matrices, matrices, registers),
					"grid = [20]\nblock = [64]\n"+
						"[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = 1280\ninit = \"uniform(0, 1000000)\"\n", warpbound.LoadOptions{})
				e := &a.Estimates[0]
				if e.Cycles < run.Cycles || shift == 0 && (e.Cycles != run.Cycles || !e.Exact()) {
					t.Errorf("%d matrices, rows %d bytes apart, %d from CTA to CTA: bound %d, simulated %d", matrices, distance, shift, e.Cycles, run.Cycles)
				}
			}
		}
	}
}
