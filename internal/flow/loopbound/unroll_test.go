package loopbound_test

import (
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/loopbound"
	"warpbound/internal/flow/strided"
	"warpbound/internal/test/flowtest"
)

// maxReturns runs a launch and returns how often a thread came back to the header of the
// last loop since it entered it, at most.
func maxReturns(t *testing.T, l *flowtest.Launch) int64 {
	t.Helper()
	loops := l.Graph.Loops().Loops
	loop := &loops[len(loops)-1]
	type thread struct{ warp, lane int }
	last, returns := make(map[thread]int), make(map[thread]int64)
	maximum := int64(0)
	l.Run(t, 1, func(c *emu.CTA, k int) func(*emu.Effect) {
		w := &c.Warps[k]
		b := l.Graph.BlockOf(w.PC())
		if w.PC() == l.Graph.Blocks[b].Start {
			for m := w.Active(); m != 0; m &= m - 1 {
				id := thread{k, bits.TrailingZeros64(m)}
				before, ok := last[id]
				last[id] = b
				if b != loop.Header {
					continue
				}
				if ok && loop.Contains(before) {
					returns[id]++
				} else {
					returns[id] = 0
				}
				maximum = max(maximum, returns[id])
			}
		}
		return func(*emu.Effect) {}
	})
	return maximum
}

// Loops as programs have them end, and their bounds hold of runs with any n of a range and any
// contents of memory. Where the bound is exact, some run attains it.
func TestBoundsOfEverydayLoops(t *testing.T) {
	const unknown = -1
	for _, c := range []struct {
		name   string
		lo, hi int64 // of n
		body   string
		n      int64 // of the last loop
		exact  bool
	}{
		{"remainder of unrolling", 0, 5, `setp.lt.s32 %p1, %n, 1; @%p1 bra E; add.u32 %r2, %n, 1; and.b32 %r3, %r2, 14;
L: add.s32 %r3, %r3, -2; setp.ne.s32 %p2, %r3, 0; @%p2 bra L; E:`, 2, true},
		{"pairs behind a single one", 1, 41, `and.b32 %r1, %m, 7; add.u32 %r2, %n, %r1; sub.s32 %r3, %r2, %r1; add.s32 %r4, %r1, 1; and.b32 %r5, %r3, 1;
setp.eq.b32 %p1, %r5, 1; mov.pred %p2, 0; xor.pred %p3, %p1, %p2; not.pred %p4, %p3; @%p4 bra M; ld.shared.u32 %r6, [tile]; mov.u32 %r1, %r4;
M: setp.eq.s32 %p1, %r2, %r4; @%p1 bra E; sub.s32 %r6, %r2, %r1; L: add.s32 %r6, %r6, -2; setp.ne.s32 %p2, %r6, 0; @%p2 bra L; E:`, 19, true},
		{"pairs behind a single one, if any are left", 1, 41, `and.b32 %r5, %n, 1; setp.ne.u32 %p1, %r5, 0; mov.pred %p2, 1; xor.pred %p1, %p1, %p2; mov.u32 %r1, 0;
@%p1 bra M; mov.u32 %r1, 1; M: sub.s32 %r6, %n, %r1; setp.eq.s32 %p1, %r6, 0; @%p1 bra E; L: add.s32 %r6, %r6, -2; setp.ne.s32 %p2, %r6, 0; @%p2 bra L; E:`, 19, true},
		{"pairs of an odd number", 1, 41, `and.b32 %r5, %n, 1; setp.eq.u32 %p1, %r5, 1; mov.u32 %r1, 0; @%p1 bra M; mov.u32 %r1, 1;
M: sub.s32 %r6, %n, %r1; L: add.s32 %r6, %r6, -2; setp.ne.s32 %p2, %r6, 0; ld.shared.u32 %r7, [tile]; setp.eq.u32 %p3, %r7, 0; @%p3 bra E; @%p2 bra L; E:`, unknown, false},
		{"up to the least of two numbers, found in each iteration", 0, 50, `and.b32 %r1, %m, 31; sub.s32 %r2, %r1, %n; setp.gt.s32 %p1, %r2, 0; @%p1 bra K; mov.u32 %r2, 0;
K: mov.u32 %r6, %r2; L: add.s32 %r3, %r1, 2; add.s32 %r4, %n, 20; setp.lt.s32 %p1, %r3, %r4; mov.u32 %r5, %r4; @!%p1 bra M; mov.u32 %r5, %r3;
M: setp.gt.s32 %p2, %r6, %r5; @%p2 bra E; add.s32 %r6, %r6, 1; bra L; E:`, 34, false},
		{"from some below to some above, in what there is", 0, 50, `sub.s32 %r2, %n, 2; mov.u32 %r6, %r2; setp.gt.s32 %p1, %r2, 0; @%p1 bra K; mov.u32 %r6, 0;
K: add.s32 %r3, %n, 2; L: mov.u32 %r5, 30; setp.ge.s32 %p1, %r3, 30; @%p1 bra M; mov.u32 %r5, %r3;
M: setp.gt.s32 %p2, %r6, %r5; @%p2 bra E; add.s32 %r6, %r6, 1; bra L; E:`, 5, true},
		{"down to the greatest of two numbers", 0, 50, `and.b32 %r1, %m, 31; add.s32 %r6, %n, 40;
L: mov.u32 %r5, %r1; setp.ge.u32 %p1, %r1, %n; @%p1 bra M; mov.u32 %r5, %n; M: add.s32 %r6, %r6, -1; setp.ge.s32 %p2, %r6, %r5; @%p2 bra L;`, 40, true},
		{"up to one of two numbers as data says", 0, 50, `mov.u32 %r6, 0;
L: ld.shared.u32 %r3, [tile]; mov.u32 %r5, 9; setp.eq.u32 %p1, %r3, 0; @%p1 bra M; mov.u32 %r5, %n; M: add.s32 %r6, %r6, 1; setp.lt.s32 %p2, %r6, %r5; @%p2 bra L;`, 49, false},
		{"up to what may change on a path", 0, 9, `mov.u32 %r6, 0; mov.u32 %r5, %n;
L: ld.shared.u32 %r3, [tile]; setp.eq.u32 %p1, %r3, 0; @%p1 bra M; add.u32 %r5, %r5, 1; M: add.s32 %r6, %r6, 1; setp.lt.s32 %p2, %r6, %r5; @%p2 bra L;`, unknown, false},
		{"halved until zero", 0, 1000, `mov.u32 %r1, %n;
L: setp.eq.u32 %p1, %r1, 0; @%p1 bra E; shr.u32 %r1, %r1, 1; bra L; E:`, 10, true},
		{"digits", 0, 99999, `mov.u32 %r1, %n;
L: mul.hi.u32 %r2, %r1, 0xCCCCCCCD; shr.u32 %r2, %r2, 3; setp.gt.u32 %p1, %r1, 9; mov.u32 %r1, %r2; @%p1 bra L;`, 4, true},
		{"up and down to the middle", 0, 40, `mov.u32 %r1, 0; mov.u32 %r2, %n;
L: setp.ge.s32 %p1, %r1, %r2; @%p1 bra E; add.u32 %r1, %r1, 1; sub.u32 %r2, %r2, 1; bra L; E:`, 20, true},
		{"Fibonacci", 0, 1000, `mov.u32 %r1, 1; mov.u32 %r2, 1;
L: setp.gt.u32 %p1, %r2, %n; @%p1 bra E; add.u32 %r3, %r1, %r2; mov.u32 %r1, %r2; mov.u32 %r2, %r3; bra L; E:`, 15, true},
		{"square root by steps", 0, 1000, `mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; mul.lo.u32 %r2, %r1, %r1; setp.le.u32 %p1, %r2, %n; @%p1 bra L;`, 31, true},
		{"parent in a heap", 0, 500, `mov.u32 %r1, %n;
L: setp.lt.s32 %p1, %r1, 1; @%p1 bra E; add.s32 %r1, %r1, -1; shr.u32 %r1, %r1, 1; bra L; E:`, 8, true},
		{"child in a heap", 0, 500, `mov.u32 %r1, 0;
L: shl.b32 %r1, %r1, 1; add.u32 %r1, %r1, 1; ld.shared.u32 %r3, [tile]; and.b32 %r3, %r3, 1; add.u32 %r1, %r1, %r3; setp.lt.u32 %p1, %r1, %n; @%p1 bra L;`, 8, true},
		{"16 bits", 0, 300, `.reg .b16 %h<3>; cvt.u16.u32 %h1, %n; mov.u16 %h2, 0;
L: setp.ge.u16 %p1, %h2, %h1; @%p1 bra E; add.u16 %h2, %h2, 3; bra L; E:`, 100, true},
		{"8 bits that wrap around", 0, 5, `mov.u32 %r1, 250;
L: add.u32 %r1, %r1, 1; and.b32 %r1, %r1, 255; setp.ne.u32 %p1, %r1, 3; @%p1 bra L;`, 8, true},
		{"reset in a loop around", 0, 60, `mov.u32 %r1, 0; mov.u32 %r2, 0;
K: add.u32 %r1, %r1, 1; setp.gt.u32 %p1, %r1, %n; @%p1 bra E;
L: setp.ge.u32 %p2, %r2, 8; @%p2 bra M; add.u32 %r2, %r2, 1; bra L; M: mov.u32 %r2, 0; bra K; E:`, 8, true},
		{"a triangle by a counter of its own", 0, 20, `mov.u32 %r1, 0; mov.u32 %r2, 1;
K: mov.u32 %r3, %r2;
L: add.s32 %r3, %r3, -1; setp.ne.s32 %p1, %r3, 0; @%p1 bra L;
add.u32 %r2, %r2, 1; add.u32 %r1, %r1, 1; setp.ne.s32 %p2, %r1, 20; @%p2 bra K;`, 19, true},
		{"divided by what is found", 0, 255, `mov.u32 %r1, %n;
L: setp.lt.u32 %p1, %r1, 2; @%p1 bra E; ld.shared.u32 %r2, [tile]; and.b32 %r2, %r2, 1; add.u32 %r2, %r2, 1; shr.u32 %r1, %r1, %r2; bra L; E:`, 7, true},
		{"a loop inside that changes the counter", 0, 9, `mov.u32 %r1, %n;
K: setp.eq.u32 %p1, %r1, 0; @%p1 bra E; shr.u32 %r1, %r1, 1;
mov.u32 %r2, 0; L: add.u32 %r1, %r1, 1; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 2; @%p2 bra L; setp.gt.u32 %p3, %r1, 2000; @%p3 bra E; bra E; E:`, 1, true},
		{"bits that are cleared", 0, 255, `mov.u32 %r1, %n;
L: setp.eq.u32 %p1, %r1, 0; @%p1 bra E; add.u32 %r2, %r1, -1; and.b32 %r1, %r1, %r2; bra L; E:`, 8, true},
		{"bits of 64 that are cleared and then compared", 1, 1023, `cvt.u64.u32 %d1, %n;
L: add.u64 %d2, %d1, -1; and.b64 %d1, %d2, %d1; setp.ne.s64 %p1, %d1, 0; @%p1 bra L;`, 9, true},
		{"all but the lowest bits that are cleared", 1, 255, `mov.u32 %r1, %n;
L: add.u32 %r2, %r1, -2; and.b32 %r1, %r1, %r2; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;`, unknown, false},
		{"binary search", 1, 200, `mov.u32 %r1, 0; mov.u32 %r2, %n;
L: add.s32 %r3, %r1, %r2; shr.u32 %r4, %r3, 31; add.s32 %r4, %r3, %r4; shr.s32 %r3, %r4, 1; mul.wide.s32 %d1, %r3, 4; add.s64 %d1, %buf, %d1;
ld.global.u32 %r5, [%d1]; setp.lt.u32 %p1, %r5, 5; add.s32 %r6, %r3, 1; selp.b32 %r2, %r2, %r3, %p1; selp.b32 %r1, %r6, %r1, %p1;
setp.lt.s32 %p2, %r1, %r2; @%p2 bra L;`, 7, true},
		{"binary search by branches", 0, 200, `mov.u32 %r1, 0; mov.u32 %r2, %n;
L: setp.ge.u32 %p1, %r1, %r2; @%p1 bra E; sub.u32 %r3, %r2, %r1; shr.u32 %r3, %r3, 1; add.u32 %r3, %r3, %r1;
mul.wide.s32 %d1, %r3, 4; add.s64 %d1, %buf, %d1; ld.global.u32 %r5, [%d1]; setp.lt.u32 %p1, %r5, %m; @%p1 bra M;
mov.u32 %r2, %r3; bra L; M: add.u32 %r1, %r3, 1; bra L; E:`, 8, false},
		{"binary search for an element", 0, 200, `mov.u32 %r1, 0; sub.u32 %r2, %n, 1;
L: setp.lt.s32 %p1, %r2, %r1; @%p1 bra E; sub.s32 %r3, %r2, %r1; shr.u32 %r4, %r3, 31; add.s32 %r4, %r3, %r4; shr.s32 %r3, %r4, 1; add.s32 %r3, %r3, %r1;
mul.wide.s32 %d1, %r3, 4; add.s64 %d1, %buf, %d1; ld.global.u32 %r5, [%d1]; setp.eq.u32 %p1, %r5, %tid; @%p1 bra E;
setp.lt.s32 %p1, %r5, %tid; add.s32 %r6, %r3, 1; selp.b32 %r1, %r6, %r1, %p1; @%p1 bra L; sub.s32 %r2, %r3, 1; bra L; E:`, 8, true},
		{"binary search for an element, by the sum of both ends", 0, 200, `mov.u32 %r1, 0; add.u32 %r2, %n, -1; bra L;
Q: setp.ne.s32 %p4, %r5, %tid; @%p4 bra L; bra E;
L: setp.gt.s32 %p1, %r1, %r2; @%p1 bra E; add.s32 %r3, %r1, %r2; shr.u32 %r3, %r3, 1;
mul.wide.s32 %d1, %r3, 4; add.s64 %d1, %buf, %d1; ld.global.u32 %r5, [%d1]; setp.eq.s32 %p2, %r5, %tid; @%p2 bra Q;
setp.lt.s32 %p3, %r5, %tid; add.s32 %r6, %r3, 1; selp.b32 %r1, %r6, %r1, %p3; add.s32 %r7, %r3, -1; selp.b32 %r2, %r2, %r7, %p3; bra Q; E:`, 8, true},
		{"what is left of a search", 0, 200, `mov.u32 %r1, %n; mov.u32 %r2, 0;
L: setp.eq.u32 %p1, %r1, 0; @%p1 bra E; div.u32 %r3, %r1, 3; add.u32 %r4, %r3, 1; ld.global.u32 %r5, [%buf]; setp.lt.u32 %p1, %r5, %tid;
sub.u32 %r6, %r1, %r4; selp.b32 %r1, %r3, %r6, %p1; bra L; E:`, 11, false},
		{"a search whose middle wraps around", 0, 200, `mov.u32 %r1, 0; mov.u32 %r2, %m;
L: add.s32 %r3, %r1, %r2; shr.u32 %r3, %r3, 1; mul.wide.s32 %d1, %r3, 4; add.s64 %d1, %buf, %d1;
ld.global.u32 %r5, [%d1]; setp.lt.u32 %p1, %r5, 5; add.s32 %r6, %r3, 1; selp.b32 %r2, %r2, %r3, %p1; selp.b32 %r1, %r6, %r1, %p1;
setp.lt.u32 %p2, %r1, %r2; @%p2 bra L;`, unknown, false},
		{"a test that is made twice", 0, 200, `mov.u32 %r1, %n;
L: shr.u32 %r2, %r1, 1; ld.shared.u32 %r3, [tile]; ld.global.u32 %r4, [%buf]; setp.ge.s32 %p1, %r3, %r4; @%p1 bra M; mov.u32 %r1, %r2;
M: setp.lt.s32 %p2, %r3, %r4; setp.ne.u32 %p3, %r1, 0; and.pred %p4, %p2, %p3; @%p4 bra L;`, 7, false},
		{"a search in the data", 0, 9, `mov.u64 %d1, %buf;
L: ld.global.u32 %r1, [%d1]; add.u64 %d1, %d1, 4; setp.gt.u32 %p1, %r1, 3; @%p1 bra L;`, unknown, false},
		{"Euclid", 0, 100, `and.b32 %r1, %m, 127; mov.u32 %r2, %n;
L: setp.eq.u32 %p1, %r2, 0; @%p1 bra E; rem.u32 %r3, %r1, %r2; mov.u32 %r1, %r2; mov.u32 %r2, %r3; bra L; E:`, 100, false},
		{"Collatz", 1, 1000, `mov.u32 %r1, %n;
L: setp.eq.u32 %p1, %r1, 1; @%p1 bra E; and.b32 %r2, %r1, 1; shr.u32 %r3, %r1, 1; mad.lo.u32 %r4, %r1, 3, 1; setp.eq.u32 %p2, %r2, 0; selp.b32 %r1, %r3, %r4, %p2; bra L; E:`, unknown, false},
		{"zeros before the highest bit", 1, 1000, `mov.u32 %r1, %n;
L: setp.lt.s32 %p1, %r1, 0; @%p1 bra E; shl.b32 %r1, %r1, 1; bra L; E:`, 31, true},
		{"zeros before the highest bit, of which there may be none", 0, 1000, `mov.u32 %r1, %n;
L: setp.lt.s32 %p1, %r1, 0; @%p1 bra E; shl.b32 %r1, %r1, 1; bra L; E:`, unknown, false},
		{"bits of two numbers", 0, 1000, `mov.u32 %r1, %n; and.b32 %r2, %m, 255;
L: shr.u32 %r1, %r1, 1; shr.u32 %r2, %r2, 1; or.b32 %r3, %r1, %r2; setp.ne.u32 %p1, %r3, 0; @%p1 bra L;`, 9, true},
		{"floating point up to one", 0, 9, `mov.f32 %f1, 0f00000000;
L: setp.geu.f32 %p1, %f1, 0f3F800000; @%p1 bra E; add.f32 %f1, %f1, 0f3E000000; bra L; E:`, 8, true},
		{"tenths, whose sum is rounded", 0, 9, `mov.f32 %f1, 0fBF800000;
L: add.f32 %f1, %f1, 0f3DCCCCCD; setp.gtu.f32 %p1, %f1, 0f3F800000; @!%p1 bra L;`, 19, true},
		{"floating point that falls", 0, 9, `.reg .f64 %g<3>; mov.f64 %g1, 0d4024000000000000;
L: mul.f64 %g1, %g1, 0d3FE6666666666666; setp.gt.f64 %p1, %g1, 0d3FE0000000000000; @%p1 bra L;`, 8, true},
		{"up to a number that is converted", 1, 60, `cvt.rn.f32.u32 %f2, %n; mov.f32 %f1, 0f00000000;
L: add.f32 %f1, %f1, 0f3F000000; setp.lt.f32 %p1, %f1, %f2; @%p1 bra L;`, 119, true},
		{"a step that is absorbed", 0, 9, `mov.f32 %f1, 0f4B800000;
L: add.f32 %f1, %f1, 0f3F800000; setp.lt.f32 %p1, %f1, 0f4C000000; @%p1 bra L;`, unknown, false},
		{"a limit that is no number", 0, 9, `mov.f32 %f1, 0f00000000;
L: add.f32 %f1, %f1, 0f3F800000; setp.ltu.f32 %p1, %f1, 0f7FC00000; @%p1 bra L;`, unknown, false},
		{"a limit that may be no number", 0, 9, `mov.b32 %f2, %n; mov.f32 %f1, 0f00000000;
L: add.f32 %f1, %f1, 0f3F800000; setp.ltu.f32 %p1, %f1, %f2; @%p1 bra L;`, 0, true},
		{"until equal to what is stepped over", 0, 9, `mov.f32 %f1, 0f00000000;
L: add.f32 %f1, %f1, 0f3DCCCCCD; setp.neu.f32 %p1, %f1, 0f3F800000; @%p1 bra L;`, unknown, false},
		{"infinity", 0, 9, `mov.f32 %f1, 0f3F800000;
L: mul.f32 %f1, %f1, 0f47800000; setp.lt.f32 %p1, %f1, 0f7F800000; @%p1 bra L;`, 7, true},
		{"subnormal numbers that are flushed", 0, 9, `mov.f32 %f1, 0f0C800000;
L: mul.ftz.f32 %f1, %f1, 0f3A800000; setp.gt.f32 %p1, %f1, 0f00000000; @%p1 bra L;`, 2, true},
		{"two variables of one name", 1, 9, `mov.u64 %d1, tile; { .shared .align 4 .b8 tile[64]; mov.u64 %d2, tile; } sub.s64 %d1, %d1, %d2; cvt.u32.u64 %r1, %d1; mov.u32 %r2, 0;
L: setp.eq.u32 %p1, %r1, 0; @%p1 bra E; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, %n; @%p2 bra L; E:`, 8, true},
		{"zero that is negative", 0, 9, `mov.f32 %f1, 0f80000000; mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; setp.lt.f32 %p1, %f1, 0f00000000; @%p1 bra L;`, 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			checkRuns(t, c.body, c.lo, c.hi, c.n, c.exact)
		})
	}
}

// checkRuns compares the bound of the last loop of a kernel with n in a range, -1 for none,
// with runs.
func checkRuns(t *testing.T, body string, lo, hi, n int64, exact bool) {
	t.Helper()
	attained := int64(0)
	var loops *loopsOf // of the first launch: the analysis is told the same of all
	step := max(1, (hi-lo)/6)
	for x := lo; ; x = min(x+step, hi) {
		l := flowtest.Job(t, fmt.Sprintf(`module = "k.ptx"
kernel = "k"
machine = "fermi-c2050"
grid = [1, 1, 1]
block = [32, 1, 1]
param = [{name = "p", type = "u32", count = 1024, init = "uniform(0, 9)"}, {name = "n", type = "u32", value = %d}, {name = "m", type = "u32", value = %d}]
`, x, 7*x+55), flowtest.BodyModule(body))
		if loops == nil {
			params := l.Kernel.Params
			launch := launchfacts.Launch{
				Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1},
				Params: []launchfacts.Word{{Offset: params[0].Offset, Interval: strided.Multiples(64, 256)}, {Offset: params[1].Offset, Interval: strided.Between(32, uint64(lo), uint64(hi))}},
			}
			loops = newLoopsOf(t, l.Graph, launch)
			bounds := loops.bounds
			switch b := bounds[len(bounds)-1]; {
			case n < 0 && b.Known:
				t.Fatalf("%d iterations: %s", b.Iterations, b.Reason)
			case n < 0:
				return
			case !b.Known || b.Iterations != n:
				t.Fatalf("%d (known: %v) iterations, want %d: %s", b.Iterations, b.Known, n, b.Reason)
			}
		}
		checkLoops(t, l, loops, 1)
		attained = max(attained, maxReturns(t, l.Again(t, flowtest.Width)))
		if x == hi {
			break
		}
	}
	if attained > n || exact && attained != n {
		t.Errorf("a run comes back %d times, the bound is %d", attained, n)
	}
}

// TestManyLoops: following loops of a kernel without end costs no more if there are more of them,
// but for a little that is left for each.
func TestManyLoops(t *testing.T) {
	var body strings.Builder
	for i := range 40 {
		fmt.Fprintf(&body, "mov.u32 %%r1, 0; L%d: add.u32 %%r1, %%r1, 1; setp.lt.u32 %%p1, %%r1, %%n; @%%p1 bra L%d;\n", i, i)
	}
	work, limit, err := loopbound.CountUnrolled(t.Context(), solved(t, flowtest.BodyGraph(t, body.String()), launchfacts.Launch{}))
	if err != nil || work > limit || work < limit/2 {
		t.Errorf("%d of %d instructions are executed to follow loops, %v", work, limit, err)
	}
}
