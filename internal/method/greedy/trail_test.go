package greedy

import (
	"maps"
	"testing"

	"warpbound/internal/saturating"
)

// TestTrail goes back along chains: by the later of two, through iterations, of which part counts behind a barrier, and no farther than what is
// kept.
func TestTrail(t *testing.T) {
	r := &hops{}
	start := r.appendHop(moment{}, 1, alone(10))
	long, short := r.appendHop(start, 2, alone(7)), r.appendHop(start, 3, alone(5))
	met := long.max(short)
	loop := r.appendIterations(met, r.appendHop(r.appendHop(met, 4, alone(2)), 5, alone(3)), 4)
	last := r.appendHop(loop, 6, alone(1))
	rebased := last.minus(moment{point: alone(19)}) // behind 2 cycles of the first iteration
	r.n = maxHops
	lost := r.appendHop(last, 7, alone(9))
	for _, c := range []struct {
		name string
		of   moment
		want map[int]saturating.Int
	}{
		{"the later of two", met, map[int]saturating.Int{1: 10, 2: 7}},
		{"iterations", last, map[int]saturating.Int{1: 10, 2: 7, 4: 8, 5: 12, 6: 1}},
		{"part of them", rebased, map[int]saturating.Int{4: 6, 5: 12, 6: 1}},
		{"more than is kept", lost, map[int]saturating.Int{}},
	} {
		for measure := range lengths {
			got := make(map[int]saturating.Int)
			r.chargeTrail(c.of.via[measure], measure, c.of.point[measure], 1, func(pc int, n saturating.Int) { got[pc] = got[pc].Add(n) })
			if !maps.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", c.name, got, c.want)
			}
		}
	}
}

// TestNeeds: each column of needs is that of the alternative that has most of it.
func TestNeeds(t *testing.T) {
	first, second := needs{1: sums{5, 1}, 2: sums{1, 1}}, needs{1: sums{0, 9}, 3: sums{2, 4}}
	first.takeColumns(second, []bool{false, true})
	for pc, want := range map[int]sums{1: {5, 9}, 2: {1, 0}, 3: {0, 4}} {
		if got := first[pc]; got[0] != want[0] || got[1] != want[1] {
			t.Errorf("instruction %d: %v, want %v", pc, got, want)
		}
	}
	a := &analysis{accounts: make(map[account]account)}
	back := make(needs)
	a.shorten(first).each(func(pc, column int, n saturating.Int) { back.row(pc, 2)[column] = n })
	if len(back) != 3 || back[1][0] != 5 || back[3][1] != 4 || len(a.accounts) != 1 {
		t.Errorf("%v", back)
	}
}
