package emu

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// warpSplits is one warp of four threads and warp-splits of it: unit w and others by letter.
type warpSplits struct {
	t     *testing.T
	units map[byte]*Warp
	cta   CTA
}

// newWarpSplits starts a scenario behind the three instructions of its prologue.
func newWarpSplits(t *testing.T, body string) *warpSplits {
	t.Helper()
	s := scenario{body: body}
	launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{4, 1, 1}, Params: make([]byte, 8)}
	g, err := NewGrid(decode(t, s.kernel(t)), launch, new(Memory), 4)
	if err != nil {
		t.Fatal(err)
	}
	r := startWarpSplits(t, g)
	for range 3 {
		if _, err := r.do("w"); err != nil {
			t.Fatal(err)
		}
	}
	return r
}

func startWarpSplits(t *testing.T, g *Grid) *warpSplits {
	r := &warpSplits{t: t, units: make(map[byte]*Warp)}
	g.StartCTA(&r.cta, 0)
	r.units['w'] = &r.cta.Warps[0]
	return r
}

// script executes the commands at the beginning of each line and returns all lines with the
// states behind the commands.
func (r *warpSplits) script(lines string) string {
	r.t.Helper()
	var got strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		command, _, _ := strings.Cut(line, " ")
		state, err := r.do(command)
		if err != nil {
			r.t.Fatal(err)
		}
		fmt.Fprintf(&got, "\n%s%s", command, state)
	}
	return got.String()
}

// do executes one command: "w" steps a unit, "w>a" detaches a from w, "a<w" joins. It
// returns the units with their state: the next instruction and its lanes, and whether the
// unit is held, home or done.
func (r *warpSplits) do(command string) (string, error) {
	u := r.units[command[0]]
	switch {
	case len(command) == 1:
		if err := u.Step(new(Env), new(Effect)); err != nil {
			return "", err
		}
	case command[1] == '>':
		if r.units[command[2]] == nil {
			r.units[command[2]] = new(Warp)
		}
		u.Detach(r.units[command[2]])
	default:
		r.units[command[2]].Join(u)
	}
	var b strings.Builder
	for _, name := range []byte("wabc") {
		u := r.units[name]
		if u == nil {
			continue
		}
		fmt.Fprintf(&b, " %c:", name)
		switch {
		case u.Done():
			b.WriteString("done")
		case len(u.stack) == 0:
			b.WriteString("held")
		default:
			fmt.Fprintf(&b, "%d/%x", u.PC(), u.Active())
			if u.Held() {
				b.WriteString("!")
			}
			if u.Home() {
				b.WriteString("*")
			}
		}
	}
	return b.String(), nil
}

// TestWarpSplit follows a warp and its warp-splits: behind each command stands of each unit the
// next instruction and its lanes, with ! if it is held and * if it is home.
func TestWarpSplit(t *testing.T) {
	const halves = "setp.lt.u32 %p0, %r0, 2; and.b32 %r1, %r0, 1; setp.eq.u32 %p1, %r1, 1;\n"
	for _, c := range []struct{ name, body, want string }{
		{"the first to arrive waits", `@%p0 bra then;
add.u32 %r1, %r0, 1; bra end;
then: add.u32 %r1, %r0, 2;
end: ret;`, `
w w:7/c
w>a w:9/3 a:7/c
w w:10/f! a:7/c
a w:10/f! a:8/c
a w:10/f! a:10/c*
a<w w:10/f a:done
w w:done a:done`},
		{"a path that is empty is there at once", `@%p0 bra end;
add.u32 %r1, %r0, 1;
end: ret;`, `
w w:7/c
w>a w:8/f! a:7/c
a w:8/f! a:8/c*
a<w w:8/f a:done
w w:done a:done`},
		{"warp-splits of warp-splits, which reconverge where their parents do", `@%p0 bra then;
@%p1 bra end;
add.u32 %r1, %r0, 1;
bra end;
then: @%p1 bra end;
add.u32 %r1, %r0, 2;
end: ret;`, `
w w:7/c
w>a w:10/3 a:7/c
a w:10/3 a:8/4
a>b w:10/3 a:12/c! b:8/4
w w:11/1 a:12/c! b:8/4
w>c w:12/f! a:12/c! b:8/4 c:11/1
b w:12/f! a:12/c! b:9/4 c:11/1
b w:12/f! a:12/c! b:12/4* c:11/1
b<a w:12/f! a:12/c* b:done c:11/1
a<w w:12/f! a:done b:done c:11/1
c w:12/f! a:done b:done c:12/1*
c<w w:12/f a:done b:done c:done
w w:done a:done b:done c:done`},
		{"lanes exit from all that hold them", `@%p0 bra then;
@%p1 exit;
@!%p1 exit;
then: add.u32 %r1, %r0, 2;
ret;`, `
w w:7/c
w>a w:9/f! a:7/c
a w:9/7! a:8/4
a w:9/3 a:done
w w:10/3 a:done
w w:done a:done`},
		{"a warp of which nothing is left waits for its warp-splits", `@%p0 bra then;
exit;
then: add.u32 %r1, %r0, 2; exit;`, `
w w:7/c
w>a w:8/f! a:7/c
a w:8/3 a:done
w>b w:held a:done b:8/3
b w:held a:done b:9/3
b w:done a:done b:done`},
		{"every case of an indexed branch", `ts: .branchtargets A, B, C, D;
brx.idx %r0, ts;
A: bra end; B: bra end; C: bra end; D: bra end;
end: ret;`, `
w w:10/8
w>a w:9/4 a:10/8
w>b w:8/2 a:10/8 b:9/4
w>c w:7/1 a:10/8 b:9/4 c:8/2
w w:11/f! a:10/8 b:9/4 c:8/2
c w:11/f! a:10/8 b:9/4 c:11/2*
c<w w:11/f! a:10/8 b:9/4 c:done
a w:11/f! a:11/8* b:9/4 c:done
b w:11/f! a:11/8* b:11/4* c:done
a<w w:11/f! a:done b:11/4* c:done
b<w w:11/f a:done b:done c:done
w w:done a:done b:done c:done`},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newWarpSplits(t, halves+c.body)
			for range 3 {
				if _, err := r.do("w"); err != nil {
					t.Fatal(err)
				}
			}
			if got := r.script(c.want); got != c.want {
				t.Errorf("got%s\nwant%s", got, c.want)
			}
			if !r.cta.Done() {
				t.Error("the CTA is not done")
			}
		})
	}
}

// TestWarpSplitAtSyncs does the same where lanes reconverge at syncs: in a loop whose lanes
// leave it one after the other, and in an if.
func TestWarpSplitAtSyncs(t *testing.T) {
	g, _ := simtGrid(t, `0: const a = 2
1: binop p = a < Tid
2: bz p, 5
3: binop a = a + 1
4: jump 1
5: sync
6: binop p = Tid < 2
7: bz p, 9
8: const b = 1
9: sync`, 4)
	const want = `
w w:1/f
w w:2/f
w w:3/8
w>a w:5/7 a:3/8
w w:6/f! a:3/8
a w:6/f! a:4/8
a w:6/f! a:1/8
a w:6/f! a:2/8
a w:6/f! a:5/8
a w:6/f! a:6/8*
a<w w:6/f a:done
w w:7/f a:done
w w:8/3 a:done
w>a w:9/c a:8/3
a w:9/c a:9/3
w w:10/f! a:9/3
a w:10/f! a:10/3*
a<w w:10/f a:done
w w:done a:done`
	r := startWarpSplits(t, g)
	if got := r.script(want); got != want {
		t.Errorf("got%s\nwant%s", got, want)
	}
	for _, c := range []struct{ code, commands, want string }{
		{"0: binop p = Tid < 2\nbz p, 3\nbarrier 0, Ntid\nsync", "w w w>a a",
			"k.simt:7:1: kernel k, CTA (0,0,0), thread (0,0,0): barrier 0, Ntid: barrier in divergent code: the thread is diverged"},
		{"0: const a = Tid\nbinop p = a == 0\nbinop a = a - 1\nbz p, 1\nsync", "w w w w w>a w w w",
			"k.simt:8:1: kernel k, CTA (0,0,0), thread (1,0,0): bz p, 1: branch without its sync: the thread comes back to its branch, where thread (0,0,0) of the warp diverged"},
	} {
		g, _ := simtGrid(t, c.code, 4)
		r := startWarpSplits(t, g)
		var err error
		for _, command := range strings.Fields(c.commands) {
			if err != nil {
				t.Fatalf("before %s: %v", command, err)
			}
			_, err = r.do(command)
		}
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

// TestWarpSplitFaults checks what the lanes of a warp must do together.
func TestWarpSplitFaults(t *testing.T) {
	const half = "setp.lt.u32 %p0, %r0, 2;\n"
	for _, c := range []struct {
		name, body, commands string
		cause                error
		message              string
	}{
		{"a barrier in a warp-split", "@%p0 bra end;\nbar.sync 0;\nend: ret;", "w w w>a a", ErrBarrier, "k.ptx:13:1: kernel k, CTA (0,0,0), thread (2,0,0): bar.sync 0x0: barrier in divergent code: the thread is diverged"},
		{"a barrier beside a warp-split", "@%p0 bra other;\nadd.u32 %r1, %r1, 1;\nbra end;\nother: bar.sync 0;\nend: exit;", "w w w>a a w", ErrBarrier, "k.ptx:15:8: kernel k, CTA (0,0,0), thread (0,0,0)"},
		{"a cluster's barrier", "@%p0 bra end;\nbarrier.cluster.arrive;\nend: ret;", "w w w>a a", ErrBarrier, "k.ptx:13:1"},
		{"a barrier of a warp-split that has all lanes left", "@%p0 bra on;\nadd.u32 %r1, %r1, 1;\nexit;\non: bar.sync 0;\nret;", "w w w>a w>b a a b", ErrBarrier, "k.ptx:15:5"},
		{"a named lane that is diverged", "@%p0 bra other;\nbar.warp.sync 15;\nbra end;\nother: bar.warp.sync 15;\nend: ret;", "w w w>a w", nil, "k.ptx:15:8: kernel k, CTA (0,0,0), thread (2,0,0): bar.warp 0xf: the thread is named in the member mask 0xf and is diverged"},
		{"a named lane that is diverged from a warp-split", "@%p0 bra other;\nbar.warp.sync 15;\nbra end;\nother: bar.warp.sync 15;\nend: ret;", "w w w>a a", nil, "k.ptx:13:1: kernel k, CTA (0,0,0), thread (0,0,0)"},
		{"named lanes that are together", "@%p0 bra other;\nbar.warp.sync 12;\nbra end;\nother: bar.warp.sync 3;\nend: ret;", "w w w>a a a w", nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newWarpSplits(t, half+c.body)
			var err error
			for _, command := range strings.Fields(c.commands) {
				if err != nil {
					t.Fatalf("before %s: %v", command, err)
				}
				_, err = r.do(command)
			}
			switch {
			case c.message == "" && err == nil:
			case err == nil || c.message == "" || !strings.Contains(err.Error(), c.message) || c.cause != nil && !errors.Is(err, c.cause):
				t.Errorf("error %v, want %q", err, c.message)
			}
		})
	}
}
