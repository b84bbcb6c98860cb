package budget

import "math"

// Effort is how much work analyses may do, as a multiple of what they do by default: 0 stands for 1.
type Effort float64

// Of returns a limit of work at this effort, 1 at least.
func (e Effort) Of(limit int64) int64 {
	if e == 0 {
		return limit
	}
	return int64(min(max(float64(limit)*float64(e), 1), math.MaxInt64/2))
}
