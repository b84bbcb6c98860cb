package emu

import "testing"

// TestRecursion runs recursive functions in shapes that compilers do not make.
func TestRecursion(t *testing.T) {
	const sum = `.func (.param .b32 r) sum(.param .b32 n) {
.reg .pred %p; .reg .b32 %a, %b; .reg .b16 %h; .reg .f64 %d;
ld.param.u32 %a, [n]; mov.u32 %b, 0; setp.gt.u32 %p, %a, 0; cvt.u16.u32 %h, %a; cvt.rn.f64.u32 %d, %a;
{ .reg .b32 %c; sub.u32 %c, %a, 1; @%p call (%b), sum, (%c); }
@%p add.u32 %b, %b, %a; cvt.u32.u16 %a, %h; add.u32 %b, %b, %a; cvt.rzi.u32.f64 %a, %d; add.u32 %b, %b, %a;
st.param.b32 [r], %b; ret; }
`
	triangle := func(n int) uint32 { return uint32(3 * n * (n + 1) / 2) }
	for _, c := range []struct {
		name string
		scenario
		want func(tid int) uint32
	}{
		{"guarded calls, values of every width kept", scenario{vars: sum, body: `
and.b32 %r1, %r0, 15; call (%r2), sum, (%r1); st.global.u32 [%rd1], %r2; ret;`}, func(tid int) uint32 { return triangle(tid % 16) }},
		{"twice and by some lanes", scenario{vars: sum, body: `
and.b32 %r1, %r0, 15; setp.gt.u32 %p0, %r0, 20; mov.u32 %r2, 0;
@%p0 call (%r2), sum, (%r1); bar.sync 0; call (%r3), sum, (3); add.u32 %r2, %r2, %r3; st.global.u32 [%rd1], %r2; ret;`},
			func(tid int) uint32 {
				if tid > 20 {
					return triangle(tid%16) + triangle(3)
				}
				return triangle(3)
			}},
		{"by address", scenario{vars: sum, body: `
mov.u64 %rd2, sum; and.b32 %r1, %r0, 7; call (%r2), %rd2, (%r1), ts; ts: .calltargets sum; st.global.u32 [%rd1], %r2; ret;`},
			func(tid int) uint32 { return triangle(tid % 8) }},
		{"one circle inside another", scenario{vars: sum + `.func (.param .b32 r) outer(.param .b32 n) {
.local .b32 mine; .reg .pred %p; .reg .b32 %a, %b, %c;
ld.param.u32 %a, [n]; st.local.u32 [mine], %a; call (%b), sum, (%a); setp.eq.u32 %p, %a, 0; @%p bra done;
sub.u32 %c, %a, 1; call (%c), outer, (%c); add.u32 %b, %b, %c; ld.local.u32 %a, [mine]; mad.lo.u32 %b, %a, 1000, %b;
done: st.param.b32 [r], %b; ret; }
`, body: `and.b32 %r1, %r0, 3; call (%r2), outer, (%r1); st.global.u32 [%rd1], %r2; ret;`}, func(tid int) uint32 {
			var all uint32
			for n := range tid%4 + 1 {
				all += triangle(n) + 1000*uint32(n)
			}
			return all
		}},
		{"vectors as parameters", scenario{vars: `.func (.param .align 8 .b8 r[8]) swap(.param .align 8 .b8 v[8], .param .b32 n) {
.reg .pred %p; .reg .b32 %a, %b, %c;
ld.param.v2.u32 {%a, %b}, [v]; ld.param.u32 %c, [n]; setp.eq.u32 %p, %c, 0; @%p bra done; sub.u32 %c, %c, 1; add.u32 %a, %a, 1;
{ .param .align 8 .b8 x[8]; .param .b32 m; .param .align 8 .b8 y[8]; st.param.v2.b32 [x], {%b, %a}; st.param.b32 [m], %c;
call (y), swap, (x, m); ld.param.v2.u32 {%a, %b}, [y]; }
done: st.param.v2.b32 [r], {%a, %b}; ret; }
`, body: `
{ .param .align 8 .b8 x[8]; .param .b32 m; .param .align 8 .b8 y[8]; and.b32 %r1, %r0, 7;
st.param.v2.b32 [x], {%r0, 1000}; st.param.b32 [m], %r1; call (y), swap, (x, m); ld.param.v2.u32 {%r2, %r3}, [y]; }
mad.lo.u32 %r2, %r2, 10000, %r3; st.global.u32 [%rd1], %r2; ret;`}, func(tid int) uint32 {
			a, b := uint32(tid), uint32(1000)
			for range tid % 8 {
				a, b = b, a+1
			}
			return a*10000 + b
		}},
	} {
		t.Run(c.name, func(t *testing.T) { c.expect(t, c.want) })
	}
}

// TestCallErrors checks calls by addresses that are no functions.
func TestCallErrors(t *testing.T) {
	s := scenario{vars: ".func f(.param .b32 a) { ret; } .global .u64 used = f;", body: `
.reg .b64 %a; cvt.u64.u32 %a, %r0; call %a, (%r0), proto; proto: .callprototype _ (.param .b32 _); ret;`}
	s.expectError(t, nil, "k.ptx:11:", "thread (0,0,0)", "call by an address that is no function of the module")
}
