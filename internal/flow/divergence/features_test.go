package divergence_test

import (
	"testing"

	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// TestFeatures watches kernels that have each feature.
func TestFeatures(t *testing.T) {
	for _, seed := range effort.Draw(t, 720) {
		l := flowtest.Random(t, seed, kernelgen.Options{
			Statements: 15, Depth: 3, Trips: 4, Threads: 80, CTAs: 3, Bounded: true, Features: kernelgen.InTurn(seed), Warp: flowtest.Width,
			Independent: kernelgen.InTurn(seed)&kernelgen.Separate != 0,
		})
		watch(t, l, verdicts(t, l, seed%3 > 0), 3)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
