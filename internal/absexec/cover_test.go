package absexec

import (
	"errors"
	"math/rand/v2"
	"testing"

	"warpbound/internal/kernelgen"
)

// TestRandomKernels checks that abstract executions cover those of random kernels. Loops
// that depend on data are bounded by what the launch was seen to need. Kernels with nests
// of such loops have too many steps to follow.
func TestRandomKernels(t *testing.T) {
	const seeds = 80
	tooLong := 0
	for seed := range uint64(seeds) {
		opts := kernelgen.Options{Statements: 12, Depth: 3, Trips: 4, Threads: 70, CTAs: 6, Irreducible: seed%4 == 0}
		c := kernelgen.New(rand.New(rand.NewPCG(seed, 1)), opts)
		l := load(t, "job.toml", func(name string) []byte {
			if name == kernelgen.ModuleFile {
				return []byte(c.Module)
			}
			return []byte(c.Job)
		})
		config := l.config()
		config.Bound = l.observe(t)
		config.MaxSteps = 10_000
		l.prepare(t, 0, 32)
		config.Launch = l.fold
		if err := l.cover(t, config, 1); errors.Is(err, errTooLong) {
			tooLong++
		} else if err != nil {
			t.Fatalf("seed %d: %v\n%s\n%s", seed, err, c.Job, c.Module)
		}
	}
	if tooLong > seeds/8 {
		t.Errorf("%d of %d kernels were too long", tooLong, seeds)
	}
}

// TestSuite checks that abstract executions cover those of the kernels of the suite, in
// some CTAs each.
func TestSuite(t *testing.T) {
	for _, dir := range []string{"vectorAdd", "matrixMul", "reduction", "histogram64", "bitonicSort", "bfs"} {
		t.Run(dir, func(t *testing.T) {
			l := suite(t, dir, "job.toml")
			config := l.config()
			config.Bound = l.observe(t)
			l.prepare(t, 0, 32)
			config.Launch = l.fold
			if err := l.cover(t, config, 11); err != nil {
				t.Fatal(err)
			}
		})
	}
}
