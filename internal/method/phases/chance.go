package phases

import "math"

// confidence is that of what is said of further runs.
const confidence = 0.95

// boundChance returns the probability that is not exceeded with that confidence if so many of some
// independent trials succeed: the upper end of the interval of Clopper and Pearson, rounded up to a
// millionth.
func boundChance(trials, successes int64) float64 {
	if successes >= trials {
		return 1
	}
	low, high := 0.0, 1.0
	for range 60 {
		if middle := (low + high) / 2; atMost(trials, successes, middle) > 1-confidence {
			low = middle
		} else {
			high = middle
		}
	}
	return math.Ceil(float64(high*1e6)-1e-6) / 1e6
}

// atMost is the probability of no more than so many successes where each trial has the probability
// p.
func atMost(trials, successes int64, p float64) float64 {
	term := math.Pow(1-p, float64(trials))
	sum := term
	for k := range successes {
		term *= float64(trials-k) / float64(k+1) * p / (1 - p)
		sum += term
	}
	return sum
}
