package cta_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"warpbound/internal/machine"
)

// TestFewBanks bounds accesses of 4, 8 and 16 bytes at unknown addresses of shared memory with one or two banks. Each bank serves one word in a
// pass.
func TestFewBanks(t *testing.T) {
	for _, banks := range []int64{1, 2} {
		m, err := machine.Builtin("predictable-rr")
		if err != nil {
			t.Fatal(err)
		}
		varied := *m
		varied.Shared.Banks.Value = banks
		for words, access := range map[int]string{1: "ld.shared.u32 %v, [%at]", 2: "ld.shared.v2.u32 {%v, %w}, [%at]", 4: "ld.shared.v4.u32 {%v, %w, %v, %w}, [%at]"} {
			holds(t, fstest.MapFS{
				"m.toml": {Data: varied.Format()},
				"k.ptx": {Data: fmt.Appendf(nil, `.version 7.0
.target sm_70
.address_size 64
.shared .align 128 .b8 words[4096];
.visible .entry k(.param .u64 in)
{
	.reg .b32 %%v, %%w, %%t;
	.reg .b64 %%in, %%at, %%shared;
	ld.param.u64 %%in, [in];
	mov.u64 %%shared, words;
	mov.u32 %%t, %%tid.x;
	mad.wide.u32 %%at, %%t, 4, %%in;
	ld.global.u32 %%v, [%%at];
	and.b32 %%v, %%v, 255;
	mad.wide.u32 %%at, %%v, 16, %%shared;
	%s;
	ret;
}
`, access)},
				"job.toml": {Data: []byte("module = 'k.ptx'\nmachine = 'm.toml'\ngrid = [1]\nblock = [32]\n[[param]]\nname = 'in'\ntype = 'u32'\ncount = 32\ninit = 'iota'\n")},
			}, "job.toml", 1)
			t.Logf("%d banks, %d words", banks, words)
		}
	}
}
