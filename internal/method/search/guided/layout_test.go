package guided

import (
	"testing"

	"warpbound/internal/method/search"
	"warpbound/internal/symexec"
)

// TestCopyOwned copies what belongs to threads, of which some read an element less.
func TestCopyOwned(t *testing.T) {
	p := &search.Plan{
		Space:   search.Space{Params: []search.Param{{Name: "x", Count: 5, Element: symexec.Element{Bytes: 1}}}},
		Threads: 3,
		Views: []search.View{
			{Own: true, Elements: []int32{0, 1, 2}},
			{Own: true, Elements: []int32{3, search.None, 4}},
		},
	}
	l := newLayout(p, 3)
	for _, c := range []struct {
		move
		want string
	}{
		{move{from: 0, to: 2, n: 1}, "ABaDd"},
		{move{from: 0, to: 1, n: 1}, "AaCDE"}, // which has no second element
		{move{from: 1, to: 2, n: 1}, "ABbDE"}, // from which there is none
		{move{from: 0, to: 1, n: 2}, "AabDE"},
	} {
		to := []byte("ABCDE")
		if l.copy(search.Inputs{to}, search.Inputs{[]byte("abcde")}, c.move); string(to) != c.want {
			t.Errorf("%+v: %s, want %s", c.move, to, c.want)
		}
	}
}
