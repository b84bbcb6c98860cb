package selfcheck

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"warpbound/internal/analysis"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/platform"
	"warpbound/internal/test/effort"
)

var update = flag.Bool("update", false, "write the figures anew")

// TestFigures: how long random kernels take on machines of each kind, and what static methods say, is as it was written down. A bound
// that holds all the same, but is less tight than it was, shows here alone.
func TestFigures(t *testing.T) {
	const kernels = 1500
	machines := builtins(t, machine.Names()...)
	var methods []string
	for _, m := range analysis.Methods() {
		if _, measured := m.Method.(method.Measured); !measured {
			methods = append(methods, analysis.List{m}.IDs()...)
		}
	}
	figures := func(n uint64) string {
		j, err := platform.LoadFS(instance(rand.New(rand.NewPCG(n, 23)), machines), jobFile, "")
		if err != nil {
			t.Fatal(err)
		}
		run, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{MaxCycles: maxCycles})
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%d %s: %d", n, j.Workload.Machine.Name, run.Cycles)
		a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: methods, Refusals: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range a.Estimates {
			if e.Solver == nil { // whose bounds of loops may be others with another version
				line += fmt.Sprintf(", %s %d", e.Method, e.Cycles)
			}
		}
		return line
	}
	const file = "testdata/figures.txt"
	if *update {
		var all strings.Builder
		for n := range uint64(kernels) {
			fmt.Fprintln(&all, figures(n))
		}
		if err := os.WriteFile(file, []byte(all.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(want) != kernels {
		t.Fatalf("%d lines in %s", len(want), file)
	}
	for _, n := range effort.Draw(t, kernels) {
		if got := figures(n); got != want[n] {
			t.Errorf("%s (it was %s; -update writes the new figures)", got, want[n])
		}
	}
}
