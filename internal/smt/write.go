package smt

import (
	"fmt"
	"strings"
)

// writer writes terms as SMT-LIB commands that declare their variables and define every
// operation by a name of its own, once: later terms refer to it. The names are t and the
// number of the term and, for the same as a floating-point number, f and the number. From
// that SMT-LIB has no way back to bits: there the name t stands for bits that conditions fix.
type writer struct {
	out     strings.Builder
	defined map[*Term]bool // the names t
	floats  map[*Term]bool // the names f
}

func newWriter() *writer {
	return &writer{defined: make(map[*Term]bool), floats: make(map[*Term]bool)}
}

// take returns what was written since the last call.
func (w *writer) take() string {
	s := w.out.String()
	w.out.Reset()
	return s
}

// gives reports whether the term's operation gives a number in a format.
func (t *Term) gives() bool {
	switch t.op {
	case FAdd, FSub, FMul, FDiv, FFma, FSqrt, FRound, FToF, UToF, SToF:
		return true
	}
	return false
}

// takes returns the format in which the operation takes its sources for numbers, if it does.
func (t *Term) takes() (Format, bool) {
	switch t.op {
	case UToF, SToF:
		return Format{}, false
	case FToF:
		return t.from, true
	}
	return t.format, ops[t.op].float
}

// bits returns the name of a term as its sort says, and defines it.
func (w *writer) bits(t *Term) string {
	if t.op == Const {
		return literal(t.sort, t.value)
	}
	name := fmt.Sprintf("t%d", t.id)
	if t.op == Var {
		name = symbol(t.name)
	}
	if w.defined[t] {
		return name
	}
	w.defined[t] = true
	if t.op == Var || t.gives() {
		fmt.Fprintf(&w.out, "(declare-const %s %v)\n", name, t.sort)
	} else {
		expr := w.application(t)
		fmt.Fprintf(&w.out, "(define-fun %s () %v %s)\n", name, t.sort, expr)
	}
	return name
}

// number returns what names a term as a number of a format, and defines it.
func (w *writer) number(t *Term, f Format) string {
	if !t.gives() || t.format != f {
		return fmt.Sprintf("((_ to_fp %d %d) %s)", f.Exp, f.Frac+1, w.bits(t))
	}
	name := fmt.Sprintf("f%d", t.id)
	if !w.floats[t] {
		w.floats[t] = true
		expr := w.application(t)
		fmt.Fprintf(&w.out, "(define-fun %s () %v %s)\n", name, f, expr)
	}
	return name
}

// application writes the operation and the names of its sources.
func (w *writer) application(t *Term) string {
	var names []string
	f, numbers := t.takes()
	for _, a := range t.Args() {
		if numbers {
			names = append(names, w.number(a, f))
		} else {
			names = append(names, w.bits(a))
		}
	}
	n := t.sort.Width
	switch t.op {
	case BvMulHi:
		wide := func(s string) string { return fmt.Sprintf("((_ zero_extend %d) %s)", n, s) }
		return fmt.Sprintf("((_ extract %d %d) (bvmul %s %s))", 2*n-1, n, wide(names[0]), wide(names[1]))
	case FToU, FToS:
		return t.toInteger(names[0])
	}
	return "(" + t.head() + " " + strings.Join(names, " ") + ")"
}

// toInteger writes the conversion of a number to the nearest integer in range, which SMT-LIB
// leaves open beyond the range. The ends of the range are numbers of the format or infinite.
func (t *Term) toInteger(number string) string {
	f, n := t.format, t.sort.Width
	low, high, end := uint64(0), ones(n), f.round(power(n), false, NearestEven)
	minimum := uint64(0)
	if t.op == FToS {
		low, high, end = 1<<(n-1), ones(n)>>1, f.round(power(n-1), false, NearestEven)
		minimum = end | f.Sign()
	}
	value := func(x uint64) string {
		return fmt.Sprintf("((_ to_fp %d %d) %s)", f.Exp, f.Frac+1, literal(Bits(f.Width()), x))
	}
	return fmt.Sprintf("(let ((r (fp.roundToIntegral %v %s))) (ite (fp.isNaN r) %s (ite (fp.leq r %s) %s (ite (fp.geq r %s) %s ((_ %v %d) RTZ r)))))",
		t.mode, number, literal(t.sort, 0), value(minimum), literal(t.sort, low), value(end), literal(t.sort, high), t.op, n)
}

// conditions calls visit with the terms below an assertion whose bits are used and were
// given as numbers, each once, sources before what is computed of them.
func conditions(assertion *Term, visit func(*Term)) {
	asBits, asNumber := make(map[*Term]bool), make(map[*Term]bool)
	var walk func(t *Term, number bool)
	walk = func(t *Term, number bool) {
		seen := asBits
		if number {
			seen = asNumber
		}
		if !t.isFloat || seen[t] {
			return
		}
		seen[t] = true
		f, numbers := t.takes()
		for _, a := range t.Args() {
			walk(a, numbers && a.gives() && a.format == f)
		}
		if t.gives() && !number {
			visit(t)
		}
	}
	walk(assertion, false)
}

// condition writes what fixes the bits of a term that was given as a number.
func (w *writer) condition(t *Term) string {
	bits, number := w.bits(t), w.number(t, t.format)
	return fmt.Sprintf("(and (= ((_ to_fp %d %d) %s) %s) (=> (fp.isNaN %s) (= %s %s)))",
		t.format.Exp, t.format.Frac+1, bits, number, number, bits, literal(t.sort, t.format.NaN()))
}

// Script returns a script of SMT-LIB 2 that asks whether the assertions hold together.
func Script(assertions []*Term) string {
	w := newWriter()
	var asserts strings.Builder
	fixed := make(map[*Term]bool)
	for _, a := range assertions {
		conditions(a, func(t *Term) {
			if !fixed[t] {
				fixed[t] = true
				fmt.Fprintf(&asserts, "(assert %s)\n", w.condition(t))
			}
		})
		fmt.Fprintf(&asserts, "(assert %s)\n", w.bits(a))
	}
	return "(set-logic ALL)\n" + w.take() + asserts.String() + "(check-sat)\n"
}
