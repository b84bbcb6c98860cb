package affine

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/flow/strided"
)

// MaxTerms limits the symbols of a form; a word that needs more becomes a symbol of its
// own.
const MaxTerms = 8

// Form is an affine form: the word c plus the sum of coefficient times symbol, modulo 2
// to the power of its width. Symbols count as unsigned numbers. The zero Form is none.
type Form struct {
	Bits     int
	Constant uint64
	Terms    []Term // ascending by symbol, coefficients not zero
}

// Term is a multiple of a symbol.
type Term struct {
	Symbol      Symbol
	Coefficient uint64
}

// Constant is the form of one word.
func Constant(width int, c uint64) Form { return Form{Bits: width, Constant: c & strided.Mask(width)} }

// OfSymbol is the form of a symbol alone.
func OfSymbol(width int, s Symbol) Form { return Form{Bits: width, Terms: []Term{{s, 1}}} }

// IsKnown reports whether there is a form.
func (f Form) IsKnown() bool { return f.Bits > 0 }

// AsSymbol returns the symbol that the form is, if it is nothing else.
func (f Form) AsSymbol() (Symbol, bool) {
	if f.Constant == 0 && len(f.Terms) == 1 && f.Terms[0].Coefficient == 1 {
		return f.Terms[0].Symbol, true
	}
	return 0, false
}

// Equal reports whether two forms are the same.
func (f Form) Equal(g Form) bool {
	return f.Bits == g.Bits && f.Constant == g.Constant && slices.Equal(f.Terms, g.Terms)
}

// MultipleOf returns k if f is k times g plus a constant, for a g whose first coefficient
// is 1 or -1.
func (f Form) MultipleOf(g Form) (k uint64, ok bool) {
	if f.Bits != g.Bits || len(f.Terms) == 0 || len(f.Terms) != len(g.Terms) {
		return 0, false
	}
	m := strided.Mask(f.Bits)
	switch g.Terms[0].Coefficient {
	case 1:
		k = f.Terms[0].Coefficient
	case m:
		k = -f.Terms[0].Coefficient & m
	default:
		k = 1
	}
	for i, t := range f.Terms {
		if t.Symbol != g.Terms[i].Symbol || t.Coefficient != g.Terms[i].Coefficient*k&m {
			return 0, false
		}
	}
	return k, true
}

// AddMultiple returns f plus g times k.
func (f Form) AddMultiple(g Form, k uint64) Form {
	if !f.IsKnown() || !g.IsKnown() {
		return Form{}
	}
	m := strided.Mask(f.Bits)
	r := Form{Bits: f.Bits, Constant: (f.Constant + g.Constant*k) & m}
	a, b := f.Terms, g.Terms
	for len(a) > 0 || len(b) > 0 {
		var t Term
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].Symbol < b[0].Symbol:
			t, a = a[0], a[1:]
		case len(a) == 0 || b[0].Symbol < a[0].Symbol:
			t, b = Term{b[0].Symbol, b[0].Coefficient * k & m}, b[1:]
		default:
			t = Term{a[0].Symbol, (a[0].Coefficient + b[0].Coefficient*k) & m}
			a, b = a[1:], b[1:]
		}
		if t.Coefficient != 0 {
			r.Terms = append(r.Terms, t)
		}
	}
	if len(r.Terms) > MaxTerms {
		return Form{}
	}
	return r
}

// Replace returns the form with another one in place of the symbol of one of its terms.
func (f Form) Replace(t Term, by Form) Form {
	return f.AddMultiple(Form{Bits: f.Bits, Terms: []Term{t}}, ^uint64(0)).AddMultiple(by, t.Coefficient)
}

// Times returns the form times a number.
func (f Form) Times(k uint64) Form { return Constant(max(f.Bits, 1), 0).AddMultiple(f, k) }

// Cut returns the low bits of the form.
func (f Form) Cut(width int) Form {
	if !f.IsKnown() || width >= f.Bits {
		return f
	}
	return Form{Bits: width}.AddMultiple(Form{Bits: width, Constant: f.Constant, Terms: f.Terms}, 1)
}

// Lift returns the form with more bits, its constant and coefficients extended by
// their signs: the same number if the form, as a number, is known to fit (see exact).
func (f Form) Lift(width int) Form {
	r := Form{Bits: width, Constant: uint64(strided.SignExtend(f.Constant, f.Bits)) & strided.Mask(width)}
	for _, t := range f.Terms {
		k := uint64(strided.SignExtend(t.Coefficient, f.Bits)) & strided.Mask(width)
		r.Terms = append(r.Terms, Term{t.Symbol, k})
	}
	return r
}

// Mentions reports whether a symbol occurs for which the test holds.
func (f Form) Mentions(test func(Symbol) bool) bool {
	return slices.ContainsFunc(f.Terms, func(t Term) bool { return test(t.Symbol) })
}

// Format renders the form as a sum.
func (f Form) Format(name func(Symbol) string) string {
	if !f.IsKnown() {
		return "?"
	}
	var b strings.Builder
	for _, t := range f.Terms {
		k := strided.SignExtend(t.Coefficient, f.Bits)
		sign := " + "
		if k < 0 {
			sign, k = " - ", -k
		}
		if b.Len() == 0 {
			sign = strings.TrimSpace(strings.TrimPrefix(sign, " + "))
		}
		b.WriteString(sign)
		if k != 1 {
			fmt.Fprintf(&b, "%d*", k)
		}
		b.WriteString(name(t.Symbol))
	}
	switch c := strided.SignExtend(f.Constant, f.Bits); {
	case b.Len() == 0:
		fmt.Fprint(&b, c)
	case c > 0:
		fmt.Fprintf(&b, " + %d", c)
	case c < 0:
		fmt.Fprintf(&b, " - %d", -uint64(c))
	}
	return b.String()
}

// HasSmallCoefficients reports whether differences with other small forms have no coefficients that wrap
// around.
func (f Form) HasSmallCoefficients() bool {
	limit := int64(strided.Mask(f.Bits) / 4)
	fits := func(x uint64) bool { k := strided.SignExtend(x, f.Bits); return -limit <= k && k <= limit }
	return fits(f.Constant) && !slices.ContainsFunc(f.Terms, func(t Term) bool { return !fits(t.Coefficient) })
}

// Divide returns the form divided by a number, if that divides its parts.
func (f Form) Divide(d int64) (Form, bool) {
	if strided.SignExtend(f.Constant, f.Bits)%d != 0 {
		return Form{}, false
	}
	r := Form{Bits: f.Bits, Constant: uint64(strided.SignExtend(f.Constant, f.Bits)/d) & strided.Mask(f.Bits)}
	for _, t := range f.Terms {
		k := strided.SignExtend(t.Coefficient, f.Bits)
		if k%d != 0 {
			return Form{}, false
		}
		r.Terms = append(r.Terms, Term{t.Symbol, uint64(k/d) & strided.Mask(f.Bits)})
	}
	return r, true
}

// Key tells the form from others.
func (f Form) Key() string {
	return f.Format(func(s Symbol) string { return fmt.Sprint("s", int(s)) })
}
