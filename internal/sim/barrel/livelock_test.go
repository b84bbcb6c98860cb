package barrel

import (
	"math/rand/v2"
	"testing"

	"warpbound/internal/test/effort"
	"warpbound/internal/test/simtest"
)

// TestLivelocks: runs whose warps wait in vain end, and no others.
func TestLivelocks(t *testing.T) { simtest.Livelocks(t, create, predictable(t)) }

// TestRandomWaiting: random kernels whose warps wait for each other end.
func TestRandomWaiting(t *testing.T) {
	for _, seed := range effort.Draw(t, 200) {
		src := rand.New(rand.NewPCG(seed, 7))
		simtest.WaitingEnds(t, create, randomMachine(t, src), src)
	}
}
