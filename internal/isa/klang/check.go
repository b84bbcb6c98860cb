package klang

import (
	"fmt"
	"slices"

	"warpbound/diag"
	"warpbound/internal/isa/minisimt"
)

// variable is a declared variable or parameter. Every declaration has its own, with a
// name of its own.
type variable struct {
	name     string
	typ      minisimt.Type
	param    bool
	assigned bool // after its declaration, as far as the checker has come
}

// expr is an expression whose types are known. Op is that of the Expr, and:
//
//	"var"  the variable v, or one of the machine's, whose name is in leaf
//	"load" the element of type typ that the pointer a points to
//	"+" of a pointer a and an int b
//	"int", "float" a conversion of a between numbers, or of a truth value
type expr struct {
	op   string
	typ  minisimt.Type
	a, b *expr
	v    *variable
	leaf minisimt.Value
	pos  diag.Pos
}

// isLeaf reports whether the expression needs no instruction.
func (e *expr) isLeaf() bool { return e.op == "var" || e.op == "number" }

// checker gives a kernel's expressions types and its names variables.
type checker struct {
	errs   *diag.List
	scopes []map[string]*variable
	taken  map[string]bool // names of the machine code
	params []*variable
	vars   []*variable
}

func newChecker(errs *diag.List) *checker {
	return &checker{errs: errs, taken: make(map[string]bool), scopes: []map[string]*variable{{}}}
}

func (c *checker) errorf(pos diag.Pos, format string, args ...any) {
	c.errs.Add(diag.Errorf(pos, format, args...))
}

// fresh returns a name for the machine code like base that nothing has.
func (c *checker) fresh(base string) string {
	name := base
	for n := 2; c.taken[name] || minisimt.Reserved(name); n++ {
		name = fmt.Sprintf("%s_%d", base, n)
	}
	c.taken[name] = true
	return name
}

func (c *checker) declare(v minisimt.Var) *variable {
	scope := c.scopes[len(c.scopes)-1]
	if scope[v.Name] != nil {
		c.errorf(v.Pos, "%s is declared twice", v.Name)
	}
	made := &variable{name: c.fresh(v.Name), typ: v.Type}
	scope[v.Name] = made
	return made
}

func (c *checker) find(v minisimt.Value) *variable {
	for _, scope := range slices.Backward(c.scopes) {
		if found := scope[v.Name]; found != nil {
			return found
		}
	}
	c.errorf(v.Pos, "%s is not declared", v.Name)
	return nil
}

func (c *checker) push() { c.scopes = append(c.scopes, map[string]*variable{}) }
func (c *checker) pop()  { c.scopes = c.scopes[:len(c.scopes)-1] }

// expr checks an expression. It returns nil after an error.
func (c *checker) expr(e *Expr) *expr {
	switch e.Op {
	case "number":
		out := &expr{op: "number", typ: minisimt.Int, leaf: e.Leaf, pos: e.Pos}
		if e.Leaf.IsFloat {
			out.typ = minisimt.Float
		}
		return out
	case "name":
		return c.name(e)
	case "[]":
		if p := c.element(e); p != nil {
			return &expr{op: "load", typ: p.typ.Elem(), a: p, pos: e.Pos}
		}
		return nil
	}
	a := c.expr(e.A)
	if e.B == nil {
		if a == nil {
			return nil
		}
		return c.unary(e, a)
	}
	b := c.expr(e.B)
	if a == nil || b == nil {
		return nil
	}
	return c.binary(e, a, b)
}

func (c *checker) name(e *Expr) *expr {
	if slices.Contains(minisimt.Specials(), e.Leaf.Name) {
		return &expr{op: "var", typ: minisimt.Int, leaf: e.Leaf, pos: e.Pos}
	}
	v := c.find(e.Leaf)
	if v == nil {
		return nil
	}
	return &expr{op: "var", typ: v.typ, v: v, pos: e.Pos}
}

// element returns the pointer to an element of an array.
func (c *checker) element(e *Expr) *expr {
	a, index := c.expr(e.A), c.expr(e.B)
	switch {
	case a == nil || index == nil:
		return nil
	case a.typ.Elem() == minisimt.NoType:
		c.errorf(e.Pos, "what the index is applied to is %s, no pointer", a.typ)
		return nil
	case index.typ != minisimt.Int && index.typ != minisimt.Bool:
		c.errorf(index.pos, "the index is %s; want int", index.typ)
		return nil
	}
	return &expr{op: "+", typ: a.typ, a: a, b: c.convert(index, minisimt.Int), pos: e.Pos}
}

func isNumber(t minisimt.Type) bool { return t == minisimt.Int || t == minisimt.Float }

// convert brings a number or a truth value to a type. Numbers in the text are converted
// here.
func (c *checker) convert(e *expr, to minisimt.Type) *expr {
	switch {
	case e.typ == to:
		return e
	case to == minisimt.Bool:
		zero := &expr{op: "number", typ: e.typ, leaf: minisimt.Value{IsFloat: e.typ == minisimt.Float, Pos: e.pos}, pos: e.pos}
		return &expr{op: "!=", typ: minisimt.Bool, a: e, b: zero, pos: e.pos}
	case e.op == "number" && to == minisimt.Float:
		leaf := minisimt.Value{IsFloat: true, Float: float32(e.leaf.Int), Pos: e.pos}
		return &expr{op: "number", typ: to, leaf: leaf, pos: e.pos}
	case to == minisimt.Float:
		return &expr{op: "float", typ: to, a: e, pos: e.pos}
	}
	return &expr{op: "int", typ: to, a: e, pos: e.pos}
}

func (c *checker) unary(e *Expr, a *expr) *expr {
	if a.typ.Elem() != minisimt.NoType || e.Op == "~" && a.typ == minisimt.Float {
		c.errorf(e.Pos, "%s cannot be applied to %s", e.Op, a.typ)
		return nil
	}
	switch e.Op {
	case "int":
		return c.convert(a, minisimt.Int)
	case "float":
		return c.convert(a, minisimt.Float)
	case "!":
		return &expr{op: "!", typ: minisimt.Bool, a: c.convert(a, minisimt.Bool), pos: e.Pos}
	}
	if a.typ == minisimt.Bool {
		a = c.convert(a, minisimt.Int)
	}
	return &expr{op: e.Op, typ: a.typ, a: a, pos: e.Pos}
}

func isComparison(op string) bool {
	return slices.Contains([]string{"<", "<=", ">", ">=", "==", "!="}, op)
}

func (c *checker) binary(e *Expr, a, b *expr) *expr {
	out := &expr{op: e.Op, a: a, b: b, pos: e.Pos}
	integer := func(t minisimt.Type) bool { return t == minisimt.Int || t == minisimt.Bool }
	pointer := func(t minisimt.Type) bool { return t.Elem() != minisimt.NoType }
	switch {
	case pointer(a.typ) && integer(b.typ) && (e.Op == "+" || e.Op == "-"):
		if out.b = c.convert(b, minisimt.Int); e.Op == "-" {
			out.b = &expr{op: "-", typ: minisimt.Int, a: out.b, pos: e.Pos}
		}
		out.op, out.typ = "+", a.typ
		return out
	case pointer(a.typ) || pointer(b.typ):
	case e.Op == "&&" || e.Op == "||":
		out.typ, out.a, out.b = minisimt.Bool, c.convert(a, minisimt.Bool), c.convert(b, minisimt.Bool)
		return out
	case slices.Contains([]string{"&", "|", "^"}, e.Op) && a.typ == minisimt.Bool && b.typ == minisimt.Bool:
		out.typ = minisimt.Bool
		return out
	case slices.Contains([]string{"%", "&", "|", "^", "<<", ">>"}, e.Op) && !(integer(a.typ) && integer(b.typ)):
	default:
		typ := minisimt.Int
		if a.typ == minisimt.Float || b.typ == minisimt.Float {
			typ = minisimt.Float
		}
		out.typ, out.a, out.b = typ, c.convert(a, typ), c.convert(b, typ)
		if isComparison(e.Op) {
			out.typ = minisimt.Bool
		}
		return out
	}
	c.errorf(e.Pos, "%s %s %s has no meaning", a.typ, e.Op, b.typ)
	return nil
}

// as checks an expression whose value is assigned to something of a type.
func (c *checker) as(e *Expr, to minisimt.Type) *expr {
	out := c.expr(e)
	switch {
	case out == nil || out.typ == to:
		return out
	case isNumber(to) && (isNumber(out.typ) || out.typ == minisimt.Bool):
		return c.convert(out, to)
	}
	c.errorf(e.Pos, "the value is %s; want %s", out.typ, to)
	return nil
}

// condition checks an expression that is used as a truth value. Numbers are tested for
// zero.
func (c *checker) condition(e *Expr) *expr {
	out := c.expr(e)
	if out != nil && out.typ.Elem() != minisimt.NoType {
		c.errorf(e.Pos, "the condition is %s; want a number", out.typ)
		return nil
	}
	return out
}
