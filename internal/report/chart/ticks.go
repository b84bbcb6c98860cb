package chart

import "math"

// intervals is how many there are between the ticks of an axis, at most.
const intervals = 6

// roundTicks are round numbers from one number of cycles to another, at equal distances that are 1, 2 or 5 times a power of ten.
func roundTicks(from, to float64) []float64 {
	step := 1.0
	for factors := []float64{2, 2.5, 2}; (to-from)/step > intervals; factors = append(factors[1:], factors[0]) {
		step *= factors[0]
	}
	var all []float64
	for v := math.Ceil(from/step) * step; v <= to; v += step {
		all = append(all, v)
	}
	return all
}

// powerTicks are the same on a logarithmic axis: powers of ten, and where these are few also twice and five times them.
func powerTicks(from, to float64) []float64 {
	decades := math.Log10(to / from)
	exponent, factors := math.Ceil(math.Log10(from)), []float64{1}
	if decades <= 3 {
		exponent, factors = exponent-1, []float64{1, 2, 5}
	}
	stride := max(math.Ceil(decades/intervals), 1)
	var all []float64
	for ; math.Pow(10, exponent) <= to; exponent += stride {
		for _, f := range factors {
			if v := f * math.Pow(10, exponent); from <= v && v <= to {
				all = append(all, v)
			}
		}
	}
	return all
}
