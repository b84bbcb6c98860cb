package value

import (
	"testing"

	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/flowtest"
)

// Whatever kernels compute that have each feature is in the sets of its registers.
func TestValuesOfFeatures(t *testing.T) {
	for _, seed := range effort.Draw(t, 900) {
		l := flowtest.Random(t, seed, kernelgen.Options{
			Statements: 20, Depth: 3, Trips: 8, Threads: 80, CTAs: 3, Bounded: true, Features: kernelgen.InTurn(seed), Warp: flowtest.Width,
			Independent: kernelgen.InTurn(seed)&kernelgen.Separate != 0,
		})
		checkValues(t, l, flowtest.Must(Analyze(t.Context(), l.Graph, l.Known(seed%4 == 3))), 2)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
