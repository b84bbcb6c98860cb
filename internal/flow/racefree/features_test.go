package racefree

import (
	"testing"

	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// TestFeatures runs kernels that have each feature, with and without changes: where they are free of races none is found.
func TestFeatures(t *testing.T) {
	for _, seed := range effort.Draw(t, 720) {
		l := flowtest.Random(t, seed, kernelgen.Options{
			Statements: 10, Depth: 2, Trips: 4, Threads: 80, CTAs: 2, Bounded: true, Features: kernelgen.InTurn(seed), Warp: flowtest.Width,
			Independent: kernelgen.InTurn(seed)&kernelgen.Separate != 0,
		})
		if verdict(t, l.Graph, known(l)).Verdict != Free {
			continue
		}
		for _, lockStep := range []bool{true, false} {
			if found := races(t, l, lockStep); len(found) > 0 {
				t.Errorf("seed %d, in lock-step %t: %s and %s race", seed, lockStep, found[0].First.Instr, found[0].Second.Instr)
			}
		}
	}
}
