package split

import "testing"

// TestCover: what blocks need is the maximum over wavefronts of each number; it is unknown if it is unknown of one of them.
func TestCover(t *testing.T) {
	some, others := work{3, 1, demand{1, 20, 3, 40}}, work{2, 2, demand{10, 2, 30, 4}}
	f := &facts{done: []work{some, others, {}}}
	f.cover(&facts{done: []work{others, some, others}})
	for b, want := range []work{{3, 2, demand{10, 20, 30, 40}}, {3, 2, demand{10, 20, 30, 40}}, others} {
		if f.done[b] != want {
			t.Errorf("block %d: %+v, want %+v", b, f.done[b], want)
		}
	}
	g := &facts{}
	g.cover(f)
	if f.cover(&facts{}); f.done != nil || g.done != nil {
		t.Errorf("with what is unknown: %+v and %+v", f.done, g.done)
	}
}
