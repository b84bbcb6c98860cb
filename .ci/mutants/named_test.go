package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestNamedMutantsHaveTheirPlaces applies all named mutants: code that changes takes its mutants
// along, before any is tried.
func TestNamedMutantsHaveTheirPlaces(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, namedFile))
	if err != nil {
		t.Fatal(err)
	}
	all, err := parseNamed(text)
	if err != nil || len(all) == 0 {
		t.Fatalf("%d mutants: %v", len(all), err)
	}
	for _, m := range all {
		if _, err := applyNamed(root, []namedMutant{m}, regexp.MustCompile("")); err != nil {
			t.Error(err)
		}
	}
}
