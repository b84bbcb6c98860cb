package cli

import (
	"slices"
	"strings"
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
		{warpbound.SearchProgress{Paths: 12}, 10, "symbolic execution, 12 paths ", ""},
		{warpbound.SearchProgress{Strategy: "gdivan", Generation: 3, Runs: 40, Budget: 200, Best: 7}, 50, "gdivan, generation 3 ", "40 of 200, best 7 cycles"},
		{warpbound.SearchProgress{Strategy: "gdivan", Generation: 4, Runs: 65, Budget: 200, Best: 9}, 60, "gdivan, generation 4 ", "65 of 200, best 9 cycles, 2.5 runs/s"},
		{warpbound.SearchProgress{Strategy: "random", Runs: 1, Budget: 200, Best: 5}, 70, "random, generation 0 ", "1 of 200, best 5 cycles"},
	} {
		l.set(c.p, begun.Add(time.Duration(c.seconds)*time.Second))
		if before, after := l.before(), l.after(); before != c.before || after != c.after {
			t.Errorf("got %q and %q, want %q and %q", before, after, c.before, c.after)
		}
		for _, text := range l.texts("job.toml") {
			if text != strings.TrimSpace(text) || strings.Contains(text, "  ") {
				t.Errorf("a text is %q", text)
			}
		}
	}
}

func TestPace(t *testing.T) {
	at := newClock()
	p := newPace("job.toml", at.now)
	for _, c := range []struct {
		phase       string
		done, total int
		passed      time.Duration
		widths      map[int]string
	}{
		{"", 0, 0, 0, map[int]string{80: "job.toml", 5: "job.t"}},
		{"static/cta", 0, 0, time.Second, map[int]string{80: "job.toml: static/cta", 10: "job.toml"}},
		{"runs", 0, 1000, 0, map[int]string{80: "job.toml: runs: 0 of 1,000", 20: "0 of 1,000", 5: "0%"}},
		{"", 100, 1000, 10 * time.Second, map[int]string{
			80: "job.toml: runs: 100 of 1,000, 10/s, 1m30s left", 45: "100 of 1,000, 10/s, 1m30s left", 29: "100 of 1,000, 1m30s left", 20: "100 of 1,000", 4: "10%", 1: "1",
		}},
		{"", 999, 1000, 989 * time.Second, map[int]string{80: "job.toml: runs: 999 of 1,000, 1.0/s, 1s left"}},
		{"", 1, 50_000_000, time.Hour, map[int]string{80: "job.toml: runs: 1 of 50,000,000"}}, // other runs
		{"", 2, 50_000_000, time.Hour, map[int]string{80: "job.toml: runs: 2 of 50,000,000, 2.0/h, 106,751 days left"}},
		{"", 20000, 50_000_000, time.Second, map[int]string{80: "job.toml: runs: 20,000 of 50,000,000, 5.6/s, 104 days left"}},
	} {
		if c.phase != "" {
			p.enter(c.phase)
		}
		at.pass(c.passed)
		if c.total > 0 {
			p.step(c.done, c.total)
		}
		for width, want := range c.widths {
			if got := fit(p.texts(), width); got != want {
				t.Errorf("%d of %d, %d columns: %q, want %q", c.done, c.total, width, got, want)
			}
		}
	}
}

// TestSchedule lets lines become ever rarer.
func TestSchedule(t *testing.T) {
	at := newClock()
	s := newSchedule(at.now())
	var due []int
	for second := range 300 {
		if s.due(at.now()) {
			due = append(due, second)
		}
		at.pass(time.Second)
	}
	if want := []int{10, 30, 70, 130, 190, 250}; !slices.Equal(due, want) {
		t.Errorf("lines after %v seconds, want %v", due, want)
	}
}
