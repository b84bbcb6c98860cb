package instrument_test

import (
	"flag"
	"os"
	"testing"

	"warpbound/internal/method"
)

var update = flag.Bool("update", false, "write golden files")

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
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the code differs from %s:\n%s", golden, got)
	}
}
