package reproduce

import (
	"encoding/binary"
	"math"
	"testing"

	"warpbound"
	"warpbound/estimate"
	"warpbound/kernels"
)

// TestGaussianProgram makes one step of an elimination: nothing is left of the pivot's column below it, and the factors are in the
// same column of their matrix.
func TestGaussianProgram(t *testing.T) {
	s, err := newShared(&estimate.Reproduction{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range kernels.LLCBenchmarks() {
		if b.Program != "gaussian" {
			continue
		}
		file, err := s.programOf(b, "warm")
		if err != nil {
			t.Fatal(err)
		}
		job, err := warpbound.LoadFS(s.suite, file, warpbound.LoadOptions{Machine: "integrated-fermi"})
		if err != nil {
			t.Fatal(err)
		}
		run, err := job.Simulate(t.Context(), warpbound.SimulateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		at := func(buffer string, row, col int) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(run.Buffer(buffer)[4*(row*b.Size+col):])))
		}
		if pivot := at("a", 0, 0); pivot < 1 || pivot > 2 {
			t.Errorf("%s: the pivot is %g", file, pivot)
		}
		for row := 1; row < b.Size; row++ {
			if left, factor := at("a", row, 0), at("factors", row, 0); math.Abs(left) > 1e-6 || factor < 0.5 || factor > 2 || at("factors", row, 1) != 0 {
				t.Errorf("%s: row %d has %g left after subtracting the pivot's row %g times", file, row, left, factor)
			}
		}
	}
}
