package reuse_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"warpbound/internal/method/llc/reuse"
)

// rows are the accesses of Figs. 1, 3 and 4 of the paper, from row 1 on.
var rows = []string{"ABCDACBE", "ADCEABDC", "EBDACBAD"}

func figure(window func(row int) reuse.Window) []reuse.Core {
	cores := make([]reuse.Core, len(rows))
	for c, lines := range rows {
		for i, line := range lines {
			cores[c].Accesses = append(cores[c].Accesses, reuse.Line(uint64(line)))
			cores[c].Windows = append(cores[c].Windows, window(i+1))
		}
	}
	return cores
}

// The grey areas of the figures, by rows. Interval k ends with row 1, and two rows
// are one interval.
func TestFigures(t *testing.T) {
	at := func(core, row int) reuse.Ref { return reuse.Ref{Core: core, At: row - 1} }
	intervals := func(row int) reuse.Window { return reuse.Window{From: int64(row / 2), To: int64(row / 2)} }
	for _, test := range []struct {
		name          string
		window        func(row int) reuse.Window
		before, after reuse.Ref
		grey          [3][2]int // first and last row of each core
	}{
		{"Fig. 1", func(int) reuse.Window { return reuse.Window{} }, at(0, 3), at(0, 6), [3][2]int{{3, 6}, {1, 8}, {1, 8}}},
		{"Fig. 3", intervals, at(0, 3), at(0, 6), [3][2]int{{3, 6}, {2, 7}, {2, 7}}},
		{"Fig. 4", intervals, at(1, 4), at(0, 8), [3][2]int{{4, 8}, {4, 8}, {4, 8}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got [3][2]int
			for c, span := range reuse.Between(figure(test.window), test.before, test.after) {
				got[c] = [2]int{span.From + 1, span.To}
			}
			if diff := cmp.Diff(test.grey, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// In Fig. 4, core 1's accesses of interval k+2 before its E do not count: here a fifth
// line that only they use.
func TestEarlierAccessesOfTheOtherCoreDoNotCount(t *testing.T) {
	cores := []reuse.Core{
		{Accesses: []reuse.Access{reuse.Line(1), reuse.Line(0)}, Windows: []reuse.Window{{From: 0, To: 0}, {From: 1, To: 1}}},
		{Accesses: []reuse.Access{reuse.Line(2), reuse.Line(0), reuse.Line(3)}, Windows: []reuse.Window{{From: 0, To: 0}, {From: 0, To: 0}, {From: 1, To: 1}}},
	}
	for ways, want := range map[int]reuse.Class{3: reuse.Hit, 2: reuse.Unclassified} {
		result, err := reuse.Analyze(t.Context(), reuse.Cache{Sets: 1, Ways: ways}, 0, cores)
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Cores[0][1].Class; got != want {
			t.Errorf("%d ways: class %d, want %d", ways, got, want)
		}
	}
}
