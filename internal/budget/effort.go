package budget

import (
	"fmt"
	"math"
	"slices"
)

// Effort is how much work analyses may do, as a multiple of what they do by default: 0 stands for 1.
type Effort float64

// Of returns a limit of work at this effort, 1 at least.
func (e Effort) Of(limit int64) int64 {
	if e == 0 {
		return limit
	}
	return int64(min(max(float64(limit)*float64(e), 1), math.MaxInt64/2))
}

// Limit is a limit of the work of an analysis.
type Limit struct {
	What string // it limits, in the plural
	At   int64  // at effort 1

	// Levels are what it limits if each takes so many times the work of the one before; 0 of what takes
	// the same.
	Levels float64
}

// at returns the limit at an effort. A lesser one than 1 leaves it as it is.
func (l *Limit) at(e Effort) int64 {
	switch {
	case e <= 1:
		return l.At
	case l.Levels > 0:
		return l.At + int64(math.Log(float64(e))/math.Log(l.Levels))
	}
	return e.Of(l.At)
}

// Work is the work that analyses of one subject may do. It keeps the limits at which they gave up.
type Work struct {
	effort  Effort
	reached map[Limit]bool
}

// NewWork returns the work of an effort.
func NewWork(e Effort) *Work { return &Work{e, make(map[Limit]bool)} }

// Allows reports whether a limit allows number n, from 1 on, of what it limits. If it does not, the
// analysis that asks gives up.
func (w *Work) Allows(l Limit, n int64) bool {
	if n <= l.at(w.effort) {
		return true
	}
	w.reached[l] = true
	return false
}

// Reached returns the limits at which analyses gave up, for example "4 rounds", ascending.
func (w *Work) Reached() []string {
	var all []string
	for l := range w.reached {
		all = append(all, fmt.Sprintf("%d %s", l.at(w.effort), l.What))
	}
	slices.Sort(all)
	return all
}
