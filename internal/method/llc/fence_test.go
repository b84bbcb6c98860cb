package llc_test

import (
	"testing"
	"testing/fstest"
)

// TestFencesBehindStores: what follows a store to shared memory or to a buffer waits for it at a fence and at the end.
func TestFencesBehindStores(t *testing.T) {
	for name, body := range map[string]string{
		"shared, end":       "st.shared.u32 [s], %r1;",
		"shared, fence":     "st.shared.u32 [s], %r1; membar.gl; add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 1;",
		"two, fence":        "st.shared.u32 [s], %r1; add.u32 %r1, %r1, 1; st.shared.u32 [s+4], %r1; membar.cta; add.u32 %r1, %r1, 1;",
		"global, fence":     "st.global.u32 [%d], %r1; membar.gl; add.u32 %r1, %r1, 1;",
		"global and shared": "st.global.u32 [%d], %r1; st.shared.u32 [s], %r1; membar.gl; add.u32 %r1, %r1, 1;",
	} {
		t.Run(name, func(t *testing.T) {
			holdsOnOneSM(t, fstest.MapFS{
				"k.ptx": {Data: []byte(".version 6.3\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<9>;\n.reg .b64 %d;\n.shared .align 4 .b8 s[64];\n" +
					"ld.param.u64 %d, [p];\nmov.u32 %r1, 7;\n" + body + "\nret;\n}\n")},
				"job.toml": {Data: []byte("module = 'k.ptx'\nmachine = 'integrated-fermi'\ngrid = [1]\nblock = [32]\n[[param]]\nname = 'p'\ntype = 'u32'\ncount = 1\n")},
			})
		})
	}
}
