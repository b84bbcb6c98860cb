package emu

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/abi"
)

// DefaultTurns are those of machines that state none.
var DefaultTurns = Turns{Path: 1 << 16, Wait: 1 << 16}

// TestSwap: the other path behind a branch runs first. Paths that begin where lanes reconverge have nothing to run.
func TestSwap(t *testing.T) {
	const body = `
mov.u32 %r2, %tid.x;
setp.lt.u32 %p0, %r2, 7;
@%p0 bra left;
atom.global.add.u32 %r1, [%rd0], 1;
st.global.u32 [%rd0+4], %r1;
bra join;
left: atom.global.add.u32 %r1, [%rd0], 1;
st.global.u32 [%rd0+8], %r1;
join: ret;`
	var left [2]uint32 // the number of the last lane that goes left
	for i, swap := range []bool{false, true} {
		words, err := (&scenario{body: body, block: 32}).threads(t, Turns{Path: 9, Wait: 9, Swap: swap})
		if err != nil || words[0] != 32 {
			t.Fatal(words, err)
		}
		left[i] = words[2]
	}
	if left != [2]uint32{6, 31} && left != [2]uint32{31, 6} {
		t.Errorf("the last lane to go left is number %d, and %d if the other side runs first", left[0], left[1])
	}
}

// TestTurnsAgainstThreads runs random programs with paths that take turns at random: memory and the number of
// executed instructions are those of one thread after the other.
func TestTurnsAgainstThreads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, _ := program(t)
		launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{rapid.IntRange(1, 70).Draw(t, "threads"), 1, 1}}
		code, err := Decode(k, build(k))
		if err != nil {
			t.Fatal(err)
		}
		launch.Params = binary.LittleEndian.AppendUint64(nil, abi.GlobalBase)
		bytes := 4 * launch.Block[0] * ownWords
		ahead := rapid.Bool().Draw(t, "ahead")
		want, executed, _, _, err := runWarps(code, launch, 32, bytes, ahead)
		if err != nil {
			t.Fatal(err)
		}
		turns := Turns{Path: rapid.IntRange(1, 9).Draw(t, "path"), Wait: rapid.IntRange(1, 30).Draw(t, "wait"), Swap: rapid.Bool().Draw(t, "swap")}
		for _, width := range []int{2, 7, 32, 64} {
			got, count, _, depth, err := runWarps(code.WithThreads(turns), launch, width, bytes, ahead)
			if err != nil {
				t.Fatalf("width %d, %+v: %v\n%s", width, turns, err, listing(k))
			}
			if !slices.Equal(got, want) || count != executed {
				t.Fatalf("width %d, %+v: %d thread instructions, want %d; memory\ngot  %v\nwant %v\n%s", width, turns, count, executed, got, want, listing(k))
			}
			if depth > 8*width {
				t.Fatalf("width %d, %+v: a stack of %d entries\n%s", width, turns, depth, listing(k))
			}
		}
	})
}

// threads executes the scenario with threads that are scheduled independently, and gives up after many steps.
func (s *scenario) threads(t *testing.T, turns Turns) ([]uint32, error) {
	t.Helper()
	var words []uint32
	mem, out, err := s.stepped(t, turns, func(*Effect) {})
	if err != nil {
		return nil, err
	}
	for data := mem.Bytes(out); len(data) > 0; data = data[4:] {
		words = append(words, binary.LittleEndian.Uint32(data))
	}
	return words, nil
}

// steps is threads for a test that looks at what each step did.
func (s *scenario) steps(t *testing.T, turns Turns, look func(*Effect), after ...func(*Grid)) error {
	t.Helper()
	_, _, err := s.stepped(t, turns, look, after...)
	return err
}

// stepped does so, and gives the memory and the address of out. Functions of after are called with the grid at the end.
func (s *scenario) stepped(t *testing.T, turns Turns, look func(*Effect), after ...func(*Grid)) (*Memory, uint64, error) {
	t.Helper()
	launch := Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{s.block, 1, 1}}
	mem := new(Memory)
	out, err := mem.Alloc("out", 256)
	if err != nil {
		t.Fatal(err)
	}
	launch.Params = binary.LittleEndian.AppendUint64(nil, out)
	code := decode(t, s.kernel(t))
	if turns.Path > 0 {
		code = code.WithThreads(turns)
	}
	g, err := NewGrid(code, launch, mem, 32)
	if err != nil {
		t.Fatal(err)
	}
	var cta CTA
	var eff Effect
	g.StartCTA(&cta, 0)
	for steps := 0; !cta.Done(); steps++ {
		if steps > 1e6 {
			return nil, 0, errEndless
		}
		w := &cta.Warps[steps%len(cta.Warps)]
		if w.Done() || w.AtBarrier() {
			continue
		}
		if err := w.Step(new(Env), &eff); err != nil {
			return nil, 0, err
		}
		look(&eff)
	}
	for _, f := range after {
		f(g)
	}
	return mem, out, nil
}

var errEndless = errors.New("endless")

// spinLock counts under a lock in out[0] how many threads come to out[1]: the lane that has the lock waits for
// the others where the loop ends.
const spinLock = `
spin: atom.global.cas.b32 %r1, [%rd0], 0, 1;
setp.ne.u32 %p0, %r1, 0;
@%p0 bra spin;
ld.volatile.global.u32 %r2, [%rd0+4];
add.u32 %r2, %r2, 1;
st.volatile.global.u32 [%rd0+4], %r2;
atom.global.exch.b32 %r3, [%rd0], 0;
ret;`

// TestSpinLock: the lanes of a warp get a lock one after the other, but not with a stack alone.
func TestSpinLock(t *testing.T) {
	for _, block := range []int{32, 50} {
		s := &scenario{body: spinLock, block: block}
		for _, turns := range []Turns{DefaultTurns, {Path: 1, Wait: 1}, {Path: 3, Wait: 2}, {Path: 100, Wait: 17}} {
			words, err := s.threads(t, turns)
			if err != nil || words[0] != 0 || words[1] != uint32(block) {
				t.Errorf("%+v: %v, %v", turns, words, err)
			}
		}
		if _, err := s.threads(t, Turns{}); err != errEndless {
			t.Errorf("without independent threads: %v", err)
		}
	}
}

// TestFlagOfSibling: a path waits for what the other path of the same branch writes.
func TestFlagOfSibling(t *testing.T) {
	s := &scenario{block: 32, body: `
setp.lt.u32 %p0, %r0, 5;
@%p0 bra give;
wait: ld.volatile.global.u32 %r1, [%rd0];
setp.eq.u32 %p1, %r1, 0;
@%p1 bra wait;
bra end;
give: mov.u32 %r2, 7;
st.volatile.global.u32 [%rd0], %r2;
end: setp.ne.u32 %p2, %r0, 0;
@%p2 exit;
st.volatile.global.u32 [%rd0+4], 9;
ret;`}
	words, err := s.threads(t, DefaultTurns)
	if err != nil || words[0] != 7 || words[1] != 9 {
		t.Errorf("%v, %v", words, err)
	}
	if _, err := s.threads(t, Turns{}); err != errEndless {
		t.Errorf("without independent threads: %v", err)
	}
}

// TestFlagWithCount: a warp spins although it counts how often, as long as nothing follows from the count.
func TestFlagWithCount(t *testing.T) {
	s := &scenario{block: 32, body: `
setp.lt.u32 %p0, %r0, 5;
@%p0 bra give;
wait: add.u32 %r3, %r3, 1;
ld.volatile.global.u32 %r1, [%rd0];
setp.eq.u32 %p1, %r1, 0;
@%p1 bra wait;
st.volatile.global.u32 [%rd0+8], %r3;
bra end;
give: mov.u32 %r2, 7;
st.volatile.global.u32 [%rd0], %r2;
end: ret;`}
	words, err := s.threads(t, DefaultTurns)
	if err != nil || words[0] != 7 || words[2] == 0 || words[2] > 8*spinLooks {
		t.Errorf("%v, %v", words, err)
	}
}

// TestLongWait: lanes that wait at a reconvergence point go on after some branches although the others never come back to a state: they
// count how often they have tried, and would give up.
func TestLongWait(t *testing.T) {
	s := &scenario{body: strings.Replace(spinLock, "spin:", "spin: add.u32 %r9, %r9, 1; setp.gt.u32 %p3, %r9, 1000000; @%p3 exit;", 1), block: 32}
	words, err := s.threads(t, Turns{Path: 1000, Wait: 50})
	if err != nil || words[1] != 32 {
		t.Errorf("%v, %v", words, err)
	}
}

// TestSwapPaths lets the other of two paths run, at whatever depth of the stack, if these are all lanes that diverged.
func TestSwapPaths(t *testing.T) {
	bottom, one, other := entry{pc: 9, lanes: 15}, entry{pc: 1, lanes: 3}, entry{pc: 5, lanes: 12}
	for _, c := range []struct {
		name        string
		stack, want []entry
	}{
		{"one path", []entry{bottom}, []entry{bottom}},
		{"nowhere to reconverge", []entry{one, other}, []entry{other, one}},
		{"before they reconverge", []entry{bottom, one, other}, []entry{bottom, other, one}},
		{"one of them is there", []entry{bottom, one}, []entry{bottom, one}},
		{"others diverged before", []entry{bottom, other, {pc: 1, lanes: 1}}, []entry{bottom, other, {pc: 1, lanes: 1}}},
	} {
		w := &Warp{stack: slices.Clone(c.stack)}
		if w.swap(15); !slices.Equal(w.stack, c.want) {
			t.Errorf("%s: %v, want %v", c.name, w.stack, c.want)
		}
	}
}

// TestCountInLocalMemory: a loop that counts in local memory gets on, and is no spin although the registers are the same again.
func TestCountInLocalMemory(t *testing.T) {
	s := &scenario{block: 32, vars: "", body: `
.local .b32 own;
st.local.u32 [own], 0;
mad.lo.u32 %r2, %r0, 100, 1;
round: ld.local.u32 %r1, [own];
add.u32 %r1, %r1, 1;
st.local.u32 [own], %r1;
setp.lt.u32 %p0, %r1, %r2;
@%p0 bra round;
ret;`}
	turns, looks := 0, 0
	err := s.steps(t, DefaultTurns, func(eff *Effect) {
		if eff.Turned {
			turns++
		}
		if eff.LookedLocal {
			looks++
		}
	})
	if err != nil || turns != 0 || looks < 40 {
		t.Errorf("%v, %d turns after %d looks", err, turns, looks)
	}
}

// TestLongSpin: a warp spins although it takes several looks until a state comes back, here three.
func TestLongSpin(t *testing.T) {
	s := &scenario{block: 32, body: fmt.Sprintf(`
setp.lt.u32 %%p0, %%r0, 5;
@%%p0 bra give;
wait: add.u32 %%r3, %%r3, 1;
add.u32 %%r4, %%r4, 1;
setp.eq.u32 %%p2, %%r4, %d;
selp.u32 %%r4, 0, %%r4, %%p2;
and.b32 %%r5, %%r4, 1;
mad.wide.u32 %%rd2, %%r5, 4, %%rd0;
ld.volatile.global.u32 %%r1, [%%rd2];
setp.eq.u32 %%p1, %%r1, 0;
@%%p1 bra wait;
st.volatile.global.u32 [%%rd0+8], %%r3;
bra end;
give: mov.u32 %%r2, 7;
st.volatile.global.u32 [%%rd0], %%r2;
end: ret;`, 3*spinLooks)}
	words, err := s.threads(t, DefaultTurns)
	if err != nil || words[0] != 7 || words[2] == 0 || words[2] > 16*spinLooks {
		t.Errorf("%v, %v", words, err)
	}
}

// TestThreadsAtBarriers: barriers count threads that come to them apart.
func TestThreadsAtBarriers(t *testing.T) {
	const exchange = `
.reg .b64 %x; .reg .b32 %y;
xor.b32 %y, %r0, 33;
mad.wide.u32 %x, %y, 4, %rd0;
ld.volatile.global.u32 %r5, [%x];
add.u32 %r5, %r5, 1;
`
	for _, c := range []struct {
		name, body string
		want       func(tid uint32) uint32
	}{
		{"in both paths of a branch", `
and.b32 %r1, %r0, 1;
setp.eq.u32 %p0, %r1, 0;
@%p0 bra even;
st.volatile.global.u32 [%rd1], %r0;
bar.sync 0;
bra end;
even: add.u32 %r2, %r0, 100;
st.volatile.global.u32 [%rd1], %r2;
bar.sync 0;
end: ` + exchange + `bar.sync 0;
st.volatile.global.u32 [%rd1], %r5;
ret;`, func(tid uint32) uint32 {
			if other := tid ^ 33; other%2 == 1 {
				return other + 1
			} else {
				return other + 101
			}
		}},
		{"in one path, where the others come to a later one", `
st.volatile.global.u32 [%rd1], %r0;
setp.lt.u32 %p0, %r0, 40;
@%p0 bra past;
bar.sync 0;
past: @%p0 bar.sync 0;
` + exchange + `bar.sync 0;
st.volatile.global.u32 [%rd1], %r5;
ret;`, func(tid uint32) uint32 { return (tid ^ 33) + 1 }},
		{"with a guard, while the others end", `
st.volatile.global.u32 [%rd1], %r0;
setp.lt.u32 %p0, %r0, 40;
@%p0 bar.sync 0;
@!%p0 exit;
st.volatile.global.u32 [%rd1], 5;
ret;`, func(tid uint32) uint32 {
			if tid < 40 {
				return 5
			}
			return tid
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &scenario{body: c.body, block: 64}
			for _, turns := range []Turns{DefaultTurns, {Path: 1, Wait: 1}} {
				words, err := s.threads(t, turns)
				if err != nil {
					t.Fatal(err)
				}
				for tid, x := range words {
					if want := c.want(uint32(tid)); x != want {
						t.Errorf("%+v: thread %d has %d, want %d", turns, tid, x, want)
					}
				}
			}
			if _, err := s.threads(t, Turns{}); !errors.Is(err, ErrBarrier) {
				t.Errorf("without independent threads: %v", err)
			}
		})
	}
}

// TestTurnsAllocateNothing: whole runs in storage that has been used before.
func TestTurnsAllocateNothing(t *testing.T) {
	s := &scenario{body: spinLock, block: 32}
	code := decode(t, s.kernel(t)).WithThreads(Turns{Path: 2, Wait: 5})
	mem := new(Memory)
	out, err := mem.Alloc("out", 256)
	if err != nil {
		t.Fatal(err)
	}
	g, err := NewGrid(code, Launch{Grid: [3]int{1, 1, 1}, Block: [3]int{32, 1, 1}, Params: binary.LittleEndian.AppendUint64(nil, out)}, mem, 32)
	if err != nil {
		t.Fatal(err)
	}
	run := func() {
		if _, err := Run(context.Background(), g); err != nil {
			t.Fatal(err)
		}
	}
	if n := testing.AllocsPerRun(5, run); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
