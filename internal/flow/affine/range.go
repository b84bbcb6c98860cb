package affine

import "warpbound/internal/flow/strided"

// Range is a range of numbers, its ends included.
type Range struct{ Min, Max int64 }

// Where returns the numbers x of r with lo <= k*x <= hi, for k other than 0. There are none if its
// Min is above its Max.
func (r Range) Where(k, lo, hi int64) Range {
	if k < 0 {
		k, lo, hi = -k, -hi, -lo
	}
	return Range{Min: max(r.Min, -strided.FloorDiv(-lo, k)), Max: min(r.Max, strided.FloorDiv(hi, k))}
}
