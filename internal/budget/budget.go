// Package budget holds how long a job may take, a time or a number of cycles, and how much work analyses
// may do.
//
// It imports nothing of this project, and knows no jobs and no bounds.
package budget

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Budget is the longest that something may take. The zero Budget is none.
type Budget struct {
	Text   string        // with its unit
	Cycles int64         // 0 of a time
	Time   time.Duration // 0 of cycles
}

// OfCycles is a budget of so many cycles, at least 1.
func OfCycles(n int64) Budget {
	if n == 1 {
		return Budget{Text: "1 cycle", Cycles: n}
	}
	return Budget{Text: fmt.Sprintf("%d cycles", n), Cycles: n}
}

// Parse reads a time as Go writes it ("2ms", "1.5us", "1m30s") or a number of cycles ("120000 cycles",
// "120000"). A number needs no unit to be cycles, and a time always has one. Errors say what would be right.
func Parse(text string) (Budget, error) {
	if digits := strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(text, "cycles"), "cycle")); number.MatchString(digits) {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n <= 0 {
			return Budget{}, fmt.Errorf("want at least 1 cycle, and at most 2^63 - 1")
		}
		return OfCycles(n), nil
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return Budget{}, fmt.Errorf("want a time such as 2ms, or a number of cycles such as 120000")
	case strings.HasPrefix(text, "-") || text == "0":
		return Budget{}, fmt.Errorf("want a positive time such as 2ms, or a number of cycles such as 120000")
	case exact(text).Cmp(big.NewRat(int64(d), 1)) != 0:
		return Budget{}, fmt.Errorf("want whole nanoseconds")
	case d == 0:
		return Budget{}, fmt.Errorf("want a positive time such as 2ms, or a number of cycles such as 120000")
	}
	return Budget{Text: d.String(), Time: d}, nil
}

var (
	number = regexp.MustCompile(`^[0-9]+$`)
	part   = regexp.MustCompile(`([0-9.]+)([a-zµμ]+)`)
)

// exact returns the nanoseconds of a time that Go reads, which cuts off what is below one.
func exact(text string) *big.Rat {
	sum := new(big.Rat)
	for _, p := range part.FindAllStringSubmatch(text, -1) {
		unit, _ := time.ParseDuration("1" + p[2])
		n, _ := new(big.Rat).SetString(p[1])
		sum.Add(sum, n.Mul(n, big.NewRat(int64(unit), 1)))
	}
	return sum
}

// Given reports whether there is a budget.
func (b Budget) Given() bool { return b != Budget{} }

// MaxCycles returns the greatest number of cycles that is within the budget, at hz cycles per second.
func (b Budget) MaxCycles(hz float64) int64 {
	if b.Time == 0 {
		return b.Cycles
	}
	clock := new(big.Rat).SetFloat64(hz)
	limit := clock.Mul(clock, big.NewRat(int64(b.Time), int64(time.Second)))
	whole := new(big.Int).Quo(limit.Num(), limit.Denom())
	if !whole.IsInt64() {
		return math.MaxInt64
	}
	return whole.Int64()
}
