package selfcheck

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"warpbound/internal/analysis"
	"warpbound/internal/machine"
	"warpbound/internal/method"
	"warpbound/internal/platform"
)

var update = flag.Bool("update", false, "write the figures anew")

// TestFigures: how long random kernels take on machines of each kind, and what static methods say, is as it was written down. A bound
// that holds all the same, but is less tight than it was, shows here alone.
func TestFigures(t *testing.T) {
	const kernels = 150
	machines := builtins(t, machine.Names()...)
	var methods []string
	for _, m := range analysis.Methods() {
		if _, measured := m.Method.(method.Measured); !measured {
			methods = append(methods, analysis.List{m}.IDs()...)
		}
	}
	var got bytes.Buffer
	for n := range uint64(kernels) {
		j, err := platform.LoadFS(instance(rand.New(rand.NewPCG(n, 23)), machines), jobFile, "")
		if err != nil {
			t.Fatal(err)
		}
		run, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{MaxCycles: maxCycles})
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&got, "%d %s: %d", n, j.Workload.Machine.Name, run.Cycles)
		a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: methods, Refusals: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range a.Estimates {
			if e.Solver == nil { // whose bounds of loops may be others with another version
				fmt.Fprintf(&got, ", %s %d", e.Method, e.Cycles)
			}
		}
		got.WriteByte('\n')
	}
	const file = "testdata/figures.txt"
	if *update {
		if err := os.WriteFile(file, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines, before := bytes.Split(got.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
	if len(lines) != len(before) {
		t.Fatalf("%d lines, and %d in %s", len(lines), len(before), file)
	}
	for i, line := range lines {
		if !bytes.Equal(line, before[i]) {
			t.Errorf("%s (it was %s; -update writes the new figures)", line, before[i])
		}
	}
}
