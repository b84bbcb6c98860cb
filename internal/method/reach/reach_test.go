package reach

import (
	"math"
	"testing"

	"warpbound/internal/flow/access"
)

// TestOf adds up the lowest and the highest address.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		name        string
		a           access.Address
		first, last uint64
		ok          bool
	}{
		{"a constant", access.Address{Bits: 64, Constant: 4096}, 4096, 4096, true},
		{"an index", access.Address{Bits: 64, Constant: 4096, Terms: []access.Term{{Coef: 4, Min: 1, Max: 31}}}, 4100, 4220, true},
		{"an index from above", access.Address{Bits: 64, Constant: 4096, Terms: []access.Term{{Coef: -4, Min: 1, Max: 31}}}, 3972, 4092, true},
		{"two", access.Address{Bits: 64, Constant: 4096, Terms: []access.Term{{Coef: 128, Min: 0, Max: 7}, {Coef: -8, Min: 2, Max: 3}}}, 4072, 4976, true},
		{"below zero", access.Address{Bits: 64, Constant: 100, Terms: []access.Term{{Coef: -4, Min: 0, Max: 31}}}, 0, 0, false},
		{"beyond 63 bits", access.Address{Bits: 64, Constant: 100, Terms: []access.Term{{Coef: 8, Min: 0, Max: math.MaxUint64}}}, 0, 0, false},
		{"a pointer that is not known", access.Address{Bits: 64, Terms: []access.Term{{Coef: 1, Base: true}}}, 0, 0, false},
		{"32 bits", access.Address{Bits: 32, Constant: 4096}, 0, 0, false},
		{"no sum", access.Address{Bits: 64, Reason: "it depends on data"}, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, last, ok := Of(&c.a, nil)
			if ok != c.ok || ok && (first != c.first || last != c.last) {
				t.Errorf("%d to %d, %t; want %d to %d, %t", first, last, ok, c.first, c.last, c.ok)
			}
		})
	}
}

// TestPlusTimes adds products, or finds that they do not fit.
func TestPlusTimes(t *testing.T) {
	for _, c := range []struct {
		x, k int64
		n    uint64
		want int64
		ok   bool
	}{
		{5, 3, 7, 26, true}, {5, -3, 7, -16, true}, {-5, 3, 0, -5, true}, {0, -1, math.MaxInt64 / 2, -(math.MaxInt64 / 2), true},
		{0, 1, math.MaxInt64, 0, false}, {0, math.MaxInt64, 4, 0, false}, {0, -4, 1 << 62, 0, false}, {math.MaxInt64, 1, 0, 0, false}, {math.MinInt64, 1, 0, 0, false},
	} {
		if got, ok := plusTimes(c.x, c.k, c.n); got != c.want || ok != c.ok {
			t.Errorf("%d + %d * %d is %d, %t; want %d, %t", c.x, c.k, c.n, got, ok, c.want, c.ok)
		}
	}
}
