package value

import (
	"fmt"
	"reflect"
	"testing"

	"warpbound/internal/flow/access"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/loopbound"
	"warpbound/internal/test/flowtest"
)

// TestIrreducibleRegion: a loop with two entries costs precision in its own blocks only.
func TestIrreducibleRegion(t *testing.T) {
	const region = `setp.gt.u32 %p, %n, 5; @%p bra B;
A: add.u32 %r9, %r9, 1;
B: add.u32 %r9, %r9, 1; setp.lt.u32 %p, %r9, 4; @%p bra A;
`
	analyse := func(before, behind string) ([]loopbound.Bound, []access.Pattern, []access.Address) {
		g := flowtest.Graph(t, "k.ptx", fmt.Sprintf(`.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u64 p, .param .u32 n)
{
.reg .pred %%p; .reg .b32 %%r<10>; .reg .b32 %%n, %%tid; .reg .b64 %%p0, %%a;
ld.param.u64 %%p0, [p]; ld.param.u32 %%n, [n]; mov.u32 %%tid, %%tid.x; mov.u32 %%r9, 0;
%s
mov.u32 %%r1, %%tid;
L: mul.wide.u32 %%a, %%r1, 4; add.u64 %%a, %%p0, %%a; st.global.u32 [%%a], %%r1;
add.u32 %%r1, %%r1, 32; setp.lt.u32 %%p, %%r1, 1024; @%%p bra L;
mov.u32 %%r2, 2;
M: mul.lo.u32 %%r2, %%r2, %%r2; setp.lt.u32 %%p, %%r2, 1000; @%%p bra M;
%s
ret;
}
`, before, behind))
		r := flowtest.Must(Analyze(t.Context(), g, launchfacts.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}}))
		bounds := r.Loops()
		regular := bounds[:0:0]
		for i, b := range bounds {
			if r.solution.IsRegular(&g.Loops().Loops[i]) {
				b.Header = 0 // which is another one
				regular = append(regular, b)
			}
		}
		accesses, addresses := flowtest.Must(r.Accesses(t.Context(), access.DefaultMemory)), flowtest.Must(r.Addresses(t.Context()))
		for i := range accesses {
			accesses[i].Instr = 0
		}
		return regular, accesses, addresses
	}
	bounds, accesses, addresses := analyse("", "")
	if b := bounds[0]; len(bounds) != 2 || b.Iterations != 31 || !b.Together || bounds[1].Iterations != 3 {
		t.Errorf("%+v", bounds)
	}
	if a := accesses[0]; a.Stride != 4 || a.Max != 2 {
		t.Errorf("%+v", a)
	}
	for _, where := range [][2]string{{region, ""}, {"", region}} {
		b, a, at := analyse(where[0], where[1])
		if !reflect.DeepEqual(b, bounds) {
			t.Errorf("bounds are %+v, want %+v", b, bounds)
		}
		if !reflect.DeepEqual(a, accesses) {
			t.Errorf("accesses are %+v, want %+v", a, accesses)
		}
		if len(at) != len(addresses) || len(at[0].Terms) != len(addresses[0].Terms) {
			t.Errorf("addresses are %+v, want %+v", at, addresses)
		}
	}
}
