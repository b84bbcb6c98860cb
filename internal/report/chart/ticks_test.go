package chart

import (
	"slices"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		ticks    func(from, to float64) []float64
		from, to float64
		want     []float64
	}{
		{roundTicks, 0, 6, []float64{0, 1, 2, 3, 4, 5, 6}},
		{roundTicks, 0, 7, []float64{0, 2, 4, 6}},
		{roundTicks, 11900, 44100, []float64{20000, 30000, 40000}},
		{roundTicks, 329999.5, 330340.5, []float64{330000, 330100, 330200, 330300}},
		{roundTicks, 6.9, 7.1, []float64{7}},
		{powerTicks, 1, 60, []float64{1, 2, 5, 10, 20, 50}},
		{powerTicks, 1, 2, []float64{1, 2}},
		{powerTicks, 1, 1e4, []float64{1, 10, 100, 1e3, 1e4}},
		{powerTicks, 10, 1e8, []float64{10, 1e3, 1e5, 1e7}},
	} {
		if got := c.ticks(c.from, c.to); !slices.Equal(got, c.want) {
			t.Errorf("%g to %g: %v, want %v", c.from, c.to, got, c.want)
		}
	}
}
