package ptx

import (
	"strings"
	"testing"

	"warpbound/internal/isa"
)

// prelude begins a kernel on line 1, so that the first line of a snippet behind
// it is line 2. Registers are numbered in the order of their first use.
const prelude = `.version 9.0 .target sm_100a .address_size 64 ` +
	`.global .align 4 .u32 g; .const .b8 c[16]; .extern .shared .align 16 .b8 dyn[]; ` +
	`.func (.param .b32 r) f(.param .b32 a, .param .b64 b) { st.param.b32 [r], 1; ret; } ` +
	`.entry k(.param .u32 n, .param .u64 p, .param .align 4 .b8 s[6], .param .f64 d) { ` +
	`.reg .pred %p<9>; .reg .b16 %rs<9>; .reg .b32 %r<99>; .reg .b64 %rd<99>; .reg .f32 %f<9>; .reg .f64 %fd<9>; ` +
	`.shared .align 4 .b32 tile[64]; .local .align 8 .b8 frame[40];` + "\n"

// lowerSnippet lowers the statements of the kernel that the prelude begins.
func lowerSnippet(snippet string) (*isa.Program, error) {
	m, err := Parse("t.ptx", []byte(prelude+snippet+"\n}\n"))
	if err != nil {
		return nil, err
	}
	return Lower(m)
}

// TestLower checks what single statements lower to.
func TestLower(t *testing.T) {
	for _, c := range []struct{ snippet, want string }{
		// Arithmetic and its modifiers.
		{"add.s32 %r1, %r2, -1;", "add.s32 %0, %1, 0xffffffff"},
		{"add.sat.s32 %r1, %r2, 0x7FFFFFFFU;", "add.sat.s32 %0, %1, 0x7fffffff"},
		{"add.rz.ftz.sat.f32 %f1, %f2, 0f3F800000;", "add.rz.ftz.sat.f32 %0, %1, 0x3f800000"},
		{"add.f64 %fd1, %fd2, 0f3F800000;", "add.f64 %0, %1, 0x3ff0000000000000"},
		{"mul.f32 %f1, %f2, 0.1;", "mul.f32 %0, %1, 0x3dcccccd"},
		{"mul.f64 %fd1, %fd2, -1.5e0;", "mul.f64 %0, %1, 0xbff8000000000000"},
		{"mul.wide.s32 %rd1, %r1, -4;", "mul.wide.s32 %0, %1, 0xfffffffc"},
		{"mad.wide.u16 %r1, %rs1, 3, %r2;", "mad.wide.u16 %0, %1, 0x3, %2"},
		{"mad.rn.f32 %f1, %f2, %f3, %f4;", "fma.rn.f32 %0, %1, %2, %3"},
		{"div.full.f32 %f1, %f2, %f3;", "div.full.f32 %0, %1, %2"},
		{"div.full.ftz.f32 %f1, %f2, %f3;", "div.full.ftz.f32 %0, %1, %2"},
		{"min.ftz.NaN.f32 %f1, %f2, %f3;", "min.ftz.nan.f32 %0, %1, %2"},
		{"shl.b64 %rd1, %rd2, %r1;", "shl.b64 %0, %1, %2"},
		{"shf.l.wrap.b32 %r1, %r2, %r3, 7;", "shf.l.wrap.b32 %0, %1, %2, 0x7"},
		{"add.cc.u32 %r1, %r2, 1;", "add.carry.u32 %0, %1, %2, 0x1"},
		{"madc.hi.cc.s64 %rd1, %rd2, 3, %rd1;", "mad.hi.carry.s64 %0, %1, %2, 0x3, %0, %1"},
		{"dp2a.hi.s32.u32 %r1, %r2, %r3, %r4;", "dp2a.hi.s32.u32 %0, %1, %2, %3"},
		{"prmt.b32.rc16 %r1, %r2, %r3, %r4;", "prmt.rc16.b32 %0, %1, %2, %3"},
		{"max.relu.s16x2 %r1, %r2, %r3;", "max.relu.s16x2 %0, %1, %2"},
		{"szext.wrap.s32 %r1, %r2, %r3;", "szext.wrap.s32 %0, %1, %2"},
		{"add.rz.sat.f32.bf16 %f1, %rs1, %f2;", "add.rz.sat.f32.bf16 %0, %1, %2"},
		{"fma.rn.relu.f16x2 %r1, %r2, %r3, %r4;", "fma.rn.relu.f16x2 %0, %1, %2, %3"},
		{"min.NaN.abs.f32 %f1, %f2, %f3, %f4;", "min.nan.abs.f32 %0, %1, %2, %3"},
		{"max.xorsign.abs.bf16x2 %r1, %r2, %r3;", "max.abs.xorsign.bf16x2 %0, %1, %2"},
		{"set.lt.and.f16.f16 %rs1, %rs2, %rs3, %p1;", "set.lt.and.f16.f16 %0, %1, %2, %3"},
		{"setp.gt.or.bf16x2 %p1|%p2, %r1, %r2, !%p3;", "setp.gt.or.bf16x2 %0, %1, %2, %3, !%4"},
		{"cvt.rn.relu.satfinite.f16x2.f32 %r1, %f1, %f2;", "cvt.rn.relu.satfinite.f16x2.f32 %0, %1, %2"},
		{"cvt.rs.relu.satfinite.bf16x2.f32 %r1, %f1, %f2, %r3;", "cvt.rs.relu.satfinite.bf16x2.f32 %0, %1, %2, %3"},
		{"cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;", "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2"},
		{"cvt.rn.f16x2.e5m2x2 %r1, %rs1;", "cvt.rn.f16x2.e5m2x2 %0, %1"},
		{"cvt.rna.satfinite.tf32.f32 %r1, %f1;", "cvt.rna.satfinite.tf32.f32 %0, %1"},
		{"cvt.pack.sat.s4.s32.b32 %r1, %r2, %r3, %r4;", "cvt.pack.sat.s4.b32 %0, %1, %2, %3"},
		{".reg .b8 %b; cvt.rn.satfinite.relu.e2m1x2.f32 %b, %f1, %f2;", "cvt.rn.relu.satfinite.e2m1x2.f32 %0, %1, %2"},
		{"cvt.rn.relu.f16x2.e3m2x2 %r1, %rs1;", "cvt.rn.relu.f16x2.e3m2x2 %0, %1"},
		{"cvt.rp.satfinite.ue8m0x2.bf16x2 %rs1, %r1;", "cvt.rp.satfinite.ue8m0x2.bf16x2 %0, %1"},
		{"cvt.rn.ftz.sat.f32.s8 %f1, %r1;", "cvt.rn.ftz.sat.f32.s8 %0, %1"},
		{"cvt.pack.sat.u8.s32.b32 %r1, %r2, %r3, 0;", "cvt.pack.sat.u8.b32 %0, %1, %2, 0x0"},
		{"lop3.b32 %r1, %r2, %r3, %r4, 0xfe;", "lop3.b32 %0, %1, %2, %3, 0xfe"},
		{"bfind.shiftamt.u64 %r1, %rd1;", "bfind.shiftamt.u64 %0, %1"},
		{"add.u16 %rs1, %rs2, 65535;", "add.u16 %0, %1, 0xffff"},
		{"add.s16 %rs1, %rs2, -32768;", "add.s16 %0, %1, 0x8000"},
		{"mov.u32 %r1, ~0xff;", "mov.u32 %0, 0xffffff00"},
		{"mov.u32 %r1, 0xffffffffffffffff;", "mov.u32 %0, 0xffffffff"},
		{"mov.f32 %f1, 0;", "mov.f32 %0, 0x0"},
		{"setp.eq.f64 %p1, %fd1, 0;", "setp.eq.f64 %0, %1, 0x0"},
		{"st.u8 [%rd1], WARP_SZ;", "st.u8 [%0], 0x20"},
		{"mov.u64 %rd1, WARP_SZ;", "mov.u64 %0, 0x20"},
		{"mov.u32 %r1, WARP_SZ;", "mov.u32 %0, %WARP_SZ"},

		// Braces around a single operand.
		{"ld.global.b32 { %r1 }, [ %rd1 + 0 ];", "ld.global.b32 %0, [%1]"},
		{"st.global.b32 [ %rd1 + 0 ], { %r1 };", "st.global.b32 [%0], %1"},
		{"ld.global.v1.b32 { %r1 }, [%rd1];", "ld.global.b32 %0, [%1]"},
		{"st.global.v1.b32 [%rd1], %r1;", "st.global.b32 [%0], %1"},
		{"mov.b32 %r1, {%r2};", "mov.b32 %0, %1"},
		{"st.shared.b32 [%r1], { 5 };", "st.shared.b32 [%0], 0x5"},
		{"add.f32 {%f1}, {%f2}, {0f3F800000};", "add.f32 %0, %1, 0x3f800000"},

		// Video: the parts that are not written keep those of the last source.
		{"vsub.s32.s32.u32.sat %r1, %r2.h1, %r3.b3;", "vsub.sat.s32.s32.u32.a=h1.b=b3 %0, %1, %2"},
		{"vabsdiff.u32.u32.u32.add %r1, %r2, %r3, 7;", "vabsdiff.add.u32.u32.u32 %0, %1, %2, 0x7"},
		{"vshl.u32.u32.u32.wrap %r1.h1, %r2, %r3, %r4;", "vshl.wrap.u32.u32.u32.into16=0010 %0, %1, %2, %3"},
		{"vset.s32.u32.lt %r1, %r2, %r3;", "vset.lt.u32.s32.u32 %0, %1, %2"},
		{"vmad.s32.s32.u32.sat %r1, %r2, %r3, -%r4;", "vmad.sat.s32.s32.u32.minusc %0, %1, %2, %3"},
		{"vmad.s32.u32.u32.shr15 %r1, -%r2.h0, %r3, -5;", "vmad.s32.u32.u32.a=h0.minus.shr15 %0, %1, %2, 0xfffffffb"},
		{"vmad.u32.u32.u32.po.sat.shr7 %r1, %r2, %r3, %r4;", "vmad.sat.u32.u32.u32.po.shr7 %0, %1, %2, %3"},
		{"vadd2.s32.s32.u32.sat %r1, %r2, %r3.h10, %r4;", "vadd2.sat.s32.s32.u32.a=h10.b=h10.into16=0011 %0, %1, %2, %3"},
		{"vavrg4.u32.u32.u32 %r1.b20, %r2, %r3.b7733, %tid.x;", "vavrg4.u32.u32.u32.a=b3210.b=b7733.into8=0101 %0, %1, %2, %tid.x"},
		{"vset4.u32.u32.ne.add %r1, %r2, %r3, %r4;", "vset4.ne.add.u32.u32.u32.a=b3210.b=b7654.into8=1111 %0, %1, %2, %3"},

		// Comparison and selection.
		{"setp.lt.and.s32 %p1|%p2, %r1, 5, !%p3;", "setp.lt.and.s32 %0, %1, %2, 0x5, !%3"},
		{"setp.gtu.ftz.f32 _|%p2, %f1, %f2;", "setp.gtu.ftz.f32 _, %0, %1, %2"},
		{"set.eq.f32.u32 %f1, %r1, %r2;", "set.eq.f32.u32 %0, %1, %2"},
		{"selp.f32 %f1, %f2, 0f00000000, %p1;", "selp.f32 %0, %1, 0x0, %2"},
		{"selp.b32 %r1, 5, %r2, !%p1;", "selp.b32 %0, %1, 0x5, %2"},
		{"slct.u64.s32 %rd1, %rd2, %rd3, %r1;", "slct.u64.s32 %0, %1, %2, %3"},
		{"testp.subnormal.f64 %p1, %fd1;", "testp.subnormal.f64 %0, %1"},

		// Moves and conversions.
		{"mov.pred %p1, -1;", "mov.pred %0, 0x1"},
		{"mov.b32 %r1, %f1;", "mov.b32 %0, %1"},
		{"mov.b32 %r1, 1.0;", "mov.b32 %0, 0x3f800000"},
		{"mov.b64 %rd1, 0d3FF0000000000000;", "mov.b64 %0, 0x3ff0000000000000"},
		{"mov.u32 %r1, %ctaid.z;", "mov.u32 %0, %ctaid.z"},
		{"mov.u64 %rd1, %globaltimer;", "mov.u64 %0, %globaltimer"},
		{"mov.u32 %r1, WARP_SZ;", "mov.u32 %0, %WARP_SZ"},
		{"mov.u32 %r1, (WARP_SZ << 1) | 3;", "mov.u32 %0, 0x43"},
		{"mov.u64 %rd1, g;", "mov.u64 %0, var0"},
		{"mov.u64 %rd1, tile+8;", "mov.u64 %0, var3+8"},
		{"mov.u64 %rd1, 8+tile;", "mov.u64 %0, var3+8"},
		{"mov.u32 %r1, dyn;", "mov.u32 %0, var2"},
		{"mov.b64 %rd1, s;", "mov.b64 %0, param+16"},
		{"mov.b64 %rd1, {%r1, %r2};", "pack.b64 %0, %1, %2"},
		{"mov.b32 {%rs1, _}, %r1;", "unpack.b32 %0, _, %1"},
		{"cvt.u64.u32 %rd1, %r1;", "cvt.u64.u32 %0, %1"},
		{"cvt.s8.s32 %r1, %r2;", "cvt.s8.s32 %0, %1"},
		{"cvt.rzi.sat.s32.f32 %r1, %f1;", "cvt.rzi.sat.s32.f32 %0, %1"},
		{"cvt.rni.f64.f64 %fd1, %fd2;", "cvt.rni.f64.f64 %0, %1"},
		{"cvt.rn.f16.f32 %rs1, %f1;", "cvt.rn.f16.f32 %0, %1"},
		{"cvta.shared.u64 %rd1, tile;", "cvta.shared.u64 %0, var3"},
		{"cvta.to.global.u64 %rd1, %rd2;", "cvta.to.global.u64 %0, %1"},
		{"isspacep.shared %p1, %rd1;", "isspacep.shared %0, %1"},

		// Memory.
		{"ld.param.u64 %rd1, [p];", "ld.param.u64 %0, [param+8]"},
		{"ld.param.b16 %rs1, [s+4];", "ld.param.b16 %0, [param+20]"},
		{"ld.param.f64 %fd1, [d];", "ld.param.f64 %0, [param+24]"},
		{"ld.u32 %rd1, [%rd2+-4];", "ld.u32 %0, [%1-4]"},
		{"ld.global.v4.u8 {%r1, %r2, _, %r3}, [%rd1+16];", "ld.global.v4.u8 {%0, %1, _, %2}, [%3+16]"},
		{"ld.shared.f32 %f1, [tile + 4*3];", "ld.shared.f32 %0, [var3+12]"},
		{"ld.shared.u32 %r1, [%r2];", "ld.shared.u32 %0, [%1]"},
		{"ld.global.u32 %r1, [4];", "ld.global.u32 %0, [0x4]"},
		{"ld.global.ca.nc.L1::no_allocate.L2::128B.f32 %f1, [%rd1];", "ld.global.f32 %0, [%1]"},
		{"ld.global.cg.u32 %r1, [%rd1];", "ld.volatile.global.u32 %0, [%1]"},
		{"ld.acquire.gpu.global.u32 %r1, [%rd1];", "ld.volatile.acquire.gpu.global.u32 %0, [%1]"},
		{"st.volatile.global.u32 [g], %rd1;", "st.volatile.global.u32 [var0], %0"},
		{"st.local.v2.b32 [frame+8], {%r1, 7};", "st.local.v2.b32 [var4+8], {%0, 0x7}"},
		{"st.u8 [%rd1], 200;", "st.u8 [%0], 0xc8"},
		{"prefetch.global.L2 [%rd1+128];", "prefetch.global [%0+128]"},
		{"atom.shared.add.u32 _, [tile], 1;", "atom.shared.add.u32 _, [var3], 0x1"},
		{"atom.acq_rel.gpu.global.cas.b64 %rd1, [%rd2], 0, %rd3;", "atom.acq_rel.gpu.global.cas.b64 %0, [%1], 0x0, %2"},
		{"red.relaxed.sys.global.add.f32 [%rd1], %f1;", "red.sys.global.add.f32 [%0], %1"},

		// Control, barriers, lanes.
		{"@!%p1 bra E; nop_like: E: exit;", "@!%0 bra ->1\nexit"},
		{"ts: .branchtargets A, B; brx.idx %r1, ts; A: ret; B: trap;", "brx.idx %0, ->1, ->2\nret\ntrap"},
		{"{ bra L; L: exit; } L: bra.uni L;", "bra ->1\nexit\nbra ->2"},
		{"bar.sync 0;", "bar.sync 0x0"},
		{"barrier.sync.aligned %r1, 64;", "bar.sync %0, 0x40"},
		{"bar.red.popc.u32 %r1, 1, !%p1;", "bar.red.popc.u32 %0, 0x1, !%1"},
		{"bar.warp.sync -1;", "bar.warp 0xffffffff"},
		{"membar.gl; fence.acq_rel.gpu;", "fence.sc.gpu\nfence.acq_rel.gpu"},
		{"vote.sync.ballot.b32 %r1, !%p1, 0xffffffff;", "vote.ballot.b32 %0, !%1, 0xffffffff"},
		{"vote.all.pred %p1, %p2;", "vote.all.pred %0, %1"},
		{"shfl.sync.bfly.b32 %r1|%p1, %r2, 16, 31, -1;", "shfl.bfly.b32 %0, %1, %2, 0x10, 0x1f, 0xffffffff"},
		{"activemask.b32 %r1;", "activemask.b32 %0"},

		// Calls.
		{"call (%r1), f, (%r2, 5);", "call %1, %0, 0x5, f"},
		{"{ .param .b32 x; .param .b64 y; .param .b32 z; st.param.b8 [x], %rs1; st.param.b64 [y], 5; " +
			"call.uni (z), f, (x, y); ld.param.s16 %rd1, [z]; }",
			"cvt.u32.u8 %0, %3\nmov.b64 %1, 0x5\ncall %2, %0, %1, f\ncvt.s64.s16 %4, %2"},

		{"mov.u64 %rd1, f; call (%r1), %rd1, (%r2, 5), p; p: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b64 _);",
			"mov.u64 %0, func0\ncall %2, %0, %1, 0x5, f"},
		{"ts: .calltargets f; call (%r1), %rd1, (%r2, 5), ts;", "call %2, %0, %1, 0x5, f"},
		{"p: .callprototype _ (.param .b64 _); call %rd1, (5), p;", "call %0, 0x5, "},

		// Scopes.
		{"{ .reg .f32 %r1; mov.f32 %r1, 0f00000000; } mov.u32 %r1, 1;", "mov.f32 %0, 0x0\nmov.u32 %1, 0x1"},
		{"; ;", ""},
	} {
		p, err := lowerSnippet(c.snippet)
		if err != nil {
			t.Errorf("%s\n%v", c.snippet, err)
			continue
		}
		f := p.Func("k")
		var lines []string
		for i := range f.Instrs {
			lines = append(lines, f.Instrs[i].String())
		}
		if got := strings.Join(lines, "\n"); got != c.want {
			t.Errorf("%s\ngot  %s\nwant %s", c.snippet, got, c.want)
		}
		if len(p.Warnings) > 0 {
			t.Errorf("%s\nwarning %s", c.snippet, p.Warnings[0].Text)
		}
	}
}
