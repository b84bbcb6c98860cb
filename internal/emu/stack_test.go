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
		{"the side that falls through runs first", `
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
		{"sides that exit apart never meet", `
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
		{"where lanes may exit there is no reconvergence", `
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
7 4 2
8 4 1
8 8 0`},
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
		{"sides of equal targets do not diverge", `
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

// TestDiverged checks that only branches whose lanes disagree are reported.
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
		if err := w.Step(new(Env), &eff); err != nil {
			t.Fatal(err)
		}
		if eff.Diverged {
			diverged = append(diverged, eff.PC)
		}
	}
	if fmt.Sprint(diverged) != "[10]" {
		t.Errorf("divergent branches %v, want [10]\n%s", diverged, listing(code.Kernel()))
	}
}
