package greedy

import "testing"

// TestOver checks that sums which do not fit into 63 bits do not become small.
func TestOver(t *testing.T) {
	m := &model{header: 1, full: 3}
	a := &analysis{model: m, foot: footprint{l1fits: true, l1: 2}}
	s := a.noSums()
	s[fills], s[out], s[in] = over, over, over
	if got := a.loads(s, 1); got[out] != over || got[in] != over {
		t.Errorf("flits %d and %d, want the greatest number", got[out], got[in])
	}
	s[fills], s[out], s[in] = 10, 10, 30
	if got := a.loads(s, 1); got[fills] != 2 || got[out] != 2 || got[in] != 6 {
		t.Errorf("loads %v, want 2 of 10", got)
	}
}
