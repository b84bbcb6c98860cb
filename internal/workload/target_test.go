package workload_test

import (
	"slices"
	"strings"
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

// TestForTarget chooses a machine for reduction, which is for sm_70, if the job names none.
func TestForTarget(t *testing.T) {
	choose := func(target string) (string, bool) { return "gtx480", target == "sm_70" }
	src := source(t, "reduction/job.toml")
	if got := src.ForTarget(choose); got != src {
		t.Errorf("the job names %s and gets %s", src.Spec.Machine, got.Spec.Machine)
	}
	src.Spec.Unnamed, src.Spec.Target = true, ""
	before := src.Spec.Machine
	chosen := src.ForTarget(choose)
	if chosen.Spec.Machine != "gtx480" || src.Spec.Machine != before {
		t.Errorf("chosen is %s, the job itself has %s", chosen.Spec.Machine, src.Spec.Machine)
	}
	if got := src.ForTarget(func(string) (string, bool) { return "", false }); got.Spec.Machine != before {
		t.Errorf("no machine is for the target, and the job gets %s", got.Spec.Machine)
	}
	wrong := *src
	wrong.Module = []byte("no module")
	if got := wrong.ForTarget(choose); got.Spec.Machine != before {
		t.Errorf("a module that is wrong gets %s", got.Spec.Machine)
	}
	named := *chosen
	spec := *chosen.Spec
	spec.Unnamed = false
	named.Spec = &spec
	if w, err := workload.Prepare(&named, simulated.New(builtin(t, "gtx480")), ""); err != nil || len(w.Warnings()) == 0 || strings.Contains(w.Warnings()[0].Text, "taken") {
		t.Errorf("the job names the machine: %v, %v", w.Warnings(), err)
	}
	w, err := workload.Prepare(chosen, simulated.New(builtin(t, "gtx480")), "")
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(w.Warnings(), func(w diag.Warning) bool { return w.ID == "target-differs" })
	if at < 0 || !strings.Contains(w.Warnings()[at].Text, "machine gtx480, taken as the nearest one since the job names none, is sm_20") {
		t.Errorf("warnings: %v", w.Warnings())
	}
}
