package loopbound_test

import "testing"

// Loops that unoptimised code leaves from a block where ways join, and whose counters change there.
func TestBoundsOfLoopsWithJoins(t *testing.T) {
	const unknown = -1
	for _, c := range []struct {
		name   string
		lo, hi int64 // of n
		body   string
		n      int64
		exact  bool
	}{
		{"while one condition and another", 0, 3000, `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %n; mov.pred %p2, 0; @%p1 bra M; ld.shared.u32 %r3, [tile]; setp.ne.u32 %p2, %r3, 77; M: @!%p2 bra E;
add.u32 %r1, %r1, 1; bra L; E:`, 3000, true},
		{"while one condition or another", 0, 3000, `mov.u32 %r1, 0;
L: setp.lt.u32 %p1, %r1, %n; mov.pred %p2, 1; @%p1 bra M; ld.shared.u32 %r3, [tile]; setp.eq.u32 %p2, %r3, 77; M: @!%p2 bra E;
add.u32 %r1, %r1, 1; bra L; E:`, unknown, false},
		{"while one condition does not hold and another does", 0, 3000, `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %n; mov.pred %p2, 1; @%p1 bra M; ld.shared.u32 %r3, [tile]; setp.eq.u32 %p2, %r3, 77; M: @%p2 bra E;
add.u32 %r1, %r1, 1; bra L; E:`, 3000, true},
		{"a predicate that changes behind the join", 0, 3000, `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %n; mov.pred %p2, 0; @%p1 bra M; ld.shared.u32 %r3, [tile]; setp.ne.u32 %p2, %r3, 77; M: not.pred %p2, %p2; @!%p2 bra E;
add.u32 %r1, %r1, 1; bra L; E:`, unknown, false},
		{"a join that all iterations but the last pass", 0, 3000, `mov.u32 %r1, 0; mov.u32 %r2, %n;
L: ld.shared.u32 %r3, [tile]; setp.eq.u32 %p1, %r3, 77; mov.pred %p2, 0; @%p1 bra M; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, %n; M: @%p2 bra L; E:`, 2999, true},
		{"a join that is passed without a test", 0, 3000, `mov.u32 %r1, 0; mov.u32 %r2, %n;
L: ld.shared.u32 %r3, [tile]; setp.eq.u32 %p1, %r3, 77; mov.pred %p2, 1; @%p1 bra M; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, %n; M: @%p2 bra L; E:`, unknown, false},
		{"three conditions", 0, 3000, `mov.u32 %r1, 0;
L: ld.shared.u32 %r3, [tile]; setp.eq.u32 %p1, %r3, 77; mov.pred %p2, 0; @%p1 bra M; setp.eq.u32 %p1, %r3, 78; @%p1 bra M;
add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, %n; M: @%p2 bra L; E:`, 2999, true},
		{"one of two conditions", 0, 3000, `mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; ld.shared.u32 %r3, [tile]; setp.eq.u32 %p1, %r3, 77; @%p1 bra K; setp.ne.u32 %p2, %r3, 78; bra M;
K: setp.lt.u32 %p2, %r1, %n; M: @%p2 bra L; E:`, unknown, false},
		{"one of two comparisons of the same numbers", 0, 3000, `mov.u32 %r1, 0;
L: ld.shared.u32 %r3, [tile]; setp.eq.u32 %p1, %r3, 77; @%p1 bra K; setp.ge.u32 %p2, %r1, %n; bra M; K: setp.lt.u32 %p2, %r1, %n; M: @%p2 bra E;
add.u32 %r1, %r1, 1; bra L; E:`, unknown, false},
		{"by one or by three", 0, 9000, `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %n; @%p1 bra E; and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 1; @%p2 bra M; add.u32 %r1, %r1, 1; bra N; M: add.u32 %r1, %r1, 3; N: bra L; E:`, 9000, false},
		{"by three or by one", 0, 3000, `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %n; @%p1 bra E; ld.shared.u32 %r3, [tile]; setp.ne.u32 %p2, %r3, 77; @%p2 bra M; add.u32 %r1, %r1, 3; bra N; M: add.u32 %r1, %r1, 1; N: bra L; E:`, 3000, true},
		{"by one or by nothing", 0, 9000, `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %n; @%p1 bra E; ld.shared.u32 %r3, [tile]; setp.ne.u32 %p2, %r3, 77; @%p2 bra M; add.u32 %r1, %r1, 0; bra N; M: add.u32 %r1, %r1, 3; N: bra L; E:`, unknown, false},
		{"by one, or set back", 0, 9000, `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %n; @%p1 bra E; ld.shared.u32 %r3, [tile]; setp.ne.u32 %p2, %r3, 77; @%p2 bra M; mov.u32 %r1, 0; bra N; M: add.u32 %r1, %r1, 3; N: bra L; E:`, unknown, false},
		{"by as much as a loop inside adds", 0, 9000, `mov.u32 %r1, 0;
K: setp.ge.u32 %p1, %r1, %n; @%p1 bra E; mov.u32 %r2, 0;
L: ld.shared.u32 %r3, [tile]; setp.ne.u32 %p2, %r3, 77; @%p2 bra M; add.u32 %r1, %r1, 1; bra N; M: add.u32 %r1, %r1, 2;
N: add.u32 %r2, %r2, 1; setp.lt.u32 %p3, %r2, 3; @%p3 bra L; bra K; E:`, 2, true},
	} {
		t.Run(c.name, func(t *testing.T) { checkRuns(t, c.body, c.lo, c.hi, c.n, c.exact) })
	}
}
