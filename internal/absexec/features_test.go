package absexec

import (
	"errors"
	"math/rand/v2"
	"testing"

	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
)

// TestFeatures checks that abstract executions cover those of kernels that have each feature.
func TestFeatures(t *testing.T) {
	seeds := effort.Draw(t, 900)
	tooLong := 0
	for _, seed := range seeds {
		c := kernelgen.New(rand.New(rand.NewPCG(seed, 3)), kernelgen.Options{
			Statements: 12, Depth: 3, Trips: 4, Threads: 70, CTAs: 4, Bounded: true, Features: kernelgen.InTurn(seed), Warp: 32,
		})
		l := load(t, "job.toml", func(name string) []byte {
			if name == kernelgen.ModuleFile {
				return []byte(c.Module)
			}
			return []byte(c.Job)
		})
		config := l.config()
		l.prepare(t, 0, 32)
		config.Bound, config.Uniform = l.observe(t)
		config.MaxSteps = 10_000
		l.prepare(t, 0, 32)
		config.Launch = l.semantics
		if err := l.cover(t, config, 1); errors.Is(err, errTooLong) {
			tooLong++
		} else if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, c.Job, c.Module)
		}
	}
	if effort.Many() && tooLong > len(seeds)/5 {
		t.Errorf("%d of %d kernels were too long", tooLong, len(seeds))
	}
}
