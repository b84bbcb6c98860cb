// Package smttest has solvers for tests.
//
// smttest is imported by tests alone. It imports smt and process and nothing else of this project.
package smttest

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"warpbound/internal/smt"
	"warpbound/internal/smt/process"
)

// Need skips a test if a solver is not installed. Where the environment variable CI is set it fails
// instead.
func Need(t testing.TB, commands ...smt.Command) {
	t.Helper()
	for _, c := range commands {
		if _, err := exec.LookPath(c.Argv[0]); err != nil {
			if os.Getenv("CI") != "" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

// New returns a solver that starts processes, which end with the test.
func New(t testing.TB, bits, floats smt.Command, limit time.Duration) *smt.Solver {
	t.Helper()
	Need(t, bits, floats)
	s, err := smt.New(smt.Config{Launcher: process.Launcher{}, Bits: bits, Floats: floats, Limit: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Limited returns a solver whose commands limit their own work, so that what it answers depends neither
// on the computer nor on its load.
func Limited(t testing.TB) *smt.Solver {
	t.Helper()
	return New(t, smt.LimitedZ3(), smt.LimitedCVC5(), time.Hour)
}
