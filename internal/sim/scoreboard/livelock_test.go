package scoreboard

import (
	"math/rand/v2"
	"testing"

	"warpbound/internal/sim"
	"warpbound/internal/test/effort"
	"warpbound/internal/test/simtest"
)

// TestLivelocks: runs whose warps wait in vain end, and no others.
func TestLivelocks(t *testing.T) { simtest.Livelocks(t, create, fermi(t)) }

// TestLivelocksOfIndependentThreads: the same where lanes of a warp go forward each on its own.
func TestLivelocksOfIndependentThreads(t *testing.T) { simtest.Livelocks(t, create, independent(t)) }

// TestRandomWaiting: random kernels whose warps wait for each other end.
func TestRandomWaiting(t *testing.T) {
	for _, seed := range effort.Draw(t, 200) {
		src := rand.New(rand.NewPCG(seed, 7))
		m := fermi(t)
		if src.IntN(3) == 0 {
			m = independent(t)
		}
		simtest.WaitingEnds(t, create, m, src)
	}
}

func create(cfg sim.Config) (simtest.Simulator, error) { return New(cfg) }
