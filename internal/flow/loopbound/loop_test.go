package loopbound_test

import (
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/flow/access"
	"warpbound/internal/flow/launchfacts"
	"warpbound/internal/flow/strided"
	"warpbound/internal/flow/value"
	"warpbound/internal/test/flowtest"
)

// Counters as compilers write them.
func TestCounters(t *testing.T) {
	const unknown = -1
	for _, c := range []struct {
		name    string
		body    string
		n       int64 // iterations of the innermost loop
		formula string
		reason  string // a part of it
	}{
		{"while", `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, 10; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; E:`, 10, "", "%r1 from 0 by 1 while %r1 < 10"},
		{"with the limit first", `mov.u32 %r1, 0;
L: setp.le.u32 %p1, %m, %r1; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; E:`, 77, "", "%r1 from 0 by 1 while %r1 < "},
		{"rotated with a comparison for inequality", `setp.lt.s32 %p1, %n, 1; @%p1 bra E; mov.u32 %r1, 0;
L: add.s32 %r1, %r1, 1; setp.ne.s32 %p2, %r1, %n; @%p2 bra L; E:`, 1<<31 - 2, "", "while %r1 + 1 != n"},
		{"two at a time", `mov.u32 %r1, 0;
L: add.s32 %r1, %r1, 2; setp.ne.s32 %p2, %r1, 64; @%p2 bra L;`, 31, "", "from 2 by 2"},
		{"never equal", `mov.u32 %r1, 1;
L: add.s32 %r1, %r1, 2; setp.ne.s32 %p2, %r1, 64; @%p2 bra L;`, unknown, "", "not an induction variable"},
		{"64 bits with sign extension", `setp.lt.s32 %p1, %n, 1; @%p1 bra E; cvt.s64.s32 %d1, %n; mov.u64 %d2, 0;
L: add.s64 %d2, %d2, 1; setp.lt.s64 %p2, %d2, %d1; @%p2 bra L; E:`, 1<<31 - 2, "max(0, n - 1)", "from 1 by 1"},
		{"down to zero", `mov.u32 %r1, 100;
L: add.s32 %r1, %r1, -1; setp.ne.s32 %p2, %r1, 0; @%p2 bra L;`, 99, "", "from 99 by -1"},
		{"down while positive", `and.b32 %r1, %n, 63;
L: setp.lt.s32 %p1, %r1, 1; @%p1 bra E; sub.s32 %r1, %r1, 1; bra L; E:`, 63, "n&63", "while %r1 >= 1"},
		{"down by a step", `mov.u32 %r1, 100;
L: add.s32 %r1, %r1, -7; setp.gt.s32 %p2, %r1, 0; @%p2 bra L;`, 14, "", "by -7"},
		{"remainder of unrolling", `and.b32 %r1, %n, 3; setp.eq.s32 %p1, %r1, 0; @%p1 bra E;
L: add.s32 %r1, %r1, -1; setp.ne.s32 %p2, %r1, 0; @%p2 bra L; E:`, 2, "", "by -1"},
		{"thread index by the block", `mov.u32 %r1, %tid;
L: setp.ge.u32 %p1, %r1, 5000; @%p1 bra E; add.u32 %r1, %r1, %ntid; bra L; E:`, 5000, "", "by [1, 1024]"},
		{"grid stride that may wrap", `mov.u32 %r1, %tid;
L: setp.ge.u32 %p1, %r1, %n; @%p1 bra E; add.u32 %r1, %r1, 32; bra L; E:`, unknown, "", "may overflow"},
		{"a row for each thread", `mov.u32 %r1, %tid; add.u32 %r2, %tid, 1; shl.b32 %r2, %r2, 4;
L: setp.ge.s32 %p1, %r1, %r2; @%p1 bra E; add.s32 %r1, %r1, 16; bra L; E:`, 961, "ceil((15*tid.x + 16)/16)", "while %r1 < 16*tid.x + 16"},
		{"pointer", `add.u64 %d1, %buf, 256;
L: ld.global.u32 %r1, [%buf]; add.s64 %buf, %buf, 4; setp.ne.s64 %p2, %buf, %d1; @%p2 bra L;`, 63, "", "by 4"},
		{"halved", `mov.u32 %r1, %ntid;
L: shr.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;`, 10, "", "divided by 2"},
		{"halved while greater", `mov.u32 %r1, 512;
L: setp.gt.s32 %p1, %r1, 32; @!%p1 bra E; shr.s32 %r1, %r1, 1; bra L; E:`, 4, "", "divided by 2"},
		{"doubled", `mov.u32 %r1, 1;
L: setp.lt.u32 %p1, %r1, 1024; @!%p1 bra E; shl.b32 %r1, %r1, 1; bra L; E:`, 10, "", "times 2"},
		{"doubled by addition until equal", `mov.u32 %r1, 2;
L: add.u32 %r1, %r1, %r1; setp.ne.u32 %p1, %r1, 256; @%p1 bra L;`, 6, "", "times 2"},
		{"tripled up to what may be too much", `mov.u32 %r1, 1;
L: setp.lt.u32 %p1, %r1, %n; @!%p1 bra E; mul.lo.u32 %r1, %r1, 3; bra L; E:`, unknown, "", "not an induction variable"},
		{"two exits", `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, 100; @%p1 bra E; ld.shared.u32 %r2, [tile]; setp.eq.u32 %p2, %r2, 7; @%p2 bra E;
setp.eq.u32 %p3, %r1, 20; @%p3 bra E; add.u32 %r1, %r1, 1; bra L; E:`, 20, "", "!= 20"},
		{"two conditions", `mov.u32 %r1, 0;
L: ld.shared.u32 %r2, [tile]; setp.ne.u32 %p1, %r2, 7; setp.lt.and.u32 %p2, %r1, 30, %p1; add.u32 %r1, %r1, 1; @%p2 bra L;`, 30, "", "< 30"},
		{"continue", `mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; setp.gt.u32 %p3, %r1, 50; @%p3 bra E; ld.shared.u32 %r2, [tile]; setp.eq.u32 %p1, %r2, 7; @%p1 bra L;
st.shared.u32 [tile], %r1; bra L; E:`, 50, "", "<= 50"},
		{"steps of two sizes", `mov.u32 %r1, 0;
L: setp.gt.u32 %p3, %r1, 50; @%p3 bra E; add.u32 %r1, %r1, 5; ld.shared.u32 %r2, [tile]; setp.eq.u32 %p1, %r2, 7; @%p1 bra L;
add.u32 %r1, %r1, 2; bra L; E:`, 11, "", "by [5, 7]"},
		{"triangle", `mov.u32 %r1, 0;
K: mov.u32 %r2, %r1;
L: add.u32 %r2, %r2, 1; setp.lt.u32 %p1, %r2, 12; @%p1 bra L; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 12; @%p2 bra K;`, 11, "", "from [1, 12]"},
		{"known by the parameter", `mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %m; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; E:`, 77, "", "< 77"},
		{"by a comparison in another width", `.reg .b16 %h; ld.shared.u16 %h, [tile]; cvt.u32.u16 %r3, %h; setp.gt.u16 %p2, %h, 40; @%p2 bra E; mov.u32 %r1, 0;
L: setp.ge.u32 %p1, %r1, %r3; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; E:`, 40, "", "while %r1 <"},
		{"never", `mov.u32 %r1, 7;
L: setp.lt.u32 %p1, %r1, 5; @%p1 bra L;`, 0, "", "no back edge"},
		{"data", `L: ld.global.u32 %r1, [%buf]; setp.ne.u32 %p1, %r1, 0; @%p1 bra L;`, unknown, "", "not an induction variable"},
		{"without an exit on the way", `mov.u32 %r1, 0;
L: ld.shared.u32 %r2, [tile]; setp.eq.u32 %p1, %r2, 7; @%p1 bra L; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9; @%p2 bra L;`, unknown, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := flowtest.BodyGraph(t, c.body)
			bounds := flowtest.Must(value.Analyze(t.Context(), g, launchfacts.Launch{Params: []launchfacts.Word{{Offset: g.Kernel.Params[2].Offset, Interval: strided.Const(32, 77)}}})).Loops()
			b := bounds[len(bounds)-1]
			switch {
			case !b.Known && c.n != unknown, b.Known && b.Iterations != c.n:
				t.Errorf("%d (known: %v) iterations, want %d: %s", b.Iterations, b.Known, c.n, b.Reason)
			case b.Formula != c.formula:
				t.Errorf("formula %q, want %q", b.Formula, c.formula)
			case !strings.Contains(b.Reason, c.reason):
				t.Errorf("%q does not contain %q", b.Reason, c.reason)
			}
		})
	}
}

// What is known of a field of a struct is known however the kernel gets at it.
func TestFields(t *testing.T) {
	for name, body := range map[string]string{
		"by name":            "ld.param.u64 %d1, [s+8]; ld.param.u32 %r2, [s+16];",
		"by address":         "mov.b64 %d2, s; mov.u64 %d3, %d2; ld.param.u64 %d1, [%d3+8]; ld.param.u32 %r2, [%d3+16];",
		"by generic address": "mov.b64 %d2, s; cvta.param.u64 %d2, %d2; add.u64 %d3, %d2, 8; ld.u64 %d1, [%d3]; ld.u32 %r2, [%d2+16];",
		"as a vector":        "mov.b64 %d2, s; ld.param.v2.u64 {%d4, %d1}, [%d2]; ld.param.v2.u32 {%r2, %r3}, [%d2+16];",
	} {
		t.Run(name, func(t *testing.T) {
			g := flowtest.Graph(t, "k.ptx", `.version 7.7
.target sm_70
.address_size 64
.visible .entry k(.param .u32 n, .param .align 16 .b8 s[32]) {
.reg .pred %p1; .reg .b32 %r<5>; .reg .b64 %d<9>;
`+body+`
mov.u32 %r4, %tid.x; mul.wide.u32 %d5, %r4, 4; add.u64 %d1, %d1, %d5;
L: ld.global.u32 %r1, [%d1]; add.u32 %r2, %r2, -1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;
ret;
}
`)
			at := g.Kernel.Params[1].Offset
			r := flowtest.Must(value.Analyze(t.Context(), g, launchfacts.Launch{
				Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1},
				Params: []launchfacts.Word{{Offset: at + 8, Interval: strided.Multiples(64, 256).Add(strided.Const(64, 64))}, {Offset: at + 16, Interval: strided.Const(32, 9)}},
			}))
			if b := r.Loops()[0]; !b.Known || b.Iterations != 8 {
				t.Errorf("%+v", b)
			}
			all := flowtest.Must(r.Accesses(t.Context(), access.DefaultMemory))
			if a := all[len(all)-1]; a.Min != 2 || a.Max != 2 { // in the second half of a line, and the first half of the next
				t.Errorf("%+v", a)
			}
		})
	}
}

// The example of Hirvisalo's Listing 1: the threads of warps of four lanes iterate at most
// 4, 8, 12 and 16 times.
func TestBoundsDifferByWarp(t *testing.T) {
	row := flowtest.BodyGraph(t, `mov.u32 %r1, %tid; add.u32 %r2, %tid, 1; shl.b32 %r2, %r2, 4;
L: setp.ge.s32 %p1, %r1, %r2; @%p1 bra E; add.s32 %r1, %r1, 16; bra L; E:`)
	listing := flowtest.Suite(t, "triangleSum")
	for name, c := range map[string]struct {
		graph  *cfg.Graph
		params []launchfacts.Word
	}{
		"PTX":       {row, nil},
		"listing 1": {listing.Graph, listing.Known(false).Params},
	} {
		launch := launchfacts.Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{16, 1, 1}, Width: 4, Params: c.params}
		got := flowtest.Must(value.ByWarp(t.Context(), c.graph, launch))
		for w, want := range []int64{4, 8, 12, 16} {
			if b := got[w][0]; !b.Known || b.Iterations != want || !b.Together {
				t.Errorf("%s, warp %d: %+v, want %d", name, w, b, want)
			}
		}
	}
}

// What an instruction that is not modelled writes can be anything, and all else is as it was.
func TestUnmodelledInstructions(t *testing.T) {
	const unknown = -1
	for name, c := range map[string]struct {
		body string
		n    int64
	}{
		"another register": {"mov.u32 %r1, 0; L: frob.u32 %r2, %r1, 64; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;", 8},
		"memory":           {"mov.u32 %r1, 0; L: frob.u32 [%buf], %r1; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;", 8},
		"the start":        {"frob.u32 %r1; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;", 9},
		"the counter":      {"mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; frob.u32 %r1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;", unknown},
		"under a guard":    {"mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; @%p2 frob.u32 %r1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;", unknown},
		"of a vector":      {"mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; frob.u32 {%r2, %r1}; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;", unknown},
		"the condition":    {"mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; frob.u32 %r2|%p1; @%p1 bra L;", unknown},
		"accumulated":      {"mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; wgmma.mma_async.x {%r1}, %d1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L;", unknown},
	} {
		r := flowtest.Must(value.Analyze(t.Context(), flowtest.Unmodelled(t, "k.ptx", flowtest.BodyModule(c.body)), launchfacts.Launch{}))
		if b := r.Loops()[0]; b.Known != (c.n != unknown) || b.Known && b.Iterations != c.n {
			t.Errorf("%s: %+v, want %d", name, b, c.n)
		}
	}
}

// A loop that some lanes may begin anew while others wait in it has no bound that holds
// for a warp as for its threads.
func TestDivergedLanesInLoops(t *testing.T) {
	for _, c := range []struct {
		name     string
		body     string
		together bool
	}{
		{"divergent exit", `mov.u32 %r1, %tid;
L: setp.ge.u32 %p1, %r1, 100; @%p1 bra E; add.u32 %r1, %r1, 1; bra L; E:`, true},
		{"divergent branch inside", `mov.u32 %r1, 0;
L: setp.lt.u32 %p1, %tid, 5; @%p1 bra M; st.shared.u32 [tile], %r1; M: add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9; @%p2 bra L;`, true},
		{"begun anew", `mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; setp.gt.u32 %p3, %r1, 50; @%p3 bra E; setp.lt.u32 %p1, %tid, %r1; @%p1 bra L;
st.shared.u32 [tile], %r1; bra L; E:`, true},
		{"waiting inside", `mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; and.b32 %r2, %r1, %tid; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;
st.shared.u32 [tile], %r1; setp.lt.u32 %p2, %r1, 50; @%p2 bra L;`, false},
		{"two ways back that reconverge behind the loop", `mov.u32 %r1, 0;
L: add.u32 %r1, %r1, 1; and.b32 %r2, %r1, %tid; setp.eq.u32 %p1, %r2, 0; @%p1 bra M;
st.shared.u32 [tile], %r1; setp.lt.u32 %p2, %r1, 50; @%p2 bra L; bra E;
M: setp.lt.u32 %p2, %r1, 50; @%p2 bra L; E:`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := flowtest.Must(value.Analyze(t.Context(), flowtest.BodyGraph(t, c.body), launchfacts.Launch{})).Loops()[0]
			if b.Together != c.together {
				t.Errorf("together: %v, want %v", b.Together, c.together)
			}
		})
	}
}

// The counter of a loop around others keeps its value in them.
func TestNestedLoops(t *testing.T) {
	g := flowtest.BodyGraph(t, `mov.u32 %r1, 0;
L: mov.u32 %r2, %r1;
M: mov.u32 %r3, 0;
N: add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4; @%p1 bra N;
add.u32 %r2, %r2, 2; setp.lt.u32 %p2, %r2, 20; @%p2 bra M;
add.u32 %r1, %r1, 1; setp.lt.u32 %p3, %r1, 9; @%p3 bra L;`)
	want := map[string]int64{"L": 8, "M": 9, "N": 3}
	for _, b := range flowtest.Must(value.Analyze(t.Context(), g, launchfacts.Launch{})).Loops() {
		name := g.Name(b.Header)
		if n, ok := want[name]; !ok || !b.Known || b.Iterations != n {
			t.Errorf("%s: %+v, want %d iterations", name, b, n)
		}
		delete(want, name)
	}
	if len(want) > 0 {
		t.Errorf("loops are missing: %v", want)
	}
}
