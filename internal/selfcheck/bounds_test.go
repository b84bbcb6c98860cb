package selfcheck

import (
	"testing"

	"warpbound/internal/machine"
	"warpbound/internal/test/effort"
)

// TestBoundsOfRandomKernels is what the command does without options, for 5,000 kernels.
func TestBoundsOfRandomKernels(t *testing.T) {
	machines := builtins(t, machine.Names()...)
	for _, kernel := range effort.Draw(t, 5000) {
		cfg := config(t, 1)
		cfg.Machines, cfg.First = machines, int(kernel)
		if run(t, cfg).Violated() {
			t.Errorf("warpbound selfcheck --seed %d --first %d --kernels 1 finds a violation", cfg.Seed, kernel)
		}
	}
}
