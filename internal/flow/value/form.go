package value

import (
	"fmt"
	"slices"
	"strings"

	"warpbound/internal/flow/strided"
)

// maxTerms limits the symbols of a form; a word that needs more becomes a symbol of its
// own.
const maxTerms = 8

// Form is an affine form: the word c plus the sum of coefficient times symbol, modulo 2
// to the power of its width. Symbols count as unsigned numbers. The zero Form is none.
type Form struct {
	bits  int
	c     uint64
	terms []term // ascending by symbol, coefficients not zero
}

type term struct {
	sym  Symbol
	coef uint64
}

func constForm(width int, c uint64) Form { return Form{bits: width, c: c & strided.Mask(width)} }

func symbolForm(width int, s Symbol) Form { return Form{bits: width, terms: []term{{s, 1}}} }

// known reports whether there is a form.
func (f Form) known() bool { return f.bits > 0 }

// symbol returns the symbol that the form is, if it is nothing else.
func (f Form) symbol() (Symbol, bool) {
	if f.c == 0 && len(f.terms) == 1 && f.terms[0].coef == 1 {
		return f.terms[0].sym, true
	}
	return 0, false
}

func (f Form) equal(g Form) bool {
	return f.bits == g.bits && f.c == g.c && slices.Equal(f.terms, g.terms)
}

// multiple returns k if f is k times g plus a constant, for a g whose first coefficient
// is 1 or -1.
func (f Form) multiple(g Form) (k uint64, ok bool) {
	if f.bits != g.bits || len(f.terms) == 0 || len(f.terms) != len(g.terms) {
		return 0, false
	}
	m := strided.Mask(f.bits)
	switch g.terms[0].coef {
	case 1:
		k = f.terms[0].coef
	case m:
		k = -f.terms[0].coef & m
	default:
		k = 1
	}
	for i, t := range f.terms {
		if t.sym != g.terms[i].sym || t.coef != g.terms[i].coef*k&m {
			return 0, false
		}
	}
	return k, true
}

// add returns f plus g times k.
func (f Form) add(g Form, k uint64) Form {
	if !f.known() || !g.known() {
		return Form{}
	}
	m := strided.Mask(f.bits)
	r := Form{bits: f.bits, c: (f.c + g.c*k) & m}
	a, b := f.terms, g.terms
	for len(a) > 0 || len(b) > 0 {
		var t term
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].sym < b[0].sym:
			t, a = a[0], a[1:]
		case len(a) == 0 || b[0].sym < a[0].sym:
			t, b = term{b[0].sym, b[0].coef * k & m}, b[1:]
		default:
			t = term{a[0].sym, (a[0].coef + b[0].coef*k) & m}
			a, b = a[1:], b[1:]
		}
		if t.coef != 0 {
			r.terms = append(r.terms, t)
		}
	}
	if len(r.terms) > maxTerms {
		return Form{}
	}
	return r
}

// times returns the form times a number.
func (f Form) times(k uint64) Form { return constForm(max(f.bits, 1), 0).add(f, k) }

// cut returns the low bits of the form.
func (f Form) cut(width int) Form {
	if !f.known() || width >= f.bits {
		return f
	}
	return Form{bits: width}.add(Form{bits: width, c: f.c, terms: f.terms}, 1)
}

// lifted returns the form with more bits, its constant and coefficients extended by
// their signs: the same number if the form, as a number, is known to fit (see exact).
func (f Form) lifted(width int) Form {
	r := Form{bits: width, c: uint64(strided.SignExtend(f.c, f.bits)) & strided.Mask(width)}
	for _, t := range f.terms {
		r.terms = append(r.terms, term{t.sym, uint64(strided.SignExtend(t.coef, f.bits)) & strided.Mask(width)})
	}
	return r
}

// mentions reports whether a symbol occurs for which the test holds.
func (f Form) mentions(test func(Symbol) bool) bool {
	return slices.ContainsFunc(f.terms, func(t term) bool { return test(t.sym) })
}

// format renders the form as a sum.
func (f Form) format(name func(Symbol) string) string {
	if !f.known() {
		return "?"
	}
	var b strings.Builder
	for _, t := range f.terms {
		k := strided.SignExtend(t.coef, f.bits)
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
		b.WriteString(name(t.sym))
	}
	switch c := strided.SignExtend(f.c, f.bits); {
	case b.Len() == 0:
		fmt.Fprint(&b, c)
	case c > 0:
		fmt.Fprintf(&b, " + %d", c)
	case c < 0:
		fmt.Fprintf(&b, " - %d", -uint64(c))
	}
	return b.String()
}
