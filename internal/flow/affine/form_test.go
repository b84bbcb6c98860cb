package affine_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"warpbound/internal/flow/affine"
	"warpbound/internal/flow/strided"
	"warpbound/internal/test/flowtest"
)

// valuation gives each symbol a word of its set.
type valuation map[affine.Symbol]uint64

// number returns what a form is, reduced modulo nothing.
func (v valuation) number(f affine.Form) *big.Int {
	sum := big.NewInt(strided.SignExtend(f.Constant, f.Bits))
	for _, t := range f.Terms {
		k := big.NewInt(strided.SignExtend(t.Coefficient, f.Bits))
		sum.Add(sum, k.Mul(k, new(big.Int).SetUint64(v[t.Symbol])))
	}
	return sum
}

// word returns the low bits of a number.
func word(x *big.Int, width int) uint64 {
	m := new(big.Int).Lsh(big.NewInt(1), uint(width))
	return new(big.Int).Mod(x, m).Uint64()
}

func drawForm(t *rapid.T, width int, symbols []affine.Symbol, name string) affine.Form {
	f := affine.Constant(width, rapid.Uint64().Draw(t, name+" constant"))
	if rapid.Bool().Draw(t, name+" small") {
		f.Constant &= 0xff
	}
	for _, s := range symbols {
		k := uint64(rapid.IntRange(-5, 5).Draw(t, name+" coefficient"))
		f = f.AddMultiple(affine.OfSymbol(width, s), k)
	}
	return f
}

// Whatever words the symbols have, forms are what big integers say, and their words and ranges hold it.
func TestFormsHoldTheirWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.SampledFrom([]int{8, 16, 32, 64}).Draw(t, "width")
		table, v := affine.NewTable(), make(valuation)
		var symbols []affine.Symbol
		for _, name := range []string{"a", "b", "c"} {
			set, x := flowtest.DrawInterval(t, width, name)
			s := table.AddConstant(name, set, false)
			symbols, v[s] = append(symbols, s), x
		}
		f, g := drawForm(t, width, symbols, "f"), drawForm(t, width, symbols, "g")
		k := uint64(rapid.Int64Range(-9, 9).Draw(t, "k"))
		sum := new(big.Int).Add(v.number(f), new(big.Int).Mul(v.number(g), big.NewInt(int64(k))))
		if got := word(v.number(f.AddMultiple(g, k)), width); got != word(sum, width) {
			t.Fatalf("%v plus %d times %v is %d, want %d", f, int64(k), g, got, word(sum, width))
		}
		x := word(v.number(f), width)
		if !table.Words(f).Contains(x) {
			t.Fatalf("%d of %v is not in %s", x, f, table.Words(f))
		}
		if lo, hi, ok := table.ExactRange(f); ok && (v.number(f).Cmp(big.NewInt(lo)) < 0 || v.number(f).Cmp(big.NewInt(hi)) > 0) {
			t.Fatalf("%v of %v is not from %d to %d", v.number(f), f, lo, hi)
		}
		for _, sign := range []bool{false, true} {
			read := new(big.Int).SetUint64(x)
			if sign {
				read = big.NewInt(strided.SignExtend(x, width))
			}
			if table.Fits(f, sign) && (v.number(f).Cmp(read) != 0 || word(v.number(f.Lift(64)), 64) != word(read, 64)) {
				t.Fatalf("%v, read as a number (signed: %v), is %v, not %v", f, sign, read, v.number(f))
			}
		}
		if got := word(v.number(f.Cut(8)), 8); got != x&0xff {
			t.Fatalf("the low bits of %v are %d, want %d", f, got, x&0xff)
		}
		if d, ok := f.Divide(3); ok && new(big.Int).Mul(v.number(d), big.NewInt(3)).Cmp(v.number(f)) != 0 {
			t.Fatalf("a third of %v is %v", f, d)
		}
		if times, ok := f.MultipleOf(g); ok {
			rest := f.AddMultiple(g, -times)
			if len(rest.Terms) > 0 {
				t.Fatalf("%v is %d times %v and %v", f, times, g, rest)
			}
		}
	})
}
