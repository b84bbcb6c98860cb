package main

import (
	"os"
	"path/filepath"
	"testing"
)

// loops is the environment variable that makes this program a test program: one that runs so many
// reference loops, or fails.
const loops = "PROCESSORTIME_LOOPS"

func TestMain(m *testing.M) {
	switch os.Getenv(loops) {
	case "":
		os.Exit(m.Run())
	case "fails":
		os.Exit(3)
	case "many":
		for range 50 {
			referenceLoop()
		}
	}
}

func TestRunTests(t *testing.T) {
	allows := func(units float64) func(string) float64 {
		return func(folder string) float64 {
			if folder != ".ci/processortime" {
				t.Errorf("the folder is %q", folder)
			}
			return units
		}
	}
	for _, test := range []struct {
		name, loops, effort string
		limit               float64 // half a unit is what the loops take
		want                int
	}{
		{"within", "many", "", 50, 0},
		{"beyond", "many", "", 0.01, 1},
		{"beyond, with more items", "many", "10", 0.01, 0},
		{"fails", "fails", "", 50, 3},
	} {
		t.Setenv(loops, test.loops)
		t.Setenv("WARPBOUND_EFFORT", test.effort)
		if got := runTests([]string{os.Args[0]}, allows(test.limit)); got != test.want {
			t.Errorf("%s: exit status %d, want %d", test.name, got, test.want)
		}
	}
	if got := runTests([]string{filepath.Join(t.TempDir(), "none")}, allows(1)); got != 1 {
		t.Errorf("no program: exit status %d", got)
	}
}

// TestLimits finds the packages that have a limit.
func TestLimits(t *testing.T) {
	for folder, limit := range limits {
		if tests, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go")); err != nil || len(tests) == 0 {
			t.Errorf("%s has no tests, %v", folder, err)
		}
		if limit <= usual {
			t.Errorf("%s has a limit of %g, all packages have %d", folder, limit, usual)
		}
	}
}
