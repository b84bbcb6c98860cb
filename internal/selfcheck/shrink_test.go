package selfcheck

import (
	"context"
	"slices"
	"testing"
)

func TestShrink(t *testing.T) {
	ascending := func(n int) []int {
		draws := make([]int, n)
		for i := range draws {
			draws[i] = i
		}
		return draws
	}
	sum := func(draws []int) (n int) {
		for _, d := range draws {
			n += d
		}
		return n
	}
	for _, test := range []struct {
		name  string
		draws []int
		fails func([]int) bool
		want  []int
	}{
		{"anything", ascending(100), func([]int) bool { return true }, []int{}},
		{"one number", ascending(100), func(d []int) bool { return slices.Contains(d, 42) }, []int{42}},
		{"at least", ascending(100), func(d []int) bool { return slices.ContainsFunc(d, func(x int) bool { return x >= 17 }) }, []int{17}},
		{"two", ascending(60), func(d []int) bool {
			i := slices.Index(d, 7)
			return i >= 0 && slices.Contains(d[i:], 50)
		}, []int{7, 50}},
		{"sum", []int{3, 3, 3, 3}, func(d []int) bool { return sum(d) >= 5 }, []int{2, 3}},
		{"place", ascending(20), func(d []int) bool { return len(d) > 10 && d[10] > 0 }, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
	} {
		got := shrink(context.Background(), test.draws, func(d []int) ([]int, bool) { return d, test.fails(d) })
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, not %v", test.name, got, test.want)
		}
	}
}

// TestShrinkEnds checks that a reduction ends with its budget, and with its context.
func TestShrinkEnds(t *testing.T) {
	tried := 0
	never := func([]int) ([]int, bool) { tried++; return nil, false }
	shrink(context.Background(), make([]int, 5000), never)
	if tried != budget {
		t.Errorf("%d candidates were tried, not %d", tried, budget)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	tried = 0
	if got := shrink(ctx, []int{1, 2}, never); tried > 0 || len(got) != 2 {
		t.Errorf("%d candidates after the end, %v", tried, got)
	}
}

func TestRecorder(t *testing.T) {
	r := &recorder{given: []int{5, 100, 3}}
	for i, want := range []int{5, 9, 3, 0} {
		if got := r.IntN(10); got != want {
			t.Errorf("draw %d is %d, not %d", i, got, want)
		}
	}
	if want := []int{5, 9, 3, 0}; !slices.Equal(r.drew, want) {
		t.Errorf("kept %v, not %v", r.drew, want)
	}
}
