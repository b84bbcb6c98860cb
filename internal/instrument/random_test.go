package instrument_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"warpbound/internal/kernelgen"
	"warpbound/internal/test/effort"
)

// TestRandomKernels records random kernels.
func TestRandomKernels(t *testing.T) {
	for _, seed := range effort.Draw(t, 60) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			c := kernelgen.New(rand.New(rand.NewPCG(seed, 7)), kernelgen.Options{
				Statements: 6 + int(seed%4)*8, Depth: 1 + int(seed%4), Trips: 2 + int(seed%4),
				Threads: 90, CTAs: 5, Irreducible: seed%3 == 0,
			})
			b, err := jobOf(c.Job, c.Module)
			if err != nil {
				t.Fatal(err)
			}
			for name, place := range placements() {
				m, err := b.check(place)
				if err == nil {
					err = same(&m.recorded, &m.without)
				}
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, c.Module)
				}
			}
		})
	}
}

// TestRandomModules records random kernels that call random functions.
func TestRandomModules(t *testing.T) {
	for _, seed := range effort.Draw(t, 120) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			module := randomModule(rand.New(rand.NewPCG(seed, 1)))
			b, err := jobOf(jobText, module)
			if err != nil {
				t.Fatalf("%v\n%s", err, module)
			}
			for name, place := range placements() {
				m, err := b.check(place)
				if err == nil {
					err = same(&m.recorded, &m.without)
				}
				if err == nil && m.Ambiguous > 0 {
					err = fmt.Errorf("%d warps have several paths", m.Ambiguous)
				}
				if err != nil {
					t.Fatalf("%s: %v\n%s", name, err, module)
				}
			}
		})
	}
}
