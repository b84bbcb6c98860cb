package saturating_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"warpbound/internal/saturating"
)

// corner draws a number near a power of two, or Max.
func corner(rnd *rand.Rand) saturating.Int {
	if rnd.IntN(8) == 0 {
		return saturating.Max
	}
	n := uint64(1)<<rnd.IntN(64) + uint64(rnd.IntN(5)) - 2
	return saturating.Of(n & math.MaxInt64)
}

// TestAgainstBigInts holds all operations against arithmetic without limits.
func TestAgainstBigInts(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 2))
	exact := func(x saturating.Int) *big.Int { return big.NewInt(x.Int64()) }
	maximum := exact(saturating.Max)
	for range 200_000 {
		x, y, n := corner(rnd), corner(rnd), corner(rnd)
		check := func(op string, got saturating.Int, want *big.Int, operands ...saturating.Int) {
			t.Helper()
			if want.Cmp(maximum) > 0 {
				want = maximum
			}
			if got.Int64() != want.Int64() {
				t.Fatalf("%s of %v: %d, want %d", op, operands, got, want)
			}
		}
		product := new(big.Int).Mul(exact(x), exact(y))
		check("add", x.Add(y), new(big.Int).Add(exact(x), exact(y)), x, y)
		check("mul", x.Mul(y), product, x, y)
		check("sum", saturating.Sum(x, y, n), new(big.Int).Add(exact(x), new(big.Int).Add(exact(y), exact(n))), x, y, n)
		times := new(big.Int).Mul(exact(y), exact(n))
		check("add mul", x.AddMul(y, n), times.Add(times, exact(x)), x, y, n)
		if smaller, larger := min(x, y), max(x, y); larger != saturating.Max {
			check("sub", larger.Sub(smaller), new(big.Int).Sub(exact(larger), exact(smaller)), larger, smaller)
		} else {
			check("sub", larger.Sub(smaller), maximum, larger, smaller)
		}
		if n == 0 {
			continue
		}
		down, rest := new(big.Int).DivMod(exact(x), exact(n), new(big.Int))
		up := new(big.Int).Add(down, big.NewInt(int64(rest.Sign())))
		if x == saturating.Max {
			down, up = maximum, maximum
		}
		check("div", x.Div(n), down, x, n)
		check("div up", x.DivUp(n), up, x, n)
		if x == saturating.Max || y == saturating.Max {
			continue
		}
		up, rest = product.DivMod(product, exact(n), new(big.Int))
		check("mul div up", x.MulDivUp(y, n), up.Add(up, big.NewInt(int64(rest.Sign()))), x, y, n)
	}
}

// TestMaxStays computes with a number that stands for all greater ones.
func TestMaxStays(t *testing.T) {
	for name, got := range map[string]saturating.Int{
		"sub":                saturating.Max.Sub(saturating.Max),
		"div":                saturating.Max.Div(math.MaxInt64),
		"div up":             saturating.Max.DivUp(math.MaxInt64),
		"mul div up":         saturating.Max.MulDivUp(1, 2),
		"mul div up, second": saturating.Int(1).MulDivUp(saturating.Max, 2),
		"of 2^63":            saturating.Of(uint64(1) << 63),
	} {
		if got != saturating.Max {
			t.Errorf("%s: %d", name, got)
		}
	}
	if got := saturating.Int(0).Mul(saturating.Max); got != 0 {
		t.Errorf("nothing of all: %d", got)
	}
}

// TestInternalErrors asks for what no bound can need.
func TestInternalErrors(t *testing.T) {
	for name, ask := range map[string]func(){
		"negative":  func() { saturating.Of(-1) },
		"less left": func() { saturating.Int(3).Sub(4) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no internal error", name)
				}
			}()
			ask()
		}()
	}
}
