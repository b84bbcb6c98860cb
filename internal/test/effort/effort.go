// Package effort says how much work tests do, and checks how the work that they cause grows.
//
// Neither depends on how fast a computer is or on what else it does. effort is imported by tests
// alone, and imports nothing of this project.
package effort

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// Variable is the environment variable that multiplies how much work tests do, 1 by default: the number
// of random cases above all.
const Variable = "WARPBOUND_EFFORT"

// Times returns n, or as many times as much as Variable asks for. It panics if that is no
// positive number.
func Times(n int) int {
	text := os.Getenv(Variable)
	if text == "" {
		return n
	}
	factor, err := strconv.Atoi(text)
	if err != nil || factor < 1 {
		panic(Variable + "=" + text + ": it must be a positive number")
	}
	return factor * n
}

// enough is the processor time below which it does not matter how work grows.
const enough = 10 * time.Second

// Grows does the work of a large case. The test fails if it takes more than a factor times as
// long as that of a small case, which is done as often as a sound comparison needs. What
// counts is the processor time of this process, so that no other one makes a test fail. Work that is over
// soon may grow as it likes, and the small case is not done then.
//
// The factor should leave some room: caches hold less of a large case than of a small one.
func Grows(t testing.TB, factor float64, small, large func()) {
	t.Helper()
	grows(t, processorTime, factor, small, large)
}

func grows(t testing.TB, clock func() time.Duration, factor float64, small, large func()) {
	t.Helper()
	begun := clock()
	large()
	took := clock() - begun
	if took <= enough {
		return
	}
	begun = clock()
	spent, times := time.Duration(0), time.Duration(0)
	for spent < enough/10 {
		small()
		spent = clock() - begun
		times++
	}
	each := spent / times
	if took.Seconds() > factor*each.Seconds() {
		t.Errorf("a large case takes %v of processor time, a small one %v: %.0f times as much, want at most %.0f",
			took, each, took.Seconds()/each.Seconds(), factor)
	}
}
