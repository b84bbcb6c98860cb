package cli

import (
	"testing"
	"time"

	"warpbound"
)

func TestSearchLine(t *testing.T) {
	var l searchLine
	begun := time.Unix(100, 0)
	for _, c := range []struct {
		p             warpbound.SearchProgress
		seconds       int
		before, after string
	}{
		{warpbound.SearchProgress{}, 0, "symbolic execution ", ""},
		{warpbound.SearchProgress{Strategy: "gdivan", Generation: 3, Runs: 40, Budget: 200, Best: 7}, 50, "gdivan, generation 3 ", "40 of 200, best 7 cycles"},
		{warpbound.SearchProgress{Strategy: "gdivan", Generation: 4, Runs: 65, Budget: 200, Best: 9}, 60, "gdivan, generation 4 ", "65 of 200, best 9 cycles, 2.5 runs/s"},
		{warpbound.SearchProgress{Strategy: "random", Runs: 1, Budget: 200, Best: 5}, 70, "random, generation 0 ", "1 of 200, best 5 cycles"},
	} {
		l.set(c.p, begun.Add(time.Duration(c.seconds)*time.Second))
		if before, after := l.before(), l.after(); before != c.before || after != c.after {
			t.Errorf("got %q and %q, want %q and %q", before, after, c.before, c.after)
		}
	}
}
