package greedy_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// TestOneOfManyCTAs has a CTA that loads many lines, while others load none: the longest chain is its chain, wherever it is in the grid.
func TestOneOfManyCTAs(t *testing.T) {
	var loads strings.Builder
	for i := range 60 {
		fmt.Fprintf(&loads, "\tld.global.u32 %%r, [%%d+%d];\n\tadd.u32 %%s, %%s, %%r;\n", 128*i)
	}
	chains := map[int]int64{}
	for _, cta := range []int{0, 5, 14, 299} {
		d := bound(t, fstest.MapFS{
			"k.ptx": {Data: []byte(".version 7.0\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 data) {\n\t.reg .b32 %r, %s, %c;\n\t.reg .b64 %d;\n\t.reg .pred %p;\n" +
				"\tld.param.u64 %d, [data];\n\tmov.u32 %c, %ctaid.x;\n\tmov.u32 %s, 0;\n\tsetp.ne.u32 %p, %c, " + fmt.Sprint(cta) + ";\n\t@%p bra END;\n" + loads.String() + "END:\n\tret;\n}\n")},
			"job.toml": {Data: []byte("module = 'k.ptx'\nmachine = 'fermi-c2050'\ngrid = [300]\nblock = [32]\nparam = [{name = 'data', type = 'u32', count = 2048}]\n")},
		})
		chains[cta] = d.Chain
	}
	for cta, chain := range chains {
		if chain != chains[0] {
			t.Errorf("with loads in CTA %d the chain takes %d cycles, in CTA 0 %d", cta, chain, chains[0])
		}
	}
}
