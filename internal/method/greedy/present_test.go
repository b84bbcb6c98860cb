package greedy_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// TestStoresToLoadedLines has warps that load a line of local memory and store to it later, which is no request if the L1 surely has it by then.
func TestStoresToLoadedLines(t *testing.T) {
	const (
		load = "\tld.local.u32 %a, [frame];\n"
		use  = "\tadd.u32 %a, %a, 1;\n"
	)
	branch := func(one, other string) string {
		return "\t@%p bra.uni ELSE;\n" + one + "\tadd.u32 %b, %b, 1;\n\tbra.uni JOIN;\nELSE:\n" + other + "\tadd.u32 %b, %b, 2;\nJOIN:\n"
	}
	loop := func(body string) string {
		return "\tmov.u32 %c, 0;\nHEAD:\n" + body + "\tadd.u32 %c, %c, 1;\n\tsetp.lt.u32 %q, %c, %n;\n\t@%q bra.uni HEAD;\n"
	}
	const words = 200 // with the line of each, an L1 of 128 lines does not keep all
	var crowd strings.Builder
	for i := range words {
		fmt.Fprintf(&crowd, "\tld.local.u32 %%a, [frame+%d];\n\tadd.u32 %%a, %%a, 1;\n", 4*i)
		if i > 0 {
			fmt.Fprintf(&crowd, "\tst.local.u32 [frame+%d], %%a;\n", 4*i)
		}
	}
	for _, c := range []struct {
		name, body string
		requests   int64 // one of the number that it branches on, and at most one each of the load and the store
	}{
		{"nothing loaded", use, 2},
		{"loaded", load + use, 2},
		{"loaded many times", strings.Repeat(load+use, 9), 2},
		{"not needed yet", load, 3},
		{"another line", "\tld.local.u32 %a, [frame+4];\n" + use, 3},
		{"before both alternatives", load + use + branch(use, use), 2},
		{"in the first alternative", branch(load+use, ""), 3},
		{"in the second alternative", branch("", load+use), 3},
		{"in the first, and needed behind both", branch(load, "") + use, 3},
		{"in the second, and needed behind both", branch("", load) + use, 3},
		{"before both, and needed behind", load + branch("", "") + use, 3},
		{"in the first, and needed in the second", branch(load, use), 3},
		{"with lines that have to make room", crowd.String() + use, 1 + 2*words},
		{"in the first iteration", loop(load + use), 2},
		{"in an iteration, and needed behind the loop", loop(load) + use, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := bound(t, fstest.MapFS{
				"k.ptx": {Data: []byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 data) {\n\t.reg .b32 %a, %b, %c, %n;\n\t.reg .b64 %d;\n" +
					"\t.reg .pred %p, %q;\n\t.local .align 8 .b8 frame[800];\n\tld.param.u64 %d, [data];\n\tld.global.u32 %n, [%d];\n\tsetp.eq.u32 %p, %n, 0;\n" +
					"\tmov.u32 %a, 0;\n\tmov.u32 %b, 0;\n" + c.body + "\tst.local.u32 [frame], %b;\n\tret;\n}\n")},
				"job.toml": {Data: []byte("module = 'k.ptx'\nmachine = 'fermi-c2050'\ngrid = [1]\nblock = [32]\n[[param]]\nname = 'data'\ntype = 'u32'\ncount = 1\ninit = 'uniform(0, 9)'\n")},
			})
			if got := d.Requests; got != c.requests {
				t.Errorf("%d requests, want %d", got, c.requests)
			}
		})
	}
}
