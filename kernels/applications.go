package kernels

import "math"

// The cells of relaxation's grid, and its limit of changes, as the job states them.
const (
	relaxationWidth, relaxationHeight = 48, 32
	relaxationLimit                   = 0.0234375
)

// relaxation makes rounds of two steps until no cell changes by more than the limit from one to the other.
func relaxation(in map[string][]byte, _ map[string]uint64) map[string][]byte {
	a := floats(in["a"])
	for {
		b := relaxed(a)
		a = relaxed(b)
		largest := float32(0)
		for i := range a {
			largest = max(largest, float32(math.Abs(float64(a[i]-b[i]))))
		}
		if largest <= relaxationLimit {
			return map[string][]byte{"a": floatBytes(a), "b": floatBytes(b), "changed": make([]byte, 4)}
		}
	}
}

// relaxed returns the cells after a step.
func relaxed(from []float32) []float32 {
	to := make([]float32, len(from))
	for y := range relaxationHeight {
		for x := range relaxationWidth {
			cell := y*relaxationWidth + x
			if x == 0 || y == 0 || x == relaxationWidth-1 || y == relaxationHeight-1 {
				to[cell] = from[cell]
				continue
			}
			vertical := from[cell-relaxationWidth] + from[cell+relaxationWidth]
			horizontal := from[cell-1] + from[cell+1]
			to[cell] = float32(0.5*from[cell]) + float32(0.125*(vertical+horizontal))
		}
	}
	return to
}
