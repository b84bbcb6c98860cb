package cta_test

import (
	"testing"
	"testing/fstest"
)

// TestFencesBehindAlternatives bounds fences that wait for a store, which only one of two alternatives makes.
func TestFencesBehindAlternatives(t *testing.T) {
	for name, ways := range map[string][2]string{
		"none":   {"add.u32 %r3, %r3, 1;", "add.u32 %r3, %r3, 2;"},
		"first":  {"st.global.u32 [%d], %r3;", "add.u32 %r3, %r3, 2;"},
		"second": {"add.u32 %r3, %r3, 1;", "st.global.u32 [%d], %r3;"},
		"both":   {"st.global.u32 [%d], %r3;", "st.global.u32 [%d], %r2;"},
	} {
		holds(t, fstest.MapFS{
			"m.toml": barriers(t, 1),
			"k.ptx": {Data: []byte(`.version 6.3
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) {
	.reg .b32 %r<9>; .reg .b64 %d; .reg .pred %q;
	ld.param.u64 %d, [p]; ld.param.u32 %r2, [n];
	setp.eq.u32 %q, %r2, 0;
	@%q bra.uni A;
	` + ways[0] + `
	bra.uni B;
A:
	` + ways[1] + `
B:
	membar.gl;
	add.u32 %r3, %r3, 1;
	ret;
}
`)},
			name + ".toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"predictable-rr\"\ngrid = [1]\nblock = [32]\n[[param]]\nname = \"p\"\ntype = \"u32\"\ncount = 1\n[[param]]\nname = \"n\"\ntype = \"u32\"\nrange = [0, 1]\n")},
		}, name+".toml", 8)
	}
}
