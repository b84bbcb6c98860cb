package emu

import "testing"

// gather is a body that stores a word of each thread in g, copies words of g to
// the thread's 16 bytes of s in the given way, and gives the sum of the words
// that it finds there, each shifted left by its index.
func gather(copies string) scenario {
	return scenario{
		vars: `.global .align 16 .b32 g[64]; .shared .align 16 .b8 s[1024];`,
		body: `
mov.u64 %rd2, g; mad.wide.u32 %rd3, %r0, 4, %rd2; st.global.u32 [%rd3], %r0;
mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 16, %r1; st.shared.v4.u32 [%r1], {100, 100, 100, 100};
and.b32 %r2, %r0, 60; mad.wide.u32 %rd4, %r2, 4, %rd2; bar.sync 0;
` + copies + `; cp.async.commit_group; cp.async.wait_group 0;
ld.shared.v4.u32 {%r3, %r4, %r5, %r6}, [%r1];
shl.b32 %r4, %r4, 1; shl.b32 %r5, %r5, 2; shl.b32 %r6, %r6, 3;
add.u32 %r3, %r3, %r4; add.u32 %r3, %r3, %r5; add.u32 %r3, %r3, %r6;
st.global.u32 [%rd1], %r3; ret;`,
	}
}

func TestAsyncCopy(t *testing.T) {
	sum := func(a, b, c, d int) uint32 { return uint32(a + 2*b + 4*c + 8*d) }
	for _, c := range []struct {
		name, copies string
		want         func(tid int) uint32
	}{
		{"one word", "cp.async.ca.shared.global [%r1+4], [%rd3], 4", func(tid int) uint32 { return sum(100, tid, 100, 100) }},
		{"four words", "cp.async.cg.shared.global [%r1], [%rd4], 16", func(tid int) uint32 {
			n := tid &^ 3
			return sum(n, n+1, n+2, n+3)
		}},
		{"zeros behind a constant size", "cp.async.cg.shared.global [%r1], [%rd4], 16, 8",
			func(tid int) uint32 { return sum(tid&^3, tid&^3+1, 0, 0) }},
		{"a size for each thread", "and.b32 %r7, %r0, 4; cp.async.ca.shared.global [%r1], [%rd4], 8, %r7", func(tid int) uint32 {
			if tid&4 == 0 {
				return sum(0, 0, 100, 100)
			}
			return sum(tid&^3, 0, 100, 100)
		}},
		{"nothing is read of an address that is ignored",
			"setp.lt.u32 %p1, %r0, 32; selp.u64 %rd5, 1, %rd4, %p1; cp.async.ca.shared.global [%r1], [%rd5], 8, %p1", func(tid int) uint32 {
				if tid < 32 {
					return sum(0, 0, 100, 100)
				}
				return sum(tid&^3, tid&^3+1, 100, 100)
			}},
		{"only threads of the guard copy", "setp.eq.u32 %p1, %r0, 9; @%p1 cp.async.ca.shared.global [%r1], [%rd3], 4", func(tid int) uint32 {
			if tid == 9 {
				return sum(9, 100, 100, 100)
			}
			return sum(100, 100, 100, 100)
		}},
		{"bytes at the end of a buffer", "cp.async.cg.shared.global [%r1], [g+240], 16, 12", func(int) uint32 { return sum(60, 61, 62, 0) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := gather(c.copies)
			s.expect(t, c.want)
		})
	}
}

func TestAsyncCopyErrors(t *testing.T) {
	for _, c := range []struct {
		copies string
		cause  error
		parts  []string
	}{
		{"cp.async.ca.shared.global [%r1], [g+256], 4", ErrOutOfBounds, []string{"4 bytes", "offset 256 of g (256 bytes at 0x10004100)"}},
		{"cp.async.ca.shared.global [%r1+2], [g], 4", ErrMisaligned, []string{"4 bytes"}},
		{"cp.async.ca.shared.global [%r1], [g+4], 8", ErrMisaligned, []string{"8 bytes"}},
		{"cp.async.ca.shared.global [%r1], [%rd4], 8, 5; cp.async.ca.shared.global [%r1], [g+4], 8, 5", ErrMisaligned, []string{"5 bytes"}},
		{"cvt.u64.u32 %rd5, %r1; cp.async.ca.shared.global [%r1], [%rd5], 4", ErrOutOfBounds, []string{"an offset in shared space is no address in global space"}},
	} {
		s := gather(c.copies)
		s.expectError(t, c.cause, c.parts...)
	}
}

// TestWide checks 128 bits in registers and memory, and vectors of registers.
func TestWide(t *testing.T) {
	for _, c := range []struct {
		name, vars, body string
		want             func(tid int) uint32
	}{
		{"registers of 128 bits", `.shared .align 16 .b8 s[1024];`, `.reg .b128 q<2>;
mov.u32 %r1, s; mad.lo.u32 %r1, %r0, 16, %r1; cvt.u64.u32 %rd2, %r0; add.u64 %rd3, %rd2, 7;
mov.b128 q0, {%rd2, %rd3}; st.shared.b128 [%r1], q0; ld.shared.b128 q1, [%r1]; mov.b128 q0, q1;
mov.b128 {%rd4, %rd5}, q0; shl.b64 %rd5, %rd5, 8; or.b64 %rd4, %rd4, %rd5;
cvt.u32.u64 %r2, %rd4; st.global.u32 [%rd1], %r2; ret;`, func(tid int) uint32 { return uint32(tid | (tid+7)<<8) }},

		{"exchange of 128 bits", `.global .align 16 .b64 g[2] = {5, 6};`, `.reg .b128 q<2>;
cvt.u64.u32 %rd2, %r0; mov.b128 q0, {%rd2, %rd2}; atom.global.exch.b128 q1, [g], q0;
mov.b128 {%rd4, %rd5}, q1; shl.b64 %rd5, %rd5, 8; or.b64 %rd4, %rd4, %rd5;
cvt.u32.u64 %r2, %rd4; st.global.u32 [%rd1], %r2; ret;`, func(tid int) uint32 {
			if tid == 0 {
				return 5 | 6<<8
			}
			return uint32(tid-1) * 0x101
		}},

		{"swap of 128 bits", `.global .align 16 .b64 g[2] = {0, 9};`, `.reg .b128 q<3>;
cvt.u64.u32 %rd2, %r0; add.u64 %rd3, %rd2, 1; mov.u64 %rd6, 9;
setp.eq.u32 %p1, %r0, 40; @%p1 mov.u64 %rd6, 8;
mov.b128 q0, {%rd2, %rd6}; mov.b128 q1, {%rd3, %rd6}; atom.global.cas.b128 q2, [g], q0, q1;
mov.b128 {%rd4, %rd5}, q2; cvt.u32.u64 %r2, %rd4; st.global.u32 [%rd1], %r2; ret;`,
			func(tid int) uint32 { return uint32(min(tid, 40)) }},

		{"vectors of atomics", `.global .align 16 .f32 g[4] = {0.5, 1.0, 2.0, 3.0};`, `
red.global.add.v4.f32 [g], {0f3F800000, 0f40000000, 0f00000000, 0f3F000000}; bar.sync 0;
and.b32 %r1, %r0, 3; mul.wide.u32 %rd2, %r1, 4; mov.u64 %rd3, g; add.u64 %rd2, %rd2, %rd3;
ld.global.f32 %r2, [%rd2]; cvt.rni.u32.f32 %r2, %r2; st.global.u32 [%rd1], %r2; ret;`,
			func(tid int) uint32 { return []uint32{64, 129, 2, 35}[tid%4] }},

		{"vectors of extremes", `.global .align 8 .b32 g[2] = {0x3c003c00, 0xbc003c00};`, `
mov.b32 %r1, 0x40003800; mov.b32 %r2, 0x3800bc00;
atom.global.max.noftz.v2.f16x2 {%r1, %r2}, [g], {%r1, %r2}; bar.sync 0;
ld.global.v2.u32 {%r3, %r4}, [g]; add.u32 %r3, %r3, %r4; st.global.u32 [%rd1], %r3; ret;`,
			func(int) uint32 { return 0x40003c00 + 0x38003c00 }},

		{"elements that are not stored", `.global .align 16 .u32 g[4] = {1, 20, 300, 4000};`, `
mov.u32 %r1, 7; st.global.v4.u32 [g], {%r1, _, %r1, _}; ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [g];
add.u32 %r2, %r2, %r3; add.u32 %r4, %r4, %r5; add.u32 %r2, %r2, %r4; st.global.u32 [%rd1], %r2; ret;`,
			func(int) uint32 { return 7 + 20 + 7 + 4000 }},

		{"tests of truth tables", "", `
mov.u32 %r1, 12; setp.ge.u32 %p1, %r0, 32;
lop3.or.b32 %r2|%p2, %r0, %r1, 0, 0xc0, %p1; // a & b
lop3.and.b32 _|%p3, %r0, %r1, 0, 0xc0, %p1; lop3.xor.b32 _|%p4, %r0, %r1, 0, 0xc0, !%p1;
selp.u32 %r3, 100, 0, %p2; selp.u32 %r4, 200, 0, %p3; selp.u32 %r5, 400, 0, %p4;
add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4; add.u32 %r2, %r2, %r5; st.global.u32 [%rd1], %r2; ret;`, func(tid int) uint32 {
			high, both := tid >= 32, tid&12 != 0
			d := tid & 12
			for value, holds := range map[int]bool{100: both || high, 200: both && high, 400: both == high} {
				if holds {
					d += value
				}
			}
			return uint32(d)
		}},

		{"vectors of registers", `.global .align 16 .u32 g[4] = {1, 20, 300, 4000};`, `.reg .v4 .u32 v<2>;
ld.global.v4.u32 v1, [g]; add.u32 v1.x, v1.y, v1.z; add.u32 %r1, v1.r, v1.w; st.global.u32 [%rd1], %r1; ret;`,
			func(int) uint32 { return 4320 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{vars: c.vars, body: c.body}
			s.expect(t, c.want)
		})
	}
}

// TestPartsOfParameters checks that parts of a scalar parameter are written and
// read as if it were memory.
func TestPartsOfParameters(t *testing.T) {
	s := scenario{vars: `
.func (.param .b64 r) f(.param .b64 x, .param .b16 y) {
.reg .b32 %a<4>; .reg .b16 %h<3>;
ld.param.v2.b32 {%a0, %a1}, [x]; ld.param.s8 %a2, [y+1]; ld.param.u8 %h1, [y];
add.u32 %a0, %a0, %a2; cvt.u32.u16 %a3, %h1; sub.u32 %a1, %a1, %a3;
st.param.b32 [r+4], %a1; st.param.b32 [r], %a0; ret; }`, body: `
{ .param .b64 a; .param .b16 b; .param .b64 c;
st.param.v2.b32 [a], {%r0, 1000}; st.param.b8 [b], 200; st.param.b8 [b+1], 0xfe;
call (c), f, (a, b);
ld.param.b32 %r1, [c]; ld.param.b32 %r2, [c+4]; }
mul.lo.u32 %r1, %r1, 65536; add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1; ret;`}
	s.expect(t, func(tid int) uint32 { return uint32((tid-2)*65536 + 800) })
}
