package loopbound_test

import "testing"

// Loops in loops, which are entered with what conditions and remainders tell of the counter of the loop around.
func TestBoundsOfLoopsOfATriangle(t *testing.T) {
	const (
		unknown = -1
		pairs   = `sub.s32 %r3, %n, %r2; and.b32 %r5, %r3, 1; setp.eq.u32 %p2, %r5, 1; mov.u32 %r4, %r2; @!%p2 bra M; add.u32 %r4, %r2, 1;
M: setp.eq.s32 %p3, %r4, %n; @%p3 bra F; sub.s32 %r6, %n, %r4; L: add.s32 %r6, %r6, -2; setp.ne.s32 %p4, %r6, 0; @%p4 bra L;
F: `
		next  = ` add.u32 %r1, %r1, 1; setp.lt.s32 %p1, %r1, %n; @%p1 bra K;`
		twice = ` S: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 2; @%p1 bra J;`
		back  = ` mov.u32 %r6, 0; L: add.s32 %r6, %r6, -2; setp.ne.s32 %p4, %r6, %r2; @%p4 bra L;`
	)
	for _, c := range []struct {
		name   string
		lo, hi int64 // of n
		body   string
		n      int64
		exact  bool
	}{
		{"pairs behind a single one", 2, 41, `mov.u32 %r1, 0; K: add.u32 %r2, %r1, 1; setp.ge.s32 %p1, %r2, %n; @%p1 bra F; ` + pairs + next, 19, true},
		{"pairs behind a single one of the iteration before", 2, 41, `mov.u32 %r1, 0; mov.u32 %r5, 0; K: add.u32 %r2, %r1, 1; setp.ge.s32 %p1, %r2, %n; @%p1 bra F;
setp.eq.u32 %p2, %r5, 1; mov.u32 %r4, %r2; @!%p2 bra M; add.u32 %r4, %r2, 1;
M: setp.eq.s32 %p3, %r4, %n; @%p3 bra F; sub.s32 %r6, %n, %r4; L: add.s32 %r6, %r6, -2; setp.ne.s32 %p4, %r6, 0; @%p4 bra L;
F: sub.s32 %r3, %n, %r2; and.b32 %r5, %r3, 1;` + next, unknown, false},
		{"tests made before a loop around", 1, 10, `mov.u32 %r1, 0; K: and.b32 %r2, %r1, -2; neg.s32 %r2, %r2; setp.eq.u32 %p3, %r1, 0; setp.eq.u32 %p2, %r1, 1; mov.u32 %r3, 0;
J: @%p3 bra S; @%p2 bra S;` + back + twice + next, 3, true},
		{"a remainder tested before a loop around", 1, 10, `mov.u32 %r1, 0; K: neg.s32 %r2, %r1; and.b32 %r5, %r1, 1; setp.ne.u32 %p3, %r5, 0; setp.eq.u32 %p2, %r1, 0; mov.u32 %r3, 0;
J: @%p3 bra S; @%p2 bra S;` + back + twice + next, 3, true},
		{"a test that is made anew", 1, 10, `mov.u32 %r1, 0; K: neg.s32 %r2, %r1; and.b32 %r5, %r1, 1; setp.ne.u32 %p3, %r5, 0; setp.eq.u32 %p2, %r1, 0; mov.u32 %r3, 0;
J: @%p3 bra S; @%p2 bra S;` + back + ` S: ld.shared.u32 %r4, [tile]; setp.eq.u32 %p3, %r4, 77; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 2; @%p1 bra J;` + next, unknown, false},
		{"a remainder of what changes behind the test", 1, 10, `mov.u32 %r1, 0; K: and.b32 %r5, %r1, 1; setp.ne.u32 %p3, %r5, 0; ld.shared.u32 %r4, [tile]; and.b32 %r4, %r4, 7; add.u32 %r1, %r1, %r4; neg.s32 %r2, %r1; mov.u32 %r3, 0;
J: @%p3 bra S; setp.eq.u32 %p2, %r1, 0; @%p2 bra S;` + back + twice + next, unknown, false},
		{"a counter that is at least five", 1, 20, `mov.u32 %r1, 0; K: setp.lt.u32 %p1, %r1, 5; @%p1 bra S; setp.ge.u32 %p2, %r1, 10; @%p2 bra S; mov.u32 %r2, 10; sub.u32 %r6, %r2, %r1;
L: add.u32 %r6, %r6, -1; setp.ne.u32 %p3, %r6, 0; @%p3 bra L; S: add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, %n; @%p4 bra K;`, 4, true},
		{"all but a number in the middle", 0, 9, `mov.u32 %r1, 0; K: and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 1; @%p1 bra S; setp.eq.u32 %p2, %r1, 8; @%p2 bra S;
mov.u32 %r6, %r1; L: add.u32 %r6, %r6, 2; setp.ne.u32 %p3, %r6, 8; @%p3 bra L; S: add.u32 %r1, %r1, 1; setp.lt.u32 %p4, %r1, %n; @%p4 bra K;`, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) { checkRuns(t, c.body, c.lo, c.hi, c.n, c.exact) })
	}
}
