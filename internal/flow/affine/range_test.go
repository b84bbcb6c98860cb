package affine_test

import (
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/flow/affine"
)

func TestRangeWhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string) int64 { return rapid.Int64Range(-40, 40).Draw(t, name) }
		r := affine.Range{Min: number("min"), Max: number("max")}
		k := number("k")
		if k == 0 {
			k = 1
		}
		lo, hi := number("lo"), number("hi")
		got := r.Where(k, lo, hi)
		for x := int64(-50); x <= 50; x++ {
			want := r.Min <= x && x <= r.Max && lo <= k*x && k*x <= hi
			if is := got.Min <= x && x <= got.Max; is != want {
				t.Fatalf("%d is in %v: %v, want %v", x, got, is, want)
			}
		}
	})
}
