package published

import (
	"slices"
	"testing"
)

// triangle is the abstract warp of Fig. 3, with the rest of the kernel behind the loop.
var triangle = Warp{
	{Kind: Time, Instr: 7},
	{Kind: Loop, Body: Warp{
		{Kind: Time, Instr: 2},
		{Kind: Time, Instr: 7, Shift: 1},
		{Kind: Memory, Wait: 10},
		{Kind: Time, Instr: 4},
		{Kind: Barrier},
		{Kind: Time, Instr: 3},
	}},
	{Kind: Time, Instr: 4},
}

// TestExample is Section 5.3: 28 cycles of the prologue, 640 of the loop, 120 of stalls,
// and 16 of the rest.
func TestExample(t *testing.T) {
	counts := []int{4, 8, 12, 16}
	r := Simulate(triangle, 4, func(int) []int { return counts })
	if r.Cycles != 804 || r.Issue != 28+640+16 || r.Stall != 120 {
		t.Errorf("got %+v", r)
	}
	if p := r.Loops[0]; p.Issue != 640 || p.Stall != 120 || !slices.Equal(p.Counts, counts) {
		t.Errorf("the loop is %+v", p)
	}
	// After the first access T_SHIFT is 3, at the barrier it is 0 again, and behind the loop
	// N_low is 1 and N_high 4.
	s := &simulation{low: 4, high: 4}
	s.proceed(triangle[1].Body[:3])
	if s.shift != 3 || len(s.log) != 1 {
		t.Errorf("T_SHIFT %d, %d accesses in LOG", s.shift, len(s.log))
	}
	s.proceed(triangle[1].Body[4:5])
	if s.shift != 0 || len(s.log) != 0 || s.stall != 6 {
		t.Errorf("behind the barrier T_SHIFT %d, %d accesses in LOG, %d cycles of stalls", s.shift, len(s.log), s.stall)
	}
}

// TestBehindLoops: behind a loop that warps leave after different iterations, an access is charged as if
// one warp were left to hide it (N_low = 1, "after exiting the loop" of Section 5.3), and
// instructions as those of all (N_high). If the warps leave together, all hide it.
func TestBehindLoops(t *testing.T) {
	loop := Node{Kind: Loop, Body: Warp{{Kind: Time, Instr: 1}}}
	inner := Node{Kind: Loop, Loop: 1, Body: Warp{{Kind: Time, Instr: 1}}}
	load, rest := Node{Kind: Memory, Wait: 10}, Node{Kind: Time, Instr: 3}
	for _, test := range []struct {
		name         string
		warp         Warp
		counts       [][]int // by loop
		issue, stall int64
	}{
		{"different", Warp{loop, load, rest}, [][]int{{1, 3}}, 2 + 1 + 1 + 2*3, 10 - 1},
		{"equal", Warp{loop, load, rest}, [][]int{{3, 3}}, 3*2 + 2*3, 10 - 2},
		{"none", Warp{load, rest}, nil, 2 * 3, 10 - 2},
		{"one without iterations", Warp{loop, load, rest}, [][]int{{0, 2}}, 1 + 1 + 2*3, 10 - 1},
		{"two loops, the second equal", Warp{loop, inner, load, rest}, [][]int{{1, 2}, {4, 4}}, 2 + 1 + 4*2 + 2*3, 10 - 1},
		// Both warps iterate twice. In each iteration one goes through the inner loop once and the other twice.
		{"an inner loop", Warp{{Kind: Loop, Body: Warp{inner, load, rest}}}, [][]int{{2, 2}, {1, 2}}, 2 * (2 + 1 + 2*3), 2 * (10 - 1)},
	} {
		r := Simulate(test.warp, 2, func(loop int) []int { return test.counts[loop] })
		if r.Issue != test.issue || r.Stall != test.stall || r.Cycles != test.issue+test.stall {
			t.Errorf("%s: issue %d, stalls %d, %d cycles; want %d and %d", test.name, r.Issue, r.Stall, r.Cycles, test.issue, test.stall)
		}
	}
}

// TestPartsOfLoops: what a loop contributes is added up over all of its entries, and belongs to the loops around it, too.
func TestPartsOfLoops(t *testing.T) {
	inner := Node{Kind: Loop, Loop: 1, Body: Warp{{Kind: Time, Instr: 5}, {Kind: Memory, Wait: 10}}}
	outer := Node{Kind: Loop, Body: Warp{{Kind: Time, Instr: 3}, inner}}
	r := Simulate(Warp{outer}, 1, func(loop int) []int { return []int{[]int{4, 2}[loop]} })
	if len(r.Loops) != 2 {
		t.Fatalf("%d loops: %+v", len(r.Loops), r.Loops)
	}
	for i, want := range []LoopPart{{Loop: 0, Issue: 4 * (3 + 2*5), Stall: 4 * 2 * 9}, {Loop: 1, Issue: 4 * 2 * 5, Stall: 4 * 2 * 9}} {
		if p := r.Loops[i]; p.Loop != want.Loop || p.Issue != want.Issue || p.Stall != want.Stall {
			t.Errorf("loop %d is %+v, want %+v", i, p, want)
		}
	}
}

// TestShift: an access adds ceil((T_memory - N_low) / N_low) to T_SHIFT, and nothing if it is over
// before all warps have issued once. What T_SHIFT allows in LOG is not charged yet.
func TestShift(t *testing.T) {
	for _, test := range []struct{ wait, low, want int64 }{
		{10, 4, 2}, {9, 4, 2}, {8, 4, 1}, {5, 4, 1}, {4, 4, 0}, {1, 4, 0}, {10, 1, 9}, {10, 3, 3},
	} {
		s := &simulation{low: test.low, high: test.low}
		s.proceed(Warp{{Kind: Memory, Wait: test.wait}})
		pending := min(test.want, 1)
		if s.shift != test.want || int64(len(s.log)) != pending {
			t.Errorf("T_memory %d, N_low %d: T_SHIFT %d with %d in LOG, want %d with %d",
				test.wait, test.low, s.shift, len(s.log), test.want, pending)
		}
	}
}

// TestBranchShift: if lanes may part, the warp executes all successors one after another, and the shift is what it saves at most if they agree:
// all but the shortest. If they cannot part, it executes the longest, without a shift.
func TestBranchShift(t *testing.T) {
	instrs := func(n int64) Warp { return Warp{{Kind: Time, Instr: n}} }
	for _, c := range []struct {
		successors []Warp
		divergent  bool
		time       int64
		shift      int64
	}{
		{[]Warp{instrs(3), instrs(5)}, true, 8, 5},
		{[]Warp{instrs(5), instrs(3)}, true, 8, 5},
		{[]Warp{instrs(3), instrs(5), instrs(2)}, true, 10, 8},
		{[]Warp{instrs(4)}, true, 4, 0},
		{[]Warp{instrs(3), instrs(5)}, false, 5, 0},
	} {
		w, shift := lub(c.successors, c.divergent), int64(0)
		for _, n := range w {
			shift += n.Shift
		}
		if w.time() != c.time || shift != c.shift {
			t.Errorf("%v, divergent %t: %d cycles and a shift of %d, want %d and %d", c.successors, c.divergent, w.time(), shift, c.time, c.shift)
		}
	}
}
