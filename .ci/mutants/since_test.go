package main

import "testing"

func TestLiesIn(t *testing.T) {
	m := namedMutant{
		File: "internal/taint/taint.go", Tests: "./internal/analysis ./internal/method/llc/... -run ^TestTaintReaches$",
	}
	for folder, want := range map[string]bool{
		"internal/taint":             true,
		"internal/analysis":          true,
		"internal/method/llc":        true,
		"internal/method/llc/reuse":  true,
		"internal/analysis/testdata": false,
		"internal/method":            false,
		"internal/method/llcx":       false,
		"docs":                       false,
		".":                          false,
	} {
		if got := liesIn(m, []string{"docs", folder}); got != want {
			t.Errorf("a change in %s: %v, want %v", folder, got, want)
		}
	}
}

func TestChangedSince(t *testing.T) {
	for _, commit := range []string{"", "0123456789012345678901234567890123456789", "--help"} {
		if _, err := changedSince(t.Context(), commit); err == nil {
			t.Errorf("%q is taken for a commit", commit)
		}
	}
}
