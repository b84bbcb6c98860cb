package warpbound_test

import (
	"context"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"warpbound"
	"warpbound/estimate"
)

func loadPipelined(t *testing.T, machine string) *warpbound.Job {
	t.Helper()
	j, err := warpbound.LoadFS(os.DirFS("testdata/pipelined"), "job.toml", warpbound.LoadOptions{Machine: machine})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestPipelined runs a kernel that fetches tiles by bulk copies while others are worked on, and writes them back so, on all machines
// that execute PTX, and compares every element.
func TestPipelined(t *testing.T) {
	for _, machine := range []string{"fermi-c2050", "predictable-rr", "integrated-fermi", "gcn3-split"} {
		t.Run(machine, func(t *testing.T) {
			j := loadPipelined(t, machine)
			run, err := j.Simulate(context.Background(), warpbound.SimulateOptions{Races: true})
			if err != nil {
				t.Fatal(err)
			}
			in, out := j.Inputs(0)["in"], run.Buffer("out")
			for i := range len(in) / 4 {
				tile := uint32(i / 256 % 5)
				if got, want := binary.LittleEndian.Uint32(out[4*i:]), 3*binary.LittleEndian.Uint32(in[4*i:])+tile; got != want {
					t.Fatalf("word %d is %d, want %d", i, got, want)
				}
			}
			for _, r := range run.Races {
				t.Errorf("a race: %+v", r)
			}
		})
	}
}

// TestPipelinedAnalysis checks that methods which measure have an estimate, and that static ones say why they do not.
func TestPipelinedAnalysis(t *testing.T) {
	for machine, static := range map[string]string{"fermi-c2050": "", "predictable-rr": "static/cta", "integrated-fermi": "static/llc", "gcn3-split": "split/"} {
		t.Run(machine, func(t *testing.T) {
			a, err := loadPipelined(t, machine).Analyze(context.Background(), warpbound.AnalyzeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			hybrid := false
			for _, e := range a.Estimates {
				hybrid = hybrid || strings.HasPrefix(string(e.Method), "hybrid/")
			}
			if !hybrid && machine != "gcn3-split" {
				t.Errorf("no estimate by measurements: %+v", a.Estimates)
			}
			if static == "" {
				return
			}
			if !slices.ContainsFunc(a.Warnings, func(w estimate.Warning) bool {
				return w.ID == "no-static-bound" && strings.HasPrefix(w.Text, static) && strings.Contains(w.Text, "the loop at emptied (pipelined.ptx:")
			}) {
				t.Errorf("warnings: %v", a.Warnings)
			}
		})
	}
}
