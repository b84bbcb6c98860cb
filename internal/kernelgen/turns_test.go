package kernelgen_test

import (
	"bytes"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/kernelgen"
	"warpbound/internal/scalar"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// TestTurns executes kernels whose lanes come to operations and barriers apart, with paths that take turns in several ways: each time they end, and
// leave in buffers what the execution of thread after thread does.
func TestTurns(t *testing.T) {
	of := []kernelgen.Features{
		kernelgen.SeparateLanes, kernelgen.SeparateBarriers, kernelgen.Separate, kernelgen.SeparateLanes | kernelgen.Calls | kernelgen.Conversions,
		kernelgen.SeparateBarriers | kernelgen.PartialBarriers | kernelgen.Local, kernelgen.SeparateLanes | kernelgen.CrossLane | kernelgen.Depot,
	}
	waited, seeds := 0, effort.Draw(t, 800)
	for _, seed := range seeds {
		l := flowtest.Random(t, seed, kernelgen.Options{
			Statements: 10, Depth: 3, Trips: 5, Threads: 140, CTAs: 2, Features: of[seed%uint64(len(of))], Warp: flowtest.Width, Independent: true,
		})
		want, err := scalar.Execute(l.Graph, l.Bound(), l.Bound().Inputs(0), nil)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		waits := false
		for _, turns := range []emu.Turns{{Path: 1 << 16, Wait: 1 << 16}, {Path: 1, Wait: 1}, {Path: 3, Wait: 2, Swap: true}, {Path: 1, Wait: 50}, {Path: 70, Wait: 1, Swap: true}} {
			again := l.Turning(t, turns)
			again.Run(t, l.Grid.CTAs(), func(*emu.CTA, int) func(*emu.Effect) {
				return func(eff *emu.Effect) { waits = waits || eff.Separate }
			})
			for i, data := range again.Buffers {
				if !bytes.Equal(data, want[i]) {
					t.Errorf("seed %d, %+v: buffer %s differs from that of thread after thread", seed, turns, l.Name(i))
				}
			}
		}
		if waits {
			waited++
		}
	}
	if effort.Many() && waited < len(seeds)/3 {
		t.Errorf("lanes wait for others in %d of %d kernels", waited, len(seeds))
	}
	t.Logf("lanes wait for others in %d kernels", waited)
}
