package warpbound_test

import (
	"context"
	"slices"
	"testing"

	"warpbound"
	"warpbound/estimate"
	"warpbound/jobs"
)

// counting loops as often as the first element of x says, and stores where the pointer in z points to.
const counting = `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 x, .param .u64 y, .param .u64 z) {
.reg .pred %p; .reg .b32 %n, %i; .reg .b64 %x, %y, %z;
ld.param.u64 %x, [x]; ld.param.u64 %y, [y]; ld.param.u64 %z, [z];
ld.global.u32 %n, [%x]; mov.u32 %i, 0;
L: add.u32 %i, %i, 1; setp.lt.u32 %p, %i, %n; @%p bra L;
st.global.u32 [%y], %i;
ld.global.u64 %z, [%z];
st.global.u32 [%z], %i;
ret;
}
`

// TestFixedContents says when a bound may rest on what a buffer holds: not if the kernel writes it by another name, and
// with an access that cannot be told apart only as the job annotates it.
func TestFixedContents(t *testing.T) {
	x := jobs.Buffer("x", jobs.U32, 4, jobs.Values(9, 0, 0, 0))
	readOnly := x
	readOnly.Access = jobs.ReadOnly
	y := jobs.Buffer("y", jobs.U32, 1, jobs.Zeros())
	fixed := jobs.Buffer("z", jobs.U64, 1, jobs.Addresses("y"))
	sampled := jobs.Buffer("z", jobs.U64, 1, jobs.Uniform(1<<28, 1<<28+1))
	for _, c := range []struct {
		name     string
		x, y, z  jobs.Param
		evidence estimate.Evidence // none: there is no bound
	}{
		{"apart", x, y, fixed, estimate.Proven},
		{"read-only besides", readOnly, y, fixed, estimate.Proven},
		{"the same", x, jobs.View("y", "x"), jobs.Buffer("z", jobs.U64, 1, jobs.Addresses("x")), ""},
		{"the same buffer, elsewhere", x, jobs.View("y", "x+8"), jobs.Buffer("z", jobs.U64, 1, jobs.Addresses("x+8")), ""},
		{"perhaps", x, y, sampled, ""},
		{"perhaps, but read-only", readOnly, y, sampled, estimate.Annotated},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, err := warpbound.New(jobs.Job{
				Module: jobs.Text("k.ptx", counting), Machine: "predictable-rr", Grid: jobs.Dim(1), Block: jobs.Dim(32),
				Params: []jobs.Param{c.x, c.y, c.z},
			}, warpbound.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"static/cta"}})
			if c.evidence == "" {
				if err == nil {
					t.Errorf("got %+v", a.Estimates)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			e := a.Estimates[0]
			annotated := slices.Contains(e.Assumptions, `buffer x has the contents given by the job (annotated: access = "read", so that a run that writes it is a fault)`)
			if e.Evidence != c.evidence || annotated != (c.evidence == estimate.Annotated) {
				t.Errorf("%s, assuming %q", e.Evidence, e.Assumptions)
			}
		})
	}
}
