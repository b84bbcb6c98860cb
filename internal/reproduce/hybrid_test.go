package reproduce

import (
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/kernels"
)

// TestTableIIOfHybrid checks that the paper's rows are those of the list, and that their differences follow from their
// figures: the paper rounds to the nearest, and says only that one is below 1. Two of its differences are printed otherwise.
func TestTableIIOfHybrid(t *testing.T) {
	all := kernels.SDK()
	if len(all) != len(paperTableIIOfHybrid) {
		t.Fatalf("%d kernels, %d rows", len(all), len(paperTableIIOfHybrid))
	}
	misprints := map[string]string{"ScalarProduct 592 %": "591 %", "Scan-1 4046 %": "4064 %"}
	for i, f := range paperTableIIOfHybrid {
		if f.program != all[i].Program {
			t.Errorf("row %s at the place of %s", f.program, all[i].Program)
		}
		for printed, cycles := range map[string]int64{f.overDynamic: f.dynamic, f.overPublished: f.hybrid} {
			computed := whole(above(cycles, f.observed))
			if printed != "< 1 %" && printed != computed && printed != misprints[f.program+" "+computed] {
				t.Errorf("%s: %s is printed, the figures give %s", f.program, printed, computed)
			}
		}
	}
	for _, e := range paperAverages() {
		if !e.OK {
			t.Errorf("%s: %s, want %s", e.Name, e.Ours, e.Paper)
		}
	}
}

// TestTableIOfHybrid finds every kernel once in Table I.
func TestTableIOfHybrid(t *testing.T) {
	var names []string
	for _, k := range kernels.SDK() {
		names = append(names, k.Kernel)
	}
	listed := strings.Split(strings.Join(cellsOf(tableI(), 2), ", "), ", ")
	slices.Sort(names)
	slices.Sort(listed)
	if !slices.Equal(listed, names) {
		t.Errorf("Table I has the kernels %q, want %q", listed, names)
	}
}

// cellsOf returns a column of a table.
func cellsOf(t estimate.Table, at int) []string {
	var list []string
	for _, row := range t.Rows {
		list = append(list, row[at])
	}
	return list
}

// TestHybridRows makes a table of a row whose bound is below the high-water mark, with an estimate of a method that
// analyses need not have.
func TestHybridRows(t *testing.T) {
	row := func(cycles int64) hybridRow {
		return hybridRow{
			kernel: kernels.SDK()[0], paper: paperTableIIOfHybrid[0], observed: 100, runs: 1, invariant: true,
			estimates: map[string]*estimate.Estimate{
				"hybrid/dynamic": {Cycles: 110}, "hybrid/waves": {Cycles: cycles, Detail: &estimate.HybridWaves{Published: 90, Geometry: &estimate.HybridGeometry{Cycles: 70}}},
				"hybrid/list": {Cycles: 130}, "hybrid/placements": {Cycles: 105}, "hybrid/phases": {Cycles: 120},
			},
		}
	}
	rows := []hybridRow{row(200), row(99)}
	table := hybridTableII(rows, Options{Vectors: 1})
	for _, made := range []estimate.Table{table, hybridLaunches(rows)} {
		for _, row := range made.Rows {
			if len(row) != len(made.Columns) {
				t.Errorf("%s: a row of %d cells for %d columns: %q", made.Name, len(row), len(made.Columns), row)
			}
		}
	}
	for i, want := range []string{"ok", "BELOW: hybrid/waves", "-"} {
		if got := table.Rows[i][len(table.Columns)-1]; got != want {
			t.Errorf("row %d says %q of the bounds, want %q", i, got, want)
		}
	}
	if text := strings.Join(table.Columns, ","); !strings.Contains(text, "hybrid/phases,difference,bounds") {
		t.Errorf("columns %s", text)
	}
	if got := strings.Join(table.Rows[2], " "); got != "average - - - 14 % - 563 % - - - 10 % - 50 % - -10 % - -30 % - 30 % - 5 % - 20 % -" {
		t.Errorf("averages %s", got)
	}
	if e := boundsHold(rows); e.OK || e.Ours != "1" {
		t.Errorf("%+v", e)
	}
	delete(rows[0].estimates, "hybrid/phases")
	delete(rows[1].estimates, "hybrid/phases")
	if text := strings.Join(hybridTableII(rows, Options{}).Columns, ","); strings.Contains(text, "phases") {
		t.Errorf("columns %s", text)
	}
}
