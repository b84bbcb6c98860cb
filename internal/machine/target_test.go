package machine

import (
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
		"sm_20":     "fermi-c2050 fermi-c2050-v1 gtx480 gcn3-split integrated-fermi mini-simt predictable-rr",
		"sm_87":     "fermi-c2050 fermi-c2050-v1 gtx480 gcn3-split integrated-fermi mini-simt predictable-rr",
		"mini-simt": "mini-simt fermi-c2050 fermi-c2050-v1 gcn3-split gtx480 integrated-fermi predictable-rr",
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
