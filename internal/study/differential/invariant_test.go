package differential

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warpbound/diag"
	"warpbound/internal/job"
	"warpbound/internal/runner"
	"warpbound/internal/test/jobtest"
	"warpbound/internal/workload"
)

// believing is a platform that takes every run that is followed to stand for all.
type believing struct{ runner.Platform }

func (p believing) Open(w *workload.Workload, opts runner.Options) (runner.Runner, error) {
	r, err := p.Platform.Open(w, opts)
	return &believer{r}, err
}

type believer struct{ runner.Runner }

func (r *believer) Run(ctx context.Context, in *job.Inputs, rec *runner.Recorder) (*runner.Outcome, error) {
	out, err := r.Runner.Run(ctx, in, rec)
	if err == nil {
		out.Invariant = true
	}
	return out, err
}

func TestInvariant(t *testing.T) {
	const vectors = 20
	for _, test := range []struct {
		name, body string
		claimed    bool
	}{
		{"data", "add.u32 %x, %x, 1; st.global.u32 [%a], %x;", true},
		{"fixed branch", "setp.gt.u32 %p, %t, 7; @%p bra END; st.global.u32 [%a], %x;", true},
		{"branch", "setp.gt.u32 %p, %x, 500; @%p bra END; st.global.u32 [%a], %x;", false},
		{"branch of equal times", "setp.gt.u32 %p, %x, 500; @%p bra ODD; add.u32 %x, %x, 1; bra END;\nODD: add.u32 %x, %x, 2; bra END;", false},
	} {
		j := jobtest.Text(t, `machine = "predictable-rr"
module = "`+jobtest.MatchFile+`"
grid = [1]
block = [1]
[[param]]
name = "buf"
type = "u32"
count = 64
init = "uniform(0, 1000)"
`, `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 buf)
{
	.reg .pred %p;
	.reg .b32 %t, %x;
	.reg .b64 %a;
	ld.param.u64 %a, [buf];
	mov.u32 %t, %tid.x;
	ld.global.u32 %x, [%a];
	`+strings.ReplaceAll(test.body, "; ", ";\n\t")+`
END:
	ret;
}
`)
		cycles, err := Invariant(context.Background(), j.Platform, j.Workload, vectors, 1<<20)
		if err != nil || (cycles > 0) != test.claimed {
			t.Errorf("%s: %d cycles, %v", test.name, cycles, err)
		}
		_, err = Invariant(context.Background(), believing{j.Platform}, j.Workload, vectors, 1<<20)
		if differs := (*diag.DifferenceError)(nil); errors.As(err, &differs) == test.claimed {
			t.Errorf("%s: whoever believes that one run stands for all is told %v", test.name, err)
		}
	}
}
