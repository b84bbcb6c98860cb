package split_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"warpbound/internal/cfg"
	"warpbound/internal/emu"
	"warpbound/internal/kernelgen"
	"warpbound/internal/method/split"
	"warpbound/internal/saturating"
	"warpbound/internal/splitting/bsb"
	"warpbound/internal/test/flowtest"
)

// TestExecutions executes random kernels, in PTX and in mini-SIMT code: no warp executes more
// instructions than the bound with a cycle for each. Branches at which its lanes never parted
// are alternatives in half of the cases.
func TestExecutions(t *testing.T) {
	opts := kernelgen.Options{Statements: 14, Depth: 4, Trips: 5, Threads: 40, CTAs: 2}
	warps, bounded := 0, 0
	for seed := range uint64(80) {
		kernel := kernelgen.New
		if seed%4 == 3 {
			kernel = kernelgen.NewSIMT
		}
		c := kernel(rand.New(rand.NewPCG(seed, 5)), opts)
		l := flowtest.Job(t, c.Job, c.Module)
		if l.Graph.CheckReducible() != nil {
			continue
		}
		for _, w := range watch(t, l) {
			warps++
			if w.check(t, l.Graph, seed%2 == 0) {
				bounded++
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, c.Module)
		}
	}
	t.Logf("%d warps, %d whose bound is what they executed", warps, bounded)
	if warps < 100 || bounded == 0 {
		t.Error("too few")
	}
}

// watched is what a warp does.
type watched struct {
	wavefront
	executed int64 // instructions
	parted   map[int]bool
	at       []int // the blocks of lanes; -1 before the first
}

// watch runs a launch and returns what its warps did.
func watch(t *testing.T, l *flowtest.Launch) []*watched {
	t.Helper()
	warps := make(map[[2]int]*watched)
	var all []*watched
	l.Run(t, 2, func(cta *emu.CTA, warp int) func(*emu.Effect) {
		key := [2]int{cta.Index, warp}
		w := warps[key]
		if w == nil {
			w = &watched{parted: make(map[int]bool)}
			w.flow, w.bound = l.Graph.Flow, make(map[int]int64)
			for range 64 {
				w.lanes = append(w.lanes, make(lane))
				w.at = append(w.at, -1)
			}
			warps[key] = w
			all = append(all, w)
		}
		running := &cta.Warps[warp]
		block := l.Graph.BlockOf(running.PC())
		w.executed++
		if running.PC() == l.Graph.Blocks[block].Start {
			for i := range w.lanes {
				if running.Active()>>i&1 == 1 {
					if w.at[i] >= 0 {
						w.lanes[i].pass(&w.wavefront, w.at[i], block)
					}
					w.at[i] = block
				}
			}
		}
		return func(eff *emu.Effect) {
			if eff.Diverged {
				w.parted[block] = true
			}
		}
	})
	return all
}

// check compares with the bound, and reports whether it is what was executed.
func (w *watched) check(t *testing.T, g *cfg.Graph, uniform bool) bool {
	t.Helper()
	f, err := bsb.New(g, bsb.Options{Lanes: len(w.lanes), Uniform: func(b int) bool { return uniform && !w.parted[b] }})
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Check(); err != nil {
		t.Fatal(err)
	}
	costs := split.Costs{Blocks: make([]saturating.Int, g.Len())}
	for b := range costs.Blocks {
		costs.Blocks[b] = saturating.Of(g.Blocks[b].End - g.Blocks[b].Start)
	}
	loops := func(header int) (int64, string, bool) { return w.bound[header], "observed", true }
	b, err := split.LongestPath(context.Background(), f, costs, loops, nil)
	if err != nil {
		t.Fatal(err)
	}
	if w.executed > b.Cycles.Int64() {
		t.Errorf("a warp executed %d instructions, bound %d; %s", w.executed, b.Cycles, describe(g.Flow, f))
	}
	return w.executed == b.Cycles.Int64()
}
