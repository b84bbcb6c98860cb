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
		{"variables of a large alignment", scenario{vars: `.func (.param .b32 r) pile(.param .b32 n) {
.local .align 64 .b8 mine[64]; .reg .pred %p; .reg .b32 %a, %b;
ld.param.u32 %a, [n]; st.local.v4.b32 [mine], {%a, %a, %a, %a}; mov.u32 %b, mine; and.b32 %b, %b, 63; setp.eq.u32 %p, %a, 0; @%p bra done;
sub.u32 %a, %a, 1; call (%a), pile, (%a); add.u32 %b, %b, %a; ld.local.u32 %a, [mine+12]; add.u32 %b, %b, %a;
done: st.param.b32 [r], %b; ret; }
`, body: `and.b32 %r1, %r0, 7; call (%r2), pile, (%r1); st.global.u32 [%rd1], %r2; ret;`}, func(tid int) uint32 {
			return uint32(tid % 8 * (tid%8 + 1) / 2)
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
		{"twice in one function, registers of every type kept", scenario{vars: `.func (.reg .b32 %res, .reg .pred %q) fib(.reg .b32 %n, .reg .pred %odd) {
.reg .pred %p, %s; .reg .b32 %a, %b; .reg .b16 %h; .reg .b8 %c; .reg .f16x2 %x; .reg .f16 %y; .reg .b128 %w; .reg .b64 %l<3>;
cvt.u16.u32 %h, %n; cvt.u8.u32 %c, %n; mov.b32 %x, %n; mov.b16 %y, %h; cvt.u64.u32 %l0, %n; mov.b128 %w, {%l0, %l0};
setp.lt.u32 %p, %n, 2; mov.u32 %res, %n; mov.pred %q, %odd; @%p ret;
sub.u32 %a, %n, 1; not.pred %s, %odd; call (%a, %s), fib, (%a, %s);
sub.u32 %b, %n, 2; call (%b, %q), fib, (%b, %odd);
add.u32 %res, %a, %b; xor.pred %q, %q, %s;
cvt.u32.u16 %a, %h; setp.ne.u32 %p, %a, %n; @%p add.u32 %res, %res, 10000;
cvt.u32.u8 %a, %c; setp.ne.u32 %p, %a, %n; @%p add.u32 %res, %res, 20000;
mov.b32 %a, %x; setp.ne.u32 %p, %a, %n; @%p add.u32 %res, %res, 40000;
mov.b16 %h, %y; cvt.u32.u16 %a, %h; setp.ne.u32 %p, %a, %n; @%p add.u32 %res, %res, 80000;
mov.b128 {%l1, %l2}, %w; setp.ne.u64 %p, %l2, %l0; @%p add.u32 %res, %res, 160000;
ret; }`, body: `and.b32 %r1, %r0, 15; and.b32 %r3, %r0, 1; setp.eq.u32 %p0, %r3, 1; call (%r2, %p1), fib, (%r1, %p0); @%p1 add.u32 %r2, %r2, 1000000; st.global.u32 [%rd1], %r2; ret;`},
			func(tid int) uint32 {
				var fib func(n int, odd bool) (uint32, bool)
				fib = func(n int, odd bool) (uint32, bool) {
					if n < 2 {
						return uint32(n), odd
					}
					a, s := fib(n-1, !odd)
					b, q := fib(n-2, odd)
					return a + b, q != s
				}
				r, q := fib(tid%16, tid%2 == 1)
				if q {
					r += 1000000
				}
				return r
			}},
		{"two functions by turns, addresses of local variables, exits inside", scenario{vars: `.func (.reg .b32 %res) odd(.reg .b32 %n, .reg .b64 %out);
.func (.reg .b32 %res) even(.reg .b32 %n, .reg .b64 %out) {
.local .align 4 .b8 %buf[16]; .reg .b64 %a, %g; .reg .b32 %t, %u; .reg .pred %p;
mov.u64 %a, %buf; cvta.local.u64 %g, %a; st.u32 [%g+8], %n;
setp.eq.u32 %p, %n, 0; mov.u32 %res, 7; @%p ret;
sub.u32 %t, %n, 1; call (%u), odd, (%t, %g);
ld.u32 %res, [%g+8]; ld.u32 %t, [%g+4]; add.u32 %res, %res, %t; mad.lo.u32 %res, %u, 3, %res;
ret; }
.func (.reg .b32 %res) odd(.reg .b32 %n, .reg .b64 %out) {
.reg .b32 %t, %u, %v; .reg .pred %p; .local .align 4 .b8 %mine[8]; .reg .b64 %a, %b;
mov.u64 %b, even; mov.u64 %a, %mine; st.local.u32 [%mine+4], 77; add.u32 %t, %n, 100; st.u32 [%out+4], %t;
setp.eq.u32 %p, %n, 0; mov.u32 %res, 9; @%p ret; setp.eq.u32 %p, %n, 13; @%p exit;
sub.u32 %t, %n, 1; cvta.local.u64 %a, %a; call (%u), %b, (%t, %a), pr; pr: .callprototype (.reg .b32 _) _ (.reg .b32 _, .reg .b64 _);
ld.local.u32 %v, [%mine+4]; mad.lo.u32 %res, %u, 5, %v; ret; }`, body: `.local .align 8 .b8 %top[8]; mov.u64 %rd5, %top; cvta.local.u64 %rd5, %rd5;
and.b32 %r1, %r0, 15; call (%r2), even, (%r1, %rd5); add.u32 %r3, %r1, 1; call (%r4), odd, (%r1, %rd5); add.u32 %r2, %r2, %r4; st.global.u32 [%rd1], %r2; ret;`},
			func(tid int) uint32 {
				type ex struct{}
				var even, odd func(n int, out []uint32) uint32
				even = func(n int, out []uint32) uint32 {
					buf := make([]uint32, 4)
					buf[2] = uint32(n)
					if n == 0 {
						return 7
					}
					u := odd(n-1, buf)
					return buf[2] + buf[1] + 3*u
				}
				odd = func(n int, out []uint32) uint32 {
					mine := []uint32{0, 77}
					out[1] = uint32(n + 100)
					if n == 0 {
						return 9
					}
					if n == 13 {
						panic(ex{})
					}
					u := even(n-1, mine)
					return 5*u + mine[1]
				}
				r := uint32(0)
				func() {
					defer func() { recover() }()
					s := even(tid%16, make([]uint32, 2)) + odd(tid%16, make([]uint32, 2))
					r = s
				}()
				return r
			}},
	} {
		t.Run(c.name, func(t *testing.T) { c.expect(t, c.want) })
	}
}

// TestCallAtTheEnd runs kernels whose last instruction is a call.
func TestCallAtTheEnd(t *testing.T) {
	const store = ".func f(.reg .b64 %a, .reg .b32 %v) { st.global.u32 [%a], %v; ret; }"
	for _, body := range []string{
		"call f, (%rd1, %r0);",
		"setp.ne.u32 %p0, %r0, 0; @%p0 call f, (%rd1, %r0);",
		"mov.u64 %rd3, f; call %rd3, (%rd1, %r0), ts; ts: .calltargets f;",
	} {
		s := scenario{vars: store, body: body}
		s.expect(t, func(tid int) uint32 { return uint32(tid) })
	}
}

// TestCallErrors checks calls by addresses that are no functions.
func TestCallErrors(t *testing.T) {
	s := scenario{vars: ".func f(.param .b32 a) { ret; } .global .u64 used = f;", body: `
.reg .b64 %a; cvt.u64.u32 %a, %r0; call %a, (%r0), proto; proto: .callprototype _ (.param .b32 _); ret;`}
	s.expectError(t, nil, "k.ptx:11:", "thread (0,0,0): call by an address that is no function of the module")
}
