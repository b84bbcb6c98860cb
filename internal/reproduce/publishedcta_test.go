package reproduce

import (
	"fmt"
	"testing"
	"testing/fstest"

	"warpbound/internal/analysis"
	"warpbound/internal/method/cta"
	"warpbound/internal/test/jobtest"
)

// TestPublishedRulesFail has a kernel for each gap of the published rules of abstract CTA
// simulation that docs/methods/cta.md names: a run takes longer than they say, and no longer
// than our bound.
func TestPublishedRulesFail(t *testing.T) {
	for _, c := range []struct {
		name, machine string
		block         int
		code          string
	}{
		{"nested loops", "mini-simt", 16, `
0: const i = 0
1: binop p = i < 8
2: bz p, 13
3: const j = 0
4: binop n = Tid / 12
5: binop p = j < n
6: bz p, 10
7: binop s = s + j
8: binop j = j + 1
9: jump 5
10: sync
11: binop i = i + 1
12: jump 1
13: sync`},
		{"an access in flight at the end", "mini-simt", 16, `
0: binop a = out + Tid
1: store a = Tid`},
		{"lanes that part", "mini-simt", 16, `
0: binop n = Tid % 2
1: bz n, 4
2: binop s = s + 1
3: jump 5
4: binop s = s + 2
5: sync`},
		{"several requests of an access", "predictable-rr", 32, `
0: binop i = Tid * 16
1: binop a = out + i
2: load s = a
3: binop s = s + 1`},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := fstest.MapFS{
				"k.simt": {Data: []byte("kernel k(int* out)\nint s, i, j, n\nbool p\nint* a" + c.code + "\n")},
				"job.toml": {Data: fmt.Appendf(nil, `module = "k.simt"
machine = %q
grid = [1, 1, 1]
block = [%d, 1, 1]
[[param]]
name = "out"
type = "s32"
count = 4096
init = "uniform(0, 3)"
`, c.machine, c.block)},
			}
			j := jobtest.Load(t, fsys, "job.toml", "")
			p, err := applyPublishedCTA(t.Context(), j.Workload)
			if err != nil {
				t.Fatal(err)
			}
			a, err := analysis.Analyze(t.Context(), j.Platform, j.Workload, analysis.Request{Methods: []string{cta.ID}})
			if err != nil {
				t.Fatal(err)
			}
			run, err := analysis.Simulate(t.Context(), j.Platform, j.Workload, analysis.SimulateRequest{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("published %d, simulated %d, bound %d", p.Cycles, run.Cycles, a.Estimates[0].Cycles)
			if p.Cycles >= run.Cycles || a.Estimates[0].Cycles < run.Cycles {
				t.Errorf("published %d, simulated %d, bound %d", p.Cycles, run.Cycles, a.Estimates[0].Cycles)
			}
		})
	}
}
