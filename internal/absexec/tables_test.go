package absexec

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/graph"
)

// summary counts what an execution shows.
type summary struct {
	steps, uncertain, open, unknown, forks int
}

func (s *summary) Step(st *Step) {
	s.steps++
	if !st.Certain {
		s.uncertain++
	}
	if st.Must != st.May {
		s.open++
	}
	if st.Access != nil && st.Access.Known != st.May {
		s.unknown++
	}
}
func (s *summary) Fork(int)     { s.forks++ }
func (s *summary) Alternative() {}
func (s *summary) Join()        {}
func (s *summary) Repeat(int)   {}
func (s *summary) Repeated()    {}

// describe executes a warp and lists its boxes with what they show; what is zero is left
// out.
func describe(t *testing.T, c Config, warp int) []string {
	t.Helper()
	results, err := New(c).Warp(context.Background(), warp, func(Box) Visitor { return &summary{} })
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(results, func(a, b Result) int { return slices.Compare(lows(a), lows(b)) })
	var lines []string
	for _, r := range results {
		s := r.Visitor.(*summary)
		line := fmt.Sprintf("%v: %d steps", r.Box, s.steps)
		for _, n := range []struct {
			count int
			name  string
		}{{s.uncertain, "uncertain"}, {s.open, "open"}, {s.unknown, "unknown"}, {s.forks, "forks"}} {
			if n.count > 0 {
				line += fmt.Sprintf(", %d %s", n.count, n.name)
			}
		}
		for _, l := range r.Loops {
			line += fmt.Sprintf(", loop %d", l.Iterations)
			if l.Forced {
				line += " forced"
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func lows(r Result) []int { return []int{r.Box.Lo[2], r.Box.Lo[1], r.Box.Lo[0]} }

const million = 1 << 20

// TestBoxes checks into which boxes the CTAs of launches fall, and what is known there.
// The prologue has 7 instructions.
func TestBoxes(t *testing.T) {
	x := func(n int) [3]int { return [3]int{n, 1, 1} }
	for _, c := range []struct {
		name        string
		n           int
		grid, block [3]int
		warp        int
		decl, body  string
		want        []string
	}{
		{name: "boundary CTA", n: million*64 - 40, grid: x(million), block: x(64), warp: 0,
			body: "setp.ge.u32 %p1, %i, %n; @%p1 bra done; mul.wide.u32 %rd1, %i, 4; add.u64 %rd1, %buf, %rd1; ld.global.u32 %r1, [%rd1]; done: ret;",
			want: []string{"[0,1048575)x[0,1)x[0,1): 13 steps", "[1048575,1048576)x[0,1)x[0,1): 13 steps"}},
		{name: "boundary in a CTA that another warp reaches", n: 64*5 + 40, grid: x(million), block: x(64), warp: 0,
			body: "setp.ge.s32 %p1, %i, %n; @%p1 bra done; add.u32 %r1, %i, 1; done: ret;",
			want: []string{"[0,6)x[0,1)x[0,1): 11 steps", "[6,1048576)x[0,1)x[0,1): 10 steps"}},
		{name: "first CTA", grid: x(million), block: x(32),
			body: "setp.ne.u32 %p1, %c, 0; @%p1 bra done; add.u32 %r1, %i, 1; done: ret;",
			want: []string{"[0,1)x[0,1)x[0,1): 11 steps", "[1,1048576)x[0,1)x[0,1): 10 steps"}},
		{name: "one CTA in the middle", grid: x(million), block: x(32),
			body: "setp.ne.u32 %p1, %c, 500; @%p1 bra done; add.u32 %r1, %i, 1; done: ret;",
			want: []string{"[0,500)x[0,1)x[0,1): 10 steps", "[500,501)x[0,1)x[0,1): 11 steps", "[501,1048576)x[0,1)x[0,1): 10 steps"}},
		{name: "equality after wrapping around", grid: x(2), block: x(32),
			body: "shl.b32 %r1, %c, 31; add.u32 %r1, %r1, 0x80000000; setp.eq.u32 %p1, %r1, 0; @%p1 bra done; add.u32 %r2, %c, 1; done: ret;",
			want: []string{"[0,1)x[0,1)x[0,1): 13 steps", "[1,2)x[0,1)x[0,1): 12 steps"}},
		{name: "stencil with a wrapping index", n: 4096, grid: x(128), block: x(32),
			body: "sub.u32 %r1, %i, 1; setp.ge.u32 %p1, %r1, %n; @%p1 bra done; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %buf, %rd1; ld.global.u32 %r2, [%rd1]; done: ret;",
			want: []string{"[0,1)x[0,1)x[0,1): 14 steps", "[1,128)x[0,1)x[0,1): 14 steps"}},
		{name: "grid stride", n: 32 * 100, grid: x(40), block: x(32),
			body: "mov.u32 %r2, %nctaid.x; shl.b32 %r2, %r2, 5; head: setp.ge.u32 %p1, %i, %n; @%p1 bra done; add.u32 %i, %i, %r2; bra head; done: ret;",
			want: []string{"[0,20)x[0,1)x[0,1): 24 steps, loop 3", "[20,40)x[0,1)x[0,1): 20 steps, loop 2"}},
		{name: "tiles", n: 500, grid: [3]int{16, 16, 1}, block: [3]int{32, 1, 1},
			body: "mov.u32 %r1, %ctaid.y; mad.lo.u32 %r2, %r1, 512, %i; setp.ge.u32 %p1, %i, %n; @%p1 bra done; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd1, %buf; st.global.u32 [%rd1], %r2; done: ret;",
			want: []string{"[0,15)x[0,16)x[0,1): 15 steps", "[15,16)x[0,16)x[0,1): 15 steps"}},
		{name: "a linear index of two axes", n: 20 * 1024 * 5, grid: [3]int{1024, 1024, 1}, block: x(32),
			body: "mov.u32 %r1, %ctaid.y; mad.lo.u32 %r2, %r1, 32768, %i; setp.ge.u32 %p1, %r2, %n; @%p1 bra done; add.u32 %r3, %r2, 1; done: ret;",
			want: []string{"[0,1024)x[0,3)x[0,1): 13 steps", "[0,128)x[3,4)x[0,1): 13 steps", "[128,1024)x[3,4)x[0,1): 12 steps", "[0,1024)x[4,1024)x[0,1): 12 steps"}},
		{name: "remainder and quotient by the block", grid: x(million), block: x(64), warp: 1,
			body: "and.b32 %r1, %i, 63; shr.u32 %r2, %i, 6; rem.u32 %r3, %i, 64; div.u32 %r4, %i, 64; setp.lt.u32 %p1, %r1, 40; @%p1 add.u32 %r5, %r2, 1; setp.lt.u32 %p2, %r3, 40; @%p2 bra done; done: ret;",
			want: []string{"[0,1048576)x[0,1)x[0,1): 16 steps"}},
		{name: "a difference that does not fit in each CTA", grid: x(4), block: x(32),
			body: "mul.wide.u32 %rd1, %c, 0x2000; add.s64 %rd1, %rd1, 0x7fffffffffff0000; mul.wide.u32 %rd2, %c, 0x2000; neg.s64 %rd2, %rd2; sub.s64 %rd2, %rd2, 0x8000; setp.lt.s64 %p1, %rd1, %rd2; @%p1 bra done; add.u32 %r2, %c, 1; done: ret;",
			want: []string{"[0,2)x[0,1)x[0,1): 16 steps", "[2,3)x[0,1)x[0,1): 16 steps", "[3,4)x[0,1)x[0,1): 16 steps"}},
		{name: "numbers that are compared as floating point", grid: x(4), block: x(32),
			body: "shl.b32 %r1, %c, 30; setp.lt.f32 %p1, %r1, 0fBF800000; @%p1 bra done; add.u32 %r2, %c, 1; done: ret;",
			want: []string{"[0,1)x[0,1)x[0,1): 12 steps", "[1,2)x[0,1)x[0,1): 12 steps", "[2,3)x[0,1)x[0,1): 12 steps", "[3,4)x[0,1)x[0,1): 11 steps"}},
		{name: "masks that come first", grid: x(million), block: x(64), warp: 1,
			body: "mov.u32 %r5, 63; and.b32 %r1, %r5, %i; setp.lt.u32 %p1, %r1, 40; @%p1 bra done; add.u32 %r2, %c, 1; done: ret;",
			want: []string{"[0,1048576)x[0,1)x[0,1): 13 steps"}},
		{name: "shifts that leave nothing", grid: x(million), block: x(32),
			body: "shr.u32 %r1, %i, 32; shr.s32 %r2, %i, 50; add.u32 %r1, %r1, %r2; setp.ne.u32 %p1, %r1, 0; @%p1 bra done; add.u32 %r2, %c, 1; done: ret;",
			want: []string{"[0,1048576)x[0,1)x[0,1): 14 steps"}},
		{name: "a difference that does not fit", grid: x(2), block: x(32),
			body: "cvt.u64.u32 %rd1, %c; add.s64 %rd1, %rd1, 0x7ffffffffffff000; setp.lt.s64 %p1, %rd1, -8192; @%p1 bra done; add.u32 %r2, %c, 1; done: ret;",
			want: []string{"[0,1)x[0,1)x[0,1): 13 steps", "[1,2)x[0,1)x[0,1): 13 steps"}},
		{name: "the parity of the CTA", grid: x(8), block: x(32),
			body: "and.b32 %r1, %c, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra done; add.u32 %r2, %c, 1; done: ret;",
			want: func() (all []string) {
				for i := range 8 {
					all = append(all, fmt.Sprintf("[%d,%d)x[0,1)x[0,1): %d steps", i, i+1, 11+i%2))
				}
				return all
			}()},
		{name: "a minimum", n: 1000, grid: x(64), block: x(32),
			body: "min.u32 %r1, %i, %n; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %buf; ld.global.u32 %r2, [%rd1]; ret;",
			want: []string{"[0,31)x[0,1)x[0,1): 12 steps", "[31,32)x[0,1)x[0,1): 12 steps", "[32,64)x[0,1)x[0,1): 12 steps"}},
		{name: "a choice", grid: x(64), block: x(32),
			body: "setp.lt.u32 %p1, %t, 7; selp.b32 %r1, %i, %t, %p1; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %buf; ld.global.u32 %r2, [%rd1]; ret;",
			want: []string{"[0,64)x[0,1)x[0,1): 13 steps"}},
		{name: "an index that a mask leaves alone or cuts", grid: x(96), block: x(32),
			body: "and.b32 %r1, %i, 2047; and.b32 %r2, %i, 0xffff; add.u32 %r1, %r1, %r2; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %buf; st.global.u8 [%rd1], %r0; ret;",
			want: []string{"[0,64)x[0,1)x[0,1): 14 steps", "[64,96)x[0,1)x[0,1): 14 steps"}},
		{name: "an index of words that a mask in bytes cuts", grid: x(96), block: x(32),
			body: "shl.b32 %r1, %i, 2; and.b32 %r1, %r1, 0x1ffc; cvt.u64.u32 %rd1, %r1; add.u64 %rd1, %rd1, %buf; st.global.u32 [%rd1], %r0; ret;",
			want: []string{"[0,64)x[0,1)x[0,1): 13 steps", "[64,96)x[0,1)x[0,1): 13 steps"}},
		{name: "tiles of one axis", grid: x(96), block: x(32),
			body: "shr.u32 %r1, %c, 5; rem.u32 %r2, %c, 32; mad.lo.u32 %r3, %r1, 1024, %r2; mul.wide.u32 %rd1, %r3, 4; add.u64 %rd1, %rd1, %buf; ld.global.u32 %r0, [%rd1]; ret;",
			want: []string{"[0,32)x[0,1)x[0,1): 14 steps", "[32,64)x[0,1)x[0,1): 14 steps", "[64,96)x[0,1)x[0,1): 14 steps"}},
		{name: "a bit of an address that no box has a form for", grid: x(4), block: x(32),
			body: "xor.b32 %r1, %c, 1; mul.wide.u32 %rd1, %r1, 4; add.u64 %rd1, %rd1, %buf; ld.global.u32 %r0, [%rd1]; ret;",
			want: []string{"[0,1)x[0,1)x[0,1): 12 steps", "[1,2)x[0,1)x[0,1): 12 steps", "[2,3)x[0,1)x[0,1): 12 steps", "[3,4)x[0,1)x[0,1): 12 steps"}},
		{name: "local memory", grid: x(100), block: x(32), decl: "",
			body: `.local .align 8 .b8 frame[32]; .reg .u64 %f;
				mov.u64 %f, frame; st.local.u32 [%f+4], 0; st.local.u32 [%f], %i;
				head: ld.local.u32 %r1, [frame+4]; setp.ge.u32 %p1, %r1, 5; @%p1 bra done;
				ld.local.u8 %rs1, [frame+4]; add.u32 %r1, %r1, 1; st.local.u32 [frame+4], %r1; bra head;
				done: ld.local.u32 %r2, [frame]; mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd1, %buf; ld.global.u32 %r3, [%rd1]; ret;`,
			want: []string{"[0,100)x[0,1)x[0,1): 53 steps, loop 5"}},
		{name: "halves of a number in local memory", grid: x(100), block: x(32),
			body: `.local .align 8 .b8 frame[32]; .reg .u64 %f;
				mov.u64 %f, 21474836483; st.local.u64 [frame], %f; ld.local.u32 %r1, [frame]; ld.local.u32 %r2, [frame+4];
				head: sub.u32 %r1, %r1, 1; setp.ne.u32 %p1, %r1, 0; @%p1 bra head;
				next: sub.u32 %r2, %r2, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra next; ret;`,
			want: []string{"[0,100)x[0,1)x[0,1): 36 steps, loop 2, loop 4"}},
		{name: "a number of two halves in local memory", grid: x(100), block: x(32),
			body: `.local .align 8 .b8 frame[32]; .reg .u64 %f;
				st.local.u32 [frame], 3; st.local.u32 [frame+4], 1; ld.local.u64 %f, [frame]; sub.u64 %f, %f, 4294967296;
				head: sub.u64 %f, %f, 1; setp.ne.u64 %p1, %f, 0; @%p1 bra head; ret;`,
			want: []string{"[0,100)x[0,1)x[0,1): 21 steps, loop 2"}},
		{name: "half of a number in local memory that is not known", grid: x(100), block: x(32),
			body: `.local .align 8 .b8 frame[32]; .reg .u64 %f;
				st.local.u32 [frame], 3; ld.local.u64 %f, [frame]; setp.ne.u64 %p1, %f, 3; @%p1 bra done; add.u32 %r1, %t, 1; done: ret;`,
			want: []string{"[0,100)x[0,1)x[0,1): 13 steps, 1 uncertain, 2 open"}},
		{name: "local memory through generic addresses", grid: x(100), block: x(32),
			body: `.local .align 8 .b8 frame[32]; .reg .u64 %f;
				cvta.local.u64 %f, frame; st.u32 [%f], 3; st.global.u32 [%buf], 1; st.u32 [%buf], 1;
				head: ld.u32 %r1, [%f]; sub.u32 %r1, %r1, 1; st.u32 [%f], %r1; setp.ne.u32 %p1, %r1, 0; @%p1 bra head; ret;`,
			want: []string{"[0,100)x[0,1)x[0,1): 27 steps, loop 2"}},
		{name: "data decides", grid: x(100), block: x(32),
			body: "ld.global.u32 %r1, [%buf]; setp.eq.u32 %p1, %r1, 0; @%p1 bra done; add.u32 %r2, %r1, 1; add.u32 %r3, %t, 1; done: ret;",
			want: []string{"[0,100)x[0,1)x[0,1): 13 steps, 2 uncertain, 3 open"}},
		{name: "data decides for some lanes", grid: x(100), block: x(32),
			body: "ld.global.u32 %r1, [%buf]; setp.lt.u32 %p1, %t, 8; setp.eq.u32 %p2, %r1, 0; or.pred %p3, %p1, %p2; @%p3 bra done; add.u32 %r2, %r1, 1; done: ret;",
			want: []string{"[0,100)x[0,1)x[0,1): 14 steps, 1 uncertain, 2 open"}},
		{name: "a counter behind a branch that data decides", grid: x(100), block: x(32),
			body: `ld.global.u32 %r1, [%buf]; setp.eq.u32 %p1, %r1, 0; @%p1 bra done; mov.u32 %r2, 0;
				head: mul.wide.u32 %rd1, %r2, 4; add.u64 %rd1, %rd1, %buf; ld.global.u32 %r3, [%rd1]; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 3; @%p2 bra head; done: ret;`,
			want: []string{"[0,100)x[0,1)x[0,1): 30 steps, 19 uncertain, 19 open, loop 2"}},
		{name: "a vote of lanes that data choose", grid: x(3), block: x(32),
			body: `mul.wide.u32 %rd1, %t, 4; add.u64 %rd1, %rd1, %buf; ld.global.u32 %r1, [%rd1]; and.b32 %r1, %r1, 1; setp.eq.u32 %p1, %r1, 0;
				setp.lt.u32 %p2, %t, 32; mov.u32 %r2, 0xffffffff; @%p1 vote.ballot.b32 %r2, %p2;
				setp.ne.u32 %p3, %r2, 0xffffffff; @%p3 bra done; add.u32 %r3, %t, 1; done: ret;`,
			want: []string{"[0,3)x[0,1)x[0,1): 19 steps, 1 uncertain, 3 open"}},
		{name: "an early exit", n: 70, grid: x(3), block: x(32),
			body: "setp.ge.u32 %p1, %i, %n; @%p1 exit; bar.sync 0; add.u32 %r1, %i, 1; ret;",
			want: []string{"[0,2)x[0,1)x[0,1): 12 steps", "[2,3)x[0,1)x[0,1): 12 steps"}},
		{name: "an exit that data decides", grid: x(3), block: x(32),
			body: "ld.global.u32 %r1, [%buf]; setp.eq.u32 %p1, %r1, 0; @%p1 exit; add.u32 %r1, %i, 1; ret;",
			want: []string{"[0,3)x[0,1)x[0,1): 12 steps, 2 uncertain, 3 open"}},
		{name: "an assertion", grid: x(3), block: x(32),
			body: "ld.global.u32 %r1, [%buf]; setp.eq.u32 %p1, %r1, 0; @%p1 bra fail; add.u32 %r1, %i, 1; ret; fail: trap;",
			want: []string{"[0,3)x[0,1)x[0,1): 12 steps, 1 open"}},
		{name: "an input scalar", grid: x(3), block: x(32),
			body: "setp.eq.u32 %p1, %d, 0; @%p1 bra done; add.u32 %r1, %i, 1; done: ret;",
			want: []string{"[0,3)x[0,1)x[0,1): 11 steps, 1 uncertain, 2 open"}},
		{name: "an integer of NaN", grid: x(3), block: x(32),
			body: `mov.f32 %f1, 0f7FC00000; cvt.rzi.u32.f32 %r1, %f1; setp.eq.u32 %p1, %r1, 0; @%p1 bra done;
				add.u32 %r2, %i, 1; done: ret;`,
			want: []string{"[0,3)x[0,1)x[0,1): 13 steps, 1 uncertain, 2 open"}},
		{name: "an integer of a constant that is NaN", grid: x(3), block: x(32),
			body: `cvt.rni.s64.f64 %rd1, 0d7FF8000000000000; setp.lt.s64 %p1, %rd1, 0; @%p1 bra done;
				add.u32 %r2, %i, 1; done: ret;`,
			want: []string{"[0,3)x[0,1)x[0,1): 12 steps, 1 uncertain, 2 open"}},
		{name: "an integer of a number", grid: x(3), block: x(32),
			body: `mov.f32 %f1, 0fFF800000; cvt.rzi.s32.f32 %r1, %f1; setp.eq.u32 %p1, %r1, 0; @%p1 bra done;
				add.u32 %r2, %i, 1; done: ret;`,
			want: []string{"[0,3)x[0,1)x[0,1): 13 steps"}},
		{name: "integers of NaN in some lanes", grid: x(3), block: x(32),
			body: `add.u32 %r1, %t, 0x7f7ffff0; cvt.rzi.u32.f32 %r2, %r1; setp.gt.u32 %p1, %t, 16; @%p1 bra done;
				setp.eq.u32 %p2, %r2, 0; @%p2 bra done; add.u32 %r3, %r2, 1; done: ret;`,
			want: []string{"[0,3)x[0,1)x[0,1): 15 steps"}},
		{name: "constant memory", grid: x(3), block: x(32), decl: ".const .align 4 .u32 table[2] = {3, 0};",
			body: "ld.const.u32 %r1, [table]; setp.eq.u32 %p1, %r1, 0; @%p1 bra done; add.u32 %r1, %i, 1; done: ret;",
			want: []string{"[0,3)x[0,1)x[0,1): 12 steps"}},
		{name: "a table that CTAs index", grid: x(3), block: x(32), decl: ".const .align 4 .u32 table[3] = {0, 3, 0};",
			body: "mul.wide.u32 %rd1, %c, 4; mov.u64 %rd2, table; add.u64 %rd1, %rd1, %rd2; ld.const.u32 %r1, [%rd1]; setp.eq.u32 %p1, %r1, 0; @%p1 bra done; add.u32 %r1, %i, 1; done: ret;",
			want: []string{"[0,3)x[0,1)x[0,1): 15 steps, 1 uncertain, 2 open"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := compile(t, c.n, c.grid, c.block, c.decl, c.body)
			if d := cmp.Diff(c.want, describe(t, l.config(), c.warp)); d != "" {
				t.Error(d)
			}
			if l.grid.CTAs() > 128 {
				return
			}
			if err := l.cover(t, l.config(), 1); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestUniform checks alternatives: a branch on data, known to be uniform, whose paths
// store under different addresses and write the same register.
func TestUniform(t *testing.T) {
	l := compile(t, 0, [3]int{5, 1, 1}, [3]int{32, 1, 1}, "", `
		ld.global.u32 %r1, [%buf]; setp.eq.u32 %p1, %r1, 0; @%p1 bra other;
		mov.u32 %r2, 4; add.u32 %r3, %t, 1; bra done;
		other: mov.u32 %r2, 4; bra done;
		done: setp.eq.u32 %p2, %r2, 4; @!%p2 bra end; add.u32 %r4, %r2, %t; end: ret;`)
	c := l.config()
	c.Uniform = func(int) bool { return true }
	if d := cmp.Diff([]string{"[0,5)x[0,1)x[0,1): 19 steps, 1 open, 1 forks"}, describe(t, c, 0)); d != "" {
		t.Error(d)
	}
	if err := l.cover(t, c, 1); err != nil {
		t.Error(err)
	}
}

// TestUniformExit checks that lanes which end in one alternative are not in the must mask
// behind the join.
func TestUniformExit(t *testing.T) {
	l := compile(t, 0, [3]int{5, 1, 1}, [3]int{32, 1, 1}, "", `
		ld.global.u32 %r1, [%buf]; setp.ge.u32 %p1, %r1, 4; @%p1 bra other;
		add.u32 %r3, %t, 1; bra done;
		other: setp.lt.u32 %p2, %t, 8; @%p2 exit; add.u32 %r3, %t, 2;
		done: add.u32 %r4, %r3, %t; ret;`)
	c := l.config()
	c.Uniform = func(int) bool { return true }
	if d := cmp.Diff([]string{"[0,5)x[0,1)x[0,1): 17 steps, 3 open, 1 forks"}, describe(t, c, 0)); d != "" {
		t.Error(d)
	}
	for vector := range 8 {
		l.prepare(t, vector, 32)
		c.Launch = l.semantics
		if err := l.cover(t, c, 1); err != nil {
			t.Error(err)
		}
	}
}

// countdown is a loop whose trips the input d tells.
const countdown = `head: setp.eq.u32 %p1, %d, 0; @%p1 bra done; sub.u32 %d, %d, 1; bra head; done: ret;`

func TestForced(t *testing.T) {
	l := compile(t, 0, [3]int{5, 1, 1}, [3]int{32, 1, 1}, "", countdown)
	c := l.config()
	c.Bound = func(int) (int, bool) { return 7, true }
	if d := cmp.Diff([]string{"[0,5)x[0,1)x[0,1): 38 steps, 28 uncertain, 29 open, loop 7 forced"}, describe(t, c, 0)); d != "" {
		t.Error(d)
	}
	if err := l.cover(t, c, 1); err != nil {
		t.Error(err)
	}
}

// TestForcedLater checks that lanes may go on in the last iteration if they can leave it behind the header.
func TestForcedLater(t *testing.T) {
	const loop = `head: setp.eq.u32 %p1, %d, 0; @%p1 bra done; sub.u32 %d, %d, 1; setp.eq.u32 %p2, %d, 3; @%p2 bra done; bra head; done: ret;`
	l := compile(t, 0, [3]int{5, 1, 1}, [3]int{32, 1, 1}, "", loop)
	for vector := range 20 {
		l.prepare(t, vector, 32)
		c := l.config()
		c.Bound = func(int) (int, bool) { return 3, true } // from 7 to 4, or from 3 to 0
		if err := l.cover(t, c, 1); err != nil {
			t.Error(err)
		}
	}
}

func TestErrors(t *testing.T) {
	x := [3]int{5, 1, 1}
	fails := func(c Config) error {
		_, err := New(c).Warp(context.Background(), 0, func(Box) Visitor { return &summary{} })
		return err
	}
	t.Run("no bound", func(t *testing.T) {
		err := fails(compile(t, 0, x, x, "", countdown).config())
		var unbounded *UnboundedLoop
		if !errors.As(err, &unbounded) || unbounded.Name != "head" || unbounded.Pos.Line == 0 || !strings.Contains(err.Error(), `[loop] "head" = 100`) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a bound that is exceeded", func(t *testing.T) {
		l := compile(t, 0, x, x, "", `mov.u32 %r1, 0; ld.global.u32 %r2, [%buf];
			head: add.u32 %r1, %r1, 1; setp.eq.u32 %p2, %r2, 0; setp.eq.u32 %p3, %t, 0; not.pred %p3, %p3; and.pred %p2, %p2, %p3; @%p2 bra done;
			setp.lt.u32 %p1, %r1, 9; @%p1 bra head; done: ret;`)
		c := l.config()
		c.Bound = func(int) (int, bool) { return 3, true }
		if err := fails(c); err == nil || !strings.Contains(err.Error(), "known to make at most 3 iterations") {
			t.Errorf("got %v", err)
		}
	})
	// The loop ends when its counter has wrapped around. Whether lanes enter it is not known, unless all do.
	wraps := func(before string) Config {
		l := compile(t, 0, x, x, "", before+` head: add.u32 %r1, %r1, 8; setp.eq.u32 %p1, %r1, 0; @%p1 bra done; bra head; done: ret;`)
		c := l.config()
		c.Useless, c.MaxSteps = make(map[int]string), 1<<12
		for _, loop := range l.graph.Loops().Loops {
			c.Useless[loop.Header] = "its counter"
		}
		return c
	}
	t.Run("a loop without a useful bound", func(t *testing.T) {
		err := fails(wraps("mov.u32 %r1, 0; ld.global.u32 %r2, [%buf]; setp.eq.u32 %p2, %r2, 0; @%p2 bra done;"))
		var unbounded *UnboundedLoop
		if !errors.As(err, &unbounded) || unbounded.Name != "head" || unbounded.Range != "its counter" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a loop that all lanes enter", func(t *testing.T) {
		if err := fails(wraps("mov.u32 %r1, 0;")); err != nil {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a way that no thread goes", func(t *testing.T) {
		l := compile(t, 0, x, x, "", `setp.eq.u32 %p1, %d, 0; @%p1 bra L; st.global.u32 [%buf], %t; L: setp.eq.u32 %p2, %n, 0; @%p2 bra M; st.global.u32 [%buf], %n; M: ret;`)
		never := func(of, to int) Config {
			c := l.config()
			c.Infeasible = map[graph.Edge]bool{{From: of, To: to}: true}
			return c
		}
		if err := fails(never(2, 4)); err == nil || !strings.Contains(err.Error(), "internal error") {
			t.Errorf("got %v", err)
		}
		steps := func(c Config) int64 {
			results, err := New(c).Warp(context.Background(), 0, func(Box) Visitor { return &summary{} })
			if err != nil {
				t.Fatal(err)
			}
			return results[0].Steps
		}
		if with, without := steps(l.config()), steps(never(0, 1)); without != with-1 {
			t.Errorf("%d instructions, and %d without one of them", with, without)
		}
	})
	t.Run("a loop without end", func(t *testing.T) {
		c := compile(t, 0, x, x, "", `head: setp.eq.u32 %p1, %n, 1; @%p1 bra done; bra head; done: ret;`).config()
		c.MaxSteps = 1000
		if err := fails(c); err == nil || !strings.Contains(err.Error(), "more than 1000 instructions") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a failure", func(t *testing.T) {
		c := compile(t, 0, x, x, "", `setp.eq.u32 %p1, %n, 1; @%p1 bra done; trap; done: ret;`).config()
		if err := fails(c); err == nil || !strings.Contains(err.Error(), "fails in warp 0") {
			t.Errorf("got %v", err)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		c := compile(t, 0, x, x, "", `head: setp.eq.u32 %p1, %n, 1; @%p1 bra done; bra head; done: ret;`).config()
		if _, err := New(c).Warp(ctx, 0, func(Box) Visitor { return &summary{} }); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

// TestLimit checks that boxes beyond the limit are not told apart, and still cover.
func TestLimit(t *testing.T) {
	l := compile(t, 0, [3]int{64, 1, 1}, [3]int{32, 1, 1}, "",
		"and.b32 %r1, %c, 1; setp.eq.u32 %p1, %r1, 0; @%p1 bra done; add.u32 %r2, %c, 1; done: ret;")
	c := l.config()
	c.MaxBoxes = 8
	if n := len(describe(t, c, 0)); n != 8 {
		t.Errorf("%d boxes", n)
	}
	if err := l.cover(t, c, 1); err != nil {
		t.Error(err)
	}
}

// lanesOf counts lanes, to keep the compiler from dropping what a benchmark visits.
type lanesOf struct {
	summary
	lanes int
}

func (l *lanesOf) Step(s *Step) { l.lanes += bits.OnesCount64(s.May) }

func BenchmarkSuite(b *testing.B) {
	for _, dir := range []string{"vectorAdd", "matrixMul", "reduction", "histogram64", "bitonicSort", "bfs"} {
		b.Run(dir, func(b *testing.B) {
			l := suite(b, dir, "")
			c := l.config()
			c.Bound = func(int) (int, bool) { return 20, true }
			steps := int64(0)
			for b.Loop() {
				x := New(c)
				for w := range l.semantics.Warps() {
					results, err := x.Warp(context.Background(), w, func(Box) Visitor { return &lanesOf{} })
					if err != nil {
						b.Fatal(err)
					}
					for _, r := range results {
						steps += r.Steps
					}
				}
			}
			b.ReportMetric(float64(steps)/float64(b.N), "steps")
		})
	}
}
