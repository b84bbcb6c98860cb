package check

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warpbound/estimate"
	"warpbound/internal/certify"
	"warpbound/internal/isa"
	"warpbound/internal/job"
	"warpbound/internal/machine"
)

// TestSize counts the lines of the checker, which is to be read.
func TestSize(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, name := range files {
		if ok, _ := filepath.Match("*_test.go", name); ok {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	if lines == 0 || lines > 1500 {
		t.Errorf("the checker has %d lines, and may have 1500", lines)
	}
}

// TestOmitted looks at whether a certificate without facts about blocks is found to rest on what was not said.
func TestOmitted(t *testing.T) {
	c := &certify.Certificate{Kernel: "k", Omitted: "too large"}
	c.Claim = certify.Claim{Method: "static/llc-simple", Cycles: 6, Evidence: estimate.Proven, Assumptions: unconditional("static/llc-simple", nil)}
	for i, at := range []string{"issue", "stall", "dispatch"} {
		c.Facts = append(c.Facts, certify.Fact{Kind: certify.Figure, At: at, Value: int64(i) + 1, Evidence: estimate.Proven})
	}
	s := &Subject{Kernel: &isa.Kernel{Name: "k"}, Bound: &job.Bound{Job: &job.Job{Grid: [3]int{1, 1, 1}}}, Machine: &machine.Machine{}}
	v, err := Check(c, s, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, trust := range v.Trusted {
		found = found || trust.Fact == -1 && strings.Contains(trust.Why, "too large")
	}
	if !found {
		t.Errorf("it is not said that facts are missing: %v", v.Trusted)
	}
}
