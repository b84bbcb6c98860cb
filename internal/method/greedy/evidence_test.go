package greedy_test

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/estimate"
)

// TestStatedBounds: a bound that counts as many iterations as the job states rests on that, unless the loop surely makes fewer.
func TestStatedBounds(t *testing.T) {
	for next, want := range map[string]estimate.Evidence{
		"mad.lo.u32 %n, %n, 5, 3;\n\tand.b32 %n, %n, 15;\n\tsetp.ne.u32 %p, %n, 5;": estimate.Annotated,
		"add.u32 %i, %i, 1;\n\tsetp.lt.u32 %p, %i, 5;":                              estimate.Proven,
	} {
		e := estimated(t, fstest.MapFS{
			"k.ptx": {Data: []byte(".version 7.0\n.target sm_35\n.address_size 64\n.visible .entry k(.param .u64 data) {\n\t.reg .b32 %n, %i;\n\t.reg .b64 %d;\n\t.reg .pred %p;\n" +
				"\tld.param.u64 %d, [data];\n\tld.global.u32 %n, [%d];\n\tmov.u32 %i, 0;\nLOOP:\n\t" + next + "\n\t@%p bra LOOP;\n\tret;\n}\n")},
			"job.toml": {Data: []byte("module = 'k.ptx'\nmachine = 'fermi-c2050'\ngrid = [1]\nblock = [32]\nparam = [{name = 'data', type = 'u32', count = 1, init = 'uniform(0, 9)'}]\n[loop]\nLOOP = 16\n")},
		})
		stated := slices.ContainsFunc(e.Assumptions, func(s string) bool { return strings.Contains(s, "LOOP") })
		if e.Evidence != want || stated != (want == estimate.Annotated) {
			t.Errorf("%s: %v, under %q", next, e.Evidence, e.Assumptions)
		}
	}
}
