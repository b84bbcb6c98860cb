package value

import (
	"strings"
	"testing"

	"warpbound/internal/flow/access"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/test/flowtest"
)

// narrowing is a kernel that ends with a copy of a number where something more is known of it.
func narrowing(code string) string {
	return `.version 7.0
.target sm_70
.address_size 64
.shared .align 16 .b8 tile[4096];
.visible .entry k(.param .u32 p)
{
	.reg .b64 %d<9>;
	.reg .b32 %n, %tid, %r<9>, %out;
	.reg .pred %p<5>;
	ld.param.u32 %n, [p];
	mov.u32 %tid, %tid.x;
` + strings.ReplaceAll(code, "; ", ";\n") + `
	st.shared.u32 [tile], %out;
E:	ret;
}
`
}

// What facts say of what they do not mention.
func TestNarrowing(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"a summand", "and.b32 %r1, %n, 7; add.u32 %r2, %r1, %tid; setp.lt.u32 %p1, %r2, 4; @!%p1 bra E; mov.u32 %out, %tid;", "[0, 3]"},
		{"a factor", "and.b32 %r1, %n, 7; mad.lo.u32 %r2, %tid, 10, %r1; setp.lt.u32 %p1, %r2, 40; @!%p1 bra E; mov.u32 %out, %tid;", "[0, 3]"},
		{"a negative summand", "and.b32 %r1, %n, 7; sub.u32 %r2, %tid, %r1; setp.gt.s32 %p1, %r2, 1000; @!%p1 bra E; mov.u32 %out, %tid;", "[1001, 1023]"},
		{"a sum that may wrap around", "add.u32 %r2, %n, %tid; setp.lt.u32 %p1, %r2, 4; @!%p1 bra E; mov.u32 %out, %n;", "any"},
		{"another sum", "and.b32 %r1, %n, 7; add.u32 %r2, %r1, %tid; shl.b32 %r3, %tid, 2; add.u32 %r3, %r3, %r1; setp.lt.u32 %p1, %r2, 4; @!%p1 bra E; mov.u32 %out, %r3;", "[0, 15]"},
		{"what is computed from it", "shr.u32 %r1, %tid, 2; setp.lt.u32 %p1, %tid, 8; @!%p1 bra E; mov.u32 %out, %r1;", "[0, 1]"},
		{"under a guard", "and.b32 %r1, %n, 7; add.u32 %r2, %r1, %tid; mov.u32 %out, 0; setp.lt.u32 %p1, %r2, 4; @%p1 mov.u32 %out, %tid;", "[0, 3]"},
		{"a choice", "and.b32 %r1, %n, 7; add.u32 %r2, %r1, %tid; setp.lt.u32 %p1, %r2, 4; selp.b32 %out, %tid, 9, %p1;", "[0, 9]"},
		{"one of two", "setp.lt.u32 %p1, %tid, 4; setp.eq.u32 %p2, %tid, 9; or.pred %p3, %p1, %p2; @!%p3 bra E; mov.u32 %out, %tid;", "[0, 9]"},
		{"not both", "setp.gt.u32 %p1, %tid, 4; setp.gt.u32 %p2, %tid, 9; and.pred %p3, %p1, %p2; @%p3 bra E; mov.u32 %out, %tid;", "[0, 9]"},
		{"one of two of which one is impossible", "setp.lt.u32 %p1, %tid, 4; setp.gt.u32 %p2, %tid, 2000; or.pred %p3, %p2, %p1; @!%p3 bra E; mov.u32 %out, %tid;", "[0, 3]"},
		{"one of two of which one is unknown", "setp.lt.u32 %p1, %tid, 4; setp.gt.f32 %p2, %n, %n; or.pred %p3, %p1, %p2; @!%p3 bra E; mov.u32 %out, %tid;", "[0, 1023]"},
		{"extended behind a comparison", "setp.eq.u32 %p1, %tid, 0; @%p1 bra E; sub.u32 %r1, %tid, 1; mul.wide.u32 %d1, %r1, 4; cvt.u32.u64 %out, %d1;", "[0, 4088], 0 mod 4, form 4*tid.x - 4"},
		{"extended without", "sub.u32 %r1, %tid, 1; mul.wide.u32 %d1, %r1, 4; cvt.u32.u64 %out, %d1;", "any, 0 mod 4"},
		{"extended with a sign", "sub.u32 %r1, %tid, 1; mul.wide.s32 %d1, %r1, 4; cvt.u32.u64 %out, %d1;", "[-4, 4088], 0 mod 4, form 4*tid.x - 4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := flowtest.Graph(t, "k.ptx", narrowing(test.code))
			r := flowtest.Must(Analyze(t.Context(), g, launchfacts.Launch{}))
			before, _ := r.states()
			for pc := range g.Kernel.Instrs {
				if o := g.Kernel.Instrs[pc].Src; len(o) == 2 && g.Kernel.Instrs[pc].Dst == nil {
					v := before[pc].Get(o[1].Reg)
					got := v.Set.String()
					if strings.Contains(test.want, "form") {
						got += ", form " + r.solution.Machine.Syms.Format(v.Form)
					}
					if got != test.want {
						t.Errorf("it is %s, want %s", got, test.want)
					}
				}
			}
		})
	}
}

// Addresses of shared memory may be computed in 32 bits.
func TestSharedAddressOfWords(t *testing.T) {
	g := flowtest.Graph(t, "k.ptx", narrowing("mov.u32 %r1, tile; shl.b32 %r2, %tid, 2; add.u32 %r3, %r1, %r2; st.shared.u32 [%r3+8], %n; mov.u32 %out, 0;"))
	r := flowtest.Must(Analyze(t.Context(), g, launchfacts.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}}))
	a := flowtest.Must(r.Accesses(t.Context(), access.DefaultMemory))[0]
	if a.Address != "4*tid.x + &tile + 8" || a.Stride != 4 || a.Min != 1 || a.Max != 1 {
		t.Errorf("%+v", a)
	}
}
