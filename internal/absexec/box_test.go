package absexec

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestExactArithmetic compares sums, differences and products with those of numbers without limits: results that do not
// fit are reported.
func TestExactArithmetic(t *testing.T) {
	operand := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-1<<33, 1<<33), rapid.SampledFrom([]int64{math.MinInt64, -1 << 62, -1, 0, 1, 1 << 32, 1 << 62, math.MaxInt64}))
	rapid.Check(t, func(t *rapid.T) {
		x, y := operand.Draw(t, "x"), operand.Draw(t, "y")
		a, b := big.NewInt(x), big.NewInt(y)
		for name, c := range map[string]struct {
			of   func(x, y int64) (int64, bool)
			want *big.Int
		}{
			"sum": {add, new(big.Int).Add(a, b)}, "difference": {sub, new(big.Int).Sub(a, b)}, "product": {mul, new(big.Int).Mul(a, b)},
		} {
			got, ok := c.of(x, y)
			if ok && (!c.want.IsInt64() || got != c.want.Int64()) {
				t.Fatalf("the %s of %d and %d is %d, want %v", name, x, y, got, c.want)
			}
			if !ok && c.want.IsInt64() && c.want.Int64() != math.MinInt64 {
				t.Fatalf("the %s of %d and %d is none, want %v", name, x, y, c.want)
			}
		}
	})
}
