package instrument_test

import (
	"testing"

	"warpbound/internal/method"
	"warpbound/internal/test/goldentest"
)

// TestGolden shows the recording code of a small kernel.
func TestGolden(t *testing.T) {
	const golden = "testdata/countdown.ptx"
	b := mustJob(t, jobText, `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 k_out)
{
	.reg .pred %p; .reg .b32 %n;
	mov.u32 %n, %tid.x;
again:
	sub.u32 %n, %n, 1;
	setp.gt.s32 %p, %n, 0;
	@%p bra again;
	setp.eq.u32 %p, %n, 0;
	@%p exit;
	ret;
}
`)
	got := instrumented(t, b, method.LoopHeaders())
	goldentest.Check(t, golden, got)
}
