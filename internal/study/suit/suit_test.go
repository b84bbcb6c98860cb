package suit

import (
	"fmt"
	"strings"
	"testing"

	"warpbound/estimate"
)

// module is a module of kernels, each a line of directives and then its body.
func module(target string, kernels ...string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 8.0\n.target %s\n.address_size 64\n", target)
	for i, k := range kernels {
		directives, body, _ := strings.Cut(k, "\n")
		fmt.Fprintf(&b, ".visible .entry k%d()\n%s\n{\n%s\nret;\n}\n", i, directives, body)
	}
	return []byte(b.String())
}

// TestModule: which machine is the best, and what is said of one.
func TestModule(t *testing.T) {
	for _, c := range []struct {
		name, target string
		kernels      []string
		best         string
		machine      string // of which the rest is said
		strongest    estimate.Evidence
		reasons      string // what they contain
	}{
		{"its own target", "sm_20", []string{""}, "fermi-c2050", "fermi-c2050", "proven", "[what the module targets]"},
		{"a later target", "sm_87", []string{""}, "orin-agx", "fermi-c2050", "proven", "[a GPU of sm_20 (Fermi) does not run code for sm_87: instruction timings, caches and occupancy are its own]"},
		{"like no GPU", "sm_87", []string{""}, "orin-agx", "predictable-rr", "proven", "[like no GPU: made to be bounded, without caches]"},
		{"stand-ins", "sm_80", []string{"\n.reg .b32 %r<3>; mov.u32 %r1, 1; redux.sync.add.u32 %r2, %r1, -1; lop3.b32 %r2, %r1, %r1, %r1, 3;"}, "a100", "fermi-c2050", "proven", "lacks reductions over a warp (sm_80) and lop3 (sm_50), which stand-ins time"},
		{"warps of 32", "sm_70", []string{"\n.reg .b32 %r<3>; mov.u32 %r1, %laneid;"}, "v100", "gcn3-split", "", "depends on warps of 32 threads, and those of the machine have 64"},
		{"too many threads", "sm_70", []string{".reqntid 32, 2, 1\n"}, "v100", "mini-simt", "", "[a CTA of [32 2 1] threads has more than the 16 that mini-simt allows]"},
		{"fewer threads than allowed", "sm_70", []string{".maxntid 32, 2, 1\n"}, "v100", "mini-simt", "proven", "a CTA has 16 threads at most, not the 64 that kernel k0 allows"},
		{"too much shared memory", "sm_87", []string{"\n.shared .align 4 .b8 s[50000];\n.reg .b32 %r<2>; mov.u32 %r1, s; st.shared.u32 [%r1], %r1;"}, "orin-agx", "fermi-c2050", "", "50048 bytes of shared memory, but an SM of fermi-c2050 has 49152"},
		{"one of two", "sm_87", []string{"", ".reqntid 64\n"}, "orin-agx", "mini-simt", "", "[kernel k1: a CTA of [64 1 1] threads"},
		{"mbarriers", "sm_80", []string{"\n.shared .align 8 .b64 bar; mbarrier.init.shared.b64 [bar], 1;"}, "a100", "predictable-rr", "observed", "nothing is proven of kernel k0: static methods do not follow mbarriers and bulk copies"},
		{"clusters", "sm_90", []string{".reqnctapercluster 2\n"}, "gh200", "fermi-c2050", "", "[kernel k0 requires clusters of several CTAs"},
		{"not modelled", "sm_90", []string{"\nwgmma.fence.sync.aligned;"}, "gh200", "fermi-c2050", "", "m.ptx:7:1: cannot execute wgmma.fence.sync.aligned"},
	} {
		got, err := Module("m.ptx", module(c.target, c.kernels...), "")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if best := got.Machines[0].Machine; best != c.best {
			t.Errorf("%s: the best is %s, want %s", c.name, best, c.best)
		}
		for _, s := range got.Machines {
			if s.Machine != c.machine {
				continue
			}
			if s.Strongest() != c.strongest || s.Runs != (c.strongest != "") || !strings.Contains(fmt.Sprint(s.Reasons), c.reasons) {
				t.Errorf("%s: %+v", c.name, s)
			}
		}
	}
}

// TestKernel asks about one kernel of several, and about one that is not there.
func TestKernel(t *testing.T) {
	text := module("sm_87", "", ".reqntid 64\n")
	got, err := Module("m.ptx", text, "k0")
	if err != nil || fmt.Sprint(got.Kernels) != "[k0]" || !got.Machines[len(got.Machines)-1].Runs {
		t.Errorf("%+v, %v", got, err)
	}
	for _, c := range []struct{ text, kernel, want string }{
		{string(text), "k2", "k2"},
		{string(module("sm_20")), "", "m.ptx defines no kernel"},
		{"nonsense", "", "m.ptx:1:1"},
	} {
		if _, err := Module("m.ptx", []byte(c.text), c.kernel); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}
