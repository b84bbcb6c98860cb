package reproduce

import (
	"strings"
	"testing"

	"warpbound/estimate"
)

func TestSharedFigures(t *testing.T) {
	examples, err := sharedFigures()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range examples {
		if !e.OK {
			t.Errorf("%s: %s, want %s", e.Name, e.Ours, e.Paper)
		}
	}
}

// TestSectionVI checks that no bound is below what it bounds, and the aims: Interval is at least five
// times closer to the actual miss rates than Simple, times are within 35 per cent of the run and
// 15 on average, and regulation costs less than 8 on average.
func TestSectionVI(t *testing.T) {
	out := &estimate.Reproduction{}
	s, err := newShared(out)
	if err != nil {
		t.Fatal(err)
	}
	s.sizes = []int64{paperSize}
	if err := s.sectionVI(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	checkLabels(t, out)
	if !out.Holds() {
		t.Errorf("%+v", out.Examples)
	}
	for _, table := range out.Tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%s: a row of %d cells for %d columns: %q", table.Name, len(row), len(table.Columns), row)
			}
		}
	}
	said := out.Tables[len(out.Tables)-1]
	figure := func(name string, at int) float64 {
		for _, row := range said.Rows {
			if strings.HasPrefix(row[0], name) {
				return column(t, estimate.Table{Rows: [][]string{row}}, at)[0]
			}
		}
		t.Fatalf("no row %q", name)
		return 0
	}
	// With the grouping that Interval has, Simple is as close on all kernels but those whose cores use more of a set than it holds.
	if interval, simple := figure("each access on its own", 2), figure("each access on its own", 3); interval >= simple {
		t.Errorf("misses above the actual, as published: %.1f per cent by Interval, %.1f by Simple", interval, simple)
	}
	if interval, simple := figure("miss rate above the actual, k3, k4", 2), figure("miss rate above the actual, k3, k4", 3); interval > simple || interval > 5 {
		t.Errorf("misses above the actual, grouped: %.1f per cent by Interval, %.1f by Simple", interval, simple)
	}
	if above := figure("WCET above the run, k1 to k10", 2); above > 15 {
		t.Errorf("WCET by Interval %.1f per cent above the run, on average", above)
	}
	if above := figure("overhead of regulation", 2); above >= 8 {
		t.Errorf("regulation costs %.1f per cent, on average", above)
	}
}
