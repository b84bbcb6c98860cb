package minisimt_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"warpbound"
	"warpbound/internal/isa/minisimt"
)

const job = `module = "k.simt"
machine = "%s"
grid = [%d, 1, 1]
block = [%d, 1, 1]
vectors = 4
[[param]]
name = "in"
type = "s32"
count = 64
init = "uniform(-50, 50)"
[[param]]
name = "out"
type = "s32"
count = %d
init = "zeros"
[[param]]
name = "swap"
type = "s32"
count = 16
init = "zeros"
[[param]]
name = "n"
type = "s32"
value = %d
`

// TestRandomBounds checks that random kernels can be analysed, with all transitions that
// their warps make, and that no bound is below the longest run.
func TestRandomBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := minisimt.Print(&minisimt.Module{Kernels: []*minisimt.Kernel{generate(t)}})
		threads := rapid.IntRange(1, 16).Draw(t, "threads")
		ctas := rapid.IntRange(1, 6).Draw(t, "CTAs")
		machine := rapid.SampledFrom([]string{"mini-simt", "predictable-rr"}).Draw(t, "machine")
		files := fstest.MapFS{
			"k.simt":   {Data: text},
			"job.toml": {Data: fmt.Appendf(nil, job, machine, ctas, threads, wordsPerThread*threads, threads)},
		}
		j, err := warpbound.LoadFS(files, "job.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		a, err := j.Analyze(t.Context(), warpbound.AnalyzeOptions{})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		for _, e := range a.Estimates {
			if e.Method != "hybrid/warp" && e.Cycles < a.Observed.Max {
				t.Errorf("%s is %d, the longest run %d cycles in\n%s", e.Method, e.Cycles, a.Observed.Max, text)
			}
		}
	})
}
