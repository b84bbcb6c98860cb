package smt

import (
	"fmt"
	"strings"
)

// Term is a formula, or a part of one. Terms do not change; equal terms of one Builder
// are the same pointer.
type Term struct {
	node
	id      int  // in the order of making, from 0
	isFloat bool // an operation below it is of floating point
}

// node is what makes two terms equal.
type node struct {
	op     Op
	sort   Sort
	args   [3]*Term
	value  uint64 // Const: the number; Extract: the lowest bit
	name   string // Var
	format Format // of the numbers that are computed with; FToF, UToF, SToF: of the result
	from   Format // FToF: of the source
	mode   Mode
}

// ID returns the term's number among those of its Builder, from 0 in the order of making.
func (t *Term) ID() int { return t.id }

// Op returns the operation.
func (t *Term) Op() Op { return t.op }

// Sort returns the sort of the term's values.
func (t *Term) Sort() Sort { return t.sort }

// Width returns the width of a bit-vector in bits, 1 of a truth value.
func (t *Term) Width() int { return t.sort.Width }

// Args returns the terms that the operation is applied to.
func (t *Term) Args() []*Term {
	n := 0
	for n < len(t.args) && t.args[n] != nil {
		n++
	}
	return t.args[:n:n]
}

// Const returns the number of a constant; a truth value is 0 or 1.
func (t *Term) Const() (value uint64, ok bool) { return t.value, t.op == Const }

// Name returns the name of a variable.
func (t *Term) Name() string { return t.name }

// IsFloat reports whether something in the term is computed in floating point.
func (t *Term) IsFloat() bool { return t.isFloat }

func (t *Term) is(value uint64) bool { return t.op == Const && t.value == value }

// String returns the term in a syntax like SMT-LIB's, without sharing.
func (t *Term) String() string {
	switch t.op {
	case Const:
		return literal(t.sort, t.value)
	case Var:
		return symbol(t.name)
	}
	var b strings.Builder
	b.WriteString("(" + t.head())
	for _, a := range t.Args() {
		b.WriteString(" " + a.String())
	}
	return b.String() + ")"
}

// head returns the operation with its indices and rounding mode.
func (t *Term) head() string {
	switch t.op {
	case Extract:
		return fmt.Sprintf("(_ extract %d %d)", int(t.value)+t.sort.Width-1, t.value)
	case ZeroExt, SignExt:
		return fmt.Sprintf("(_ %s %d)", t.op, t.sort.Width-t.args[0].sort.Width)
	case FAdd, FSub, FMul, FDiv, FFma, FSqrt, FRound:
		return fmt.Sprintf("%s %s", t.op, t.mode)
	case FToF, UToF, SToF:
		return fmt.Sprintf("(_ %s %d %d) %s", t.op, t.format.Exp, t.format.Frac+1, t.mode)
	case FToU, FToS:
		return fmt.Sprintf("(_ %s %d) %s", t.op, t.sort.Width, t.mode)
	case Fill:
		return "(as const " + t.sort.String() + ")"
	}
	return t.op.String()
}

// literal writes a constant.
func literal(s Sort, value uint64) string {
	switch {
	case s == Bool && value != 0:
		return "true"
	case s == Bool:
		return "false"
	case s.Width%4 == 0:
		return fmt.Sprintf("#x%0*x", s.Width/4, value)
	}
	return fmt.Sprintf("#b%0*b", s.Width, value)
}

// symbol quotes a name.
func symbol(name string) string { return "|" + name + "|" }

// A Builder makes terms. It may be used by one goroutine at a time. Its methods panic on
// terms of sorts that do not fit, which is a mistake of the program.
type Builder struct {
	terms map[node]*Term
	plain bool // does not simplify
}

// NewBuilder returns a builder without terms.
func NewBuilder() *Builder { return &Builder{terms: make(map[node]*Term)} }

// Len returns the number of different terms that were made.
func (b *Builder) Len() int { return len(b.terms) }

func (b *Builder) intern(n node) *Term {
	if t := b.terms[n]; t != nil {
		return t
	}
	t := &Term{node: n, id: len(b.terms), isFloat: ops[n.op].float}
	for _, a := range t.Args() {
		t.isFloat = t.isFloat || a.isFloat
	}
	b.terms[n] = t
	return t
}

// make interns a term, or the constant that it is.
func (b *Builder) make(n node) *Term {
	if b.plain || ops[n.op].eval == nil {
		return b.intern(n)
	}
	var a [3]uint64
	for i, arg := range n.args {
		if arg == nil {
			break
		}
		if arg.op != Const {
			return b.intern(n)
		}
		a[i] = arg.value
	}
	return b.constant(n.sort, ops[n.op].eval(&Term{node: n}, a))
}

func (b *Builder) constant(s Sort, value uint64) *Term {
	return b.intern(node{op: Const, sort: s, value: value & s.mask()})
}

// Number returns the bit-vector of a number modulo 2^width.
func (b *Builder) Number(width int, value uint64) *Term {
	check(Bits(width).valid(), "a number of %d bits", width)
	return b.constant(Bits(width), value)
}

// Truth returns a truth value.
func (b *Builder) Truth(holds bool) *Term { return b.constant(Bool, truth(holds)) }

// Var returns the variable of a name, which may not hold a vertical bar or a backslash. Variables
// of other sorts have other names.
func (b *Builder) Var(name string, s Sort) *Term {
	check(s.valid(), "a variable of sort %v", s)
	check(!strings.ContainsAny(name, `|\`), "a variable %q", name)
	return b.intern(node{op: Var, sort: s, name: name})
}

// Fill returns the array that has an element everywhere.
func (b *Builder) Fill(index int, elem *Term) *Term {
	check(elem.op == Const, "an array filled with what is not constant")
	s := Array(index, elem.sort.Width)
	check(s.valid() && elem.sort.Kind == BitsKind, "an array of %d-bit indices", index)
	return b.intern(node{op: Fill, sort: s, args: [3]*Term{elem}})
}

// check panics unless terms fit together.
func check(fits bool, format string, args ...any) {
	if !fits {
		panic("smt: there is no such term: " + fmt.Sprintf(format, args...))
	}
}

// same checks that two terms are bit-vectors of one width.
func same(op Op, x, y *Term) {
	check(x.sort.Kind == BitsKind && x.sort == y.sort, "%v of %v and %v", op, x.sort, y.sort)
}

// sorted puts a constant second, and otherwise the older term first.
func sorted(x, y *Term) (*Term, *Term) {
	if x.op == Const && y.op != Const || y.op != Const && y.id < x.id {
		return y, x
	}
	return x, y
}
