package ptx

import (
	"strings"
	"testing"

	"warpbound/internal/isa"
)

// TestLowerSeveral checks statements that lower to more than one instruction, and
// operands that stand for several registers or for none.
func TestLowerSeveral(t *testing.T) {
	for _, c := range []struct{ snippet, want string }{
		// Registers of 128 bits.
		{".reg .b128 q<3>; @%p1 mov.b128 q1, {%rd1, %rd2};", "@%4 mov.b64 %0, %2; @%4 mov.b64 %1, %3"},
		{".reg .b128 q; mov.b128 {%rd1, _}, q;", "mov.b64 %2, %0; mov.b64 _, %1"},
		{".reg .b128 q, w; mov.b128 q, w;", "mov.b64 %0, %2; mov.b64 %1, %3"},
		{".reg .b128 q; ld.global.b128 q, [%rd1]; st.shared.b128 [%r1], q;",
			"ld.global.v2.b64 {%0, %1}, [%2]; st.shared.v2.b64 [%3], {%0, %1}"},
		{".reg .b128 q; atom.global.exch.b128 q, [%rd1], q;", "atom.global.exch.v2.b64 {%0, %1}, [%2], {%0, %1}"},
		{".reg .b128 q; atom.shared.cas.b128 _, [%rd1], q, q;", "atom.shared.cas.v2.b64 {_, _}, [%2], {%0, %1}, {%0, %1}"},

		// Vectors of registers.
		{".reg .v4 .f32 v; ld.global.v4.f32 v, [%rd1]; mov.f32 %f1, v.w;", "ld.global.v4.f32 {%0, %1, %2, %3}, [%4]; mov.f32 %5, %3"},
		{".reg .v2 .u32 v<4>; st.global.v2.u32 [%rd1], v3; add.u32 v3.g, v3.r, v2.x;",
			"st.global.v2.u32 [%2], {%0, %1}; add.u32 %1, %0, %3"},
		{".reg .v2 .b32 v; mov.b64 %rd1, v;", "pack.b64 %2, %0, %1"},

		{"st.global.v2.b32 [%rd1], {_, %r1}; ld.global.b32 %r1, [%rd1].unified;", "st.global.v2.b32 [%0], {_, %1}; ld.global.b32 %1, [%0]"},

		{".reg .v4 .f32 v; mov.v4.f32 v, {%f1, %f2, 0f3F800000, v.x};",
			"mov.f32 %6, %0; mov.f32 %0, %4; mov.f32 %1, %5; mov.f32 %2, 0x3f800000; mov.f32 %3, %6"},
		{"mov.v4.u32 {%r1, %r2, %r3, _}, %ctaid;",
			"mov.u32 %0, %ctaid.x; mov.u32 %1, %ctaid.y; mov.u32 %2, %ctaid.z; mov.u32 _, %ctaid.w"},
		{".reg .v4 .u16 v; mov.v4.u16 v, %tid;",
			"mov.u16 %0, %tid.x; mov.u16 %1, %tid.y; mov.u16 %2, %tid.z; mov.u16 %3, %tid.w"},
		{"mov.v2.u32 {%r1, _}, {%r1, %r2};", "mov.u32 %0, %0; mov.u32 _, %1"},

		// Sums of a register and a constant.
		{"@%p1 st.global.s16 [%rd1], %rs1+-1; add.u64 %rd2, 4, %rd1+8;",
			"@%3 add.u16 %2, %1, 0xffff; @%3 st.global.s16 [%0], %2; add.u64 %5, %0, 0x8; add.u64 %4, 0x4, %5"},

		// Ranges of labels.
		{"brx.idx %r1, ts; ts: .branchtargets E, N<2>; N0: ret; E: N1: exit;", "brx.idx %0, ->2, ->1, ->2; ret; exit"},

		// Elements of arrays.
		{"ld.shared.u32 %r1, tile[3]; st.shared.u32 tile[%r1-1], %r2;",
			"ld.shared.u32 %0, [var3+12]; mad.u32 %1, %0, 0x4, var3-4; st.shared.u32 [%1], %2"},
		{"@%p1 ld.u8 %r1, c[7]; mov.u64 %rd1, c[1];", "@%1 ld.const.u8 %0, [var1+7]; mov.u64 %2, var1+1"},
		{".reg .s32 i; .global .v2 .f32 pairs[9]; ld.global.v2.f32 {%f1, %f2}, pairs[i];",
			"cvt.s64.s32 %3, %0; mad.u64 %4, %3, 0x8, var5; ld.global.v2.f32 {%1, %2}, [%4]"},
		{".global .u16 halves[9]; mov.u64 %rd1, halves[%rd2+1];", "mad.u64 %2, %1, 0x2, var5+2; mov.u64 %0, %2"},

		// Hints.
		{"ld.global.L1::evict_last.L2::cache_hint.v2.b32 {%r1, %r2}, [%rd1], %rd2;", "ld.global.v2.b32 {%0, %1}, [%2]"},
		{"st.global.cg.L2::cache_hint.u32 [%rd1], %r1, %rd2;", "st.volatile.global.u32 [%0], %1"},
		{"red.gpu.global.add.L2::cache_hint.u32 [%rd1], 1, %rd2;", "red.gpu.global.add.u32 [%0], 0x1"},
		{"createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %rd1, 0.25;", "mov.b64 %0, 0x0"},
		{"createpolicy.range.global.L2::evict_last.b64 %rd1, [%rd2], 16, 32;", "mov.b64 %0, 0x0"},
		{"applypriority.global.L2::evict_normal [%rd1], 128; discard.L2 [%rd1], 128;", "prefetch.global [%0]; prefetch [%0]"},
		{"getctarank.shared::cluster.u64 %r1, tile; getctarank.u32 %r1, %r2;", "mov.u32 %0, 0x0; mov.u32 %0, 0x0"},
		{"mapa.shared::cluster.u32 %r1, %r2, 0;", "mov.u32 %0, %1"},

		// Parts of scalar parameters.
		{"{ .param .b64 x; st.param.b32 [x+4], %r1; }", "cvt.u64.u32 %2, %1; bfi.b64 %0, %2, %0, 0x20, 0x20"},
		{"{ .param .b64 x; ld.param.v2.s16 {%r1, %rs1}, [x+4]; }",
			"shr.u64 %3, %0, 0x20; cvt.s32.s16 %1, %3; shr.u64 %4, %0, 0x30; cvt.s16.s16 %2, %4"},
		{"{ .param .b16 x; st.param.b8 [x+1], 7; }",
			"cvt.u32.u16 %1, %0; bfi.b32 %1, 0x7, %1, 0x8, 0x8; cvt.u16.u32 %0, %1"},

		// Asynchronous copies.
		{"cp.async.ca.shared.global [tile], [%rd1], 4; cp.async.commit_group; cp.async.cg.shared.global.L2::128B [%r1], [%rd1+16], 16, %r2; cp.async.wait_group 1;",
			"cp.async.global [var3], [%0], 0x4; async.commit; cp.async.global [%1], [%0+16], 0x10, %2; async.wait 0x1"},
		{"cp.async.ca.shared::cta.global.L2::cache_hint [%r1], [%rd1], 8, %p1, %rd2; cp.async.wait_all;",
			"cp.async.global [%0], [%1], 0x8, %2; async.wait"},

		// Memory of the stack.
		{"@%p1 alloca.u64 %rd1, %rd2, 16; stacksave.u64 %rd2; stackrestore.u64 %rd2;", "mov.u64 %0, 0x0; " +
			"@%6 add.u64 %3, %0, 0xf; @%6 and.b64 %3, %3, 0xfffffffffffffff0; @%6 sub.u64 %4, 0x1000, %3; @%6 setp.le.u64 %5, %2, %4; " +
			"@%6 add.u64 %4, %3, %2; @%6 selp.u64 %0, %4, %0, %5; @%6 add.u64 %3, %3, var3; @%6 selp.u64 %1, %3, 0x8000000000000000, %5; " +
			"mov.u64 %2, %0; min.u64 %0, %2, 0x1000"},

		// Vectors of atomics.
		{"atom.global.add.v2.f32 {%f1, %f2}, [%rd1], {%f3, 0f3F800000};", "atom.global.add.v2.f32 {%0, %1}, [%2], {%3, 0x3f800000}"},
		{"red.global.v4.f32.add [%rd1], {%f1, %f2, %f3, %f4};", "red.global.add.v4.f32 [%0], {%1, %2, %3, %4}"},

		// Words in another order.
		{"ld.global.relaxed.gpu.u32 %r1, [%rd1];", "ld.volatile.gpu.global.u32 %0, [%1]"},
		{"cvt.f32.f64.rz %f1, %fd1;", "cvt.rz.f32.f64 %0, %1"},
		{"min.s16x2.relu %r1, %r2, %r3;", "min.relu.s16x2 %0, %1, %2"},
		{"red.global.max.noftz.v4.bf16x2 [%rd1], {%r1, %r2, %r3, %r4};", "red.global.max.v4.bf16x2 [%0], {%1, %2, %3, %4}"},
	} {
		p, err := lowerSnippet(c.snippet)
		if err != nil {
			t.Errorf("%s\n%v", c.snippet, err)
			continue
		}
		var got []string
		for i := range p.Func("k").Instrs {
			got = append(got, p.Func("k").Instrs[i].String())
		}
		if text := strings.Join(got, "; "); text != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.snippet, text, c.want)
		}
		for _, w := range p.Warnings {
			t.Errorf("%s\n%s", c.snippet, w.Text)
		}
	}
}

// TestAllocaAlignment checks that an allocation with too large an alignment is kept
// with the reason why it cannot be executed.
func TestAllocaAlignment(t *testing.T) {
	p, err := lowerSnippet("alloca.u64 %rd1, 8, 256;")
	if err != nil {
		t.Fatal(err)
	}
	const want = "memory of the stack is not aligned to more than 128 bytes"
	if in := p.Func("k").Instrs[1]; in.Op != isa.Opaque || in.Reason != want {
		t.Errorf("got %s with the reason %q, want %q", in.String(), in.Reason, want)
	}
}
