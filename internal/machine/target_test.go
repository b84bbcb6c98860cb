package machine

import (
	"fmt"
	"strings"
	"testing"
)

// TestMatch: how machines of some architectures stand to code for some targets.
func TestMatch(t *testing.T) {
	names := map[Match]string{Runs: "runs", Differs: "differs", Unsaid: "unsaid", Unlike: "unlike"}
	for _, c := range []struct{ architecture, target, want string }{
		{"sm_20", "sm_20", "runs"},
		{"sm_87", "sm_20", "runs"}, // a driver compiles PTX for later GPUs
		{"sm_20", "sm_87", "differs"},
		{"sm_90", "sm_90a", "runs"},
		{"sm_100", "sm_90a", "differs"},
		{"sm_120", "sm_100f", "differs"},
		{"none", "sm_87", "unlike"},
		{"mini-simt", "sm_87", "unlike"},
		{"sm_20", "mini-simt", "unlike"},
		{"mini-simt", "mini-simt", "runs"},
		{"", "sm_20", "unsaid"},
	} {
		if got := names[(&Machine{Architecture: c.architecture}).Match(c.target)]; got != c.want {
			t.Errorf("a machine of %q %s for %s, want %s", c.architecture, got, c.target, c.want)
		}
	}
}

// TestByTarget: what describes a GPU comes first for PTX, and its own machine for code of the mini-SIMT machine.
func TestByTarget(t *testing.T) {
	for target, want := range map[string]string{
		"sm_20":     "fermi-c2050 fermi-c2050-v1 gtx480 v100 xavier-agx rtx-2060 t4 a100 a40 a6000 rtx-3070 rtx-3070ti orin-agx orin-nano gh200 h100 h200 ampere-bounded fermi-bounded gcn3-split integrated-fermi mini-simt predictable-rr",
		"sm_87":     "orin-agx orin-nano gh200 h100 h200 a40 a6000 rtx-3070 rtx-3070ti a100 rtx-2060 t4 xavier-agx v100 fermi-c2050 fermi-c2050-v1 gtx480 ampere-bounded fermi-bounded gcn3-split integrated-fermi mini-simt predictable-rr",
		"mini-simt": "mini-simt a100 a40 a6000 ampere-bounded fermi-bounded fermi-c2050 fermi-c2050-v1 gcn3-split gh200 gtx480 h100 h200 integrated-fermi orin-agx orin-nano predictable-rr rtx-2060 rtx-3070 rtx-3070ti t4 v100 xavier-agx",
	} {
		all, err := ByTarget(target)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range all {
			got = append(got, m.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v", target, got)
		}
	}
}

// TestForTarget has the machines for code whose job names none, where all of them are built in and where some are.
func TestForTarget(t *testing.T) {
	all := []string{"a100", "h100", "orin-agx", "rtx-3070", "t4", "v100", "xavier-agx"}
	for target, want := range map[string]string{
		"sm_70": "v100", "sm_72": "xavier-agx", "sm_75": "t4", "sm_80": "a100", "sm_86": "rtx-3070", "sm_87": "orin-agx", "sm_90": "h100", "sm_90a": "h100",
		"sm_71": "v100", "sm_73": "xavier-agx", "sm_82": "a100", "sm_89": "orin-agx", "sm_100": "h100", "sm_120f": "h100",
		"sm_20": "", "sm_35": "", "sm_62": "", "mini-simt": "", "": "", "sm_": "",
	} {
		name, ok := forTarget(target, all)
		if name != want || ok != (want != "") {
			t.Errorf("%s: %q, %t, want %q", target, name, ok, want)
		}
	}
	if name, ok := forTarget("sm_87", []string{"rtx-3070", "a100"}); ok {
		t.Errorf("%s is not built in", name)
	}
	for _, row := range byCapability {
		if m, err := Builtin(row.name); err == nil && m.Match(fmt.Sprintf("sm_%d", row.sm)) != Runs {
			t.Errorf("%s does not run code for sm_%d", row.name, row.sm)
		}
	}
}
