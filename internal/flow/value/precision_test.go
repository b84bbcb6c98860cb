package value

import (
	"fmt"
	"testing"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/test/flowtest"
)

// How close what is known of results must be. %n is from 5 to 100, %m anything.
func TestPrecisionOfOperations(t *testing.T) {
	// Half of the lanes execute what follows, up to the label join.
	const lower = "mov.u32 %r2, %tid.x; setp.gt.u32 %p1, %r2, 15; @%p1 bra join; "
	for _, c := range []struct{ body, want string }{
		{"bfe.u32 %r1, %m, 8, 4", "[0, 15]"},
		{"bfe.s32 %r1, %m, 8, 4", "[-8, 7]"},
		{"bfe.u32 %r1, %n, 2, 8", "[1, 25]"},
		{"and.b32 %r2, %m, 3; bfe.u32 %r1, %m, %r2, 5", "[0, 31]"},
		{"and.b32 %r2, %m, 3; bfi.b32 %r1, %r2, 0, 4, 2", "[0, 48], 0 mod 16"},
		{"bfi.b32 %r1, %n, 65536, 0, 8", "[65541, 65636]"},
		{"lop3.b32 %r1, %n, 255, %m, 0x40", "[0, 100]"}, // a & b & ~c
		{"and.b32 %r1, %n, 14", "[0, 14], 0 mod 2"},
		{"and.b32 %r2, %m, 7; max.u32 %r2, %r2, 2; and.b32 %r1, %r2, 14", "[2, 6], 0 mod 2"},
		{"or.b32 %r1, %n, 3", "[7, 103], 3 mod 4"},
		{"xor.b32 %r1, %n, 128", "[133, 228]"},
		{"prmt.b32 %r1, %n, %m, 0x4440", "any"},
		{"prmt.b32 %r1, %n, 0, 0x4440", "[5, 100]"},
		{"prmt.b32 %r1, %n, 0, 0x4404", "[1280, 25600], 0 mod 256"},
		{"prmt.b32 %r1, %m, 0, 0x4441", "[0, 255]"},
		{"popc.b32 %r1, %n", "[1, 6]"},
		{"clz.b32 %r1, %n", "[25, 29]"},
		{"bfind.u32 %r1, %n", "[2, 6]"},
		{"bfind.shiftamt.u32 %r1, %n", "[25, 29]"},
		{"bfind.s32 %r1, %m", "[-1, 30]"},
		{"brev.b32 %r1, %n", "any, 0 mod 33554432"},
		{"shf.l.wrap.b32 %r1, %m, %n, 4", "[80, 1615]"},
		{"shf.r.clamp.b32 %r1, %n, 0, 1", "[2, 50]"},
		{"mul24.lo.u32 %r1, %n, 3", "[15, 300], 0 mod 3"},
		{"mul24.hi.u32 %r1, %m, %m", "[0, 4294966784]"},
		{"mad24.lo.s32 %r1, %n, -2, 1", "[4294967097, 4294967287], 1 mod 2"},
		{"mul.hi.u32 %r1, %m, 16", "[0, 15]"},
		{"mul.hi.u64 %d1, %d2, 16; cvt.u32.u64 %r1, %d1", "[0, 15]"},
		{"mad.hi.u32 %r1, %m, 16, %n", "[5, 115]"},
		{"add.cc.u32 %r1, %n, 5", "[10, 105]"},
		{"add.cc.u32 %r2, %n, 5; addc.u32 %r1, %n, 0", "[5, 100]"},
		{"add.cc.u32 %r2, %m, 5; addc.u32 %r1, %n, 0", "[5, 101]"},
		{"sub.cc.u32 %r2, %n, 101; subc.u32 %r1, %n, 0", "[4, 99]"},
		{"sad.u32 %r1, %n, 200, 1", "[101, 196]"},
		{"sad.s32 %r1, %n, 50, 0", "[0, 50]"},
		{"dp4a.u32.u32 %r1, %m, 1, %n", "[5, 355]"},
		{"dp2a.lo.u32.u32 %r1, %n, 513, 0", "[5, 100]"},
		{"bmsk.clamp.b32 %r1, 4, 2", "48"},
		{"and.b32 %r2, %m, 3; bmsk.clamp.b32 %r1, %r2, 1", "[1, 8]"},
		{"szext.clamp.s32 %r1, %m, 5", "[-16, 15]"},
		{"set.lt.u32.u32 %r1, %m, 9", "[-1, 0]"},
		{"set.lt.u32.u32 %r1, %n, 101", "-1"},
		{"slct.s32.s32 %r1, 3, %m, %n", "3"},
		{"slct.s32.s32 %r1, 3, 7, %m", "[3, 7], 3 mod 4"},
		{"vote.ballot.b32 %r1, %p1", "any"},
		{"match.any.sync.b32 %r1, %m, -1", "[1, 4294967295]"},
		{"bar.red.popc.u32 %r1, 0, %p1", "[0, 1024]"},
		{"shfl.sync.down.b32 %r1, %n, 1, 31, -1", "[5, 100]"},
		{"redux.sync.max.u32 %r1, %n, -1", "[5, 100]"},
		{"redux.sync.add.u32 %r1, %n, -1", "[5, 3200]"},
		{"redux.sync.or.b32 %r1, %n, -1", "[0, 127]"},
		{lower + "shfl.sync.down.b32 %r2, %m, 1, 31, -1; join: shfl.sync.down.b32 %r1, %n, 1, 31, -1", "any"},
		{lower + "vote.sync.ballot.b32 %r2, 1, -1; join: setp.ne.u32 %p1, %n, %n; vote.sync.ballot.b32 %r1, %p1, -1", "any"},
		{lower + "redux.sync.add.u32 %r2, %m, -1; join: redux.sync.min.u32 %r1, %n, -1", "any"},
		{lower + "add.u32 %r2, %m, 1; join: shfl.sync.down.b32 %r1, %n, 1, 31, -1", "[5, 100]"},
		{"min.relu.s32 %r1, %m, 9", "[0, 9]"},
		{"add.sat.s32 %r1, %n, 2147483647", "2147483647"},
		{"cvt.sat.u8.s32 %r1, %m", "[0, 255]"},
		{"cvt.rzi.u32.f32 %r1, 0f41280000", "10"}, // 10.5
		{"cvt.rzi.u8.f32 %r1, %f1", "[0, 255]"},
		{"mov.b64 %d1, {%n, 0}; mov.b64 {%r1, %r2}, %d1", "[5, 100]"},
		{"mov.b64 %d1, {%m, %n}; shr.u64 %d2, %d1, 32; cvt.u32.u64 %r1, %d2", "[5, 100]"},
		{"vadd.u32.u32.u32 %r1, %n, %n", "[10, 200]"},
		{"vadd.s32.u32.s32.sat %r1, %n.b0, 7", "[12, 107]"},
		{"cnot.b32 %r1, %n", "0"},
	} {
		g := flowtest.BodyGraph(t, c.body+";")
		params := g.Kernel.Params
		r := flowtest.Must(Analyze(t.Context(), g, launchfacts.Launch{Params: []launchfacts.Word{{Offset: params[1].Offset, Interval: strided.Between(32, 5, 100)}}}))
		_, behind := r.states()
		got := "nothing"
		for pc := range behind {
			for reg, v := range behind[pc].All() {
				if g.Kernel.Regs[reg].Name == "%r1" && v != nil {
					got = v.Set.String()
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.body, got, c.want)
		}
	}
}

// Results of operations on constants of the thread are told apart by all that the instructions say.
func TestExpressionsAreDistinct(t *testing.T) {
	g := flowtest.BodyGraph(t, `.reg .b16 %h<3>; mul.lo.u32 %r5, %tid, 100; cvt.u16.u32 %h1, %r5;
cvt.u32.u16 %r6, %h1; cvt.u32.s16 %r7, %h1; shf.l.wrap.b32 %r8, %r5, %tid, %tid; shf.l.clamp.b32 %r9, %r5, %tid, %tid;`)
	r := flowtest.Must(Analyze(t.Context(), g, launchfacts.Launch{}))
	_, behind := r.states()
	forms := make(map[string]string)
	for reg, v := range behind[len(behind)-2].All() {
		if v != nil {
			forms[g.Kernel.Regs[reg].Name] = fmt.Sprint(v.Form.Terms)
		}
	}
	if forms["%r6"] == forms["%r7"] || forms["%r8"] == forms["%r9"] {
		t.Errorf("%v", forms)
	}
}
