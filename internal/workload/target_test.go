package workload_test

import (
	"slices"
	"testing"

	"warpbound/diag"
	"warpbound/internal/runner/simulated"
	"warpbound/internal/workload"
)

// TestTargetDiffers: reduction is for sm_70. There is a warning if GPUs like the machine do not run it and the job does
// not say that this is meant.
func TestTargetDiffers(t *testing.T) {
	for _, c := range []struct {
		architecture, said string
		want               bool
	}{
		{"sm_20", "", true}, {"sm_62", "", true}, {"sm_62", "sm_80", true}, {"sm_62", "sm_70", false},
		{"sm_70", "", false}, {"sm_87", "", false}, {"none", "", false}, {"mini-simt", "", false}, {"", "", false},
	} {
		m := *builtin(t, "fermi-c2050")
		m.Architecture = c.architecture
		src := source(t, "reduction/job.toml")
		src.Spec.Target = c.said
		w, err := workload.Prepare(src, simulated.New(&m), "")
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(w.Warnings(), func(w diag.Warning) bool { return w.ID == "target-differs" }); got != c.want {
			t.Errorf("on %q, said %q: %t", c.architecture, c.said, got)
		}
	}
}
