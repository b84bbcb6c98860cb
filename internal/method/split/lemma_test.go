package split_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"warpbound/internal/kernelgen"
	"warpbound/internal/method/split"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
	"warpbound/internal/test/flowtest"
)

// TestLemma58 compares wavefronts that split at selected branches with wavefronts that pay
// for a split at each execution of any of these branches and execute its paths one after the
// other (Lemmas 5.6 and 5.8), for random kernels and times of blocks. The former are never
// slower, and mostly faster.
func TestLemma58(t *testing.T) {
	faster := 0
	for seed := range 200 {
		src := rand.New(rand.NewPCG(uint64(seed), 58))
		text := kernelgen.New(src, kernelgen.Options{Statements: 12, Depth: 3, Trips: 4, Threads: 64, CTAs: 1}).Module
		g := flowtest.Graph(t, "kernel.ptx", text)
		f, err := bsb.New(g, bsb.Options{Lanes: 64})
		if err != nil {
			t.Fatal(err)
		}
		var marked []int
		for b := range g.Blocks {
			if f.Splittable(b) {
				marked = append(marked, b)
			}
		}
		pws := split.Costs{Blocks: make([]saturating.Int, g.Len()), Split: saturating.Of(src.IntN(30))}
		for b := range pws.Blocks {
			pws.Blocks[b] = saturating.Of(src.IntN(100))
		}
		selected := f.Select(marked, src.IntN(8))
		dws := split.Costs{Blocks: append([]saturating.Int(nil), pws.Blocks...)}
		for _, b := range selected {
			dws.Blocks[b] = dws.Blocks[b].Add(pws.Split)
		}
		loops := func(int) (int64, string, bool) { return 3, "proven", true }
		fast, err := split.LongestPath(context.Background(), f, pws, loops, selected)
		if err != nil {
			t.Fatal(err)
		}
		slow, err := split.LongestPath(context.Background(), f, dws, loops, nil)
		if err != nil {
			t.Fatal(err)
		}
		if fast.Cycles > slow.Cycles {
			t.Errorf("seed %d: %d cycles with splits at %v, %d without", seed, fast.Cycles, selected, slow.Cycles)
		}
		if fast.Cycles < slow.Cycles {
			faster++
		}
	}
	if faster < 50 {
		t.Errorf("only %d of 200 kernels are faster", faster)
	}
}
