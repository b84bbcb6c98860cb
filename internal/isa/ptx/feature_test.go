package ptx

import (
	"testing"

	"warpbound/internal/isa"
)

// TestFeatures checks which generation instructions came with, against the target
// notes of the PTX manual.
func TestFeatures(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []struct {
		snippet, want string // empty for what is older than sm_30
		since         int
	}{
		{"add.s32 %r1, %r2, %r3;", "", 0},
		{"add.f64 %fd1, %fd2, %fd3;", "", 0},
		{"cvt.f32.f16 %f1, %rs1;", "", 0},
		{"cvt.rn.f16.f32 %rs1, %f1;", "", 0},
		{"ld.global.b16 %rs1, [%rd1];", "", 0},
		{"ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];", "", 0},
		{"vote.ballot.b32 %r1, %p1;", "", 0},
		{"bar.red.popc.u32 %r1, 0, %p1;", "", 0},
		{"atom.global.add.u64 %rd2, [%rd1], 1;", "", 0},
		{"atom.global.cas.b64 %rd2, [%rd1], 1, 2;", "", 0},
		{"atom.global.exch.b64 %rd2, [%rd1], 1;", "", 0},
		{"red.global.add.f32 [%rd1], %f1;", "", 0},
		{"min.f32 %f1, %f2, %f3;", "", 0},
		{"ex2.approx.f32 %f1, %f2;", "", 0},
		{"vadd.s32.s32.s32 %r1, %r2, %r3;", "", 0},
		{"shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", "shuffle", 30},
		{"bar.warp.sync -1;", "warp-sync", 30},
		{"activemask.b32 %r1;", "warp-sync", 30},
		{"fns.b32 %r1, %r2, %r3, %r4;", "fns", 30},
		{"vadd2.s32.s32.s32 %r1, %r2, %r3, %r4;", "simd-video", 30},
		{"shf.l.wrap.b32 %r1, %r2, %r3, 4;", "funnel-shift", 32},
		{"lop3.b32 %r1, %r2, %r3, %r4, 1;", "lop3", 50},
		{"dp4a.u32.u32 %r1, %r2, %r3, %r4;", "dot-product", 61},
		{"match.any.sync.b32 %r1, %r2, -1;", "match", 70},
		{"bmsk.clamp.b32 %r1, %r2, %r3;", "bit-mask", 70},
		{"cvt.pack.sat.u16.s32 %r1, %r2, %r3;", "cvt-pack", 72},
		{"redux.sync.add.s32 %r1, %r2, -1;", "redux", 80},
		{"cp.async.ca.shared.global [%r1], [%rd1], 4;", "async-copy", 80},
		{"mbarrier.arrive.shared.b64 _, [%rd1];", "mbarrier", 80},
		{"cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 16;", "bulk-copy", 90},
		{"elect.sync _|%p1, -1;", "elect", 90},
		{"barrier.cluster.arrive;", "cluster-barrier", 90},
		{"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r1, %r2}, {%r1, %r2, %r3, %r4};", "mma-70", 70},
		{"mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2}, {%r1}, {%r1, %r2};", "mma-75", 75},
		{"mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%r1, %r2}, {%r1}, {%r1}, {%r1, %r2};", "mma-75", 75},
		{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {%r1, %r2}, {%r1}, {%r1}, {%r1, %r2};", "mma-75", 75},
		{"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {%r1, %r2}, {%r1}, {%r1}, {%r1, %r2};", "mma-80", 80},
		{"mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%r1, %r2}, {%r1, %r2, %r3, %r4}, {%r1, %r2}, {%r1, %r2};", "mma-80", 80},
		{"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd1}, {%fd1}, {%fd1, %fd2};", "mma-80", 80},
		{"mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e5m2.f16 {%r1, %r2}, {%r1, %r2}, {%r1}, {%r1, %r2};", "mma-89", 89},
		{"mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2, %fd3, %fd4}, {%fd1, %fd2}, {%fd1}, {%fd1, %fd2, %fd3, %fd4};", "mma-90", 90},
		{"movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;", "move-matrix", 75},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r2];", "load-matrix", 75},
		{"stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r2], {%r1};", "store-matrix", 90},
		{"red.global.add.v2.f32 [%rd1], {%f1, %f2};", "atomic-vector", 90},
		{"red.global.add.noftz.f16x2 [%rd1], %r1;", "atomic-half", 60},
		{"atom.global.add.f64 %fd1, [%rd1], %fd2;", "atomic-f64", 60},
		{"atom.global.max.s64 %rd2, [%rd1], %rd3;", "atomic-64", 32},
		{"red.shared.and.b64 [%rd1], %rd3;", "atomic-64", 32},
		{"atom.global.cas.b16 %rs1, [%rd1], %rs2, %rs3;", "atomic-16", 70},
		{"ld.global.v4.b64 {%rd2, %rd3, %rd4, %rd5}, [%rd1];", "wide-access", 100},
		{"cvt.rs.f16x2.f32 %r1, %f1, %f2, %r2;", "small-float", 80},
		{"cvt.rn.satfinite.e4m3x2.f32 %rs1, %f1, %f2;", "small-float", 80},
		{"fma.rn.bf16 %rs1, %rs2, %rs3, %rs4;", "bfloat", 80},
		{"cvt.rn.bf16.f32 %rs1, %f1;", "bfloat", 80},
		{"add.rn.f32x2 %rd1, %rd2, %rd3;", "float-pair", 100},
		{"min.s16x2 %r1, %r2, %r3;", "integer-pair", 90},
		{"tanh.approx.f32 %f1, %f2;", "tanh", 75},
		{"ex2.approx.f16 %rs1, %rs2;", "tanh", 75},
		{"max.f16 %rs1, %rs2, %rs3;", "half-minmax", 80},
		{"max.NaN.f32 %f1, %f2, %f3;", "minmax-modes", 80},
		{"fma.rn.f16x2 %r1, %r2, %r3, %r4;", "half", 53},
		{"setp.lt.f16 %p1, %rs1, %rs2;", "half", 53},
	} {
		p, err := lowerSnippet(c.snippet)
		if err != nil {
			t.Errorf("%s\n%v", c.snippet, err)
			continue
		}
		in := &p.Func("k").Instrs[0]
		f, _ := in.Feature()
		if in.Obstacle() != "" || f.Name != c.want || f.Since != c.since {
			t.Errorf("%s is %s of sm_%d, want %s of sm_%d", in, f.Name, f.Since, c.want, c.since)
		}
		seen[f.Name] = true
	}
	for _, f := range isa.Features() {
		if !seen[f.Name] {
			t.Errorf("no instruction has the feature %s", f.Name)
		}
	}
}
