package sim

import (
	"strings"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/machine"
	"warpbound/internal/test/emutest"
)

// TestFit checks that every need of a launch counts: threads, registers, both kinds of shared
// memory, and local memory.
func TestFit(t *testing.T) {
	m, err := machine.Builtin("fermi-c2050")
	if err != nil {
		t.Fatal(err)
	}
	kernel := func(decls, body string) *emu.Code {
		return emutest.Code(t, ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 %r<4>;\n"+decls+"\n"+body+"\n}\n")
	}
	plain := kernel("", "ret;")
	shared := kernel(".shared .align 8 .b8 sh[16384];", "ld.shared.u32 %r1, [sh]; ret;")
	local := kernel(".local .align 16 .b8 depot[524288];", "st.local.u32 [depot+8], 5; ret;")
	for _, c := range []struct {
		code                         *emu.Code
		ctas, threads, regs, dynamic int
		want                         machine.Occupancy
		err                          string
	}{
		{plain, 100, 64, 1, 0, machine.Occupancy{CTAs: 8, Warps: 2, Limit: "CTAs", Waves: 1}, ""},
		{plain, 100, 512, 40, 0, machine.Occupancy{CTAs: 1, Warps: 16, Limit: "registers", Waves: 8}, ""},
		{shared, 100, 64, 1, 0, machine.Occupancy{CTAs: 3, Warps: 2, Limit: "bytes of shared memory", Waves: 3}, ""},
		{shared, 100, 64, 1, 1, machine.Occupancy{CTAs: 2, Warps: 2, Limit: "bytes of shared memory", Waves: 4}, ""},
		{local, 65, 32, 1, 0, machine.Occupancy{}, "524288 bytes of local memory for each thread"},
	} {
		cfg := Config{Code: c.code, Machine: m, RegsPerThread: c.regs}
		got, err := cfg.Fit(emu.Launch{Grid: [3]int{c.ctas, 1, 1}, Block: [3]int{c.threads, 1, 1}, DynamicShared: c.dynamic})
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("got %v, want an error with %q", err, c.err)
			}
		} else if err != nil || got != c.want {
			t.Errorf("%d CTAs of %d threads: got %+v, %v, want %+v", c.ctas, c.threads, got, err, c.want)
		}
	}
}
