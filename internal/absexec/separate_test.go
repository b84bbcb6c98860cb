package absexec

import (
	"errors"
	"math/rand/v2"
	"testing"

	"warpbound/internal/emu"
	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
)

// TestSeparate executes kernels whose lanes come to operations and barriers apart. Where none is said to be missing, all
// is as where warps execute one path after the other.
func TestSeparate(t *testing.T) {
	of := []kernelgen.Features{kernelgen.SeparateLanes, kernelgen.SeparateBarriers, kernelgen.SeparateLanes | kernelgen.CrossLane}
	tooLong, followed := 0, 0
	seeds := effort.Draw(t, 600)
	for _, seed := range seeds {
		c := kernelgen.New(rand.New(rand.NewPCG(seed, 4)), kernelgen.Options{
			Statements: 1 + int(seed%7), Depth: 2, Trips: 3, Threads: 80, CTAs: 3, Bounded: true, Features: of[seed%3], Warp: 32, Independent: true,
		})
		l := load(t, "job.toml", func(name string) []byte {
			if name == kernelgen.ModuleFile {
				return []byte(c.Module)
			}
			return []byte(c.Job)
		})
		l.independent = true
		l.code = l.code.WithThreads(emu.Turns{Path: 1 << 16, Wait: 1 << 16})
		config := l.config()
		l.prepare(t, 0, 32)
		config.Bound, _ = l.observe(t)
		config.MaxSteps = 10_000
		l.prepare(t, 0, 32)
		config.Launch = l.semantics
		if err := l.cover(t, config, 1); errors.Is(err, errTooLong) {
			tooLong++
		} else if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, c.Job, c.Module)
		}
		followed += l.followed
	}
	t.Logf("%d warps", followed)
	if effort.Many() && (tooLong > len(seeds)/5 || followed < len(seeds)/4) {
		t.Errorf("of %d kernels %d were too long, and %d warps have no missing lanes", len(seeds), tooLong, followed)
	}
}
