package phases

import (
	"bytes"
	"encoding/gob"
	"errors"
	"math"
	"testing"

	"warpbound/internal/saturating"
)

// path is a graph of one path, which starts and goes on after so many cycles each.
func path(start int64, cycles ...int64) *contexts {
	g := newContexts()
	n := g.at(place{point: atStart})
	g.nodes[n].starts[chosen] = start
	for i, c := range cycles {
		to := place{turns: int32(i) + 1}
		if i == len(cycles)-1 {
			to = place{phase: last, point: atExit}
		}
		n = g.pass(n, to, chosen, c)
	}
	return g
}

// TestLongest: the longest path takes all of its times, or what stands for more than fits.
func TestLongest(t *testing.T) {
	for _, c := range []struct {
		start  int64
		cycles []int64
		want   saturating.Int
	}{
		{0, []int64{0}, 0},
		{3, []int64{4, 0, 5}, 12},
		{1 << 61, []int64{1 << 61, 1 << 61}, 3 << 61},
		{1 << 62, []int64{1 << 62, 1}, saturating.Max},
		{math.MaxInt64, []int64{1}, saturating.Max},
	} {
		cycles, hops := path(c.start, c.cycles...).longest(chosen)
		if cycles != c.want || len(hops) != len(c.cycles)+1 {
			t.Errorf("from %d after %d: %d cycles in %d transitions, want %d", c.start, c.cycles, cycles, len(hops)-1, c.want)
		}
	}
	if cycles, hops := path(unseen, 4).longest(chosen); cycles != 0 || hops != nil {
		t.Errorf("no start: %d cycles, %v", cycles, hops)
	}
	if cycles, hops := path(3, unseen).longest(chosen); cycles != 0 || hops != nil {
		t.Errorf("no exit: %d cycles, %v", cycles, hops)
	}
}

// TestLongestOverflows: an estimate that does not fit is an error.
func TestLongestOverflows(t *testing.T) {
	r := &recording{varies: true}
	p := newProfile(r)
	for w := range p.graphs {
		p.graphs[w] = path(1<<62, 1<<62)
	}
	if e, err := p.estimate(); !errors.Is(err, ErrOverflow) {
		t.Errorf("%+v, %v", e, err)
	}
	p = newProfile(&recording{})
	p.longest[chosen], p.runs = 7, 1
	if e, err := p.estimate(); err != nil || e.Cycles != 7 {
		t.Errorf("all runs alike: %+v, %v", e, err)
	}
}

// TestRestoreNegative: no time is negative.
func TestRestoreNegative(t *testing.T) {
	p := newProfile(&recording{})
	p.graphs[0] = path(3, unseen-1)
	var b bytes.Buffer
	if err := p.Save(gob.NewEncoder(&b)); err != nil {
		t.Fatal(err)
	}
	if err := newProfile(p.of).Restore(gob.NewDecoder(&b)); !errors.Is(err, errSaved) {
		t.Errorf("%v, want %v", err, errSaved)
	}
}
