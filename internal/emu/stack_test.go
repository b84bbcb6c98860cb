package emu

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// TestStack follows one warp of four threads through divergent code: the pc of
// each step after the prologue, the lanes that executed it (of a branch, those that
// took it), and the depth of the stack afterwards.
func TestStack(t *testing.T) {
	for _, c := range []struct {
		name, body string
		want       string
	}{
		{"the successor that falls through runs first", `
setp.lt.u32 %p0, %r0, 2;
@%p0 bra then;
add.u32 %r1, %r0, 1;
bra end;
then: add.u32 %r1, %r0, 2;
end: ret;`, `
3 f 1
4 3 3
5 c 3
6 c 2
7 3 1
8 f 0`},
		{"lanes that branch to the reconvergence point wait there", `
setp.lt.u32 %p0, %r0, 1;
@%p0 bra end;
add.u32 %r1, %r0, 1;
end: ret;`, `
3 f 1
4 1 2
5 e 1
6 f 0`},
		{"a loop keeps one entry", `
mov.u32 %r1, %r0;
head: setp.eq.u32 %p0, %r1, 0;
@%p0 bra end;
sub.u32 %r1, %r1, 1;
bra head;
end: ret;`, `
3 f 1
4 f 1
5 1 2
6 e 2
7 e 2
4 e 2
5 2 2
6 c 2
7 c 2
4 c 2
5 4 2
6 8 2
7 8 2
4 8 2
5 8 1
8 f 0`},
		{"successors that exit do not reconverge", `
setp.lt.u32 %p0, %r0, 2;
@%p0 bra left;
exit;
left: add.u32 %r1, %r0, 1;
exit;`, `
3 f 1
4 3 2
5 c 1
6 3 1
7 3 0`},
		{"lanes that do not exit reconverge", `
setp.lt.u32 %p0, %r0, 3;
@!%p0 bra end;
setp.lt.u32 %p1, %r0, 2;
@%p1 exit;
add.u32 %r1, %r0, 1;
end: ret;`, `
3 f 1
4 8 2
5 7 2
6 3 2
7 4 1
8 c 0`},
		{"lanes that end by themselves are not awaited", `
setp.lt.u32 %p0, %r0, 1;
@%p0 bra gone;
add.u32 %r1, %r0, 1;
bar.sync 0;
ret;
gone: add.u32 %r1, %r0, 2;
exit;`, `
3 f 1
4 1 2
8 1 2
9 1 1
5 e 1
6 e 1
7 e 0`},

		{"an indexed branch runs its last target first", `
ts: .branchtargets a, b, a, c;
brx.idx %r0, ts;
a: bra end;
b: bra end;
c: bra end;
end: ret;`, `
3 f 4
6 8 3
5 2 2
4 5 1
7 f 0`},
		{"successors that are equal do not diverge", `
setp.lt.u32 %p0, %r0, 2;
@%p0 bra next;
next: ret;`, `
3 f 1
4 3 1
5 f 0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{body: c.body, block: 4}
			code := decode(t, s.kernel(t))
			launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{4, 1, 1}, Params: make([]byte, 8)}
			g, err := NewGrid(code, launch, new(Memory), 4)
			if err != nil {
				t.Fatal(err)
			}
			var cta CTA
			g.StartCTA(&cta, 0)
			w := &cta.Warps[0]
			var got strings.Builder
			var eff Effect
			for !w.Done() {
				if err := w.Step(new(Env), &eff); err != nil {
					t.Fatal(err)
				}
				if eff.PC > 2 {
					fmt.Fprintf(&got, "\n%d %x %d", eff.PC, eff.Mask, w.Depth())
				}
			}
			if got.String() != c.want {
				t.Errorf("got%s\nwant%s", got.String(), c.want)
			}
		})
	}
}

// TestDiverged checks that only branches whose lanes disagree are reported, and guards.
func TestDiverged(t *testing.T) {
	s := scenario{block: 4, body: `
setp.lt.u32 %p0, %r0, 2; setp.lt.u32 %p1, %r0, 9;
@%p0 bra a;
a: @%p1 bra b;
add.u32 %r1, %r1, 1;
b: @!%p1 bra c;
add.u32 %r1, %r1, 1;
c: @%p0 bra d;
add.u32 %r1, %r1, 1;
d: ret;`}
	code := decode(t, s.kernel(t))
	launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{4, 1, 1}, Params: binary.LittleEndian.AppendUint64(nil, 0)}
	g, err := NewGrid(code, launch, new(Memory), 32)
	if err != nil {
		t.Fatal(err)
	}
	var cta CTA
	var eff Effect
	g.StartCTA(&cta, 0)
	var diverged []int
	for w := &cta.Warps[0]; !w.Done(); {
		guard := w.Guard(w.PC())
		if err := w.Step(new(Env), &eff); err != nil {
			t.Fatal(err)
		}
		if eff.Mask != guard {
			t.Errorf("the guard of instruction %d holds in lanes 0x%x, and 0x%x execute it", eff.PC, guard, eff.Mask)
		}
		if eff.Diverged {
			diverged = append(diverged, eff.PC)
		}
	}
	if fmt.Sprint(diverged) != "[10]" {
		t.Errorf("divergent branches %v, want [10]\n%s", diverged, listing(code.Kernel()))
	}
}

// TestAlloca checks memory that is taken from the stack of a function.
func TestAlloca(t *testing.T) {
	for _, c := range []struct {
		name, vars, body string
		want             func(tid int) uint32
	}{
		{"two of different sizes", "", `
and.b32 %r1, %r0, 7; add.u32 %r1, %r1, 4; cvt.u64.u32 %rd2, %r1; alloca.u64 %rd3, %rd2, 4; alloca.u64 %rd4, 16, 16;
st.local.u32 [%rd3], %r0; st.local.v2.u32 [%rd4], {5, 6}; ld.local.u32 %r2, [%rd3]; ld.local.u32 %r3, [%rd4+4];
cvta.local.u64 %rd3, %rd3; ld.u32 %r4, [%rd3]; add.u32 %r2, %r2, %r3; add.u32 %r2, %r2, %r4;
st.global.u32 [%rd1], %r2; ret;`, func(tid int) uint32 { return uint32(2*tid + 6) }},

		{"as much as there is, again and again", "", `
stacksave.u64 %rd5; mov.u32 %r1, 0; mov.u32 %r2, 0;
again: alloca.u64 %rd3, 4092, 4; st.local.u32 [%rd3], %r0; st.local.u32 [%rd3+4088], 1; ld.local.u32 %r3, [%rd3];
add.u32 %r2, %r2, %r3; stackrestore.u64 %rd5; add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra again;
st.global.u32 [%rd1], %r2; ret;`, func(tid int) uint32 { return uint32(3 * tid) }},

		{"free when the function returns", `.func f(.reg .b64 p, .reg .b32 x) { .reg .b64 a; .reg .b32 y;
alloca.u64 a, 4096; st.local.u32 [a+4092], x; ld.local.u32 y, [a+4092]; st.global.u32 [p], y; ret; }`, `
mov.u32 %r1, 0; again: call f, (%rd1, %r0); add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 3; @%p1 bra again; ret;`,
			func(tid int) uint32 { return uint32(tid) }},

		{"some threads only", "", `
setp.lt.u32 %p1, %r0, 5; mov.u64 %rd3, 0; @%p1 alloca.u64 %rd3, 4096; alloca.u64 %rd4, 8;
setp.ge.s64 %p2, %rd4, 0; selp.u32 %r1, 1, 0, %p2; st.global.u32 [%rd1], %r1; ret;`, func(tid int) uint32 {
			if tid < 5 {
				return 0
			}
			return 1
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := scenario{vars: c.vars, body: c.body}
			s.expect(t, c.want)
		})
	}
	for _, size := range []string{"4097", "-1", "-4096"} {
		s := scenario{body: "alloca.u64 %rd3, " + size + ", 1; st.local.u8 [%rd3], 1; ret;"}
		s.expectError(t, ErrOutOfBounds, "0x8000000000000000")
	}
}
