package emu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/isa/minisimt"
	"warpbound/internal/test/isatest"
)

// simtGrid prepares a kernel of mini-SIMT code with a parameter out that points to 16
// words and a variable a, in warps of four lanes.
func simtGrid(t *testing.T, code string, threads int) (*Grid, []byte) {
	t.Helper()
	m, err := minisimt.Parse("k.simt", []byte("kernel k(int* out)\nint a, b\nbool p\nint* w\n"+code))
	if err != nil {
		t.Fatal(err)
	}
	program, err := minisimt.Lower(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := isatest.Link(program, "k")
	if err != nil {
		t.Fatal(err)
	}
	g, err := cfg.Build(k)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Decode(k, g)
	if err != nil {
		t.Fatal(err)
	}
	mem := new(Memory)
	out, err := mem.Alloc("out", 64)
	if err != nil {
		t.Fatal(err)
	}
	launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{threads, 1, 1}, Params: binary.LittleEndian.AppendUint32(nil, uint32(out))}
	grid, err := NewGrid(c, launch, mem, 4)
	if err != nil {
		t.Fatal(err)
	}
	return grid, mem.Bytes(out)
}

// TestSyncStack checks the places, the lanes and the frames of a warp of four threads of
// which thread i goes i times around a loop with an if for odd numbers.
func TestSyncStack(t *testing.T) {
	g, _ := simtGrid(t, `0: const a = 0
1: binop p = a < Tid
2: bz p, 8
3: binop b = a & 1
4: bz b, 6
5: const b = 3
6: sync
7: jump 9
8: jump 11
9: binop a = a + 1
10: jump 1
11: sync`, 4)
	var got []string
	var cta CTA
	g.StartCTA(&cta, 0)
	w := &cta.Warps[0]
	var env Env
	var eff Effect
	for !w.Done() {
		text := fmt.Sprintf("%d %04b", w.PC(), w.Active())
		for _, f := range w.syncs {
			text += fmt.Sprintf(" (%d %04b %d %04b)", f.branch, f.done, f.next, f.todo)
		}
		got = append(got, text)
		guard := w.Guard(w.PC())
		if err := w.Step(&env, &eff); err != nil {
			t.Fatal(err)
		}
		if eff.Mask != guard {
			t.Errorf("%s: the guard holds in lanes %04b, and %04b execute the instruction", text, guard, eff.Mask)
		}
	}
	want := strings.Split(`0 1111
1 1111
2 1111
3 1110 (2 0000 8 0001)
4 1110 (2 0000 8 0001)
6 1110 (2 0000 8 0001) (4 0000 6 0000)
7 1110 (2 0000 8 0001)
9 1110 (2 0000 8 0001)
10 1110 (2 0000 8 0001)
1 1110 (2 0000 8 0001)
2 1110 (2 0000 8 0001)
3 1100 (2 0000 8 0011)
4 1100 (2 0000 8 0011)
5 1100 (2 0000 8 0011) (4 0000 6 0000)
6 1100 (2 0000 8 0011) (4 0000 6 0000)
7 1100 (2 0000 8 0011)
9 1100 (2 0000 8 0011)
10 1100 (2 0000 8 0011)
1 1100 (2 0000 8 0011)
2 1100 (2 0000 8 0011)
3 1000 (2 0000 8 0111)
4 1000 (2 0000 8 0111)
6 1000 (2 0000 8 0111) (4 0000 6 0000)
7 1000 (2 0000 8 0111)
9 1000 (2 0000 8 0111)
10 1000 (2 0000 8 0111)
1 1000 (2 0000 8 0111)
2 1000 (2 0000 8 0111)
8 1000 (2 0000 8 0111)
11 1000 (2 0000 8 0111)
8 0111 (2 1000 8 0000)
11 0111 (2 1000 8 0000)
12 1111`, "\n")
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s", strings.Join(got, "\n"))
	}
}

// TestBranchToNext: lanes that take a branch to the next instruction go where the others go, together
// with them.
func TestBranchToNext(t *testing.T) {
	g, _ := simtGrid(t, `0: binop b = Tid & 1
1: bz b, 2
2: sync
3: const a = 1`, 4)
	var cta CTA
	g.StartCTA(&cta, 0)
	w := &cta.Warps[0]
	var env Env
	var eff Effect
	for steps := 0; !w.Done(); steps++ {
		if w.Active() != 0b1111 || steps > 5 {
			t.Fatalf("lanes %04b at %d behind %d steps", w.Active(), w.PC(), steps)
		}
		if err := w.Step(&env, &eff); err != nil {
			t.Fatal(err)
		}
		if eff.Diverged {
			t.Errorf("lanes diverge at instruction %d", steps)
		}
	}
}

// TestSyncFaults checks what a program without the syncs that it needs is told.
func TestSyncFaults(t *testing.T) {
	for _, c := range []struct{ name, code, want string }{
		{"no frame", "0: sync", "k.simt:5:4: kernel k, CTA (0,0,0), thread (0,0,0): sync: branch without its sync: this sync matches no branch"},
		{"end", "0: binop p = Tid < 2\nbz p, 3\nconst a = 1",
			"k.simt:7: kernel k, CTA (0,0,0), thread (0,0,0): exit: branch without its sync: the thread ends before a sync has ended the divergence of bz p, 3 (k.simt:6:1)"},
		{"two syncs", "0: binop p = Tid < 2\nbz p, 4\nsync\njump 5\nsync",
			"k.simt:9:1: kernel k, CTA (0,0,0), thread (2,0,0): sync: branch without its sync: the other path of bz p, 4 (k.simt:6:1), with thread (0,0,0), reconverged at sync (k.simt:7:1)"},
		{"back", "0: const a = Tid\nbinop p = a == 0\nbinop a = a - 1\nbz p, 1\nsync",
			"k.simt:8:1: kernel k, CTA (0,0,0), thread (1,0,0): bz p, 1: branch without its sync: the thread comes back to its branch while thread (0,0,0) of the warp waits at sync (k.simt:9:1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, _ := simtGrid(t, c.code, 4)
			_, err := Run(context.Background(), g)
			if err == nil || err.Error() != c.want || !errors.Is(err, ErrSync) {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
		})
	}
}

// TestPartialBarriers checks that a warp arrives at a barrier with the lanes that run, as
// all of its threads, and that a barrier waits for no more warps than have not exited.
func TestPartialBarriers(t *testing.T) {
	// Each thread counts the rounds that it makes, as many as its number.
	loop := `const a = 0
binop p = a < Tid
bz p, 6
barrier 0, %s
binop a = a + 1
jump 1
sync
binop w = out + Tid
store w = a`
	for _, threads := range []string{"Ntid", "16", "13", "4", "1"} {
		g, out := simtGrid(t, fmt.Sprintf(loop, threads), 16)
		if _, err := Run(context.Background(), g); err != nil {
			t.Errorf("for %s threads: %v", threads, err)
		}
		for i := range 16 {
			if got := binary.LittleEndian.Uint32(out[4*i:]); got != uint32(i) {
				t.Errorf("for %s threads: thread %d made %d rounds", threads, i, got)
			}
		}
	}
	for code, want := range map[string]string{
		"barrier 0, 0":                     "barrier 0, 0: a barrier for 0 threads; a CTA has 1 to 256",
		"barrier 0, 257":                   "a barrier for 257 threads; a CTA has 1 to 256",
		"barrier 16, 4":                    "barrier 16; those of a CTA are 0 to 15",
		"barrier Tid, 4":                   "barrier 1, which is 0 in thread (0,0,0) of the same warp",
		"binop a = Tid * -1\nbarrier 0, a": "thread count 4294967295, which is 0 in thread (0,0,0) of the same warp",
	} {
		g, _ := simtGrid(t, code, 8)
		if _, err := Run(context.Background(), g); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", code, err, want)
		}
	}
	// The second warp never comes to the barrier of the first.
	g, _ := simtGrid(t, "binop p = Tid < 4\nbz p, 4\nbarrier 0, 16\njump 5\nbarrier 1, 16\nsync", 8)
	if _, err := Run(context.Background(), g); !errors.Is(err, ErrDeadlock) {
		t.Errorf("two warps at different barriers: %v", err)
	}
}
