package scalar

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/isa"
	"warpbound/internal/isa/ptx"
	"warpbound/internal/job"
)

// run executes a body as execute does. Its loop, if it has one, goes back six times.
func run(t *testing.T, body string) ([]byte, error) {
	t.Helper()
	out, trips, err := execute(t, body)
	if err == nil && len(trips) > 0 && trips[0] != 6 {
		t.Errorf("the loop went back %d times, not 6", trips[0])
	}
	return out, err
}

// execute executes a body on a buffer of two words, 5 and 7, by one warp's worth of threads, and returns how often its loops
// went back.
func execute(t *testing.T, body string) ([]byte, []int64, error) {
	t.Helper()
	src := `.version 8.6
.target sm_90
.address_size 64
.const .align 4 .u32 table[2] = {11, 22};
.visible .entry k(.param .u64 buf)
{
	.reg .pred %p;
	.reg .b32 %t, %x, %y;
	.reg .f32 %f;
	.reg .b64 %a;
	.shared .align 4 .b8 tile[8];
	.local .align 4 .b8 own[8];
	ld.param.u64 %a, [buf];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 4, %a;
	ld.global.u32 %x, [%a];
` + body + "\n\tret;\n}\n"
	m, err := ptx.Parse("k.ptx", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ptx.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	j, err := job.Parse("job.toml", []byte(`module = "k.ptx"
grid = [1]
block = [2]
[[param]]
name = "buf"
type = "u32"
count = 2
values = [5, 7]
`), func(string) ([]byte, error) { return nil, fmt.Errorf("no file") })
	if err != nil {
		t.Fatal(err)
	}
	k, err := j.Link(p)
	if err != nil {
		t.Fatal(err)
	}
	b, err := j.Bind(k)
	if err != nil {
		t.Fatal(err)
	}
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	trips := make([]int64, len(g.Loops().Loops))
	out, err := Execute(g, b, b.Inputs(0), trips)
	if err != nil {
		return nil, nil, err
	}
	return out[0], trips, nil
}

func TestExecute(t *testing.T) {
	for _, test := range []struct {
		body string
		want [2]uint32
	}{
		{"add.s32 %y, %x, %t; st.global.u32 [%a], %y;", [2]uint32{5, 8}},
		{"mov.u32 %y, 0;\nL: add.s32 %y, %y, 2; add.s32 %x, %x, -1; setp.ne.s32 %p, %x, 0; @%p bra L;\n st.global.u32 [%a], %y;", [2]uint32{10, 14}},
		{"st.shared.u32 [tile], %x; bar.sync 0; ld.shared.u32 %y, [tile]; st.global.u32 [%a], %y;", [2]uint32{7, 7}},
		{"atom.global.max.s32 %y, [%a], 6; st.global.u32 [%a], %y;", [2]uint32{5, 7}},
		{"red.global.min.u32 [%a], 6;", [2]uint32{5, 6}},
		{"mov.u32 %y, %ntid.x; st.global.u32 [%a], %y;", [2]uint32{2, 2}},

		{"shfl.sync.bfly.b32 %y, %x, 1, 31, -1; st.global.u32 [%a], %y;", [2]uint32{7, 5}},
		{"shfl.sync.up.b32 %y|%p, %x, 1, 0, -1; selp.b32 %y, %y, 9, %p; st.global.u32 [%a], %y;", [2]uint32{9, 5}},
		{"shfl.sync.down.b32 %y|%p, %x, 1, 31, -1; selp.b32 %y, %y, 9, %p; st.global.u32 [%a], %y;", [2]uint32{7, 7}}, // its own, of a lane that is not there
		{"shfl.sync.idx.b32 %y, %x, %t, 31, -1; st.global.u32 [%a], %y;", [2]uint32{5, 7}},
		{"setp.eq.u32 %p, %x, 7; vote.sync.ballot.b32 %y, %p, -1; st.global.u32 [%a], %y;", [2]uint32{2, 2}},
		{"setp.eq.u32 %p, %x, 7; vote.sync.any.pred %p, %p, -1; selp.b32 %y, 1, 0, %p; st.global.u32 [%a], %y;", [2]uint32{1, 1}},
		{"setp.eq.u32 %p, %x, 7; vote.sync.uni.pred %p, %p, -1; selp.b32 %y, 1, 0, %p; st.global.u32 [%a], %y;", [2]uint32{0, 0}},
		{"setp.eq.u32 %p, %x, 7; vote.sync.all.pred %p, !%p, -1; selp.b32 %y, 1, 0, %p; st.global.u32 [%a], %y;", [2]uint32{0, 0}},
		{"setp.ge.u32 %p, %x, 6; vote.sync.ballot.b32 %y, %p, -1; @!%p bra L; redux.sync.add.u32 %y, %x, %y;\nL: st.global.u32 [%a], %y;", [2]uint32{2, 7}},
		{"redux.sync.min.s32 %y, %x, -1; st.global.u32 [%a], %y;", [2]uint32{5, 5}},
		{"match.any.sync.b32 %y, %x, -1; st.global.u32 [%a], %y;", [2]uint32{1, 2}},
		{"match.all.sync.b32 %y|%p, 3, -1; bar.warp.sync %y; st.global.u32 [%a], %y;", [2]uint32{3, 3}},

		{"setp.eq.u32 %p, %t, 0; bar.red.popc.u32 %y, 1, !%p; st.global.u32 [%a], %y;", [2]uint32{1, 1}},
		{"setp.eq.u32 %p, %t, 0; bar.red.and.pred %p, 1, %p; selp.b32 %y, 1, 0, %p; st.global.u32 [%a], %y;", [2]uint32{0, 0}},
		{"setp.eq.u32 %p, %t, 0; bar.red.or.pred %p, 1, %p; selp.b32 %y, 1, 0, %p; st.global.u32 [%a], %y;", [2]uint32{1, 1}},
		{"setp.eq.u32 %p, %t, 0; @!%p bra L; bar.sync 3, 2; ld.shared.u32 %y, [tile]; bra E;\nL: st.shared.u32 [tile], 8; bar.arrive 3, 2;\nE: st.global.u32 [%a], %y;", [2]uint32{8, 0}},

		{"cp.async.ca.shared.global [tile], [%a], 4, 2; cp.async.commit_group; cp.async.wait_group 0; fence.sc.cta; ld.shared.u32 %y, [tile]; st.global.u32 [%a], %y;", [2]uint32{5, 7}},
		{"ld.const.u32 %y, [table+4]; st.global.u32 [%a], %y;", [2]uint32{22, 22}},
		{".reg .b64 %b; st.local.u16 [own], %x; mov.u64 %b, own; cvta.local.u64 %b, %b; ld.u32 %y, [%b]; cvta.to.local.u64 %b, %b; ld.local.u32 %y, [%b]; st.global.u32 [%a], %y;", [2]uint32{5, 7}},
		{"atom.global.inc.u32 %y, [%a], 5;", [2]uint32{0, 0}},
		{"cvt.rn.f32.u32 %f, %x; mov.b32 %y, %f; st.global.u32 [%a], %y; red.global.add.f32 [%a], %f; ld.global.f32 %f, [%a]; cvt.rzi.u32.f32 %y, %f; st.global.u32 [%a], %y;", [2]uint32{10, 14}},

		{"bfe.u32 %y, 0x1234, 4, 8; st.global.u32 [%a], %y;", [2]uint32{0x23, 0x23}},
		{"bfe.s32 %y, 0x80, 4, 4; st.global.u32 [%a], %y;", [2]uint32{0xfffffff8, 0xfffffff8}},
		{"bfe.s32 %y, 0x80000000, 28, 9; st.global.u32 [%a], %y;", [2]uint32{0xfffffff8, 0xfffffff8}},
		{"bfi.b32 %y, 0xff, 0, 28, 9; st.global.u32 [%a], %y;", [2]uint32{0xf0000000, 0xf0000000}},
		{"lop3.b32 %y, 12, 10, 6, 0x96; st.global.u32 [%a], %y;", [2]uint32{0, 0}},
		{"lop3.b32 %y, 12, 10, 7, 0xe8; st.global.u32 [%a], %y;", [2]uint32{14, 14}},
		{"prmt.b32 %y, 0x33221180, 0x77665544, 0x8471; st.global.u32 [%a], %y;", [2]uint32{0xff447711, 0xff447711}},
		{"prmt.b32.b4e %y, 0x33221100, 0x77665544, 1; st.global.u32 [%a], %y;", [2]uint32{0x66770011, 0x66770011}},
		{"prmt.b32.ecl %y, 0x33221100, 0x77665544, 2; st.global.u32 [%a], %y;", [2]uint32{0x33222222, 0x33222222}},
		{"bfind.s32 %y, -5; st.global.u32 [%a], %y;", [2]uint32{2, 2}},
		{"bfind.shiftamt.u32 %y, %x; st.global.u32 [%a], %y;", [2]uint32{29, 29}},
		{"bfind.u32 %y, 0; st.global.u32 [%a], %y;", [2]uint32{1<<32 - 1, 1<<32 - 1}},
		{"shf.l.wrap.b32 %y, 0x80000001, 1, 33; st.global.u32 [%a], %y;", [2]uint32{3, 3}},
		{"shf.r.clamp.b32 %y, 1, 2, 40; st.global.u32 [%a], %y;", [2]uint32{2, 2}},
		{"bmsk.clamp.b32 %y, 4, 200; st.global.u32 [%a], %y;", [2]uint32{0xfffffff0, 0xfffffff0}},
		{"bmsk.wrap.b32 %y, 36, 34; st.global.u32 [%a], %y;", [2]uint32{0x30, 0x30}},
		{"szext.clamp.s32 %y, 0x18, 4; st.global.u32 [%a], %y;", [2]uint32{0xfffffff8, 0xfffffff8}},
		{"szext.wrap.u32 %y, 0x18, 35; st.global.u32 [%a], %y;", [2]uint32{0, 0}},
		{"mul24.hi.s32 %y, 0xffffff, 0x100; st.global.u32 [%a], %y;", [2]uint32{0xffffffff, 0xffffffff}},
		{"mad24.lo.u32 %y, 0x1000003, 4, 1; st.global.u32 [%a], %y;", [2]uint32{13, 13}},
		{"sad.s32 %y, -3, 4, %x; st.global.u32 [%a], %y;", [2]uint32{12, 14}},
		{"dp4a.u32.s32 %y, 0x01020304, 0xff010101, %x; st.global.u32 [%a], %y;", [2]uint32{13, 15}},
		{"setp.eq.u32 %p, %t, 0; @%p bra L; shfl.sync.bfly.b32 %y, %x, 1, 31, -1; bra M;\nL: shfl.sync.bfly.b32 %y, 9, 1, 31, -1; mov.u32 %y, 3;\nM: st.global.u32 [%a], %y;", [2]uint32{3, 9}},
		{"mov.b32 %f, 0x7f800001; cvt.rzi.u32.f32 %y, %f; st.global.u32 [%a], %y;", [2]uint32{0, 0}},
		{"mov.b32 %f, 0xcf000001; cvt.rni.s32.f32 %y, %f; st.global.u32 [%a], %y;", [2]uint32{2147483648, 2147483648}},
		{"mov.b32 %f, 0x00000001; cvt.rpi.u32.f32 %y, %f; st.global.u32 [%a], %y;", [2]uint32{1, 1}},
		{"mov.b32 %f, 0x00000001; cvt.rpi.ftz.u32.f32 %y, %f; st.global.u32 [%a], %y;", [2]uint32{0, 0}},
		{"mov.b32 %f, 0xc0200000; cvt.rmi.s32.f32 %y, %f; st.global.u32 [%a], %y;", [2]uint32{4294967293, 4294967293}},
		{".reg .f64 %d; mov.b64 %d, 0x7ff8000000000000; cvt.rzi.s32.f64 %y, %d; st.global.u32 [%a], %y;", [2]uint32{2147483648, 2147483648}},
		{".reg .f64 %d; mov.b64 %d, 0x41efffffffffffff; cvt.rni.u32.f64 %y, %d; st.global.u32 [%a], %y;", [2]uint32{4294967295, 4294967295}},
		{".reg .b16 %h; mov.b16 %h, 0xfc00; cvt.rzi.s16.f16 %h, %h; cvt.s32.s16 %y, %h; st.global.u32 [%a], %y;", [2]uint32{4294934528, 4294934528}},
		{".reg .b16 %h; mov.b16 %h, 0x3e00; cvt.rni.u16.f16 %h, %h; cvt.u32.u16 %y, %h; st.global.u32 [%a], %y;", [2]uint32{2, 2}},
		{"dp2a.hi.s32.u32 %y, 0xffff0002, 0x03040000, %x; st.global.u32 [%a], %y;", [2]uint32{10, 12}},
	} {
		out, err := run(t, test.body)
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
			continue
		}
		if got := [2]uint32{binary.LittleEndian.Uint32(out), binary.LittleEndian.Uint32(out[4:])}; got != test.want {
			t.Errorf("%s: %v, not %v", test.body, got, test.want)
		}
	}
}

// TestRefuses checks that what is not known is an error that names the place.
func TestRefuses(t *testing.T) {
	for body, want := range map[string]string{
		"add.sat.s32 %y, %x, %t;":                  "does not know",
		"add.rz.f32 %f, %f, %f;":                   "does not know",
		"add.ftz.f32 %f, %f, %f;":                  "does not know",
		"mov.u32 %y, %laneid;":                     "does not know",
		"bar.sync 0, 32;":                          "does not know",
		"bar.arrive 0, 64;":                        "does not know",
		"atom.global.cas.b32 %y, [%a], 0, 1;":      "does not know",
		"@%p shfl.sync.idx.b32 %y, %x, 0, 31, -1;": "does not know",
		"setp.eq.u32 %p, %t, 0; @%p bra L; bar.warp.sync -1;\nL: vote.sync.any.pred %p, %p, -1;": "different barriers",
		"bar.warp.sync 1;":                     "not among its members",
		"bar.warp.sync %t;":                    "not among its members",
		"sub.s32 %t, 3, %t; bar.warp.sync %t;": "do not agree",
		"sin.approx.f32 %f, %f;":               "does not know",
		"mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%x, %y}, {%t}, {%t}, {%x, %y};":    "does not know",
		"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%x}, [tile];":                            "does not know",
		"stmatrix.sync.aligned.m8n8.x1.shared.b16 [tile], {%x};":                            "does not know",
		"movmatrix.sync.aligned.m8n8.trans.b16 %x, %y;":                                     "does not know",
		"st.global.u32 [%a+8], %x;":                                                         "accesses byte",
		"setp.eq.u32 %p, %t, 0; @%p bra L; bar.sync 0;\nL: bar.sync 1;":                     "different barriers",
		"setp.eq.u32 %p, %t, 0; @%p bra L; bar.sync 0; bra M;\nL: bar.sync 0;\nM: ":         "different barriers",
		"setp.eq.u32 %p, %t, 0; @%p bra L; barrier.sync 0; bra M;\nL: barrier.sync 1;\nM: ": "different barriers",
	} {
		out, err := run(t, body)
		if err == nil || out != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestRefusesVariables(t *testing.T) {
	k := &isa.Kernel{Vars: []isa.Var{{Name: "v", Space: isa.Global}}}
	if err := known(k, [3]int{1, 1, 1}); err == nil || !strings.Contains(err.Error(), "such as v") {
		t.Error(err)
	}
}
