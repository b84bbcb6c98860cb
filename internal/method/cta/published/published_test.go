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
