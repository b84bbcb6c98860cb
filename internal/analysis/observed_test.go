package analysis

import (
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/campaign"
	"warpbound/internal/test/jobtest"
)

// TestObservedEstimatesTakeProvenBounds annotates a loop, which is proven to return 7 times, with
// more and with as much: measured methods must say as much as without that, and they must see that
// less is wrong.
func TestObservedEstimatesTakeProvenBounds(t *testing.T) {
	const module = `.version 7.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .pred %p; .reg .b32 %i, %x; .reg .b64 %out;
	ld.param.u64 %out, [out];
	mov.u32 %i, 0;
	mov.u32 %x, 1;
LOOP:
	mad.lo.u32 %x, %x, %x, %i;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 8;
	@%p bra LOOP;
	st.global.u32 [%out], %x;
	ret;
}
`
	const job = `module = "match.ptx"
machine = "fermi-c2050"
grid = [2]
block = [64]
vectors = 1
param = [{name = "out", type = "u32", count = 1}]
`
	estimates := func(annotation string) ([]estimate.Estimate, error) {
		j := jobtest.Text(t, job+annotation, module)
		a, err := Analyze(t.Context(), j.Platform, j.Workload, Request{Methods: []string{"hybrid/warp", "hybrid/dynamic", "hybrid/waves"}, Campaign: campaign.Spec{Vectors: 1}})
		if a == nil {
			return nil, err
		}
		return a.Estimates, err
	}
	want, err := estimates("")
	if err != nil {
		t.Fatal(err)
	}
	for _, annotation := range []string{"[loop]\nLOOP = 4008\n", "[loop]\nLOOP = 7\n"} {
		got, err := estimates(annotation)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			if got[i].Method != want[i].Method || got[i].Cycles != want[i].Cycles {
				t.Errorf("%q: %s is %d cycles, want %d", annotation, got[i].Method, got[i].Cycles, want[i].Cycles)
			}
		}
	}
	if _, err := estimates("[loop]\nLOOP = 6\n"); err == nil || !strings.Contains(err.Error(), "its bound 6 (annotated) is wrong") {
		t.Errorf("an annotation that is too small: %v", err)
	}
}
