package split

import (
	"math/rand/v2"
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/simtest"
)

// TestLivelocks: runs whose warps wait in vain end, and no others.
func TestLivelocks(t *testing.T) { simtest.Livelocks(t, create, gcn3(t, machine.SplitNone, 1)) }

// TestRandomWaiting: random kernels whose warps wait for each other end.
func TestRandomWaiting(t *testing.T) {
	for _, seed := range effort.Draw(t, 200) {
		src := rand.New(rand.NewPCG(seed, 7))
		simtest.WaitingEnds(t, create, gcn3(t, machine.DWS, 2), src)
	}
}
