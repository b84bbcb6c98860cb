package llc_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"warpbound/internal/machine"
)

// TestUnknownLocalMemory loads a line of a buffer again and again, and between that words of local memory that data choose, which make it leave
// the L1. Since the kernel branches on data, the order of accesses is not known.
func TestUnknownLocalMemory(t *testing.T) {
	const code = "\tld.global.u32 %r2, [%d];\n\tadd.u32 %r1, %r1, %r2;\n\tand.b32 %r3, %r1, 15;\n\tmul.wide.u32 %a, %r3, 4;\n\tmov.u64 %f, frame;\n\tadd.u64 %a, %a, %f;\n" +
		"\tld.local.u32 %r4, [%a];\n\tadd.u32 %r1, %r1, %r4;\n"
	m, err := machine.Builtin("integrated-fermi")
	if err != nil {
		t.Fatal(err)
	}
	small := *m
	small.SM.Count.Value, small.L1.Sets.Value, small.L1.Ways.Value = 1, 1, 2
	holdsOnOneSM(t, fstest.MapFS{
		"m.toml": {Data: small.Format()},
		"k.ptx": {Data: []byte(".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n\t.reg .b32 %r<9>;\n\t.reg .b64 %d, %a, %f;\n\t.reg .pred %p;\n\t.local .align 64 .b8 frame[64];\n\t.shared .b8 most[40000];\n" +
			"\tld.param.u64 %d, [p];\n\tmov.u32 %r1, %tid.x;\n\tld.global.u32 %r5, [%d];\n\tsetp.gt.u32 %p, %r5, 4;\n\t@%p bra BEHIND;\n\tadd.u32 %r1, %r1, 1;\nBEHIND:\n" + strings.Repeat(code, 20) + "\tret;\n}\n")},
		"job.toml": {Data: []byte("module = 'k.ptx'\nmachine = 'm.toml'\ngrid = [4]\nblock = [64]\nparam = [{name = 'p', type = 'u32', count = 256, init = 'uniform(1, 9)'}]\n")},
	})
}
