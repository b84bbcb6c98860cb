package ranking_test

import (
	"context"
	"testing"
	"time"

	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/ranking"
	"warpbound/internal/flow/value"
	"warpbound/internal/smt"
	"warpbound/internal/test/flowtest"
	"warpbound/internal/test/smttest"
)

// moduleOf makes a module of a kernel whose registers %x and %y are loaded, so that nothing is known of them, and %n and %m are loaded
// and no more than 1000.
func moduleOf(body string) string {
	return `.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
.reg .pred %p<9>; .reg .b32 %r<20>; .reg .b64 %d<20>;
.reg .b32 %x, %y, %n, %m, %i, %j; .reg .b64 %buf;
ld.param.u64 %buf, [p];
ld.global.u32 %x, [%buf]; ld.global.u32 %y, [%buf+4]; ld.global.u32 %n, [%buf+8]; ld.global.u32 %m, [%buf+12];
min.u32 %n, %n, 1000; min.u32 %m, %m, 1000;
` + body + "\nret;\n}\n"
}

// rank returns the bound of the only loop of a kernel, -1 if there is none.
func rank(t *testing.T, s ranking.Solver, body string) (int64, string) {
	t.Helper()
	g := flowtest.Graph(t, "k.ptx", moduleOf(body))
	if n := len(g.Loops().Loops); n != 1 {
		t.Fatalf("%d loops", n)
	}
	v := flowtest.Must(value.Analyze(t.Context(), g, launchfacts.Launch{}))
	r, err := ranking.Find(context.Background(), smt.NewBuilder(), v, 0, s)
	if err != nil {
		t.Fatal(err)
	}
	if r == nil {
		return -1, ""
	}
	return r.Iterations, r.Function
}

// loops are loops that counters do not bound, with their bounds; -1 if they have none.
var loops = []struct {
	name     string
	body     string
	n        int64
	function string
}{
	{"gcd by remainders", `L: setp.eq.u32 %p1, %y, 0; @%p1 bra E; rem.u32 %r1, %x, %y; mov.u32 %x, %y; mov.u32 %y, %r1; bra L; E:`, 65, "%y is at most halved by two iterations"},
	{"gcd by subtraction", `and.b32 %x, %x, 1023; and.b32 %y, %y, 1023; max.u32 %x, %x, 1; max.u32 %y, %y, 1;
L: setp.eq.u32 %p1, %x, %y; @%p1 bra E; setp.gt.u32 %p2, %x, %y; @%p2 sub.u32 %x, %x, %y; @!%p2 sub.u32 %y, %y, %x; bra L; E:`, 2044, "%x + %y decreases"},
	{"merging two rows", `mov.u32 %i, 0; mov.u32 %j, 0;
L: setp.ge.s32 %p1, %i, %n; setp.ge.s32 %p2, %j, %m; or.pred %p1, %p1, %p2; @%p1 bra E;
mul.wide.s32 %d1, %i, 4; add.u64 %d1, %d1, %buf; ld.global.u32 %r1, [%d1]; setp.lt.u32 %p3, %r1, %x; @%p3 bra A; add.u32 %j, %j, 1; bra L; A: add.u32 %i, %i, 1; bra L; E:`, 1999, "-%i - %j decreases"},
	{"leading zeros", `setp.eq.u32 %p1, %x, 0; @%p1 bra E;
L: setp.lt.s32 %p2, %x, 0; @%p2 bra E; shl.b32 %x, %x, 1; bra L; E:`, 31, "%x is at least doubled"},
	{"trailing zeros", `or.b32 %x, %x, 65536;
L: and.b32 %r1, %x, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra E; shr.u32 %x, %x, 1; bra L; E:`, 32, "%x is at most halved"},
	{"two ends", `mov.u32 %i, 0; mov.u32 %j, %n;
L: setp.ge.s32 %p1, %i, %j; @%p1 bra E; mul.wide.s32 %d1, %i, 4; add.u64 %d1, %d1, %buf; ld.global.u32 %r1, [%d1]; setp.lt.u32 %p3, %r1, %x; @%p3 bra A; sub.u32 %j, %j, 1; bra L; A: add.u32 %i, %i, 1; bra L; E:`, 1000, ""},
	{"Collatz", `max.u32 %x, %x, 1;
L: setp.eq.u32 %p1, %x, 1; @%p1 bra E; and.b32 %r1, %x, 1; setp.eq.u32 %p2, %r1, 0; @%p2 bra A; mad.lo.u32 %x, %x, 3, 1; bra L; A: shr.u32 %x, %x, 1; bra L; E:`, -1, ""},
	{"endless for zero", `L: setp.eq.u32 %p1, %x, 1; @%p1 bra E; shr.u32 %x, %x, 1; bra L; E:`, -1, ""},
	{"endless by wrapping", `L: setp.eq.u32 %p1, %x, %y; @%p1 bra E; sub.u32 %x, %x, 2; bra L; E:`, -1, ""},
	{"loaded anew", `L: ld.global.u32 %x, [%buf+16]; setp.ne.u32 %p1, %x, 0; @%p1 bra L;`, -1, ""},
}

// TestLoops asks both solvers, which find the same where both find something.
func TestLoops(t *testing.T) {
	for _, solver := range []smt.Command{smt.ThoroughZ3(), smt.ThoroughCVC5()} {
		t.Run(solver.Name, func(t *testing.T) {
			for _, c := range loops {
				n, function := rank(t, smttest.New(t, solver, solver, time.Hour), c.body)
				t.Logf("%s: %d, %s", c.name, n, function)
				if n != c.n || c.function != "" && function != c.function {
					t.Errorf("%s: %d (%s), want %d (%s)", c.name, n, function, c.n, c.function)
				}
			}
		})
	}
}

// TestLoopsOfDifferentWidths asks one solver about two loops, whose variables are of different sorts.
func TestLoopsOfDifferentWidths(t *testing.T) {
	z3 := smt.ThoroughZ3()
	s := smttest.New(t, z3, z3, time.Hour)
	g := flowtest.Graph(t, "k.ptx", moduleOf(`cvt.u64.u32 %d1, %y; cvt.u64.u32 %d2, %x;
L: setp.eq.u32 %p1, %y, 0; @%p1 bra M; rem.u32 %r1, %x, %y; mov.u32 %x, %y; mov.u32 %y, %r1; bra L;
M: setp.eq.u64 %p1, %d1, 0; @%p1 bra E; rem.u64 %d3, %d2, %d1; mov.u64 %d2, %d1; mov.u64 %d1, %d3; bra M; E:`))
	v, b := flowtest.Must(value.Analyze(t.Context(), g, launchfacts.Launch{})), smt.NewBuilder()
	for i := range g.Loops().Loops {
		if r, err := ranking.Find(context.Background(), b, v, i, s); err != nil || r == nil || r.Iterations != 65 {
			t.Errorf("loop %d: %+v, %v", i, r, err)
		}
	}
}
