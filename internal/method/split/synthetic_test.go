package split_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"warpbound"
	"warpbound/internal/synthetic"
	"warpbound/internal/test/effort"
)

// TestSynthetic holds the bounds of synthetic benchmarks (Section 7) from the whole space of
// parameters against runs, in all modes and with any number of split SIMDs.
func TestSynthetic(t *testing.T) {
	for _, seed := range effort.Draw(t, 400) {
		src := rand.New(rand.NewPCG(seed, 7))
		c := synthetic.Config{
			Instructions: 40 + src.IntN(200), Divergent: 25 * src.IntN(5), Memory: 25 * src.IntN(5), Nesting: 1 + src.IntN(5),
			Iterations: 1 + src.IntN(3), WorkItems: 32 + src.IntN(300), Groups: 1 + src.IntN(60), Marked: synthetic.AllMarked,
			Seed: seed, Machine: "gcn3-split",
		}
		b, err := synthetic.New(c)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := warpbound.LoadFS(fstest.MapFS{
			synthetic.ModuleFile: {Data: []byte(b.Module)}, "job.toml": {Data: []byte(b.Job)},
		}, "job.toml", warpbound.LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		simds := src.IntN(8)
		for _, mode := range whole.Modes() {
			j, err := whole.Split(warpbound.SplitOptions{Mode: mode, SIMDs: &simds})
			if err != nil {
				t.Fatal(err)
			}
			a, err := j.Analyze(context.Background(), warpbound.AnalyzeOptions{Methods: []string{"split/" + mode}, Runs: warpbound.Runs{Observe: true, Vectors: 1}})
			if err != nil {
				t.Fatal(err)
			}
			t.Run(fmt.Sprint(seed, " ", mode), func(t *testing.T) {
				check(t, a, mode, map[string]float64{"none": 2.2, "dws": 3.3, "pws": 2}[mode])
				t.Logf("S = %d, %+v", simds, c)
			})
		}
	}
}
