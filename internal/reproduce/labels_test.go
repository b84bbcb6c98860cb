package reproduce

import (
	"slices"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/smt"
	"warpbound/internal/test/smttest"
)

// checkLabels fails for examples without a label, for tables with figures of a paper that have none, and for tolerances that nobody states.
func checkLabels(t *testing.T, r *estimate.Reproduction) {
	t.Helper()
	known := func(l estimate.Label) bool { return slices.Contains(estimate.Labels(), l) }
	for _, e := range r.Examples {
		if !known(e.Label) {
			t.Errorf("%s has label %q", e.Name, e.Label)
		}
		if e.Label == estimate.LabelTolerance && e.Tolerance == "" || e.Label != estimate.LabelTolerance && e.Label != estimate.LabelFitted && e.Tolerance != "" {
			t.Errorf("%s has label %q and tolerance %q", e.Name, e.Label, e.Tolerance)
		}
		if e.Paper == "-" && (e.Label == estimate.LabelTolerance || e.Label == estimate.LabelFitted) {
			t.Errorf("%s has label %q without a figure of the paper", e.Name, e.Label)
		}
	}
	for i := range r.Tables {
		table := &r.Tables[i]
		beside := slices.ContainsFunc(table.Columns, func(c string) bool { return strings.Contains(c, "paper") || c == "measured" })
		if table.RowLabels != nil && (len(table.RowLabels) != len(table.Rows) || table.Label != "") {
			t.Errorf("%s: %d labels and %q for %d rows", table.Name, len(table.RowLabels), table.Label, len(table.Rows))
			continue
		}
		for row := range table.Rows {
			if l := table.Of(row); !known(l) && (beside || l != "") {
				t.Errorf("%s: row %q has label %q", table.Name, table.Rows[row][0], l)
			}
		}
	}
}

// TestLabels: every example of every paper says what it means that it holds. Those of tables and of machines are checked where
// these are made.
func TestLabels(t *testing.T) {
	for _, name := range Papers() {
		if name == "machines" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if name == "search" {
				smttest.Need(t, smt.Z3(), smt.CVC5())
			}
			r, err := Paper(t.Context(), name, Options{ExamplesOnly: true, Quick: true})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Examples) == 0 {
				t.Error("no example")
			}
			checkLabels(t, r)
		})
	}
}
