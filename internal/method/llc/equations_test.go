package llc_test

import (
	"testing"
	"testing/fstest"

	"warpbound/internal/analysis"
	"warpbound/internal/method/llc"
	"warpbound/internal/test/jobtest"
)

// TestPublished works Eqs. 1 to 3 by hand, with the latencies of integrated-fermi: an access alone takes at most 72 cycles if it hits
// the shared cache (two of 16 until the core's slot, two ways of 8, tags of 24), and 240 if it misses (a turn of 64, a row of 104). Behind
// 127 others it takes 64 more for each.
func TestPublished(t *testing.T) {
	for _, c := range []struct {
		name, sizes, code string
		alone, queued     int64
	}{
		// Two warps take turns: parameter 1+25, mov 1+3, mad 1+4, miss 1+34+240, hit of the L1 1+34, store to a line that is
		// there 1+34+72, ret 1+3. The second begins one cycle later. Their wave is dispatched in 8.
		{"a miss and two hits", "grid = [1]\nblock = [64]", `
	.reg .b32 %t, %u, %v;
	.reg .b64 %x, %a;
	ld.param.u64 %x, [px];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 4, %x;
	ld.global.u32 %u, [%a];
	ld.global.u32 %v, [%a];
	st.global.u32 [%a], %u;
	ret;`, 8 + 1 + 26 + 4 + 5 + 275 + 35 + 107 + 4, 8 + 1 + 26 + 4 + 5 + 275 + 35 + 107 + 4 + 2*127*64},
		// The lines of a load are served one after the other: 32 cycles of issue, and each waits for those before it.
		{"32 lines", "grid = [1]\nblock = [32]", `
	.reg .b32 %t, %u;
	.reg .b64 %x, %a;
	ld.param.u64 %x, [px];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %a, %t, 128, %x;
	ld.global.u32 %u, [%a];
	ret;`, 8 + 26 + 4 + 5 + 32 + 34 + 240 + 4, 8 + 26 + 4 + 5 + 32 + 34 + 240 + 4 + (127+31)*64},
		// Of 121 CTAs SM 0 has 9, of which 8 are resident together: 16 warps, then 2.
		{"two waves", "grid = [121]\nblock = [64]", "\n\tret;", 8 + 15 + 4 + 8 + 1 + 4, 8 + 15 + 4 + 8 + 1 + 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := jobtest.Load(t, fstest.MapFS{
				"k.ptx":    {Data: []byte(".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 px) {" + c.code + "\n}\n")},
				"job.toml": {Data: []byte("module = \"k.ptx\"\nmachine = \"integrated-fermi\"\n" + c.sizes + "\nparam = [{name = \"x\", type = \"u32\", count = 1024}]\n")},
			}, "job.toml", "")
			p, err := analysis.Problem(t.Context(), j.Workload)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range []llc.Method{llc.Simple, llc.Interval} {
				got, err := m.Published(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				if want := (llc.Published{Alone: c.alone, Queued: c.queued}); *got != want {
					t.Errorf("%s: %+v, want %+v", m, *got, want)
				}
			}
		})
	}
}
