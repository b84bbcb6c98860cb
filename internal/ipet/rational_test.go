package ipet

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// rational draws numbers on both sides of every change of representation.
func rational(t *rapid.T, label string) Rational {
	part := rapid.OneOf(
		rapid.Int64Range(-9, 9),
		rapid.Int64Range(-1<<33, 1<<33),
		rapid.Int64(),
		rapid.SampledFrom([]int64{math.MinInt64, math.MinInt64 + 1, math.MaxInt64}),
	)
	num, den := part.Draw(t, label), part.Draw(t, label)
	if den == 0 || rapid.Bool().Draw(t, label) {
		den = 1
	}
	r := big.NewRat(num, 1)
	r.Quo(r, big.NewRat(den, 1))
	if rapid.IntRange(0, 5).Draw(t, label) == 0 {
		r.Mul(r, big.NewRat(math.MaxInt64, 1))
	}
	return fromBig(r)
}

func TestRationalAgreesWithBig(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rational(t, "a"), rational(t, "b")
		same := func(op string, got Rational, want *big.Rat) {
			if got.Big().Cmp(want) != 0 {
				t.Fatalf("%v %s %v: got %v, want %v", a, op, b, got, want)
			}
			if canonical := fromBig(got.Big()); canonical.den != got.den || canonical.num != got.num {
				t.Fatalf("%v %s %v: %#v is not the one form of %#v", a, op, b, got, canonical)
			}
		}
		same("+", a.add(b), new(big.Rat).Add(a.Big(), b.Big()))
		same("-", a.sub(b), new(big.Rat).Sub(a.Big(), b.Big()))
		same("*", a.mul(b), new(big.Rat).Mul(a.Big(), b.Big()))
		c := rational(t, "c")
		same("* c +", c.addProduct(a, b), new(big.Rat).Add(c.Big(), new(big.Rat).Mul(a.Big(), b.Big())))
		same("abs", a.abs(), new(big.Rat).Abs(a.Big()))
		same("neg", a.neg(), new(big.Rat).Neg(a.Big()))
		if !b.isZero() {
			same("/", a.div(b), new(big.Rat).Quo(a.Big(), b.Big()))
		}
		if got, want := a.cmp(b), a.Big().Cmp(b.Big()); got != want {
			t.Fatalf("%v cmp %v: got %d, want %d", a, b, got, want)
		}
		if a.sign() != a.Big().Sign() || a.isZero() != (a.sign() == 0) || a.isInteger() != a.Big().IsInt() {
			t.Fatalf("%v: sign %d, zero %v, integer %v", a, a.sign(), a.isZero(), a.isInteger())
		}
		if f, ok := a.floor(); ok {
			if d := new(big.Rat).Sub(a.Big(), new(big.Rat).SetInt64(f)); d.Sign() < 0 || d.Cmp(big.NewRat(1, 1)) >= 0 {
				t.Fatalf("floor of %v: %d", a, f)
			}
		} else if new(big.Rat).Abs(a.Big()).Cmp(new(big.Rat).SetInt64(math.MaxInt64)) < 0 {
			t.Fatalf("floor of %v does not fit", a)
		}
		text, err := a.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var back Rational
		if err := back.UnmarshalText(text); err != nil || back.cmp(a) != 0 {
			t.Fatalf("%v from %s: %v", back, text, err)
		}
	})
}

func TestRationalRefusesOtherText(t *testing.T) {
	for _, s := range []string{"", "-", "1/", "/2", "1/0", "1.5", "1e9", "+1", " 1", "0x1", "1/-2", "1_0"} {
		var r Rational
		if err := r.UnmarshalText([]byte(s)); err == nil {
			t.Errorf("%q gives %v", s, r)
		}
	}
	var r Rational
	if err := r.UnmarshalText(make([]byte, maxDigits+1)); err == nil {
		t.Error("a text of any length is taken")
	}
}
