package greedy_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// TestBankConflicts has lanes that want different words of one bank, some of them with the first lane of their group: each takes a pass more.
func TestBankConflicts(t *testing.T) {
	const loads = 400
	for _, c := range []struct {
		name, address string
		ctas, threads int
		passes        int64 // of the CTA that has most
	}{
		{"two lanes", "shl.b32 %a, %t, 7", 1, 2, 2},
		{"all lanes", "shl.b32 %a, %t, 7", 1, 32, 32},
		{"the first and the last lane", "and.b32 %a, %t, 31;\n\tmul.lo.u32 %a, %a, 4;\n\tsetp.eq.u32 %p, %t, 31;\n\tselp.u32 %a, 128, %a, %p", 1, 32, 2},
		{"more in each CTA", "mov.u32 %a, %ctaid.x;\n\tmul.lo.u32 %a, %a, %t;\n\tshl.b32 %a, %a, 2", 33, 32, 32},
	} {
		for _, on := range []string{"fermi-c2050", "gtx480", "h100"} {
			t.Run(c.name+" on "+on, func(t *testing.T) {
				d := bound(t, fstest.MapFS{
					"k.ptx": {Data: []byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n\t.reg .b32 %t, %a, %u;\n\t.reg .pred %p;\n\t.shared .align 4 .b8 s[4224];\n\tmov.u32 %t, %tid.x;\n\t" +
						c.address + ";\n\tmov.u32 %u, s;\n\tadd.u32 %a, %a, %u;\n" + strings.Repeat("\tld.shared.u32 %u, [%a];\n", loads) + "\tret;\n}\n")},
					"job.toml": {Data: fmt.Appendf(nil, "module = \"k.ptx\"\nmachine = %q\ngrid = [%d]\nblock = [%d]\n", on, c.ctas, c.threads)},
				})
				// On h100 instructions are fetched, too, and other CTAs come before.
				if unit := d.Unit; unit < loads*c.passes || unit > loads*(c.passes+7)*int64(c.ctas) {
					t.Errorf("the unit takes %d, want %d", unit, loads*c.passes)
				}
			})
		}
	}
}

// TestCollisions has lanes of which each changes a word of its own in the first CTA, and all the same one in the second.
func TestCollisions(t *testing.T) {
	const times, lanes = 100, 32
	for _, on := range []string{"fermi-c2050", "gtx480", "h100"} {
		d := bound(t, fstest.MapFS{
			"k.ptx": {Data: []byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() {\n\t.reg .b32 %t, %a, %u;\n\t.shared .align 4 .b8 s[128];\n\tmov.u32 %t, %tid.x;\n" +
				"\tmov.u32 %u, %ctaid.x;\n\tmov.u32 %a, 1;\n\tsub.u32 %a, %a, %u;\n\tmul.lo.u32 %a, %a, %t;\n\tshl.b32 %a, %a, 2;\n\tmov.u32 %u, s;\n\tadd.u32 %a, %a, %u;\n" +
				strings.Repeat("\tred.shared.add.u32 [%a], 1;\n", times) + "\tret;\n}\n")},
			"job.toml": {Data: fmt.Appendf(nil, "module = \"k.ptx\"\nmachine = %q\ngrid = [2]\nblock = [%d]\n", on, lanes)},
		})
		if d.Unit < times*lanes {
			t.Errorf("%s: the unit takes %d, want %d at least", on, d.Unit, times*lanes)
		}
	}
}
