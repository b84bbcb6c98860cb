package loopbound_test

import (
	"testing"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/test/flowtest"
)

// A bound that follows from the range of a type alone is told from one that something states: the kernel, by a
// mask, a comparison or a constant, or the launch.
func TestRangeOfType(t *testing.T) {
	const upToN = `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %n; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; E:`
	count := func(first, limit string) string {
		return first + `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, ` + limit + `; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; E:`
	}
	for _, c := range []struct {
		name string
		body string
		text string // what it rests on
	}{
		{"a parameter", upToN, "u32 n"},
		{"a parameter that is stated", count("", "%m"), ""},
		{"what is loaded", count("ld.global.u32 %r3, [%buf];", "%r3"), "u32, loaded at k.ptx:10:1"},
		{"what is loaded from 16 bits", count(".reg .b16 %h; ld.global.u16 %h, [%buf]; cvt.u32.u16 %r3, %h;", "%r3"), "u16, loaded at k.ptx:10:15"},
		{"what is loaded from 8 bits", count("ld.global.u8 %r3, [%buf];", "%r3"), ""},
		{"a tile of what is loaded", count("ld.global.u32 %r3, [%buf]; add.u32 %r3, %r3, 255; shr.u32 %r3, %r3, 8;", "%r3"), "u32, loaded at k.ptx:10:1"},
		{"few bits of what is loaded", count("ld.global.u32 %r3, [%buf]; shr.u32 %r3, %r3, 24;", "%r3"), ""},
		{"a mask", count("and.b32 %r3, %n, 65535;", "%r3"), ""},
		{"a remainder", count("rem.u32 %r3, %n, 100000;", "%r3"), ""},
		{"a minimum", count("min.u32 %r3, %n, 50000;", "%r3"), ""},
		{"a product", count("mul.lo.u32 %r3, %n, 1000;", "%r3"), "u32 n"},
		{"a sum of what is stated and what is not", count("add.u32 %r3, %n, %m;", "%r3"), "u32 n"},
		{"guarded from below", `setp.lt.s32 %p1, %n, 1; @%p1 bra E; mov.u32 %r1, 0;
L: add.s32 %r1, %r1, 1; setp.ne.s32 %p2, %r1, %n; @%p2 bra L; E:`, "u32 n"},
		{"guarded from above", `setp.gt.u32 %p1, %n, 70000; @%p1 bra E; mov.u32 %r1, 0;
L: setp.ge.u32 %p2, %r1, %n; @%p2 bra E; add.s32 %r1, %r1, 1; bra L; E:`, ""},
		{"64 bits", `cvt.s64.s32 %d1, %n; mov.u64 %d2, 0;
L: add.s64 %d2, %d2, 1; setp.lt.s64 %p2, %d2, %d1; @%p2 bra L; E:`, "u32 n"},
		{"an unknown start", `ld.global.s32 %r1, [%buf];
L: setp.ge.s32 %p1, %r1, 10000; @%p1 bra E; add.s32 %r1, %r1, 1; bra L; E:`, "s32, loaded at k.ptx:10:1"},
		{"an unknown start without sign", `ld.global.u32 %r1, [%buf];
L: setp.ge.u32 %p1, %r1, 10000; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; E:`, ""},
		{"down from a parameter", `mov.u32 %r1, %n;
L: setp.lt.u32 %p1, %r1, 1; @%p1 bra E; sub.u32 %r1, %r1, 1; bra L; E:`, "u32 n"},
		{"rows of a sparse matrix", `ld.global.u32 %r1, [%buf]; ld.global.u32 %r3, [%buf+4];
L: setp.ge.u32 %p1, %r1, %r3; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; E:`, "u32, loaded at k.ptx:10:28"},
		{"two exits, of which one is stated", `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %n; @%p1 bra E; setp.ge.u32 %p2, %r1, 90000; @%p2 bra E; add.u32 %r1, %r1, 1; bra L; E:`, ""},
		{"CTAs of an unknown grid", count("mov.u32 %r3, %nctaid.x;", "%r3"), "u32 %nctaid.x"},
		{"a constant", count("", "3000000"), ""},
		{"up from a constant round the range", `mov.u32 %r1, 8;
L: add.u32 %r1, %r1, 8; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;`, "u32"},
		{"down from a constant round the range", `mov.u32 %r1, 8;
L: add.u32 %r1, %r1, -8; setp.ne.u32 %p1, %r1, 16; @%p1 bra L;`, "u32"},
		{"down from what may be zero", `and.b32 %r1, %n, 255;
L: add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;`, "u32 n"},
		{"down from what is not zero", `and.b32 %r1, %n, 65535; setp.eq.u32 %p1, %r1, 0; @%p1 bra E;
L: add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L; E:`, ""},
		{"up to a great constant", `mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 3000000000; @%p1 bra L;`, ""},
		{"down from a great constant", `mov.u32 %r1, 3000000000;
L: add.u32 %r1, %r1, -1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;`, ""},
		{"up from a negative number", `mov.u32 %r1, -2000000000;
L: add.u32 %r1, %r1, 1; setp.ne.s32 %p1, %r1, 1000000000; @%p1 bra L;`, ""},
		{"until equal to a parameter", `mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, %n; @%p1 bra L;`, "u32 n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := flowtest.BodyGraph(t, c.body)
			b := flowtest.Must(value.Analyze(t.Context(), g, launchfacts.Launch{Params: []launchfacts.Word{{Offset: g.Kernel.Params[2].Offset, Interval: strided.Const(32, 100000)}}})).Loops()[0]
			if !b.Known || b.Range != c.text {
				t.Errorf("known: %v, %d iterations: %s: rests on the range of %q, want %q", b.Known, b.Iterations, b.Reason, b.Range, c.text)
			}
		})
	}
}

// What a launch states of a parameter is stated, even if it is the range of its type.
func TestStatedRangeOfType(t *testing.T) {
	g := flowtest.BodyGraph(t, `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %n; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; E:`)
	b := flowtest.Must(value.Analyze(t.Context(), g, launchfacts.Launch{Params: []launchfacts.Word{{Offset: g.Kernel.Params[1].Offset, Interval: strided.Any(32)}}})).Loops()[0]
	if b.Range != "" || b.Iterations != 1<<32-1 {
		t.Errorf("%d iterations, rests on the range of %q", b.Iterations, b.Range)
	}
}
