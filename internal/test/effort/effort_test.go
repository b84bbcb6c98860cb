package effort

import (
	"slices"
	"testing"
	"time"
)

func TestDraw(t *testing.T) {
	const n = 1000
	draw := func(t *testing.T, text, effort, seed string) []uint64 {
		t.Setenv(DrawVariable, text)
		t.Setenv(Variable, effort)
		t.Setenv(SeedVariable, seed)
		items := Draw(t, n)
		if !slices.IsSorted(items) || len(slices.Compact(slices.Clone(items))) < len(items) {
			t.Errorf("draw %q, effort %q: %v", text, effort, items)
		}
		return items
	}
	for effort, want := range map[string]int{"": 10, "1": 10, "10": 100, "30": 300, "100": n} {
		if got := draw(t, "a", effort, ""); len(got) != want || got[len(got)-1] >= n {
			t.Errorf("%s=%q: %d items, the last is %d; want %d", Variable, effort, len(got), got[len(got)-1], want)
		}
		if Many() != (want >= n/10) {
			t.Errorf("%s=%q: many %v", Variable, effort, Many())
		}
	}
	items := draw(t, "a", "", "")
	if !slices.Equal(items, draw(t, "a", "", "")) {
		t.Error("a text draws different items")
	}
	if slices.Equal(items, draw(t, "b", "", "")) {
		t.Error("two texts draw the same items")
	}
	for i, item := range draw(t, "a", "", "3") {
		if item != 3*n+items[i] {
			t.Errorf("item %d with seed 3 is %d, not %d more than %d", i, item, 3*n, items[i])
		}
	}
	t.Setenv(SeedVariable, "")
	if few := Draw(t, 5); len(few) != 1 {
		t.Errorf("%v of 5 items are drawn", few)
	}
	*first, *seeds = 70, 3
	if got := Draw(t, 5); !slices.Equal(got, []uint64{70, 71, 72}) {
		t.Errorf("three from 70 on are %v", got)
	}
	*first, *seeds = 0, 0
	for _, text := range []string{"none", "0", "101"} {
		t.Setenv(Variable, text)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s=%s is taken", Variable, text)
				}
			}()
			Draw(t, n)
		}()
	}
}

func TestSome(t *testing.T) {
	all := []string{"v", "w", "x", "y", "z"}
	t.Setenv(Variable, "")
	seen := map[string]bool{}
	for _, text := range []string{"a", "b", "c", "d", "e", "f"} {
		t.Setenv(DrawVariable, text)
		some := Some(t, all, 2)
		if len(some) != 2 || slices.Index(all, some[0]) >= slices.Index(all, some[1]) {
			t.Errorf("%v are two of %v", some, all)
		}
		seen[some[0]], seen[some[1]] = true, true
	}
	if len(seen) < 4 {
		t.Errorf("six texts draw %v", seen)
	}
	t.Setenv(Variable, "10")
	if got := Some(t, all, 2); !slices.Equal(got, all) {
		t.Errorf("with more effort %v", got)
	}
}

// failures counts errors.
type failures struct {
	testing.TB
	count int
}

func (f *failures) Helper()               {}
func (f *failures) Errorf(string, ...any) { f.count++ }

func TestGrows(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		small, large time.Duration
		factor       float64
		errors       int
		times        int // that the small case is done
	}{
		{ms, enough, 2, 0, 0},
		{ms, 2 * enough, 19_000, 1, 1000},
		{ms, 2 * enough, 21_000, 0, 1000},
		{3 * enough, 20 * enough, 10, 0, 1},
		{enough, 20 * enough, 10, 1, 1},
	} {
		f, now, times := new(failures), time.Duration(5), 0
		small := func() { now += test.small; times++ }
		grows(f, func() time.Duration { return now }, test.factor, small, func() { now += test.large })
		if f.count != test.errors || times != test.times {
			t.Errorf("%v and %v, factor %g: %d errors, the small case is done %d times; want %d and %d",
				test.small, test.large, test.factor, f.count, times, test.errors, test.times)
		}
	}
}

func TestProcessorTime(t *testing.T) {
	begun, n := ProcessorTime(), 0
	for ProcessorTime() == begun {
		n++
	}
	if ProcessorTime() < begun {
		t.Errorf("time goes back after %d loops", n)
	}
}
