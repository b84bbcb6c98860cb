// Package effort says how much work tests do, and checks how the work that they cause grows.
//
// Neither depends on how fast a computer is or on what else it does. effort is imported by tests
// alone, and imports nothing of this project.
package effort

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

const (
	// Variable is the environment variable that says how many hundredths of their random items
	// checks try: 1 by default, 100 for all of them, as "make soak" does.
	Variable = "WARPBOUND_EFFORT"
	// DrawVariable is the environment variable whose text draws which hundredths these are. .ci/run
	// sets it to the commit.
	DrawVariable = "WARPBOUND_DRAW"
	// SeedVariable is the environment variable with the seed of all items, 0 by default: another
	// one gives a check other items.
	SeedVariable = "WARPBOUND_SEED"
)

// Flags of all tests that draw items: those who look for errors say which items they want.
var (
	seeds = flag.Int("seeds", 0, "random items that each check tries, instead of those that are drawn")
	first = flag.Uint64("first", 0, "seed of the first of them")
)

const (
	whole = 100 // hundredths
	tenth = 10
)

// readNumber reads a variable, which has a default. It panics if that is no number from minimum to
// maximum.
func readNumber(variable string, byDefault, minimum, maximum int) int {
	text := os.Getenv(variable)
	if text == "" {
		return byDefault
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < minimum || n > maximum {
		panic(fmt.Sprintf("%s=%s: it must be a number from %d to %d", variable, text, minimum, maximum))
	}
	return n
}

func readHundredths() int { return readNumber(Variable, 1, 1, whole) }

// Many reports whether checks try a tenth of their items or more, so that a test can ask for what
// only many of them show.
func Many() bool { return readHundredths() >= tenth }

// Draw returns the seeds of those of the n items of a check with random kernels, programs or inputs
// that a test tries, in ascending order: as many hundredths as Variable says, at least one, drawn
// by DrawVariable and the name of the test. The seeds of all are 0 to n-1, or those from s*n where
// SeedVariable says s. It logs how many items it returns.
//
// Checks of more than 500 items are drawn. An item must hold whichever others are drawn with it.
func Draw(t testing.TB, n int) []uint64 {
	t.Helper()
	if *seeds > 0 {
		return ascending(*first, *seeds)
	}
	items := permute(t, n)[:max(1, n*readHundredths()/whole)]
	slices.Sort(items)
	t.Logf("random items: %d of %d", len(items), n)
	all := ascending(uint64(readNumber(SeedVariable, 0, 0, 1_000_000)*n), n)
	return pick(all, items)
}

// Some returns k of the cases of a test that takes long, in their order, drawn as items are, or all
// of them where Variable asks for a tenth of the random items or more.
func Some[T any](t testing.TB, cases []T, k int) []T {
	t.Helper()
	if Many() {
		t.Logf("random items: %d of %d", len(cases), len(cases))
		return cases
	}
	numbers := permute(t, len(cases))[:k]
	slices.Sort(numbers)
	t.Logf("cases: %v of %d", numbers, len(cases))
	return pick(cases, numbers)
}

// permute returns the numbers 0 to n-1 in an order that DrawVariable and the name of the test say.
func permute(t testing.TB, n int) []int {
	text := fnv.New64a()
	fmt.Fprint(text, os.Getenv(DrawVariable), " ", t.Name())
	return rand.New(rand.NewPCG(text.Sum64(), uint64(n))).Perm(n)
}

// ascending returns n numbers from the first on.
func ascending(first uint64, n int) []uint64 {
	numbers := make([]uint64, n)
	for i := range numbers {
		numbers[i] = first + uint64(i)
	}
	return numbers
}

// pick returns the elements that have some numbers.
func pick[T any](all []T, numbers []int) []T {
	picked := make([]T, len(numbers))
	for i, n := range numbers {
		picked[i] = all[n]
	}
	return picked
}

// enough is the processor time below which it does not matter how work grows.
const enough = 10 * time.Second

// Grows does the work of a large case. The test fails if it takes more than a factor times as long
// as that of a small case, which is done as often as a sound comparison needs. What counts is the
// processor time of this process, so that no other one makes a test fail. Work that is over soon
// may grow as it likes, and the small case is not done then.
//
// The factor should leave some room: caches hold less of a large case than of a small one.
func Grows(t testing.TB, factor float64, small, large func()) {
	t.Helper()
	grows(t, ProcessorTime, factor, small, large)
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
