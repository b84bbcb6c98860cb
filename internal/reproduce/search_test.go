package reproduce

import (
	"reflect"
	"slices"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/smt"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/smttest"
)

// TestSearch makes the searches of some benchmarks, and holds what is said of them.
func TestSearch(t *testing.T) {
	smttest.Need(t, smt.Z3(), smt.CVC5())
	opts := Options{SearchRuns: 10, SmallRuns: 20, SearchSeeds: 1, SearchOwn: true}
	if effort.Many() {
		opts.SearchRuns, opts.SmallRuns, opts.SearchSeeds = 30, 30, 2
	}
	s := newSeeker(opts)
	s.found = slices.DeleteFunc(s.found, func(b sought) bool { return b.Kernel != "artificial" && b.Kernel != "substringSearch" })
	s.tiny = slices.DeleteFunc(s.tiny, func(b tiny) bool { return b.Kernel == "lbm" || b.Kernel == "knapsack" })
	s.held = slices.DeleteFunc(s.held, func(h held) bool { return h.kernel != "substringSearch" })
	if err := s.seek(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := &estimate.Reproduction{}
	s.report(r)
	checkLabels(t, r)
	for _, e := range r.Examples {
		if !e.OK {
			t.Errorf("%s: %s, want %s", e.Name, e.Ours, e.Paper)
		}
	}
	for _, table := range r.Tables {
		for _, row := range table.Rows {
			if len(row) != len(table.Columns) {
				t.Errorf("%s: a row of %d cells for %d columns: %q", table.Name, len(row), len(table.Columns), row)
			}
		}
	}
	for _, p := range r.Plots {
		if len(p.Series) != 3 || len(p.Series[0].At) != len(p.Series[0].Values) {
			t.Errorf("%s: %v", p.File, p.Series)
		}
	}
}

// TestSearchVerdicts: examples do not hold of searches that find too little, or more than there is.
func TestSearchVerdicts(t *testing.T) {
	found := func(gdivan, random int64) *estimate.Search {
		return &estimate.Search{
			Strategies: []estimate.SearchStrategy{{Cycles: gdivan}, {Cycles: random}},
			Explored:   &estimate.Exploration{Outcomes: []estimate.SearchOutcome{{Verdict: estimate.OutcomeCovered}, {Verdict: estimate.OutcomeUnknown}}},
		}
	}
	s := newSeeker(Options{SearchRuns: 1, SmallRuns: 1, SearchSeeds: 100})
	s.found = s.found[:1]
	s.found[0].Search, s.found[0].worst = found(1748, 100), 1749
	s.found[0].ratios = []float64{17.48, 17.48, 99} // the median is below the paper's 17.49
	s.tiny = s.tiny[:3]
	s.tiny[0].exact, s.tiny[1].exact, s.tiny[2].exact, s.tiny[2].beyond = 95, 94, 99, 1
	s.held = []held{{bound: 99, found: 100}, {bound: 100, found: 100}}
	r := &estimate.Reproduction{}
	s.report(r)
	var verdicts []bool
	for _, e := range r.Examples {
		verdicts = append(verdicts, e.OK)
	}
	// Coverage and unknown outcomes, the ratio, the worst case, three tiny launches, bounds, repetition.
	want := []bool{false, false, false, false, true, false, false, false, false}
	if !reflect.DeepEqual(verdicts, want) {
		t.Errorf("%v, want %v: %+v", verdicts, want, r.Examples)
	}
}
