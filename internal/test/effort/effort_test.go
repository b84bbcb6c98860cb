package effort

import (
	"slices"
	"testing"
	"time"
)

func TestDraw(t *testing.T) {
	const n = 1000
	draw := func(t *testing.T, text, effort string) []uint64 {
		t.Setenv(DrawVariable, text)
		t.Setenv(Variable, effort)
		items := Draw(t, n)
		if !slices.IsSorted(items) || len(slices.Compact(slices.Clone(items))) < len(items) || items[len(items)-1] >= n {
			t.Errorf("draw %q, effort %q: %v", text, effort, items)
		}
		return items
	}
	for effort, want := range map[string]int{"": 10, "1": 10, "30": 300, "100": n} {
		if got := draw(t, "a", effort); len(got) != want {
			t.Errorf("%s=%q: %d items, want %d", Variable, effort, len(got), want)
		}
		if Whole() != (effort == "100") {
			t.Errorf("%s=%q: %v", Variable, effort, Whole())
		}
	}
	if !slices.Equal(draw(t, "a", ""), draw(t, "a", "")) {
		t.Error("a text draws different items")
	}
	t.Run("another", func(t *testing.T) {
		if slices.Equal(draw(t, "a", ""), draw(t, "b", "")) {
			t.Error("two texts draw the same items")
		}
	})
	t.Setenv(Variable, "")
	t.Setenv(SeedVariable, "3")
	for i, other := range Draw(t, n) {
		t.Setenv(SeedVariable, "")
		if seed := Draw(t, n)[i]; other != 3*n+seed {
			t.Errorf("item %d with seed 3: %d, not %d more than %d", i, other, 3*n, seed)
		}
		t.Setenv(SeedVariable, "3")
	}
	if few := Draw(t, 5); len(few) != 1 {
		t.Errorf("%v of 5 items are drawn", few)
	}
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
	begun, n := processorTime(), 0
	for processorTime() == begun {
		n++
	}
	if processorTime() < begun {
		t.Errorf("time goes back after %d loops", n)
	}
}
